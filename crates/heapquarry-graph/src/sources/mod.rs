//! The scripts and functions that nodes come from.
//!
//! V8 has no such fields, so they are derived from the engine's own nodes. A closure has an internal edge `shared` to
//! its SharedFunctionInfo, which has an edge `script` (`script_or_debug_info` from V8 7 to 11) to a Script node. The
//! name of that node is the path, or since 2025 `system / Script / ` and the path. Locations have the number of a
//! script, so one closure of a script with a location determines the script's name. The variables of a call are a
//! Context. Its `scope_info` is that of the function (`name_or_scope_info` of its SharedFunctionInfo, up to V8 6
//! `scope_info`).

mod functions;
mod place;

pub use functions::Functions;
pub(crate) use place::is_own;
pub use place::{SourcePlace, script_file};

use crate::{EdgeType, HashMap, Heap, NodeIndex, NodeType, Place, display_name, known::Role};
use std::sync::OnceLock;

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
    /// Script nodes by their number in locations.
    scripts: HashMap<i32, NodeIndex>,
    /// The function of each ScopeInfo, as its SharedFunctionInfo. Computed only when variables are named.
    owners: OnceLock<HashMap<NodeIndex, NodeIndex>>,
    threads: usize,
}

/// The function under all binds of a closure, and the number of binds.
pub(crate) struct Unbound {
    pub(crate) closure: NodeIndex,
    /// Its SharedFunctionInfo.
    pub(crate) shared: Option<NodeIndex>,
    pub(crate) binds: usize,
}

impl<'a> Sources<'a> {
    /// Finds the scripts of a heap that have at least one function in it.
    pub fn new(heap: &'a Heap) -> Self {
        let scripts = HashMap::default();
        let mut sources = Sources { heap, scripts, owners: OnceLock::new(), threads: 1 };
        for node in heap.nodes().all() {
            if heap.nodes().kind(node) == NodeType::Closure
                && let Some(Place { script_id, .. }) = heap.place(node)
                && !sources.scripts.contains_key(&script_id)
                && let (Role::Shared, shared) = link(heap, node)
                && let Some(script) = sources.script_node(shared)
            {
                sources.scripts.insert(script_id, script);
            }
        }
        sources
    }

    /// Uses up to that many threads to find the functions whose variables are to be named.
    pub fn with_threads(self, threads: usize) -> Self {
        Sources { threads, ..self }
    }

    /// The path or URL of a script, by its number in locations.
    pub fn script(&self, script_id: i32) -> Option<&'a str> {
        script_name(self.heap, *self.scripts.get(&script_id)?)
    }

    /// The numbers and names of the known scripts, in no particular order.
    pub fn scripts(&self) -> impl Iterator<Item = (i32, &'a str)> {
        self.scripts.iter().filter_map(|(&id, &node)| Some((id, script_name(self.heap, node)?)))
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
        Some(SourcePlace { script: script.into(), line, column, what })
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
            _ => display_name(heap, states, node),
        }
    }

    fn closure(&self, node: NodeIndex) -> String {
        let name = self.function_name(node);
        let name = name.as_deref().unwrap_or(ANONYMOUS);
        match (self.place(node), self.script_of(node)) {
            (Some(place), _) => format!("{name} {place}:{}", place.column),
            (None, Some(script)) => format!("{name} ({})", script_file(script)),
            (None, None) => name.into(),
        }
    }

    /// Describes whose variables a Context holds.
    fn variables(&self, scope: NodeIndex) -> Option<String> {
        let heap = self.heap;
        let outer = |scope: &NodeIndex| {
            internal(heap, *scope, Role::Previous).filter(|&up| heap.role(up) == Role::Scope)
        };
        let mut chain = std::iter::successors(Some(scope), outer).take(MOST_SCOPES);
        let found = chain.by_ref().find_map(|at| Some((at, self.owner(at)?)));
        let (at, function) = found?;
        let block = if at == scope { "" } else { "a block of " };
        let name = shared_name(heap, function);
        let file = internal(heap, function, Role::Script)
            .and_then(|script| script_name(heap, script))
            .map(script_file);
        let is_outermost = outer(&at).is_none();
        Some(match (name.is_empty(), file) {
            (false, Some(file)) => format!("variables of {block}{name} ({file})"),
            (false, None) => format!("variables of {block}{name}"),
            // The outermost function of a module has no name.
            (true, Some(file)) if is_outermost => format!("variables of {block}{file}"),
            (true, Some(file)) => format!("variables of {block}{ANONYMOUS} ({file})"),
            (true, None) => return None,
        })
    }

    /// The SharedFunctionInfo of the function that made a Context.
    fn owner(&self, scope: NodeIndex) -> Option<NodeIndex> {
        let heap = self.heap;
        if let Some(info) = internal(heap, scope, Role::ScopeInfo) {
            return self.owners.get_or_init(|| owners(heap, self.threads)).get(&info).copied();
        }
        // V8 up to 6.
        internal(heap, internal(heap, scope, Role::Closure)?, Role::Shared)
    }

    fn unbound(&self, closure: NodeIndex) -> Unbound {
        unbound(self.heap, closure)
    }

    /// The Script node of a SharedFunctionInfo, if it has a name.
    fn script_node(&self, shared: Option<NodeIndex>) -> Option<NodeIndex> {
        let script = internal(self.heap, shared?, Role::Script)?;
        script_name(self.heap, script).map(|_| script)
    }
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

/// The target of a node's first internal edge with that role.
pub(crate) fn internal(heap: &Heap, node: NodeIndex, role: Role) -> Option<NodeIndex> {
    let edges = heap.edges();
    let is_it = |edge: &usize| {
        edges.kind(*edge) == EdgeType::Internal && heap.known.role(edges.string(*edge)) == role
    };
    edges.of(node).find(is_it).map(|edge| edges.target(edge))
}

/// The path in the name of a Script node. Code from `eval` has no path, and while a debugger is attached the edge can
/// lead to other nodes.
pub(crate) fn script_name(heap: &Heap, script: NodeIndex) -> Option<&str> {
    let name = heap.node_name(script);
    let name = name.strip_prefix("system / Script / ").unwrap_or(name);
    (!name.is_empty() && !name.starts_with("system / ")).then_some(name)
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
        for node in NodeIndex::each(range).filter(|&node| nodes.kind(node) == NodeType::Code) {
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
