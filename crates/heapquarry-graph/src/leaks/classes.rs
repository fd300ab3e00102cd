//! What nodes are instances of, in a way that is the same in all snapshots.
//!
//! Not DevTools' classes: plain objects are named there after interfaces that are inferred from one snapshot, and all
//! functions are one class. Here functions are of one class if they are written at one place.

use super::{
    jsc,
    kinds::Kinds,
    texts::{Local, Texts},
    words::{Word, Words},
};
use crate::{
    DETACHED, EdgeType, HashMap, Heap, NodeIndex, NodeType, Place, StringIndex, detached,
    heap::internal as internal_of,
    known::Role,
    sources::{Unbound, script_name, unbound},
};

/// A plain object is named after so many of its properties.
const NAMED: usize = 6;
/// With more properties than this it is a record no more.
const MOST_NAMED: usize = 20;
/// No class: what is not visible has none.
pub(super) const NO_CLASS: u32 = u32::MAX;
/// Classes that say nothing about what an object is for.
const GENERIC: [&str; 11] = [
    "Object",
    "Array",
    "Map",
    "Set",
    "WeakMap",
    "WeakSet",
    "Function",
    "Promise",
    "(string)",
    "(number)",
    "(heap number)",
];

pub(super) fn is_generic(name: &str) -> bool {
    GENERIC.contains(&name)
}

/// A class: by name, or by the id of what its instances share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Of that text.
    Named(u32),
    /// Functions that are written at one place of a script, and bound so many times: a file may be loaded again.
    FunctionAt { script: u32, line: i32, column: i32, binds: u8 },
    /// Functions of code that has no file, by name and line: each `new Function` is a script of its own.
    FunctionOfText { name: u32, line: i32, binds: u8 },
    /// Functions made of the same code, whose place is not known.
    Function { shared: i64, binds: u8 },
    /// Functions of that name whose code is not known.
    FunctionNamed { name: u32, binds: u8 },
    /// The variables of calls of one function.
    Scope(i64),
}

/// The classes of all snapshots.
#[derive(Debug, Default)]
pub(super) struct Classes {
    all: Vec<Class>,
    numbers: HashMap<Key, u32>,
    /// Those that are known by an id alone, by what they are like, in the order in which they were met.
    alike: HashMap<Key, Vec<u32>>,
}

#[derive(Debug)]
struct Class {
    key: Key,
    is_generic: bool,
}

impl Classes {
    fn number(&mut self, key: Key, texts: &Texts) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry(key).or_insert_with(|| {
            let is_generic = matches!(key, Key::Named(text) if is_generic(texts.get(text)));
            self.all.push(Class { key, is_generic });
            next
        })
    }

    /// The class of what is known by an id alone. Where ids do not last it is the next one that is like it.
    fn identified(&mut self, key: Key, like: Key, lost: Option<&mut Taken>, texts: &Texts) -> u32 {
        let next = self.all.len() as u32;
        let Some(Taken(taken)) = lost else {
            let class = self.number(key, texts);
            if class == next {
                self.alike.entry(like).or_default().push(class);
            }
            return class;
        };
        let (alike, taken) = (self.alike.entry(like).or_default(), taken.entry(like).or_default());
        if *taken == alike.len() {
            alike.push(next);
            self.all.push(Class { key, is_generic: false });
        }
        *taken += 1;
        alike[*taken - 1]
    }

    /// The name of a class, unless it is one of functions or of their variables.
    pub(super) fn name<'a>(&self, class: u32, texts: &'a Texts) -> Option<&'a str> {
        match self.all.get(class as usize)?.key {
            Key::Named(text) => Some(texts.get(text)),
            _ => None,
        }
    }

    pub(super) fn is_generic(&self, class: u32) -> bool {
        self.all.get(class as usize).is_some_and(|class| class.is_generic)
    }

    /// The class of each visible node of a snapshot. `has_ids` says whether its ids are those of the snapshots before.
    pub(super) fn classify(
        &mut self,
        heap: &Heap,
        words: &Words,
        kinds: &Kinds,
        texts: &mut Texts,
        has_ids: bool,
    ) -> Vec<u32> {
        let states = heap.nodes.detachedness.as_ref().map(|_| detached::detachedness(heap));
        let strings = {
            let text = texts.number("(string)");
            self.number(Key::Named(text), texts)
        };
        let mut pass = Pass {
            heap,
            words,
            local: Local::new(heap.strings()),
            named: HashMap::default(),
            shapes: HashMap::default(),
            functions: HashMap::default(),
            scopes: HashMap::default(),
            lost: (!has_ids).then(Taken::default),
            last: (Shape::default(), NO_CLASS),
        };
        let class = |node: NodeIndex| {
            if !kinds.is_visible(node) {
                return NO_CLASS;
            }
            if kinds.is_string(node) {
                return strings;
            }
            if kinds.is_function(node) {
                return pass.function(node, self, texts);
            }
            if kinds.is_scope(node) {
                return pass.scope(node, self, texts);
            }
            let is_detached =
                states.as_ref().is_some_and(|states| states[node.position()] == DETACHED);
            pass.object(node, is_detached, self, texts)
        };
        heap.nodes().all().map(class).collect()
    }
}

/// How many classes of each kind have been found again in a snapshot.
#[derive(Debug, Default)]
struct Taken(HashMap<Key, usize>);

/// The first names of a plain object's properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Shape {
    names: [StringIndex; NAMED],
    len: u8,
}

/// The classes of one snapshot, by its own string numbers.
struct Pass<'a> {
    heap: &'a Heap,
    words: &'a Words,
    local: Local<'a>,
    /// By node type, name and whether it is detached.
    named: HashMap<(u8, StringIndex, bool), u32>,
    shapes: HashMap<Shape, u32>,
    /// By code and how often it is bound.
    functions: HashMap<(NodeIndex, u8), u32>,
    /// By what has the names of the variables.
    scopes: HashMap<NodeIndex, u32>,
    /// If ids do not last.
    lost: Option<Taken>,
    /// Objects that are alike often stand together.
    last: (Shape, u32),
}

impl Pass<'_> {
    /// The target of a node's first internal edge of that name.
    fn internal(&self, node: NodeIndex, word: Word) -> Option<NodeIndex> {
        internal(self.heap, self.words, node, word)
    }

    fn function(&mut self, node: NodeIndex, classes: &mut Classes, texts: &mut Texts) -> u32 {
        let Unbound { closure, shared, binds } = unbound(self.heap, node);
        let binds = binds as u8;
        let Some(shared) = shared else {
            let name = self.local.number(texts, self.heap.nodes.name_id(closure));
            return classes.number(Key::FunctionNamed { name, binds }, texts);
        };
        if let Some(&class) = self.functions.get(&(shared, binds)) {
            return class;
        }
        let script = internal_of(self.heap, shared, Role::Script);
        let key = match (script, self.heap.place(closure)) {
            (Some(script), Some(Place { line, column, .. })) if is_file(self.heap, script) => {
                let script = self.local.number(texts, self.heap.nodes.name_id(script));
                Key::FunctionAt { script, line, column, binds }
            }
            (Some(script), Some(Place { line, .. })) if is_script(self.heap, script) => {
                // Names of what is generated are often numbered.
                let name =
                    self.heap.node_name(closure).trim_end_matches(|c: char| c.is_ascii_digit());
                Key::FunctionOfText { name: texts.number(name), line, binds }
            }
            _ => Key::Function { shared: self.heap.nodes.id(shared), binds },
        };
        let class = match key {
            Key::Function { .. } => {
                let name = self.local.number(texts, self.heap.nodes.name_id(closure));
                let like = Key::FunctionNamed { name, binds };
                classes.identified(key, like, self.lost.as_mut(), texts)
            }
            _ => classes.number(key, texts),
        };
        self.functions.insert((shared, binds), class);
        class
    }

    /// The variables of the calls of one function share what has their names.
    fn scope(&mut self, node: NodeIndex, classes: &mut Classes, texts: &mut Texts) -> u32 {
        let info = self.internal(node, Word::ScopeInfo);
        let Some(info) = info.or_else(|| jsc::symbols(self.heap, node)) else {
            return classes.number(Key::Scope(0), texts);
        };
        if let Some(&class) = self.scopes.get(&info) {
            return class;
        }
        let like = Key::Named(texts.number(&self.variables(node, info)));
        let key = Key::Scope(self.heap.nodes.id(info));
        let class = classes.identified(key, like, self.lost.as_mut(), texts);
        self.scopes.insert(info, class);
        class
    }

    /// The names of the variables of a scope: V8 has them in its ScopeInfo. Of JavaScriptCore those with a value are
    /// known.
    fn variables(&self, scope: NodeIndex, info: NodeIndex) -> String {
        let edges = self.heap.edges();
        let names = edges.of(info).map(|edge| edges.target(edge));
        let names = names.filter(|&name| self.heap.nodes.kind(name) == NodeType::String);
        let names: Vec<&str> = names.map(|name| self.heap.node_name(name)).collect();
        if !names.is_empty() {
            return names.join(", ");
        }
        let variables = edges.of(scope).filter(|&edge| edges.kind(edge) == EdgeType::Context);
        let names: Vec<String> =
            variables.map(|edge| self.heap.edge_name(edge).to_string()).collect();
        names.join(", ")
    }

    fn object(
        &mut self,
        node: NodeIndex,
        is_detached: bool,
        classes: &mut Classes,
        texts: &mut Texts,
    ) -> u32 {
        if self.heap.is_plain_object(node)
            && let Some(shape) = self.shape(node)
        {
            if self.last.0 != shape {
                let class = match self.shapes.get(&shape) {
                    Some(&class) => class,
                    None => {
                        let text = self.shape_text(&shape);
                        let key = Key::Named(texts.number(&text));
                        let class = classes.number(key, texts);
                        self.shapes.insert(shape, class);
                        class
                    }
                };
                self.last = (shape, class);
            }
            return self.last.1;
        }
        let (number, name) =
            (self.heap.nodes.types[node.position()], self.heap.nodes.name_id(node));
        if let Some(&class) = self.named.get(&(number, name, is_detached)) {
            return class;
        }
        let key = Key::Named(texts.number(&self.name(node, is_detached)));
        let class = classes.number(key, texts);
        self.named.insert((number, name, is_detached), class);
        class
    }

    /// The shape of a plain object that is a record: not too many properties, but some.
    fn shape(&self, node: NodeIndex) -> Option<Shape> {
        let edges = self.heap.edges();
        let mut shape = Shape::default();
        let mut count = 0;
        for edge in edges.of(node) {
            if edges.kind(edge) != EdgeType::Property
                || self.words.get(edges.string(edge)) == Word::Proto
            {
                continue;
            }
            if count < NAMED {
                shape.names[count] = edges.string(edge);
            }
            count += 1;
            if count > MOST_NAMED {
                return None;
            }
        }
        shape.len = count.min(NAMED) as u8;
        (count > 0).then_some(shape)
    }

    fn shape_text(&self, shape: &Shape) -> String {
        let names = shape.names[..usize::from(shape.len)].iter();
        let names: Vec<_> = names.map(|&name| self.heap.strings().get(name)).collect();
        format!("{{{}}}", names.join(", "))
    }

    fn name(&self, node: NodeIndex, is_detached: bool) -> String {
        let name = self.heap.node_name(node);
        match self.heap.nodes.kind(node) {
            NodeType::Object if !name.is_empty() => name.into(),
            NodeType::RegExp => "RegExp".into(),
            NodeType::Native => {
                let name = crate::classes::tag(name);
                // Chromium's own names say so already.
                if is_detached && !name.starts_with("Detached ") {
                    format!("Detached {name}")
                } else {
                    name
                }
            }
            _ => format!("({})", self.heap.nodes.type_name(node)),
        }
    }
}

/// Whether a script was read from a file.
fn is_file(heap: &Heap, script: NodeIndex) -> bool {
    script_name(heap, script).is_some_and(|name| !name.starts_with("evalmachine.<"))
}

/// Whether a node to which a function's code leads is a script at all: functions of the engine have none.
fn is_script(heap: &Heap, node: NodeIndex) -> bool {
    let name = heap.node_name(node);
    name.is_empty() || name.starts_with("evalmachine.<") || name.starts_with("system / Script")
}

/// The target of a node's first internal edge of that name.
pub(super) fn internal(
    heap: &Heap,
    words: &Words,
    node: NodeIndex,
    word: Word,
) -> Option<NodeIndex> {
    let edges = heap.edges();
    let is_it = |edge: &usize| {
        edges.kind(*edge) == EdgeType::Internal && words.get(edges.string(*edge)) == word
    };
    edges.of(node).find(is_it).map(|edge| edges.target(edge))
}
