//! The scripts and functions that nodes come from.
//!
//! V8 has no such fields, so they are derived from the engine's own nodes. A closure has an internal edge `shared` to
//! its SharedFunctionInfo, which has an edge `script` (`script_or_debug_info` from V8 7 to 11) to a Script node. The
//! name of that node is the path, or since 2025 `system / Script / ` and the path. Locations have the number of a
//! script, so one closure of a script with a location determines the script's name. The variables of a call are a
//! Context. Its `scope_info` is that of the function (`name_or_scope_info` of its SharedFunctionInfo, up to V8 6
//! `scope_info`).

mod code_owners;
mod functions;
mod party;
mod place;

pub use code_owners::{CodeOwner, CodeOwners, OwnedBy, OwnerSum};
pub use functions::Functions;
pub use party::Party;
pub use place::SourcePlace;
pub(crate) use place::is_own;

use crate::{
    EdgeName, EdgeType, HashMap, HashSet, Heap, NodeIndex, NodeType, Place, ScriptVariable,
    StringIndex, display_name, heap::internal, known::Role, script_file,
};
use heapquarry_base::Order;
use std::sync::{Arc, OnceLock};

/// Maximum depth of nested binds that is followed.
const MOST_BINDS: usize = 16;
/// Maximum number of enclosing scopes that are searched.
const MOST_SCOPES: usize = 64;
/// The name shown for a function without a name.
const ANONYMOUS: &str = "(anonymous)";

/// The functions and scripts of a heap. It must have all its edges and names.
#[derive(Debug)]
pub struct Sources<'a> {
    heap: &'a Heap,
    known: Arc<KnownSources>,
    threads: usize,
}

/// What is found in all of a heap to tell [`Sources`], for those who tell them again and again.
#[derive(Debug, Default)]
pub struct KnownSources {
    /// Script nodes by their number in locations.
    scripts: HashMap<i32, NodeIndex>,
    /// The function of each ScopeInfo, as its SharedFunctionInfo. Computed only when variables are named.
    owners: OnceLock<HashMap<NodeIndex, NodeIndex>>,
    /// A closure that sees each Context. Computed only where the function that made one is gone.
    viewers: OnceLock<HashMap<NodeIndex, NodeIndex>>,
    /// A closure of each SharedFunctionInfo. Only with source maps: closures have places.
    closures: HashMap<NodeIndex, NodeIndex>,
}

/// A script that can have a source map, and all its places.
#[derive(Clone, Debug)]
pub struct MappableScript<'a> {
    /// Its number in locations.
    pub id: i32,
    /// Its path or URL.
    pub name: &'a str,
    /// The address of its source map that it names: up to 1,024 characters.
    pub map_url: Option<&'a str>,
    /// Its debug id.
    pub debug_id: Option<&'a str>,
    /// How its text begins: up to 1,024 characters.
    pub text: Option<&'a str>,
    /// The places of its functions and constructors, in order.
    pub places: Vec<Place>,
    /// The variables of its functions that are in Contexts.
    pub variables: Vec<ScriptVariable>,
}

/// The function under all binds of a closure, and the number of binds.
pub(crate) struct Unbound {
    pub(crate) closure: NodeIndex,
    /// Its SharedFunctionInfo.
    pub(crate) shared: Option<NodeIndex>,
    pub(crate) binds: usize,
}

impl KnownSources {
    /// Finds the scripts of a heap that have at least one function in it.
    pub fn new(heap: &Heap) -> Self {
        let mut known = KnownSources::default();
        let has_originals = !heap.originals.is_empty();
        let closures =
            heap.pass_nodes().filter(|&node| heap.nodes().kind(node) == NodeType::Closure);
        for node in closures {
            if let Some(Place { script_id, .. }) = heap.place(node)
                && (has_originals || !known.scripts.contains_key(&script_id))
                && let (Role::Shared, shared) = link(heap, node)
                && let Some(script) = script_node(heap, shared)
            {
                known.scripts.entry(script_id).or_insert(script);
                if has_originals && let Some(shared) = shared {
                    known.closures.entry(shared).or_insert(node);
                }
            }
        }
        known
    }
}

impl<'a> Sources<'a> {
    /// Finds the scripts of a heap that have at least one function in it.
    pub fn new(heap: &'a Heap) -> Self {
        Self::known(heap, Arc::new(KnownSources::new(heap)))
    }

    /// With what was found in this heap before.
    pub fn known(heap: &'a Heap, known: Arc<KnownSources>) -> Self {
        Sources { heap, known, threads: 1 }
    }

    /// Uses up to that many threads to find the functions whose variables are to be named.
    pub fn with_threads(self, threads: usize) -> Self {
        Sources { threads, ..self }
    }

    /// The path or URL of a script, by its number in locations.
    pub fn script(&self, script_id: i32) -> Option<&'a str> {
        script_name(self.heap, *self.known.scripts.get(&script_id)?)
    }

    /// The numbers and names of the known scripts, in no particular order.
    pub fn scripts(&self) -> impl Iterator<Item = (i32, &'a str)> {
        self.known
            .scripts
            .iter()
            .filter_map(|(&id, &node)| Some((id, script_name(self.heap, node)?)))
    }

    /// The scripts of the program, not of its runtime, with what is needed to find their source maps.
    pub fn mappable(&self) -> Vec<MappableScript<'a>> {
        let mut places: HashMap<i32, Vec<Place>> = HashMap::default();
        for place in self.heap.places() {
            places.entry(place.script_id).or_default().push(place);
        }
        let mut variables = self.variables_of_scripts();
        let script = |(&id, &node): (&i32, &NodeIndex)| {
            let name = script_name(self.heap, node).filter(|name| is_own(name))?;
            let (map_url, debug_id) = map_of(self.heap, node);
            let mut places = places.remove(&id).unwrap_or_default();
            places.order_by_key(|place| (place.line, place.column));
            let text = text_of(self.heap, node);
            let variables = variables.remove(&id).unwrap_or_default();
            Some(MappableScript { id, name, map_url, debug_id, text, places, variables })
        };
        let mut scripts: Vec<_> = self.known.scripts.iter().filter_map(script).collect();
        scripts.order_by_key(|script| script.id);
        scripts
    }

    /// The variables of Contexts, by the numbers of their scripts: those of functions of which a closure is in the
    /// heap, and those of a script itself.
    fn variables_of_scripts(&self) -> HashMap<i32, Vec<ScriptVariable>> {
        let (heap, nodes, edges) = (self.heap, self.heap.nodes(), self.heap.edges());
        let mut places: HashMap<NodeIndex, Place> = HashMap::default();
        for node in nodes.all().filter(|&node| nodes.kind(node) == NodeType::Closure) {
            if let Some(place) = heap.place(node)
                && let (Role::Shared, Some(shared)) = link(heap, node)
            {
                places.entry(shared).or_insert(place);
            }
        }
        let mut found: HashMap<i32, Vec<ScriptVariable>> = HashMap::default();
        let mut known: HashSet<(NodeIndex, StringIndex)> = HashSet::default();
        for scope in nodes.all().filter(|&node| heap.role(node) == Role::Scope) {
            let Some(info) = internal(heap, scope, Role::ScopeInfo) else { continue };
            for edge in edges.of(scope).filter(|&edge| edges.kind(edge) == EdgeType::Context) {
                let Some(name) = heap.edge_string(edge) else { continue };
                if !known.insert((info, name)) {
                    continue;
                }
                let Some(shared) = self.owner(scope) else { continue };
                let function = places.get(&shared).copied();
                let is_script = function.is_none()
                    && shared_name(heap, shared).is_empty()
                    && self.scopes(scope).nth(1).is_none();
                let viewer = if is_script { self.viewer(scope) } else { None };
                let viewer = viewer.and_then(|closure| heap.place(self.unbound(closure).closure));
                if let Some(Place { script_id, .. }) = function.or(viewer) {
                    let variable = ScriptVariable { function, viewer, info, name };
                    found.entry(script_id).or_default().push(variable);
                }
            }
        }
        found
    }

    /// The path or URL of the script of a closure; for a bound function, that of the original function.
    pub fn script_of(&self, closure: NodeIndex) -> Option<&'a str> {
        let Unbound { closure, shared, .. } = self.unbound(closure);
        match self.script_node(shared) {
            Some(script) => script_name(self.heap, script),
            None => self.script(self.heap.place(closure)?.script_id),
        }
    }

    /// The name of a closure, like its property `name` in JavaScript; `None` if it has none.
    pub fn function_name(&self, closure: NodeIndex) -> Option<String> {
        let Unbound { closure, binds, .. } = self.unbound(closure);
        let name = self.heap.node_name(closure);
        match (binds, name.is_empty()) {
            (0, true) => None,
            (0, false) => Some(name.into()),
            (_, true) => Some(format!("{}{ANONYMOUS}", "bound ".repeat(binds))),
            (_, false) => Some(format!("{}{name}", "bound ".repeat(binds))),
        }
    }

    /// Where a function, or the constructor of an object, is written, if the script is known.
    pub fn place(&self, node: NodeIndex) -> Option<SourcePlace> {
        let Unbound { closure, shared, .. } = self.unbound(node);
        let Place { script_id, line, column } = self.heap.place(closure)?;
        let script = match self.script_node(shared) {
            Some(script) => script_name(self.heap, script)?,
            None => self.script(script_id)?,
        };
        let (line, column) = (i64::from(line) + 1, i64::from(column) + 1);
        let what = self.heap.node_name(closure).into();
        let original = self.heap.original(closure).cloned();
        let has_map = self.heap.originals.has_script(script_id);
        Some(SourcePlace { script: script.into(), line, column, what, original, has_map })
    }

    /// The name of a node: a closure is `name file:line:column`, the variables of a call are `variables of name
    /// (file)`, a script is its path, and all others are named as by [`display_name`]. `states` is the result of
    /// [`detachedness`](crate::detachedness).
    pub fn name(&self, states: &[u8], node: NodeIndex) -> String {
        let heap = self.heap;
        if heap.nodes().kind(node) == NodeType::Closure {
            return self.closure(node);
        }
        match heap.role(node) {
            Role::Scope => self.variables(node).unwrap_or_else(|| heap.node_name(node).into()),
            Role::ScriptNode => match script_name(heap, node) {
                Some(name) => name.into(),
                None => heap.node_name(node).into(),
            },
            _ => match heap.original(node) {
                Some(original) => original.beside(&display_name(heap, states, node)).into_owned(),
                None => display_name(heap, states, node),
            },
        }
    }

    /// The name of a closure as its source has it, or else as the file has it; `None` if it has none.
    fn original_name(&self, closure: NodeIndex) -> Option<String> {
        let Unbound { closure: unbound, binds, .. } = self.unbound(closure);
        match self.heap.original(unbound).and_then(|original| original.name.as_deref()) {
            Some(name) if !name.is_empty() => Some(format!("{}{name}", "bound ".repeat(binds))),
            _ => self.function_name(closure),
        }
    }

    /// What a closure is called in texts, without its place: `(anonymous)` if it has no name.
    pub(crate) fn called(&self, closure: NodeIndex) -> String {
        let written = self.function_name(closure);
        let written = written.as_deref().unwrap_or(ANONYMOUS);
        match self.original_name(closure) {
            Some(name) if name != written && written != ANONYMOUS => format!("{name} [{written}]"),
            name => name.unwrap_or_else(|| written.into()),
        }
    }

    fn closure(&self, node: NodeIndex) -> String {
        let name = self.function_name(node);
        let name = name.as_deref().unwrap_or(ANONYMOUS);
        match (self.place(node), self.script_of(node)) {
            // `put cache.ts:3:5 [I bundle.js:1:4711]`
            (Some(SourcePlace { original: Some(original), script, line, column, .. }), _) => {
                let file = script_file(&script);
                match self.original_name(node) {
                    Some(known) if known != name => {
                        format!("{known} {original} [{name} {file}:{line}:{column}]")
                    }
                    _ => format!("{name} {original} [{file}:{line}:{column}]"),
                }
            }
            (Some(place), _) => format!("{name} {}", place.exact()),
            (None, Some(script)) => format!("{name} ({})", script_file(script)),
            (None, None) => name.into(),
        }
    }

    /// Describes whose variables a Context holds.
    fn variables(&self, scope: NodeIndex) -> Option<String> {
        let heap = self.heap;
        let (at, function) = self.scopes(scope).find_map(|at| Some((at, self.owner(at)?)))?;
        let block = if at == scope { "" } else { "a block of " };
        let name = shared_name(heap, function);
        let closure = self.known.closures.get(&function);
        if let Some(original) = closure.and_then(|&closure| heap.original(closure)) {
            let name = original.beside(name);
            let name = if name.is_empty() { ANONYMOUS } else { &name };
            return Some(format!("variables of {block}{name} ({})", script_file(&original.source)));
        }
        let file = internal(heap, function, Role::Script)
            .and_then(|script| script_name(heap, script))
            .map(script_file);
        let is_outermost = self.scopes(at).nth(1).is_none();
        Some(match (name.is_empty(), file) {
            (false, Some(file)) => format!("variables of {block}{name} ({file})"),
            (false, None) => format!("variables of {block}{name}"),
            // The outermost function of a module has no name.
            (true, Some(file)) if is_outermost => format!("variables of {block}{file}"),
            (true, Some(file)) => format!("variables of {block}{ANONYMOUS} ({file})"),
            (true, None) => return None,
        })
    }

    /// Who wrote a function, the function whose variables these are, or the constructor of an object; `None` if that is
    /// not known.
    pub(crate) fn party(&self, node: NodeIndex) -> Option<Party> {
        let heap = self.heap;
        let (original, script) = match heap.role(node) {
            Role::Scope => {
                let Some(shared) = self.scopes(node).find_map(|scope| self.owner(scope)) else {
                    return self.party(self.viewer(node)?);
                };
                let closure = self.known.closures.get(&shared);
                let script = self.script_node(Some(shared)).and_then(|it| script_name(heap, it));
                (closure.and_then(|&closure| heap.original(closure)), script)
            }
            _ if heap.nodes().kind(node) == NodeType::Closure => {
                (heap.original(self.unbound(node).closure), self.script_of(node))
            }
            _ => {
                let place = heap.place(node)?;
                (heap.original_at(place), self.script(place.script_id))
            }
        };
        match original {
            Some(original) => Some(Party::of_source(&original.source, original.is_ignored)),
            None => Some(Party::of_source(script?, false)),
        }
    }

    /// The file of a Context whose function is gone: of code that ran once, the engine keeps only the functions in it.
    pub(crate) fn file_of_viewer(&self, scope: NodeIndex) -> Option<&str> {
        let viewer = self.viewer(scope)?;
        let original = self.heap.original(self.unbound(viewer).closure);
        let source = original.map(|original| &*original.source);
        source.or_else(|| self.script_of(viewer)).map(script_file)
    }

    /// A function that sees a Context: it is in the same script.
    fn viewer(&self, scope: NodeIndex) -> Option<NodeIndex> {
        let find = || {
            let (heap, mut viewers) = (self.heap, HashMap::default());
            let nodes = heap.pass_nodes();
            for closure in nodes.filter(|&node| heap.nodes().kind(node) == NodeType::Closure) {
                let Some(inner) = internal(heap, closure, Role::ContextEdge) else { continue };
                for scope in self.scopes(inner).filter(|&scope| heap.role(scope) == Role::Scope) {
                    if viewers.insert(scope, closure).is_some() {
                        break;
                    }
                }
            }
            viewers
        };
        self.known.viewers.get_or_init(find).get(&scope).copied()
    }

    /// A Context and those around it, from the inside out.
    fn scopes(&self, scope: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let heap = self.heap;
        let outer = move |scope: &NodeIndex| {
            internal(heap, *scope, Role::Previous).filter(|&up| heap.role(up) == Role::Scope)
        };
        std::iter::successors(Some(scope), outer).take(MOST_SCOPES)
    }

    /// The SharedFunctionInfo of the function that made a Context.
    fn owner(&self, scope: NodeIndex) -> Option<NodeIndex> {
        let heap = self.heap;
        if let Some(info) = internal(heap, scope, Role::ScopeInfo) {
            return self
                .known
                .owners
                .get_or_init(|| owners(heap, self.threads))
                .get(&info)
                .copied();
        }
        // V8 up to 6.
        internal(heap, internal(heap, scope, Role::Closure)?, Role::Shared)
    }

    fn unbound(&self, closure: NodeIndex) -> Unbound {
        unbound(self.heap, closure)
    }

    /// The Script node of a SharedFunctionInfo, if it has a name.
    fn script_node(&self, shared: Option<NodeIndex>) -> Option<NodeIndex> {
        script_node(self.heap, shared)
    }
}

fn script_node(heap: &Heap, shared: Option<NodeIndex>) -> Option<NodeIndex> {
    let script = internal(heap, shared?, Role::Script)?;
    script_name(heap, script).map(|_| script)
}

/// The function that was bound, if need be several times.
pub(crate) fn unbound(heap: &Heap, closure: NodeIndex) -> Unbound {
    let mut found = Unbound { closure, shared: None, binds: 0 };
    while found.binds < MOST_BINDS && heap.nodes().kind(found.closure) == NodeType::Closure {
        match link(heap, found.closure) {
            (Role::BoundFunction, Some(bound)) if heap.nodes().kind(bound) == NodeType::Closure => {
                found.closure = bound;
                found.binds += 1;
            }
            (Role::Shared, shared) => {
                found.shared = shared;
                break;
            }
            _ => break,
        }
    }
    found
}

/// What a closure is made of: a SharedFunctionInfo, or another closure that was bound. No closure has both.
fn link(heap: &Heap, closure: NodeIndex) -> (Role, Option<NodeIndex>) {
    let edges = heap.edges();
    for edge in edges.of(closure).filter(|&edge| edges.kind(edge) == EdgeType::Internal) {
        let role = heap.known.role(edges.string(edge));
        if matches!(role, Role::Shared | Role::BoundFunction) {
            return (role, Some(edges.target(edge)));
        }
    }
    (Role::None, None)
}

/// The path in the name of a Script node. Code from `eval` has no path, and while a debugger is attached the edge can
/// lead to other nodes.
pub(crate) fn script_name(heap: &Heap, script: NodeIndex) -> Option<&str> {
    let name = heap.node_name(script);
    let name = name.strip_prefix("system / Script / ").unwrap_or(name);
    (!name.is_empty() && !name.starts_with("system / ")).then_some(name)
}

/// The address of its source map and the debug id that a script names. V8 has hidden edges to three strings: the
/// address that it gives itself, that of its map, and its debug id. The numbers of the edges depend on the version and
/// on the other two, so the text tells.
fn map_of(heap: &Heap, script: NodeIndex) -> (Option<&str>, Option<&str>) {
    let (edges, nodes) = (heap.edges(), heap.nodes());
    let (mut map_url, mut debug_id) = (None, None);
    for edge in edges.of(script).filter(|&edge| edges.kind(edge) == EdgeType::Hidden) {
        let target = edges.target(edge);
        if nodes.kind(target) != NodeType::String {
            continue;
        }
        let text = heap.node_name(target);
        let path = text.split(['?', '#']).next().unwrap_or(text);
        if text.starts_with("data:") || path.ends_with(".map") || path.ends_with(".json") {
            map_url = Some(text);
        } else if is_uuid(text) {
            debug_id = Some(text);
        }
    }
    (map_url, debug_id)
}

/// How the text of a script begins.
fn text_of(heap: &Heap, script: NodeIndex) -> Option<&str> {
    let edges = heap.edges();
    let is_source = |edge: &usize| {
        edges.kind(*edge) == EdgeType::Internal && heap.edge_name(*edge) == EdgeName::Text("source")
    };
    let text = edges.target(edges.of(script).find(is_source)?);
    (heap.nodes().kind(text) == NodeType::String).then(|| heap.node_name(text))
}

fn is_uuid(text: &str) -> bool {
    let is_part = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(is_part)
}

/// The name of a function, from its SharedFunctionInfo.
fn shared_name(heap: &Heap, shared: NodeIndex) -> &str {
    let name = heap.node_name(shared);
    match name.strip_prefix("system / SharedFunctionInfo") {
        Some(rest) => rest.strip_prefix(" / ").unwrap_or(rest),
        // Up to V8 7, a function without a name.
        None if name == "(shared function info)" => "",
        None => name,
    }
}

/// The function of each ScopeInfo: the first one in the file.
fn owners(heap: &Heap, threads: usize) -> HashMap<NodeIndex, NodeIndex> {
    let (nodes, edges) = (heap.nodes(), heap.edges());
    let found = heap.by_nodes(threads, |range| {
        let mut found = Vec::new();
        let each = heap.parts(range).flat_map(NodeIndex::each);
        for node in each.filter(|&node| nodes.kind(node) == NodeType::Code) {
            for edge in edges.of(node).filter(|&edge| edges.kind(edge) == EdgeType::Internal) {
                let role = heap.known.role(edges.string(edge));
                if matches!(role, Role::ScopeInfo | Role::OwnScopeInfo) {
                    found.push((edges.target(edge), node));
                }
            }
        }
        found
    });
    let mut owners = HashMap::default();
    for (info, function) in found.into_iter().flatten() {
        owners.entry(info).or_insert(function);
    }
    owners
}

#[cfg(test)]
mod tests;
