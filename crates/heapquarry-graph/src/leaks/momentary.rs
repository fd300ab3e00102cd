//! What V8 holds only for a moment: from its stacks, from handles of native code, and for jobs that compile functions.
//!
//! Such a reference may lead to any object. The array that a variable holds is dominated by the variable in one
//! snapshot, and by nothing in the next, because a job compiles a function that reads it. So that places stay, these
//! references count only for what nothing else reaches: what a running function holds.
//!
//! So is what waits for the snapshot itself ([`inspected`]).
//!
//! They are taken one after the other, each with all that it reaches. What runs comes first: it leads to its variables,
//! and these lead to the rest. Of one kind the oldest comes first, because it is the same object in all snapshots.

use super::{inspected, jsc};
use crate::{
    Bits, EdgeName, EdgeType, Heap, NodeIndex, NodeType,
    dominators::{Deferred, is_essential},
    known::Role,
};

/// Which root holds, in the order in which they count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    Stack,
    Handles,
    Compiler,
}

/// What is held, in the order in which it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    /// The state of a generator or an async function.
    Generator,
    Function,
    Scope,
    Other,
}

/// The nodes whose references are held only for a moment, and what waits for the snapshot.
pub(super) struct Momentary {
    /// In the order of their indexes.
    pub(super) owners: Vec<NodeIndex>,
    pub(super) waiting: Vec<NodeIndex>,
}

impl Momentary {
    pub(super) fn new(heap: &Heap) -> Self {
        if jsc::is_of_jsc(heap) {
            return Momentary { owners: jsc::owners(heap), waiting: Vec::new() };
        }
        let is_root =
            |role| matches!(role, Role::StackRoots | Role::HandleScope | Role::StrongRoots);
        let roots = subroots(heap).into_iter().filter(|&root| is_root(heap.role(root)));
        let pending = inspected::pending(heap);
        let mut owners: Vec<NodeIndex> = roots.chain(pending.owners).collect();
        owners.sort_unstable();
        Momentary { owners, waiting: pending.waiting }
    }
}

/// Which of the references hold, given what the page owns: always, or only what nothing else reaches.
pub(super) fn references(heap: &Heap, waiting: &[NodeIndex], page: &Bits, deferred: &mut Deferred) {
    if jsc::is_of_jsc(heap) {
        return jsc::references(heap, page, deferred);
    }
    let edges = heap.edges();
    let id = |node: NodeIndex| heap.nodes.ids.get(node.position());
    let mut otherwise = Vec::new();
    for &owner in &deferred.owners {
        let root = match heap.role(owner) {
            Role::StackRoots => Some(Root::Stack),
            Role::HandleScope => Some(Root::Handles),
            Role::StrongRoots => None,
            _ => continue,
        };
        for edge in edges.of(owner).filter(|&edge| is_essential(heap, page, owner, edge)) {
            let target = edges.target(edge);
            let compiler = || is_of_compiler(heap, edge).then_some(Root::Compiler);
            match root.or_else(compiler) {
                Some(root) => {
                    otherwise.push((root, Held::of(heap, target), id(target), target));
                }
                None => deferred.always.push(target),
            }
        }
    }
    otherwise
        .extend(waiting.iter().map(|&node| (Root::Stack, Held::of(heap, node), id(node), node)));
    otherwise.sort_unstable();
    deferred.otherwise.extend(otherwise.into_iter().map(|(.., target)| target));
}

/// The nodes that group V8's roots: the root holds them, or `(GC roots)` does. In the order of their indexes.
fn subroots(heap: &Heap) -> Vec<NodeIndex> {
    if heap.nodes().is_empty() {
        return Vec::new();
    }
    let groups = |node: NodeIndex| {
        let targets = heap.edges().of(node).map(|edge| heap.edges().target(edge));
        targets.filter(|&node| heap.nodes().kind(node) == NodeType::Synthetic)
    };
    let mut all: Vec<NodeIndex> = groups(heap.root()).flat_map(groups).collect();
    all.extend(groups(heap.root()));
    all.sort_unstable();
    all.dedup();
    all
}

/// Strong roots are named after what they are for: `104 / IdentityMapBase`, where a compiler keeps what it met.
fn is_of_compiler(heap: &Heap, edge: usize) -> bool {
    matches!(heap.edge_name(edge), EdgeName::Text(name) if name.ends_with("/ IdentityMapBase"))
}

impl Held {
    fn of(heap: &Heap, node: NodeIndex) -> Self {
        match heap.nodes().kind(node) {
            NodeType::Closure => Held::Function,
            NodeType::Object if heap.role(node) == Role::Scope => Held::Scope,
            NodeType::Object if is_generator(heap, node) => Held::Generator,
            _ => Held::Other,
        }
    }
}

/// Only the state of a function that can rest has a field for its registers. V8: `ExtractJSGeneratorObjectReferences`.
pub(super) fn is_generator(heap: &Heap, node: NodeIndex) -> bool {
    let edges = heap.edges();
    edges.of(node).any(|edge| {
        edges.kind(edge) == EdgeType::Internal
            && heap.edge_name(edge) == EdgeName::Text("parameters_and_registers")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapBuilder, page_owned};

    /// Stacks come before handles, and both before a compiler. Of each, what runs comes first, and of that the oldest.
    #[test]
    fn references_are_taken_in_the_order_in_which_they_count() {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let all = builder.node("synthetic", "(GC roots)", 0);
        builder.edge(root, EdgeType::Element, "1", all);
        let mut subroots = Vec::new();
        for name in ["(Stack roots)", "(Handle scope)", "(Strong roots)", "(Weak roots)"] {
            let subroot = builder.node("synthetic", name, 0);
            builder.edge(all, EdgeType::Element, "1", subroot);
            subroots.push(subroot);
        }
        let mut id = 1000;
        let mut held =
            |builder: &mut HeapBuilder, by: NodeIndex, edge: &str, kind: &str, name: &str| {
                let node = builder.node(kind, name, 8);
                builder.edge(by, EdgeType::Internal, edge, node);
                // Those that come later are older.
                id -= 1;
                builder.id(node, id);
                node
            };
        let generator = |builder: &mut HeapBuilder, node: NodeIndex, kind: EdgeType, name: &str| {
            let registers = builder.node("array", "", 8);
            builder.edge(node, kind, name, registers);
        };
        let b = &mut builder;
        let mut otherwise = Vec::new();
        for &root in &subroots[..2] {
            let resting = held(b, root, "1", "object", "Generator");
            generator(b, resting, EdgeType::Internal, "context");
            generator(b, resting, EdgeType::Internal, "parameters_and_registers");
            let [closure, older] = ["f", "g"].map(|name| held(b, root, "1", "closure", name));
            let scope = held(b, root, "1", "object", "system / Context");
            let others = [("object", "Foo"), ("array", "system / Context"), ("object", "Foo")];
            let [first, second, third] = others.map(|(kind, name)| held(b, root, "1", kind, name));
            generator(b, first, EdgeType::Property, "parameters_and_registers");
            generator(b, second, EdgeType::Internal, "parameters_and_registers");
            generator(b, third, EdgeType::Internal, "registers");
            otherwise.extend([resting, older, closure, scope, third, second, first]);
        }
        let lost = builder.node("object", "Foo", 8);
        builder.edge(subroots[0], EdgeType::Weak, "2", lost);
        let b = &mut builder;
        let strong = subroots[2];
        let (named, compiled) = ("104 / Builtins", "104 / IdentityMapBase");
        let builtins = held(b, strong, named, "object", "Foo");
        otherwise.push(held(b, strong, compiled, "object", "Foo"));
        let weak = held(b, subroots[3], compiled, "object", "Foo");
        let heap = builder.build();
        let Momentary { owners, waiting } = Momentary::new(&heap);
        let mut found = Deferred { owners, ..Deferred::NONE };
        references(&heap, &waiting, &page_owned(&heap), &mut found);
        assert_eq!(found.owners, subroots[..3]);
        assert_eq!(found.always, [builtins]);
        assert_eq!(found.otherwise, otherwise);
        assert!(!found.otherwise.contains(&weak));
    }
}
