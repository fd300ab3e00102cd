//! What is in an object, and who holds it.

use crate::answer::{Bytes, Distance, List, NodeId, NumberOrText, Original, answer};

answer! {
    /// What is in an object, or in the objects of classes.
    #[serde(tag = "of", rename_all = "snake_case")]
    pub enum ShowAnswer {
        /// One object.
        Object(Box<ShownObject>),
        /// The objects of classes.
        Class(Box<ShownClass>),
    }

    /// An object.
    pub struct ShownObject {
        /// What it is.
        pub object: ObjectFacts,
        /// Its properties; of a scope its variables.
        pub fields: List<Field>,
        /// Its elements.
        pub elements: List<Element>,
        /// Entries of a Map or Set.
        pub entries: List<MapEntry>,
        /// Variables that a function sees, the innermost scope first.
        pub variables: List<Variable>,
        /// References of the engine.
        pub internal: List<InternalReference>,
        /// What it alone holds, the largest first.
        pub dominated: List<DominatedObject>,
        /// What holds it, by class and name of the reference.
        pub retainers: List<RetainerGroup>,
    }

    /// What an object is.
    pub struct ObjectFacts {
        /// Name of its class.
        pub class_name: String,
        /// Its id.
        pub id: NodeId,
        /// Its name; of functions with the place where they are defined.
        pub name: String,
        /// Its type: `object`, `closure`, `string` and others.
        #[serde(rename = "type")]
        pub kind: String,
        /// Where the function, or the constructor of the object's class, is written: `file:line:column`.
        pub place: Option<String>,
        /// The script of that place, whole.
        pub script_name: Option<String>,
        /// Its line, from 1.
        pub line: Option<i64>,
        /// Its column, from 1.
        pub column: Option<i64>,
        /// What a source map tells of that place.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
        /// Its distance.
        pub distance: Distance,
        /// What it takes itself.
        pub shallow_size: Bytes,
        /// What would be freed with it.
        pub retained_size: Bytes,
        /// Its prototype, in words.
        pub prototype: Option<String>,
        /// Id of its prototype.
        pub prototype_id: Option<NodeId>,
        /// Its dominator, in words: the nearest object without which it would be freed.
        pub dominator: Option<String>,
        /// Id of its dominator.
        pub dominator_id: Option<NodeId>,
        /// Whether it is a function: `place` is its own then, else that of its class.
        #[serde(skip)]
        pub(crate) is_function: bool,
    }

    /// A node as a value in a program.
    pub struct Target {
        /// The value as a program would write it, or the name of its class.
        pub value: String,
        /// Name of its class; absent for what is in no file, such as small integers in a Map.
        pub class_name: Option<String>,
        /// Its id.
        pub id: Option<NodeId>,
        /// What would be freed with it.
        pub retained_size: Option<Bytes>,
    }

    /// A property or variable.
    pub struct Field {
        /// Its name.
        pub name: String,
        /// `property`, or `context` for a variable.
        pub edge_type: &'static str,
        /// Its value.
        #[serde(flatten)]
        pub target: Target,
    }

    /// An element of an array.
    pub struct Element {
        /// Its index; what is no index is text.
        pub index: NumberOrText,
        /// Its value.
        #[serde(flatten)]
        pub target: Target,
    }

    /// An entry of a Map or Set.
    pub struct MapEntry {
        /// Its key.
        pub key: String,
        /// Id of the key; absent for small integers and constants, which V8 does not write.
        pub key_id: Option<NodeId>,
        /// Its value; empty in a Set.
        #[serde(flatten)]
        pub target: Target,
    }

    /// A captured variable.
    pub struct Variable {
        /// Its name.
        pub name: String,
        /// The scope that has it.
        pub scope: String,
        /// Its value.
        #[serde(flatten)]
        pub target: Target,
    }

    /// A reference of the engine.
    pub struct InternalReference {
        /// Its name.
        pub edge: String,
        /// Its type: `internal`, `hidden`, `weak`, `shortcut`.
        pub edge_type: &'static str,
        /// What it refers to.
        #[serde(flatten)]
        pub target: Target,
    }

    /// An object that nothing else holds.
    pub struct DominatedObject {
        /// The object.
        #[serde(flatten)]
        pub target: Target,
        /// What it takes itself.
        pub shallow_size: Bytes,
    }

    /// Objects of one class that hold an object by the same name.
    pub struct RetainerGroup {
        /// Name of the reference; `[]` stands for any index.
        pub edge: String,
        /// Number of these objects.
        pub count: u64,
        /// The one that retains most.
        #[serde(flatten)]
        pub target: Target,
    }

    /// The objects of classes.
    pub struct ShownClass {
        /// Sums over all of them.
        pub class: ClassTotals,
        /// The objects, the largest first.
        pub objects: List<Instance>,
        /// Their properties.
        pub fields: List<ClassField>,
    }

    /// Sums over the objects of classes.
    pub struct ClassTotals {
        /// Number of objects.
        pub count: u64,
        /// Number of classes.
        pub class_count: u64,
        /// What they take themselves.
        pub shallow_size: Bytes,
        /// What would be freed with the objects of each class, summed over the classes.
        pub retained_size: Bytes,
    }

    /// An object of a class.
    pub struct Instance {
        /// The object.
        #[serde(flatten)]
        pub target: Target,
        /// Its distance.
        pub distance: Distance,
        /// What it takes itself.
        pub shallow_size: Bytes,
    }

    /// A property of the objects of a class.
    pub struct ClassField {
        /// Its name.
        pub name: String,
        /// Number of objects that have it.
        pub count: u64,
        /// The class that most of its values have.
        pub value_class: String,
        /// Number of classes that its values have.
        pub class_count: u64,
    }
}
