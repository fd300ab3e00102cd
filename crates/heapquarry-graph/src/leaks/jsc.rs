//! Snapshots of JavaScriptCore, where they are unlike those of V8.
//!
//! What a Map holds is not written, and the files of a program are in one: nothing leads to their variables but what
//! runs, and whatever else refers to them by chance. The root leads straight to objects that stacks and native code
//! have in hand, and compiled code to what it met in variables. So the variables of files count as held by the root
//! unless something lasting leads to them, and the rest counts only for what is not reached otherwise.

use crate::{
    Bits, EdgeType, HashMap, Heap, NodeIndex, NodeType, Nodes, PackedColumn,
    dominators::{Deferred, is_essential},
};
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// The class of the root. That of V8 has none.
pub(super) const ROOT: &str = "<root>";
/// The class of the global object.
const GLOBAL: &str = "GlobalObject";
/// Classes of the variables of functions, and of files that are modules.
const SCOPES: [&str; 2] = ["JSLexicalEnvironment", "JSModuleEnvironment"];
/// The class of what names the variables of a scope. The scopes of all calls of a function share it.
const SYMBOLS: &str = "SymbolTable";

/// Whether a heap is one of JavaScriptCore.
pub(super) fn is_of_jsc(heap: &Heap) -> bool {
    !heap.nodes().is_empty() && heap.node_name(heap.root()) == ROOT
}

/// Whether a node is compiled code, which has what it met in variables as constants.
pub(super) fn is_code(heap: &Heap, node: NodeIndex) -> bool {
    heap.nodes().kind(node) == NodeType::Code && heap.node_name(node).ends_with("CodeBlock")
}

/// What names the variables of a scope.
pub(super) fn symbols(heap: &Heap, scope: NodeIndex) -> Option<NodeIndex> {
    internal(heap, scope).find(|&target| heap.node_name(target) == SYMBOLS)
}

/// What a node refers to without a name.
fn internal(heap: &Heap, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    let edges = heap.edges();
    let of = edges.of(node).filter(|&edge| edges.kind(edge) == EdgeType::Internal);
    of.map(|edge| edges.target(edge)).filter(move |&target| target != node)
}

/// Numbers by which objects are known again, in place of their ids; `None` for heaps of other engines. Ids may be
/// addresses, which are given again, mostly to an object of another class: bits of the class tell that.
pub(super) fn lives(heap: &Heap) -> Option<PackedColumn> {
    /// Bits of an address.
    const ADDRESS: u32 = 48;
    let class = |node| FixedState::default().hash_one(heap.node_name(node)) << ADDRESS >> 1;
    let life = |node| match heap.nodes().id(node) {
        Nodes::NO_ID => Nodes::NO_ID as u64,
        id => id as u64 ^ class(node),
    };
    is_of_jsc(heap).then(|| heap.nodes().all().map(life).collect())
}

fn is_scope(heap: &Heap, node: NodeIndex) -> bool {
    heap.nodes().kind(node) == NodeType::Object && SCOPES.contains(&heap.node_name(node))
}

/// The variables of files: scopes in no other scope, or alone in one of them, as parameters have a scope around that of
/// the variables. Nothing in heaps of other engines.
pub(super) fn files(heap: &Heap) -> Vec<NodeIndex> {
    if !is_of_jsc(heap) {
        return Vec::new();
    }
    let scopes = heap.nodes().all().filter(|&node| is_scope(heap, node));
    let around = |scope| internal(heap, scope).find(|&outer| is_scope(heap, outer));
    let around: Vec<(NodeIndex, Option<NodeIndex>)> =
        scopes.map(|scope| (scope, around(scope))).collect();
    // The only scope in each; `None` where there are several.
    let mut inner: HashMap<NodeIndex, Option<NodeIndex>> = HashMap::default();
    for &(scope, outer) in &around {
        let Some(outer) = outer else { continue };
        inner.entry(outer).and_modify(|only| *only = None).or_insert(Some(scope));
    }
    let mut files: Vec<NodeIndex> =
        around.iter().filter(|(_, outer)| outer.is_none()).map(|&(scope, _)| scope).collect();
    let mut at = 0;
    while let Some(&scope) = files.get(at) {
        files.extend(inner.get(&scope).copied().flatten());
        at += 1;
    }
    files
}

/// In what order references count, where nothing lasting reaches what they lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    File,
    /// The root, to an object: what native code holds may hold functions, to which the root leads, too.
    Object,
    /// The root, to a function.
    Function,
    Code,
}

/// The root and compiled code: the nodes whose references are deferred.
pub(super) fn owners(heap: &Heap) -> Vec<NodeIndex> {
    let mut owners: Vec<NodeIndex> =
        heap.nodes().all().filter(|&node| is_code(heap, node)).collect();
    owners.push(heap.root());
    owners.sort_unstable();
    owners
}

/// Which of the references of the [owners] hold: always, or only what nothing else reaches.
pub(super) fn references(heap: &Heap, page: &Bits, deferred: &mut Deferred) {
    let edges = heap.edges();
    let id = |node: NodeIndex| heap.nodes.ids.get(node.position());
    let mut otherwise: Vec<(By, u64, NodeIndex)> =
        files(heap).into_iter().map(|scope| (By::File, id(scope), scope)).collect();
    for &owner in &deferred.owners {
        for edge in edges.of(owner).filter(|&edge| is_essential(heap, page, owner, edge)) {
            let target = edges.target(edge);
            let by = match heap.nodes().kind(target) {
                _ if owner != heap.root() => By::Code,
                NodeType::Closure => By::Function,
                NodeType::Object if heap.node_name(target) != GLOBAL => By::Object,
                _ => {
                    deferred.always.push(target);
                    continue;
                }
            };
            otherwise.push((by, id(target), target));
        }
    }
    otherwise.sort_unstable();
    deferred.otherwise.extend(otherwise.into_iter().map(|(.., target)| target));
}
