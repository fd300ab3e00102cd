//! The native context of each node: the realm of a window, a frame, a worker or a `vm` context, with its own global
//! object and its own `Array` and `Map`.
//!
//! An object belongs to the native context that made its class: the map of its map leads there. What has no such class
//! (strings, storage, native memory) belongs to the native context of the nodes that refer to it, if it is the same for
//! all.

use crate::{
    Bits, EdgeType, Heap, NodeIndex, PackedColumn,
    edges::{TYPE, is_strong},
    heap::internal,
    known::Role,
};

/// Which native context a node belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realm {
    /// No native context leads to it.
    None,
    /// Several do.
    Shared,
    /// This one.
    Context(NodeIndex),
}

/// For which heaps nodes are attributed to native contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realms {
    /// All.
    All,
    /// Those with several native contexts. With one, as in most programs of Node, there is nothing to tell apart.
    OfSeveral,
}

/// The native contexts of a heap, and to which each node belongs.
#[derive(Clone, Debug)]
pub struct NativeContexts {
    /// The native contexts, in file order.
    pub contexts: Vec<NodeIndex>,
    pub(crate) of: Numbers,
}

/// Nodes and sizes that belong to one native context, to several or to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealmSum {
    /// Which.
    pub realm: Realm,
    /// Number of nodes.
    pub count: u64,
    /// Sum of their shallow sizes in bytes.
    pub shallow_size: u64,
}

/// For each node the number of a native context, or [`Number::NONE`] or [`Number::SHARED`]. Hardly a heap has more
/// contexts than fit a byte.
#[derive(Clone, Debug)]
pub(crate) enum Numbers {
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

/// The number of a native context, in some width.
pub(crate) trait Number: Copy + PartialEq {
    const NONE: Self;
    const SHARED: Self;
    /// Not yet known.
    const UNKNOWN: Self;
    fn new(number: usize) -> Self;
    fn get(self) -> usize;
}

impl Number for u8 {
    const NONE: u8 = u8::MAX;
    const SHARED: u8 = u8::MAX - 1;
    const UNKNOWN: u8 = u8::MAX - 2;

    fn new(number: usize) -> Self {
        number as u8
    }

    fn get(self) -> usize {
        self.into()
    }
}

impl Number for u32 {
    const NONE: u32 = u32::MAX;
    const SHARED: u32 = u32::MAX - 1;
    const UNKNOWN: u32 = u32::MAX - 2;

    fn new(number: usize) -> Self {
        number as u32
    }

    fn get(self) -> usize {
        self as usize
    }
}

/// The native contexts of a heap. DevTools: `calculateNativeContextAttribution`.
pub fn native_contexts(heap: &Heap) -> NativeContexts {
    attributed(heap, contexts(heap))
}

/// The native contexts of a heap that has several; `None` for other heaps.
pub(crate) fn several_native_contexts(heap: &Heap) -> Option<NativeContexts> {
    let contexts = contexts(heap);
    (contexts.len() > 1).then(|| attributed(heap, contexts))
}

fn contexts(heap: &Heap) -> Vec<NodeIndex> {
    heap.nodes().all().filter(|&node| is_native_context(heap, node)).collect()
}

fn attributed(heap: &Heap, contexts: Vec<NodeIndex>) -> NativeContexts {
    let of = match contexts.len() <= usize::from(u8::UNKNOWN) {
        true => Numbers::Narrow(attribute(heap, &contexts)),
        false => Numbers::Wide(attribute(heap, &contexts)),
    };
    NativeContexts { contexts, of }
}

impl NativeContexts {
    /// The native context of a node.
    pub fn of(&self, node: NodeIndex) -> Realm {
        match &self.of {
            Numbers::Narrow(of) => self.realm(of[node.position()]),
            Numbers::Wide(of) => self.realm(of[node.position()]),
        }
    }

    fn realm<N: Number>(&self, number: N) -> Realm {
        match number {
            n if n == N::NONE => Realm::None,
            n if n == N::SHARED => Realm::Shared,
            n => Realm::Context(self.contexts[n.get()]),
        }
    }

    /// Sums for each native context in file order, then for what several share, and for what belongs to none. DevTools:
    /// `calculateNativeContextSizes`.
    pub fn sums(&self, sizes: &PackedColumn) -> Vec<RealmSum> {
        match &self.of {
            Numbers::Narrow(of) => self.sum(of, sizes),
            Numbers::Wide(of) => self.sum(of, sizes),
        }
    }

    fn sum<N: Number>(&self, of: &[N], sizes: &PackedColumn) -> Vec<RealmSum> {
        let own = self.contexts.iter().map(|&context| Realm::Context(context));
        let all = own.chain([Realm::Shared, Realm::None]);
        let mut sums: Vec<RealmSum> =
            all.map(|realm| RealmSum { realm, count: 0, shallow_size: 0 }).collect();
        let contexts = self.contexts.len();
        for (at, &number) in of.iter().enumerate() {
            let place = match number {
                n if n == N::SHARED => contexts,
                n if n == N::NONE => contexts + 1,
                n => n.get(),
            };
            let sum = &mut sums[place];
            sum.count += 1;
            sum.shallow_size = sum.shallow_size.saturating_add(sizes.get(at));
        }
        sums
    }
}

#[inline]
fn is_native_context(heap: &Heap, node: NodeIndex) -> bool {
    matches!(heap.role(node), Role::NativeContext | Role::OtherNativeContext)
}

/// The number of the native context of each node.
fn attribute<N: Number>(heap: &Heap, contexts: &[NodeIndex]) -> Vec<N> {
    let mut of = vec![N::NONE; heap.nodes().len()];
    if contexts.is_empty() {
        return of;
    }
    for (number, context) in contexts.iter().enumerate() {
        of[context.position()] = N::new(number);
    }
    // Nodes whose native context does not depend on who refers to them, and those that several share: nothing changes
    // them any more. These bits fit into a cache.
    let mut settled = heap.no_nodes();
    contexts.iter().for_each(|&context| settled.set(context));
    let mut by_map = vec![N::UNKNOWN; of.len()];
    for node in heap.nodes().all().filter(|&node| !is_native_context(heap, node)) {
        let Some(map) = internal(heap, node, Role::Map) else { continue };
        let known = &mut by_map[map.position()];
        if *known == N::UNKNOWN {
            *known = of_map(heap, map).map_or(N::NONE, |context| of[context.position()]);
        }
        if *known != N::NONE {
            of[node.position()] = *known;
            settled.set(node);
        }
    }
    drop(by_map);
    propagate(heap, &mut of, settled);
    of
}

/// The native context of the objects of a map.
fn of_map(heap: &Heap, map: NodeIndex) -> Option<NodeIndex> {
    let edges = heap.edges();
    let meta_map = internal(heap, map, Role::Map)?;
    let is_it = |edge: &usize| {
        edges.kind(*edge) == EdgeType::Internal
            && heap.known.role(edges.string(*edge)) == Role::NativeContextEdge
            && is_native_context(heap, edges.target(*edge))
    };
    edges.of(meta_map).find(is_it).map(|edge| edges.target(edge))
}

/// Passes numbers on to the nodes that are referred to. The order of the work does not change the result: a node goes
/// from none to one to shared. In file order, which is the order of the edges; earlier nodes are pushed to a stack.
fn propagate<N: Number>(heap: &Heap, of: &mut [N], mut settled: Bits) {
    let edges = heap.edges();
    let mut behind = Vec::new();
    for at in heap.nodes().all() {
        if of[at.position()] == N::NONE {
            continue;
        }
        behind.push(at);
        while let Some(node) = behind.pop() {
            let own = of[node.position()];
            let range = edges.of(node);
            for (&kind, &target) in edges.kinds[range.clone()].iter().zip(&edges.targets[range]) {
                let passes = is_strong(kind) && kind & TYPE != EdgeType::Shortcut as u8;
                if !passes || settled.get(target) {
                    continue;
                }
                let known = &mut of[target.position()];
                if *known == own {
                    continue;
                }
                if *known == N::NONE && own != N::SHARED {
                    *known = own;
                } else {
                    *known = N::SHARED;
                    settled.set(target);
                }
                if target <= at {
                    behind.push(target);
                }
            }
        }
    }
}
