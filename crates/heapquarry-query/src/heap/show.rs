//! What is in an object, and who holds it.

use super::{Subject, distance, highest};
use crate::{
    Objects, Page,
    sections::{table, values},
};
use heapquarry::{Error, ErrorKind, Result, Source};
use heapquarry_graph::{
    EdgeName, EdgeType, Entry, NodeIndex, NodeType, ScopeVariable, SourcePlace, Sources,
    StringIndex, display_name, entries, scope_variables,
};
use heapquarry_report::{Body, Cell, Column, Pattern, Section, Table, Unit, near};
use std::{cmp::Reverse, collections::HashMap};

/// Scopes around a function whose variables are listed.
const MOST_SCOPES: usize = 64;
/// Names of properties that are told of a class.
const MOST_FIELDS: usize = 1000;

impl Subject {
    pub(crate) fn show(&self, source: &Source, of: &Objects, page: Page) -> Result<Vec<Section>> {
        let shown = Shown { subject: self, sources: Sources::new(&self.heap), page };
        match of {
            Objects::Id(id) => match self.heap.node_by_id(*id) {
                Some(node) => Ok(shown.object(node)),
                None => Err(self.not_found(source, of)),
            },
            Objects::Classes(names) => {
                let nodes = self.instances(names);
                if nodes.is_empty() {
                    return Err(self.not_found(source, of));
                }
                Ok(shown.class(&nodes))
            }
        }
    }

    /// The objects of classes of these names, in which `*` stands for anything, in file order.
    pub(super) fn instances(&self, names: &[String]) -> Vec<NodeIndex> {
        let names: Vec<Pattern> = names.iter().map(|name| Pattern::new(name)).collect();
        let classes = &self.analysis.classes;
        let fits = |name: &str| names.iter().any(|pattern| pattern.matches(name));
        let fits: Vec<bool> = classes.classes.iter().map(|class| fits(&class.name)).collect();
        self.nodes().filter(|&node| fits[classes.of[node.position()] as usize]).collect()
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
struct Shown<'a> {
    subject: &'a Subject,
    sources: Sources<'a>,
    page: Page,
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

impl Shown<'_> {
    fn object(&self, node: NodeIndex) -> Vec<Section> {
        let subject = self.subject;
        let references = self.references(node);
        let entries = entries(&subject.heap, node).unwrap_or_default();
        let is_set = subject.heap.node_name(node).ends_with("Set");
        let variables = self.variables(node);
        let value = [
            Column::new("value", "Value"),
            Column::optional("class_name", "Class"),
            Column::new("id", "Id"),
            Column::new("retained_size", "Retained"),
        ];
        let with = |first: &[Column]| [first, &value].concat();
        let named = [Column::new("name", "Name"), Column::hidden("edge_type")];
        let key = [Column::new("key", "Key"), Column::hidden("key_id")];
        let variable = [Column::new("name", "Name"), Column::optional("scope", "Of")];
        let edge = [Column::new("edge", "Edge"), Column::optional("edge_type", "Kind")];
        let index = [Column::new("index", "Index")];
        let numbers = [
            ("field_count", references.fields.len()),
            ("element_count", references.elements.len()),
            ("entry_count", entries.len()),
            ("variable_count", variables.len()),
            ("internal_count", references.internal.len()),
        ];
        vec![
            self.header(node, references.prototype, &numbers),
            self.part("fields", "Fields", with(&named), references.fields, |edge| self.field(edge)),
            self.part("elements", "Elements", with(&index), references.elements, |edge| {
                self.element(edge)
            }),
            self.part("entries", "Entries", with(&key), entries, |entry| {
                self.entry(&entry, is_set)
            }),
            self.part("variables", "Captured variables", with(&variable), variables, |variable| {
                self.variable(variable)
            }),
            self.part(
                "internal",
                "References of the engine",
                with(&edge),
                references.internal,
                |edge| self.internal(edge),
            ),
            self.dominated(node),
            self.retainers(node),
        ]
    }

    fn header(
        &self,
        node: NodeIndex,
        prototype: Option<NodeIndex>,
        numbers: &[(&'static str, usize)],
    ) -> Section {
        let subject = self.subject;
        let place = self.sources.place(node);
        let is_function = subject.heap.nodes().kind(node) == NodeType::Closure;
        let (at, title) = if is_function { ("place", "Written at") } else { ("place", "Class at") };
        let number = |n: i64| Cell::Number(n, Unit::Plain);
        let dominator = subject.analysis.dominators[node.position()];
        let mut cells = vec![
            ("class_name", "Class", subject.class_name(node)),
            ("id", "Id", subject.id(node)),
            ("name", "Name", subject.name(&self.sources, node)),
            ("type", "Type", Cell::name(subject.heap.nodes().type_name(node))),
            (
                at,
                if place.is_some() { title } else { "" },
                place.as_ref().map_or(Cell::Empty, at_place),
            ),
            ("script_name", "", place.as_ref().map_or(Cell::Empty, |p| Cell::name(&*p.script))),
            ("line", "", place.as_ref().map_or(Cell::Empty, |p| number(p.line))),
            ("column", "", place.as_ref().map_or(Cell::Empty, |p| number(p.column))),
            ("distance", "Distance", distance(subject.analysis.distances[node.position()])),
            ("shallow_size", "Shallow size", Cell::bytes(subject.shallow(node))),
            ("retained_size", "Retained size", Cell::bytes(subject.retained(node))),
        ];
        for (key, id_key, title, of) in [
            ("prototype", "prototype_id", "Prototype", prototype),
            ("dominator", "dominator_id", "Dominated by", Some(dominator).filter(|&d| d != node)),
        ] {
            let name = of.map_or(Cell::Empty, |of| {
                Cell::name(format!("{} @{}", self.value(of), subject.heap.nodes().id(of)))
            });
            cells.push((key, if of.is_some() { title } else { "" }, name));
            cells.push((id_key, "", of.map_or(Cell::Empty, |of| subject.id(of))));
        }
        cells.extend(numbers.iter().map(|&(key, n)| (key, "", Cell::count(n as u64))));
        values("object", "Object", cells)
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

    fn field(&self, edge: usize) -> Vec<Cell> {
        let heap = &self.subject.heap;
        let name = match heap.edges().kind(edge) {
            EdgeType::Hidden => {
                let variables = scope_variables(heap, heap.edges().owner(edge));
                let variable = variables.iter().find(|variable| variable.edge == edge);
                variable.map_or(Cell::Empty, |variable| self.variable_name(variable))
            }
            _ => Cell::name(heap.edge_name(edge).to_string()),
        };
        let kind = Cell::text(heap.edges().kind(edge).name());
        [vec![name, kind], self.target(heap.edges().target(edge))].concat()
    }

    fn element(&self, edge: usize) -> Vec<Cell> {
        let heap = &self.subject.heap;
        let index = match heap.edge_name(edge) {
            EdgeName::Index(index) => Cell::count(index.into()),
            EdgeName::Text(name) => Cell::name(name),
        };
        [vec![index], self.target(heap.edges().target(edge))].concat()
    }

    fn internal(&self, edge: usize) -> Vec<Cell> {
        let heap = &self.subject.heap;
        let kind = heap.edges().kind(edge);
        let name = match heap.edge_name(edge) {
            EdgeName::Index(index) => Cell::name(format!("[{index}]")),
            EdgeName::Text(name) => Cell::name(name),
        };
        [vec![name, Cell::text(kind.name())], self.target(heap.edges().target(edge))].concat()
    }

    fn entry(&self, entry: &Entry, is_set: bool) -> Vec<Cell> {
        // V8 says nothing of small integers in a table, nor of `null`, `true` and the like.
        let small = || Cell::text("(integer or constant)");
        let key = match entry.key {
            Some(key) => vec![Cell::name(self.value(key)), self.subject.id(key)],
            None => vec![small(), Cell::Empty],
        };
        let value = match entry.value {
            Some(value) => self.target(value),
            None => {
                let value = if is_set { Cell::Empty } else { small() };
                vec![value, Cell::Empty, Cell::Empty, Cell::Empty]
            }
        };
        [key, value].concat()
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

    fn variable(&self, (scope, variable): (NodeIndex, ScopeVariable)) -> Vec<Cell> {
        let of = Cell::name(self.sources.name(&self.subject.analysis.detachedness, scope));
        let value = self.target(self.subject.heap.edges().target(variable.edge));
        [vec![self.variable_name(&variable), of], value].concat()
    }

    /// Its name, or those that it can have.
    fn variable_name(&self, variable: &ScopeVariable) -> Cell {
        let strings = self.subject.heap.strings();
        let names: Vec<&str> = variable.names.iter().map(|&name| strings.get(name)).collect();
        match names[..] {
            [name] => Cell::name(name),
            _ => Cell::name(format!("one of {}", names.join(", "))),
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
    fn target(&self, node: NodeIndex) -> Vec<Cell> {
        let subject = self.subject;
        vec![
            Cell::name(self.value(node)),
            subject.class_name(node),
            subject.id(node),
            Cell::bytes(subject.retained(node)),
        ]
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
    fn dominated(&self, node: NodeIndex) -> Section {
        let subject = self.subject;
        let below = || {
            let dominators = subject.analysis.dominators.iter().enumerate();
            let below = dominators.filter(|&(at, &by)| by == node && at != node.position());
            below.map(|(at, _)| NodeIndex::at(at))
        };
        let count = below().count();
        let Page { offset, top } = self.page;
        let ranks = below().map(|at| (at, subject.retained(at).saturating_add(1)));
        let largest = highest(ranks, offset.saturating_add(top).min(count));
        let rows = largest.into_iter().skip(offset).map(|(at, _)| {
            let mut row = self.target(at);
            row.insert(3, Cell::bytes(subject.shallow(at)));
            row
        });
        let columns = vec![
            Column::new("value", "Object"),
            Column::optional("class_name", "Class"),
            Column::new("id", "Id"),
            Column::optional("shallow_size", "Shallow"),
            Column::new("retained_size", "Retained"),
        ];
        self.paged("dominated", "Held by nothing else", columns, rows.collect(), count)
    }

    /// Who holds the object, by class and name of the reference.
    fn retainers(&self, node: NodeIndex) -> Section {
        let subject = self.subject;
        let edges = subject.heap.edges();
        // By class and label.
        let mut groups: HashMap<(u32, &str), Holders> = HashMap::new();
        for edge in (0..edges.len()).filter(|&edge| edges.target(edge) == node) {
            if !edges.is_strong(edge) || edges.kind(edge) == EdgeType::Invisible {
                continue;
            }
            let holder = edges.owner(edge);
            let key = (subject.analysis.classes.of[holder.position()], self.label(edge));
            let holders = groups.entry(key).or_insert(Holders { count: 0, largest: holder });
            holders.count += 1;
            if subject.retained(holder) > subject.retained(holders.largest) {
                holders.largest = holder;
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable_by_key(|(key, holders)| {
            let size = subject.retained(holders.largest);
            (Reverse((size, holders.count)), holders.largest, *key)
        });
        let row = |((_, name), holders): ((u32, &str), Holders)| {
            vec![
                Cell::name(name),
                subject.class_name(holders.largest),
                Cell::count(holders.count),
                Cell::name(self.value(holders.largest)),
                subject.id(holders.largest),
                Cell::bytes(subject.retained(holders.largest)),
            ]
        };
        let columns = vec![
            Column::new("edge", "Edge"),
            Column::new("class_name", "Retainer"),
            Column::new("count", "Count"),
            Column::optional("value", "Largest"),
            Column::new("id", "Id"),
            Column::new("retained_size", "Retained"),
        ];
        self.part("retainers", "Held by", columns, groups, row)
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
    fn class(&self, nodes: &[NodeIndex]) -> Vec<Section> {
        let subject = self.subject;
        let size = nodes.iter().fold(0, |sum: u64, &n| sum.saturating_add(subject.shallow(n)));
        let mut classes: Vec<u32> =
            nodes.iter().map(|&node| subject.analysis.classes.of[node.position()]).collect();
        classes.sort_unstable();
        classes.dedup();
        let of_class = subject.analysis.aggregates.iter().filter(|a| classes.contains(&a.class));
        let retained = of_class.fold(0, |sum: u64, a| sum.saturating_add(a.retained_size));
        let totals = [
            ("count", "Count", Cell::count(nodes.len() as u64)),
            ("class_count", "Classes", Cell::count(classes.len() as u64)),
            ("shallow_size", "Shallow size", Cell::bytes(size)),
            ("retained_size", "Retained size", Cell::bytes(retained)),
        ];
        let Page { offset, top } = self.page;
        let ranks = nodes.iter().map(|&node| (node, subject.retained(node).saturating_add(1)));
        let largest = highest(ranks, offset.saturating_add(top).min(nodes.len()));
        let rows = largest.into_iter().skip(offset).map(|(node, _)| {
            let mut row = self.target(node);
            row.insert(3, distance(subject.analysis.distances[node.position()]));
            row.insert(4, Cell::bytes(subject.shallow(node)));
            row
        });
        let columns = vec![
            Column::new("value", "Object"),
            Column::optional("class_name", "Class"),
            Column::new("id", "Id"),
            Column::optional("distance", "Distance"),
            Column::optional("shallow_size", "Shallow"),
            Column::new("retained_size", "Retained"),
        ];
        vec![
            values("class", "Class", totals),
            self.paged("objects", "Objects", columns, rows.collect(), nodes.len()),
            self.shape(nodes),
        ]
    }

    /// The properties of the objects of a class: how many have each, and of which classes the values are.
    fn shape(&self, nodes: &[NodeIndex]) -> Section {
        let subject = self.subject;
        let heap = &subject.heap;
        // By name, in the order in which they are met.
        let mut order: Vec<StringIndex> = Vec::new();
        let mut fields: HashMap<StringIndex, (u64, HashMap<u32, u64>)> = HashMap::new();
        for &node in nodes {
            for edge in heap.edges().of(node) {
                let is_field =
                    matches!(heap.edges().kind(edge), EdgeType::Property | EdgeType::Context);
                let Some(name) = heap.edge_string(edge).filter(|_| is_field) else { continue };
                if !fields.contains_key(&name) {
                    if fields.len() == MOST_FIELDS || heap.strings().get(name) == "__proto__" {
                        continue;
                    }
                    order.push(name);
                }
                let (count, classes) = fields.entry(name).or_default();
                *count += 1;
                let class = subject.analysis.classes.of[heap.edges().target(edge).position()];
                *classes.entry(class).or_default() += 1;
            }
        }
        let row = |name| {
            let (count, classes) = &fields[&name];
            let most = classes.iter().max_by_key(|&(class, n)| (n, Reverse(class)));
            let class = most.map_or("", |(&class, _)| {
                subject.analysis.classes.classes[class as usize].name.as_str()
            });
            vec![
                Cell::name(heap.strings().get(name)),
                Cell::count(*count),
                Cell::name(class),
                Cell::count(classes.len() as u64),
            ]
        };
        let columns = vec![
            Column::new("name", "Name"),
            Column::new("count", "Count"),
            Column::new("value_class", "Mostly"),
            Column::optional("class_count", "Classes"),
        ];
        self.part("fields", "Fields", columns, order, row)
    }

    /// A part of which one page is shown; nothing if there is none of it. Only rows of the page are made.
    fn part<T>(
        &self,
        key: &'static str,
        title: &'static str,
        columns: Vec<Column>,
        all: Vec<T>,
        row: impl Fn(T) -> Vec<Cell>,
    ) -> Section {
        let count = all.len();
        let Page { offset, top } = self.page;
        let rows = all.into_iter().skip(offset).take(top).map(row).collect();
        self.paged(key, title, columns, rows, count)
    }

    /// The same of a page that is cut already.
    fn paged(
        &self,
        key: &'static str,
        title: &'static str,
        columns: Vec<Column>,
        rows: Vec<Vec<Cell>>,
        all: usize,
    ) -> Section {
        if all == 0 {
            // Only JSON has it.
            let columns = columns.iter().map(|column| Column::hidden(column.key)).collect();
            let table = Table { columns, ..Table::default() };
            return Section { key, title: "".into(), body: Body::Table(table) };
        }
        let shown = rows.len();
        let mut section = table(key, title, columns, rows, usize::MAX, "nothing on this page");
        if let Body::Table(table) = &mut section.body {
            let after = all.saturating_sub(self.page.offset.saturating_add(shown));
            table.omitted = if shown == 0 { 0 } else { after as u64 };
        }
        section
    }
}

fn at_place(place: &SourcePlace) -> Cell {
    Cell::name(format!("{place}:{}", place.column))
}

/// Whether that is the name of a Context.
fn is_scope(name: &str) -> bool {
    name == "system / Context" || name.starts_with("system / Context / ")
}
