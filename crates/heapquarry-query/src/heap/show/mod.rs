//! What is in an object, and who holds it.

mod answer;
mod view;

pub use answer::{
    ClassField, ClassTotals, DominatedObject, Element, Field, Instance, InternalReference,
    MapEntry, ObjectFacts, RetainerGroup, ShowAnswer, ShownClass, ShownObject, Target, Variable,
};

use super::{Subject, instances::Instances};
use crate::{
    Objects, Session,
    answer::{Answered, Bytes, List, NumberOrText},
    question::{Question, question},
};
use heapquarry::{Error, ErrorKind, Result, Source};
use heapquarry_base::Order;
use heapquarry_graph::{
    EdgeName, EdgeType, Entry, FieldSum, NodeIndex, NodeType, ScopeVariable, SourcePlace, Sources,
    StringIndex, display_name, entries, highest, scope_variables,
};
use heapquarry_report::near;
use std::{cmp::Reverse, collections::HashMap};

/// Scopes around a function whose variables are listed.
const MOST_SCOPES: usize = 64;

question! {
    /// Show what is in an object, and what holds it
    ///
    /// Lists fields, elements and entries with their values, the objects that only this object holds, and retainers by
    /// class and name. Of a function also its place in the source and the variables that it can read. With --class: the
    /// objects of the class, biggest first, and their fields.
    pub struct Show {
        /// The object with this id, as DevTools and the tables show it
        #[arg(long, value_name = "ID", value_parser = crate::args::id, required_unless_present = "class", conflicts_with = "class")]
        pub node: Option<i64> = None,

        /// Objects of this class; * matches any text; can be repeated
        #[arg(long, value_name = "NAME")]
        pub class: Vec<String> = Vec::new(),

        /// Rows to skip in each list
        #[arg(long, value_name = "N", default_value_t = 0)]
        pub offset: usize = 0,

        /// Rows of each list
        #[arg(long, value_name = "N", default_value_t = 20)]
        pub top: usize = 20,
    }
}

impl Question for Show {
    const VERB: &'static str = "show";
    type Answer = ShowAnswer;

    fn ask(&self, session: &Session) -> Result<Answered<ShowAnswer>> {
        let heap = session.heap()?;
        let (source, of) = (session.source()?, Objects::new(self.node, &self.class));
        let answer = heap.show(source, &of, self)?;
        let caveats = heap.caveats().cloned().chain(heap.shared_id(source, &of)).collect();
        session.answered(Self::VERB, caveats, answer, usize::MAX)
    }
}

impl Subject {
    pub(super) fn show(&self, source: &Source, of: &Objects, page: &Show) -> Result<ShowAnswer> {
        let shown = Shown::new(self, page.offset, page.top);
        match of {
            Objects::Id(id) => match self.heap.node_by_id(*id) {
                Some(node) => Ok(ShowAnswer::Object(shown.object(node).into())),
                None => Err(self.not_found(source, of)),
            },
            Objects::Classes(names) => {
                let instances = self.instances(names);
                if instances.is_empty() {
                    return Err(self.not_found(source, of));
                }
                Ok(ShowAnswer::Class(shown.class(&instances).into()))
            }
        }
    }

    /// The error for objects that are not there, with the names of classes that were perhaps meant.
    pub(super) fn not_found(&self, source: &Source, of: &Objects) -> Error {
        let what = match of {
            Objects::Id(id) => format!("object with id {id}"),
            Objects::Classes(names) => {
                let known = || self.analysis.classes.classes.iter().map(|class| &*class.name);
                let mut meant: Vec<&str> =
                    names.iter().flat_map(|name| near(name, known())).collect();
                meant.sort_unstable();
                meant.dedup();
                let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
                let what = format!("object of class {}", names.join(" or "));
                match meant[..] {
                    [] => what,
                    _ => format!("{what}; did you mean {}?", meant.join(" or ")),
                }
            }
        };
        Error::new(ErrorKind::NotFound { path: source.path.clone(), what })
    }
}

/// A heap whose objects are shown.
pub(super) struct Shown<'a> {
    subject: &'a Subject,
    sources: Sources<'a>,
    /// Rows of each list that are left out.
    offset: usize,
    /// Rows of each list after these.
    top: usize,
}

/// The references of an object by what they mean.
#[derive(Default)]
struct References {
    /// Properties and, of a scope, variables.
    fields: Vec<usize>,
    /// Elements of an array.
    elements: Vec<usize>,
    /// What the engine refers to.
    internal: Vec<usize>,
    prototype: Option<NodeIndex>,
}

/// Who holds an object by the same name.
struct Holders {
    count: u64,
    /// The one that retains most.
    largest: NodeIndex,
}

/// Objects of one class that hold an object by the same name.
pub(super) struct HolderGroup {
    edge: String,
    holders: Holders,
}

impl<'a> Shown<'a> {
    /// `offset` rows of each list are left out, and `top` are shown.
    pub(super) fn new(subject: &'a Subject, offset: usize, top: usize) -> Self {
        Shown { subject, sources: subject.sources(), offset, top }
    }

    /// The names of functions and scripts.
    pub(super) fn sources(&self) -> &Sources<'a> {
        &self.sources
    }

    fn object(&self, node: NodeIndex) -> ShownObject {
        self.object_held_by(node, &self.holders(node))
    }

    /// An object whose holders are known: an object can have millions.
    pub(super) fn object_held_by(&self, node: NodeIndex, holders: &[HolderGroup]) -> ShownObject {
        let references = self.references(node);
        let entries = entries(&self.subject.heap, node).unwrap_or_default();
        let is_set = self.subject.heap.node_name(node).ends_with("Set");
        ShownObject {
            object: self.facts(node, references.prototype),
            fields: self.page(references.fields, |edge| self.field(edge)),
            elements: self.page(references.elements, |edge| self.element(edge)),
            entries: self.page(entries, |entry| self.entry(&entry, is_set)),
            variables: self.page(self.variables(node), |variable| self.variable(variable)),
            internal: self.page(references.internal, |edge| self.internal(edge)),
            dominated: self.dominated(node),
            retainers: List::page(holders, self.offset, self.top, |group| RetainerGroup {
                edge: group.edge.clone(),
                count: group.holders.count,
                target: self.target(group.holders.largest),
            }),
        }
    }

    /// The page of a list. Only its rows are made.
    pub(super) fn page<S, T>(&self, all: Vec<S>, row: impl FnMut(S) -> T) -> List<T> {
        List::page(all, self.offset, self.top, row)
    }

    fn facts(&self, node: NodeIndex, prototype: Option<NodeIndex>) -> ObjectFacts {
        let subject = self.subject;
        let place = self.sources.place(node);
        let dominator = Some(subject.analysis.dominators[node.position()]).filter(|&d| d != node);
        let in_words =
            |of: NodeIndex| format!("{} @{}", self.value(of), subject.heap.nodes().id(of));
        ObjectFacts {
            class_name: subject.class_of(node),
            id: subject.node_id(node),
            name: self.sources.name(&subject.analysis.detachedness, node),
            kind: subject.heap.nodes().type_name(node).into(),
            place: place.as_ref().map(SourcePlace::exact),
            script_name: place.as_ref().map(|place| place.script.to_string()),
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column),
            original: subject.original(node),
            distance: subject.distance(node),
            shallow_size: Bytes(subject.shallow(node)),
            retained_size: Bytes(subject.retained(node)),
            prototype: prototype.map(in_words),
            prototype_id: prototype.map(|prototype| subject.node_id(prototype)),
            dominator: dominator.map(in_words),
            dominator_id: dominator.map(|dominator| subject.node_id(dominator)),
            is_function: subject.heap.nodes().kind(node) == NodeType::Closure,
        }
    }

    fn references(&self, node: NodeIndex) -> References {
        let heap = &self.subject.heap;
        let mut found = References::default();
        let variables = scope_variables(heap, node);
        for edge in heap.edges().of(node) {
            match heap.edges().kind(edge) {
                EdgeType::Hidden if variables.iter().any(|variable| variable.edge == edge) => {
                    found.fields.push(edge);
                }
                EdgeType::Missing => {}
                EdgeType::Property if heap.edge_name(edge) == EdgeName::Text("__proto__") => {
                    found.prototype = Some(heap.edges().target(edge));
                }
                EdgeType::Property | EdgeType::Context => found.fields.push(edge),
                EdgeType::Element => found.elements.push(edge),
                _ => found.internal.push(edge),
            }
        }
        found
    }

    fn field(&self, edge: usize) -> Field {
        let heap = &self.subject.heap;
        let name = match heap.edges().kind(edge) {
            EdgeType::Hidden => {
                let variables = scope_variables(heap, heap.edges().owner(edge));
                let variable = variables.iter().find(|variable| variable.edge == edge);
                variable.map(|variable| self.variable_name(variable)).unwrap_or_default()
            }
            _ => heap.edge_title(edge).into_owned(),
        };
        Field {
            name,
            edge_type: heap.edges().kind(edge).name(),
            target: self.target(heap.edges().target(edge)),
        }
    }

    fn element(&self, edge: usize) -> Element {
        let heap = &self.subject.heap;
        let index = match heap.edge_name(edge) {
            EdgeName::Index(index) => NumberOrText::Number(index.into()),
            EdgeName::Text(name) => NumberOrText::Text(name.to_string()),
        };
        Element { index, target: self.target(heap.edges().target(edge)) }
    }

    fn internal(&self, edge: usize) -> InternalReference {
        let heap = &self.subject.heap;
        InternalReference {
            edge: match heap.edge_name(edge) {
                EdgeName::Index(index) => format!("[{index}]"),
                EdgeName::Text(name) => name.to_string(),
            },
            edge_type: heap.edges().kind(edge).name(),
            target: self.target(heap.edges().target(edge)),
        }
    }

    fn entry(&self, entry: &Entry, is_set: bool) -> MapEntry {
        // V8 says nothing of small integers in a table, nor of `null`, `true` and the like.
        const SMALL: &str = "(integer or constant)";
        let without = |value: &str| Target {
            value: value.into(),
            class_name: None,
            id: None,
            retained_size: None,
        };
        MapEntry {
            key: entry.key.map_or_else(|| SMALL.into(), |key| self.value(key)),
            key_id: entry.key.map(|key| self.subject.node_id(key)),
            target: match entry.value {
                Some(value) => self.target(value),
                None => without(if is_set { "" } else { SMALL }),
            },
        }
    }

    /// The variables that a function sees, with the scope of each: the innermost first, without those of the whole
    /// program.
    fn variables(&self, function: NodeIndex) -> Vec<(NodeIndex, ScopeVariable)> {
        let heap = &self.subject.heap;
        if heap.nodes().kind(function) != NodeType::Closure {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut scope = self.by_name(function, "context");
        for _ in 0..MOST_SCOPES {
            let Some(at) = scope.filter(|&at| is_scope(heap.node_name(at))) else { break };
            found.extend(scope_variables(heap, at).into_iter().map(|variable| (at, variable)));
            scope = self.by_name(at, "previous");
        }
        found
    }

    fn variable(&self, (scope, variable): (NodeIndex, ScopeVariable)) -> Variable {
        Variable {
            name: self.variable_name(&variable),
            scope: self.sources.name(&self.subject.analysis.detachedness, scope),
            target: self.target(self.subject.heap.edges().target(variable.edge)),
        }
    }

    /// Its name, or those that it can have.
    fn variable_name(&self, variable: &ScopeVariable) -> String {
        let strings = self.subject.heap.strings();
        let names: Vec<&str> = variable.names.iter().map(|&name| strings.get(name)).collect();
        match names[..] {
            [name] => name.into(),
            _ => format!("one of {}", names.join(", ")),
        }
    }

    /// The target of the first internal edge of that name.
    fn by_name(&self, node: NodeIndex, name: &str) -> Option<NodeIndex> {
        let heap = &self.subject.heap;
        let is_it = |edge: &usize| {
            heap.edges().kind(*edge) == EdgeType::Internal
                && heap.edge_name(*edge) == EdgeName::Text(name)
        };
        heap.edges().of(node).find(is_it).map(|edge| heap.edges().target(edge))
    }

    /// What a node is, with its class, id and retained size.
    pub(super) fn target(&self, node: NodeIndex) -> Target {
        Target {
            value: self.value(node),
            class_name: Some(self.subject.class_of(node)),
            id: Some(self.subject.node_id(node)),
            retained_size: Some(Bytes(self.subject.retained(node))),
        }
    }

    /// A node as a value in a program.
    fn value(&self, node: NodeIndex) -> String {
        let value = self.written(node);
        match value.is_empty() {
            true => self.subject.analysis.classes.class(node).name.clone(),
            false => value,
        }
    }

    fn written(&self, node: NodeIndex) -> String {
        let (heap, states) = (&self.subject.heap, &self.subject.analysis.detachedness);
        let name = heap.node_name(node);
        match heap.nodes().kind(node) {
            NodeType::String | NodeType::ConsString | NodeType::SlicedString => {
                format!("{:?}", display_name(heap, states, node))
            }
            NodeType::Other if heap.nodes().type_name(node) == "number" => {
                let text = self.by_name(node, "value").map(|value| heap.node_name(value));
                text.unwrap_or(name).into()
            }
            NodeType::Other if heap.nodes().type_name(node) == "symbol" => {
                let text = self.by_name(node, "name").map_or("", |value| heap.node_name(value));
                format!("Symbol({text})")
            }
            // `undefined`, `null`, `true` and `false`, up to V8 13.
            NodeType::Hidden if name == "system / Oddball" => {
                let edges = heap.edges().of(node).map(|edge| heap.edges().target(edge));
                let texts = edges.filter(|&to| heap.nodes().kind(to) == NodeType::String);
                texts.map(|to| heap.node_name(to)).next().unwrap_or(name).into()
            }
            NodeType::RegExp => format!("/{name}/"),
            NodeType::Object if name == "Array" => match self.references_of(node) {
                0 => "Array".into(),
                1 => "Array (1 reference)".into(),
                references => format!("Array ({references} references)"),
            },
            NodeType::Object if name == "ArrayBuffer" => {
                match self.by_name(node, "backing_store") {
                    Some(bytes) => format!("ArrayBuffer({})", heap.nodes().self_size(bytes)),
                    None => name.into(),
                }
            }
            _ => self.sources.name(states, node),
        }
    }

    /// Elements of an array that are references. The file has neither its length nor its numbers.
    fn references_of(&self, array: NodeIndex) -> usize {
        let edges = self.subject.heap.edges();
        edges.of(array).filter(|&edge| edges.kind(edge) == EdgeType::Element).count()
    }

    /// What the object alone holds, the largest first.
    fn dominated(&self, node: NodeIndex) -> List<DominatedObject> {
        let subject = self.subject;
        let below: Vec<NodeIndex> = match subject.ready() {
            Some(ready) => ready.dominated().of(node).to_vec(),
            None => {
                let dominators = subject.analysis.dominators.iter().enumerate();
                let below = dominators.filter(|&(at, &by)| by == node && at != node.position());
                below.map(|(at, _)| NodeIndex::at(at)).collect()
            }
        };
        self.largest(below.iter().copied(), |at| DominatedObject {
            target: self.target(at),
            shallow_size: Bytes(subject.shallow(at)),
        })
    }

    /// The page of objects, the largest first.
    fn largest<T>(
        &self,
        nodes: impl Iterator<Item = NodeIndex> + Clone,
        row: impl Fn(NodeIndex) -> T,
    ) -> List<T> {
        let total = nodes.clone().count();
        // Rank 0 is none.
        let ranks = nodes.map(|at| (at, self.subject.retained(at).saturating_add(1)));
        let most = self.offset.saturating_add(self.top).min(total);
        let rows = highest(ranks, most).into_iter().skip(self.offset).map(|(at, _)| row(at));
        List { total: total as u64, offset: self.offset as u64, rows: rows.collect() }
    }

    /// Who holds an object, by class and name of the reference.
    pub(super) fn holders(&self, node: NodeIndex) -> Vec<HolderGroup> {
        let subject = self.subject;
        let edges = subject.heap.edges();
        // By class and name; millions have the same.
        let mut named: HashMap<(u32, Option<StringIndex>), (usize, Holders)> = HashMap::new();
        let is_shown =
            |&edge: &usize| edges.is_strong(edge) && edges.kind(edge) != EdgeType::Invisible;
        let retaining = subject.retaining(node).into_iter().filter(is_shown);
        for (holder, edge) in edges.with_owners(retaining) {
            let class = subject.analysis.classes.of[holder.position()];
            let (_, holders) = named
                .entry((class, subject.heap.edge_string(edge)))
                .or_insert((edge, Holders { count: 0, largest: holder }));
            holders.count += 1;
            if subject.retained(holder) > subject.retained(holders.largest) {
                holders.largest = holder;
            }
        }
        // By class and label.
        let mut groups: HashMap<(u32, &str), Holders> = HashMap::new();
        for ((class, _), (edge, found)) in named {
            let largest = found.largest;
            let none = Holders { count: 0, largest };
            let holders = groups.entry((class, self.label(edge))).or_insert(none);
            holders.count += found.count;
            // Of equal ones the first in the file.
            let rank = |node: NodeIndex| (subject.retained(node), Reverse(node));
            if rank(largest) > rank(holders.largest) {
                holders.largest = largest;
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.order_by_key(|(key, holders)| {
            let size = subject.retained(holders.largest);
            (Reverse((size, holders.count)), holders.largest, *key)
        });
        let group = |((_, name), holders): ((u32, &str), Holders)| HolderGroup {
            edge: name.into(),
            holders,
        };
        groups.into_iter().map(group).collect()
    }

    /// What a reference is called where those that differ in nothing but an index are one.
    fn label(&self, edge: usize) -> &str {
        let EdgeName::Text(name) = self.subject.heap.edge_name(edge) else { return "[]" };
        let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
        match rest.strip_prefix(" / ") {
            _ if rest.len() == name.len() => name,
            _ if rest.is_empty() => "[]",
            // Through which a WeakMap holds its values.
            Some(rest) if rest.starts_with("part of key (") => "(WeakMap value)",
            Some(rest) => rest,
            None => name,
        }
    }

    /// The objects of a class, the largest first, and what they have.
    fn class(&self, instances: &Instances<'_>) -> ShownClass {
        let subject = self.subject;
        let classes = instances.classes();
        let of_class =
            subject.analysis.aggregates.iter().filter(|a| classes.binary_search(&a.class).is_ok());
        let retained = of_class.fold(0, |sum: u64, a| sum.saturating_add(a.retained_size));
        let largest = instances.largest(self.offset.saturating_add(self.top));
        let rows = largest.into_iter().skip(self.offset).map(|node| self.instance(node));
        ShownClass {
            class: ClassTotals {
                count: instances.count(),
                class_count: classes.len() as u64,
                shallow_size: Bytes(instances.shallow_size()),
                retained_size: Bytes(retained),
            },
            objects: List {
                total: instances.count(),
                offset: self.offset as u64,
                rows: rows.collect(),
            },
            fields: self.page(instances.fields(), |field| self.class_field(&field)),
        }
    }

    pub(super) fn instance(&self, node: NodeIndex) -> Instance {
        Instance {
            target: self.target(node),
            distance: self.subject.distance(node),
            shallow_size: Bytes(self.subject.shallow(node)),
        }
    }

    /// A property of the objects of a class: how many have it, and of which classes the values are.
    fn class_field(&self, field: &FieldSum) -> ClassField {
        let Subject { heap, analysis, .. } = self.subject;
        let most = field.values.iter().max_by_key(|&&(class, n)| (n, Reverse(class)));
        let class = most.map(|&(class, _)| &analysis.classes.classes[class as usize]);
        ClassField {
            name: heap.strings().get(field.name).into(),
            count: field.count,
            value_class: class.map(|class| class.name.to_string()).unwrap_or_default(),
            class_count: field.values.len() as u64,
        }
    }
}

/// Whether that is the name of a Context.
fn is_scope(name: &str) -> bool {
    name == "system / Context" || name.starts_with("system / Context / ")
}
