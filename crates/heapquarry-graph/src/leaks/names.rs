//! What the owner of a leak is called: as a program would write it.

use super::{
    classes::is_generic,
    jsc,
    kinds::Kinds,
    last::{Last, is_minified},
    paths::{Cheapest, Up},
    scripts::{Scripts, functions_of},
    words::{Word, Words},
};
use crate::{
    EdgeName, EdgeType, HashMap, HashSet, Heap, NodeIndex, NodeType, SourcePlace, edges::PAIR,
    names::quoted, script_file,
};
use std::ops::Deref;

/// The owner of a leak.
#[derive(Clone, Debug, Default)]
pub(super) struct Owner {
    /// `Class.field`, or all names up to the variable.
    pub(super) name: String,
    /// The way to it from a variable, the global object or a function.
    pub(super) via: String,
    /// Who holds it, who holds that one, and so on.
    pub(super) steps: Vec<Up>,
}

/// What names are made of.
pub(super) struct Namer<'a> {
    last: &'a Last<'a>,
    cheapest: Cheapest,
    pub(super) scripts: Scripts<'a>,
    /// The functions that see the variables of a scope, of those that are on the way to the wanted nodes.
    functions: HashMap<NodeIndex, Vec<NodeIndex>>,
    /// What WeakMaps are called, by the ids of their tables: of those that hold something on the way to a wanted node.
    weak_maps: HashMap<u64, String>,
}

/// Where a name begins.
enum Start<'a> {
    Scope(NodeIndex),
    Global,
    Function(NodeIndex),
    /// What a file exports: its path.
    Module(&'a str),
    /// A root of the engine: `(Stack roots)` have local variables of functions that run.
    Root(NodeIndex),
}

impl<'a> Namer<'a> {
    /// For these nodes.
    pub(super) fn new(last: &'a Last<'a>, wanted: &[NodeIndex]) -> Self {
        let cheapest = Cheapest::new(last.heap, last.words, last.kinds, wanted);
        let mut scopes: Vec<NodeIndex> = Vec::new();
        for &node in wanted {
            let holders = cheapest.up(last.heap, node).into_iter().map(|up| up.holder);
            scopes.extend(std::iter::once(node).chain(holders).filter(|&n| last.kinds.is_scope(n)));
        }
        scopes.sort_unstable();
        scopes.dedup();
        let functions = functions_of(last, &scopes);
        let weak_maps = weak_maps(last, &cheapest, wanted);
        Namer { last, cheapest, scripts: Scripts::new(last), functions, weak_maps }
    }

    /// The first function of the program, in its source, that sees the variables of a scope: what fills them stands
    /// mostly close to them.
    pub(super) fn function(&self, scope: NodeIndex) -> Option<SourcePlace> {
        let functions = self.functions.get(&scope).into_iter().flatten();
        let places = functions.filter_map(|&node| self.scripts.own_place(self.last, node));
        places.min_by_key(SourcePlace::written)
    }

    /// The file of a scope, if a function in it tells.
    fn file_of(&self, scope: NodeIndex) -> Option<String> {
        let functions = self.functions.get(&scope)?;
        let place = functions.iter().find_map(|&node| self.scripts.place(node))?;
        Some(script_file(place.source()).to_owned())
    }

    /// `variable NAME of FILE`
    pub(super) fn variable(&self, name: &str, scope: NodeIndex) -> String {
        match self.file_of(scope) {
            Some(file) => format!("variable {name} of {file}"),
            None => format!("variable {name}"),
        }
    }

    /// The way up from a wanted node.
    pub(super) fn steps(&self, node: NodeIndex) -> Vec<Up> {
        self.cheapest.up(self.last.heap, node)
    }

    /// Names a node.
    pub(super) fn owner(&self, node: NodeIndex) -> Owner {
        let last = self.last;
        if is_global(last.heap, last.kinds, node) {
            let is_window = last.heap.node_name(node).starts_with('W');
            let name = if is_window { "Window" } else { "globalThis" };
            return Owner { name: name.into(), via: "globalThis".into(), steps: Vec::new() };
        }
        let steps = self.cheapest.up(last.heap, node);
        // From the node up; `named` is how many of the parts follow the name of a class.
        let mut parts: Vec<String> = Vec::new();
        let mut named: Option<(NodeIndex, usize)> = None;
        let mut start = None;
        for up in &steps {
            if last.heap.nodes().kind(up.holder) == NodeType::Synthetic {
                start = Some(Start::Root(up.holder));
                break;
            }
            if self.is_of_engine(up) {
                continue;
            }
            match self.weak_map(up) {
                Some(map) => parts.push(format!("(WeakMap {map})")),
                None => push_part(last.heap, last.words, last.kinds, up, &mut parts),
            }
            if is_variable(last.heap, last.kinds, up) {
                start = Some(Start::Scope(up.holder));
                break;
            }
            if let Some(file) = module(last.heap, up) {
                start = Some(Start::Module(file));
                break;
            }
            let holder = up.holder;
            let starts_with_name = parts.last().is_some_and(|part| part != "[]");
            if named.is_none() && starts_with_name && self.has_class(holder) {
                named = Some((holder, parts.len()));
            }
            if is_global(last.heap, last.kinds, holder) {
                start = Some(Start::Global);
                break;
            }
            if last.kinds.is_function(holder)
                && last.heap.edges().kind(up.edge) == EdgeType::Property
            {
                start = Some(Start::Function(holder));
                break;
            }
        }
        let whole = render(&parts);
        let via = match start {
            Some(Start::Scope(scope)) => self.variable(&whole, scope),
            Some(Start::Global) => joined("globalThis", &whole),
            Some(Start::Module(file)) => format!("{whole} of {}", script_file(file)),
            Some(Start::Function(function)) => {
                let text = joined(&self.function_name(function), &whole);
                match self.scripts.place(function) {
                    Some(place) => format!("{text} ({place})"),
                    None => text,
                }
            }
            Some(Start::Root(root)) => match last.heap.node_name(root) {
                "" | jsc::ROOT => whole.clone(),
                name => joined(name, &whole),
            },
            None => whole.clone(),
        };
        let name = match (named, start) {
            (Some((holder, count)), _) => {
                joined(&last.heap.called(holder), &render(&parts[..count]))
            }
            (None, Some(Start::Function(function))) => {
                joined(&self.function_name(function), &whole)
            }
            (None, Some(Start::Global)) => joined("globalThis", &whole),
            // Without any name on the way the class says more.
            (None, _) if parts.iter().all(|part| part == "[]") => last.class_name(node),
            (None, _) => whole,
        };
        Owner { name, via, steps }
    }

    /// Whether a step leads from what the engine keeps beside a function of its own, like the promise that a function
    /// resolves: no script has a variable there.
    fn is_of_engine(&self, up: &Up) -> bool {
        self.last.heap.edges().kind(up.edge) == EdgeType::Hidden
            && self.last.kinds.is_scope(up.holder)
            && self.file_of(up.holder).is_none()
    }

    /// What the WeakMap is called through which a step goes from a key to its value.
    fn weak_map(&self, up: &Up) -> Option<&String> {
        self.weak_maps.get(&table(self.last, up)?)
    }

    fn function_name(&self, function: NodeIndex) -> String {
        let name = self.last.heap.called(function);
        if name.is_empty() { "(anonymous)".into() } else { name.into() }
    }

    /// Whether a node is an object whose class says what it is for.
    pub(super) fn has_class(&self, node: NodeIndex) -> bool {
        let name = &*self.last.heap.called(node);
        self.last.kinds.is_object(node)
            && !name.is_empty()
            && !is_generic(name)
            && !is_minified(name)
            && !name.starts_with("global")
            && name != "GlobalObject"
    }
}

/// The id of the table of the WeakMap through which a step goes from a key to its value.
fn table(last: &Last<'_>, up: &Up) -> Option<u64> {
    let edges = last.heap.edges();
    let is_of_key = edges.kinds[up.edge] & PAIR != 0 && last.kinds.is_visible(up.holder);
    is_of_key.then(|| last.heap.known.pairs[&edges.string(up.edge)].table)
}

/// What the WeakMaps on the ways to some nodes are called, by the ids of their tables.
fn weak_maps(last: &Last<'_>, ways: &Cheapest, wanted: &[NodeIndex]) -> HashMap<u64, String> {
    let steps = wanted.iter().flat_map(|&node| ways.up(last.heap, node));
    let tables: HashSet<u64> = steps.filter_map(|up| table(last, &up)).collect();
    if tables.is_empty() {
        return HashMap::default();
    }
    let id = |table: NodeIndex| last.heap.nodes.ids.get(table.position());
    let maps = last.heap.weak_maps().into_iter().map(|(table, map)| (id(table), map));
    let mut maps: Vec<(u64, NodeIndex)> = maps.filter(|(id, _)| tables.contains(id)).collect();
    maps.sort_unstable();
    let nodes: Vec<NodeIndex> = maps.iter().map(|&(_, map)| map).collect();
    let ways = Cheapest::new(last.heap, last.words, last.kinds, &nodes);
    let name = |map: NodeIndex| {
        let mut parts: Vec<String> = Vec::new();
        for up in ways.up(last.heap, map) {
            push_part(last.heap, last.words, last.kinds, &up, &mut parts);
            if parts.last().is_some_and(|part| part != "[]") {
                return Some(render(&parts));
            }
        }
        None
    };
    maps.into_iter().filter_map(|(table, map)| Some((table, name(map)?))).collect()
}

/// Whether a node is a global object.
pub(crate) fn is_global(
    heap: &Heap,
    kinds: &Kinds<impl Deref<Target = [u8]>>,
    node: NodeIndex,
) -> bool {
    let name = heap.node_name(node);
    let starts = ["global /", "Window /", "Window (", "Window ["];
    kinds.is_visible(node)
        // Node's, that of JavaScriptCore, and those of pages.
        && (matches!(name, "global" | "GlobalObject") || starts.iter().any(|start| name.starts_with(start)))
}

/// The path of the file, if a step leads to what a module of CommonJS exports: who writes the module sees `exports` as
/// a variable. Node: `Module.prototype.filename`.
pub(crate) fn module<'a>(heap: &'a Heap, up: &Up) -> Option<&'a str> {
    let edges = heap.edges();
    let is_property = |edge: usize, name: &str| {
        edges.kind(edge) == EdgeType::Property
            && matches!(heap.edge_name(edge), EdgeName::Text(text) if text == name)
    };
    if !is_property(up.edge, "exports") || heap.node_name(up.holder) != "Module" {
        return None;
    }
    let file = edges.of(up.holder).find(|&edge| is_property(edge, "filename"))?;
    let file = edges.target(file);
    (heap.nodes().kind(file) == NodeType::String).then(|| heap.node_name(file))
}

/// A variable of which the file has only the number: V8 does not write the names of those in large scopes.
const UNNAMED: &str = "(unnamed)";

/// Whether a step leads to a variable.
pub(crate) fn is_variable(heap: &Heap, kinds: &Kinds<impl Deref<Target = [u8]>>, up: &Up) -> bool {
    match heap.edges().kind(up.edge) {
        EdgeType::Context => true,
        EdgeType::Hidden => kinds.is_scope(up.holder),
        _ => false,
    }
}

/// Adds what a step adds to a name. The parts of the name are those from the node up.
pub(crate) fn push_part(
    heap: &Heap,
    words: &Words,
    kinds: &Kinds<impl Deref<Target = [u8]>>,
    up: &Up,
    parts: &mut Vec<String>,
) {
    let edges = heap.edges();
    let kind = edges.kind(up.edge);
    let is_visible = kinds.is_visible(up.holder);
    match kind {
        EdgeType::Property | EdgeType::Context => {
            if let EdgeName::Text(name) = heap.edge_name(up.edge) {
                let name = part(name);
                parts.push(match heap.original_variable(up.edge) {
                    Some(original) if original != name => format!("{original} [{name}]"),
                    _ => name,
                });
            }
        }
        EdgeType::Element => parts.push("[]".into()),
        EdgeType::Hidden if kinds.is_scope(up.holder) => parts.push(UNNAMED.into()),
        EdgeType::Internal if is_visible => match words.get(edges.string(up.edge)) {
            Word::Table | Word::Elements | Word::Properties => {}
            Word::Context | Word::Previous => {}
            _ if edges.kinds[up.edge] & PAIR != 0 => parts.push("(WeakMap value)".into()),
            _ => parts.push(format!("({})", heap.edge_name(up.edge))),
        },
        EdgeType::Internal | EdgeType::Hidden
            if !is_visible
                && heap.nodes().kind(up.holder) == NodeType::Array
                && parts.last().is_none_or(|part| part != "[]") =>
        {
            parts.push("[]".into());
        }
        _ => {}
    }
}

/// A name behind a class or a function.
pub(crate) fn joined(first: &str, rest: &str) -> String {
    if rest.is_empty() || rest.starts_with('[') {
        format!("{first}{rest}")
    } else {
        format!("{first}.{rest}")
    }
}

/// Parts, the last first.
pub(crate) fn render(parts: &[String]) -> String {
    parts.iter().rev().fold(String::new(), |text, part| match text.is_empty() {
        true => part.clone(),
        false => joined(&text, part),
    })
}

/// A property or variable as it is written behind what has it.
pub(super) fn part(name: &str) -> String {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let rest = name.strip_prefix('#').unwrap_or(name);
    let is_identifier = rest.starts_with(|c: char| is_letter(c) && !c.is_ascii_digit())
        && rest.chars().all(is_letter);
    if is_identifier {
        return name.into();
    }
    match name.strip_prefix("<symbol").and_then(|rest| rest.strip_suffix('>')) {
        Some(symbol) => format!("[Symbol({})]", symbol.trim_start()),
        None => format!("[{}]", quoted(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_in_a_program() {
        for (parts, text) in [
            (&["items", "store"][..], "store.items"),
            (&["[]", "rooms", "server"], "server.rooms[]"),
            (&["a b"], "[\"a b\"]"),
            (&["all", "<symbol myapp.registry>"], "[Symbol(myapp.registry)].all"),
            (&["#history", "editor"], "editor.#history"),
            (&["9lives", "x"], "x[\"9lives\"]"),
            (&["$el", "_id", "über9"], "über9._id.$el"),
        ] {
            let parts: Vec<String> = parts
                .iter()
                .map(|&name| if name == "[]" { name.into() } else { part(name) })
                .collect();
            assert_eq!(render(&parts), text);
        }
        assert_eq!(joined("globalThis", "[Symbol(x)].all"), "globalThis[Symbol(x)].all");
        assert_eq!(joined("Registry", ""), "Registry");
    }
}
