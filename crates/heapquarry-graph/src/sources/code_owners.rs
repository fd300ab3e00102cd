//! Which package, script and function each byte belongs to.
//!
//! Closures come from the script of their function, contexts from that of the function whose variables they are,
//! objects from that of their constructor; code and the script's text come from the script itself. All other nodes
//! belong to the nearest dominator that comes from a script. So each node has exactly one owner. What has no such
//! dominator is the engine's, or several parts of a program share it.

use super::{ANONYMOUS, Sources, Unbound, internal, script_name, shared_name, unbound};
use crate::{
    Bits, HashMap, HashSet, Heap, NO_SET, NodeIndex, NodeType, Package, PackedColumn, Place,
    known::Role, page::page_owned, retained_sets::retained_on,
};
use heapquarry_base::Order;
use std::{cmp::Reverse, fmt};

/// What nodes can belong to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodeOwner {
    /// A package, by the text of [`Package`].
    Package(String),
    /// A script, by its path or URL; with a source map a source.
    Script(String),
    /// A function, or the constructor of a class.
    Function {
        /// Path or URL of its script; with a source map of its source.
        script: String,
        /// Line and column, from 1, if a closure of it is in the heap.
        place: Option<(i64, i64)>,
        /// Its name; `(anonymous)` without one.
        name: String,
    },
    /// The engine: code, hidden nodes and roots that no script holds alone.
    Engine,
    /// What a program made, and no part of it holds alone; and what is held by functions of the engine.
    Unattributed,
    /// Native memory outside the heap, as its header tells. It has no nodes.
    Outside,
}

/// Its name, without the script of a function.
impl fmt::Display for CodeOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodeOwner::Package(name) | CodeOwner::Script(name) => f.write_str(name),
            CodeOwner::Function { name, .. } => f.write_str(name),
            CodeOwner::Engine => f.write_str("(engine)"),
            CodeOwner::Unattributed => f.write_str("(unattributed)"),
            CodeOwner::Outside => f.write_str("(outside the heap)"),
        }
    }
}

/// What nodes are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnedBy {
    /// Packages.
    Package,
    /// Scripts.
    Script,
    /// Functions; code and text of a script that belong to none of its functions are the script's.
    Function,
}

/// What belongs to an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerSum {
    /// The owner.
    pub owner: CodeOwner,
    /// Number of its nodes.
    pub count: u64,
    /// What they take themselves, in bytes. The sizes of all owners add up to the total of
    /// [`Statistics`](crate::Statistics).
    pub size: u64,
    /// What would be freed if all its nodes went, in bytes. None of what is no code, as the roots are among it, and if
    /// it is not wanted.
    pub retained_size: Option<u64>,
}

/// The owner of each node of a heap.
#[derive(Clone, Debug)]
pub struct CodeOwners {
    /// Functions, and scripts.
    owners: Vec<CodeOwner>,
    /// For each node the number of its owner.
    of: Vec<u32>,
    /// Sources that source maps list as ones to be ignored.
    ignored: HashSet<String>,
}

/// Marks a node whose owner is not known yet.
const NONE: u32 = u32::MAX;
/// Marks a node that has none.
const NOBODY: u32 = NONE - 1;

impl CodeOwners {
    /// Finds them. The heap must have all its edges and names. `dominators` are those of the
    /// [analysis](crate::Analysis).
    pub fn new(heap: &Heap, dominators: &[NodeIndex], threads: usize) -> Self {
        let mut owners = CodeOwners::of_their_own(heap, threads);
        owners.inherit(heap, dominators);
        owners
    }

    /// The owners of nodes that come from a script themselves. The heap must have all its edges and names.
    pub fn of_their_own(heap: &Heap, threads: usize) -> Self {
        let mut finder = Finder {
            sources: Sources::new(heap).with_threads(threads),
            heap,
            owners: Vec::new(),
            numbers: HashMap::default(),
            of_shared: HashMap::default(),
            of_place: HashMap::default(),
            of: vec![NONE; heap.nodes().len()],
        };
        // Closures tell where the functions of all others are.
        for node in heap.nodes().all().filter(|&node| heap.nodes().kind(node) == NodeType::Closure)
        {
            finder.of[node.position()] = finder.closure(node);
        }
        for node in heap.nodes().all() {
            match (heap.role(node), heap.nodes().kind(node)) {
                (_, NodeType::Closure) => {}
                (Role::Scope, _) => finder.of[node.position()] = finder.scope(node),
                (_, NodeType::Object) => finder.of[node.position()] = finder.object(node),
                (_, NodeType::Code) => finder.code(node),
                _ => {}
            }
        }
        let Finder { owners, of, .. } = finder;
        CodeOwners { owners, of, ignored: heap.originals.ignored() }
    }

    /// Gives all nodes without an owner that of their dominator.
    pub fn inherit(&mut self, heap: &Heap, dominators: &[NodeIndex]) {
        if self.owners.is_empty() {
            return;
        }
        let of = &mut self.of;
        let root = heap.root().position();
        if of[root] == NONE {
            of[root] = NOBODY;
        }
        // From each node up to the first that knows its owner. What is on the way is marked, so that a circle, which
        // only damage to a kept index makes, ends.
        let mut way = Vec::new();
        for node in heap.nodes().all() {
            let mut node = node.position();
            while of[node] == NONE {
                way.push(node);
                of[node] = NOBODY;
                node = dominators[node].position();
            }
            let owner = of[node];
            way.drain(..).for_each(|node| of[node] = owner);
        }
    }

    /// The owner of a node; `None` if it belongs to no code.
    pub fn owner(&self, node: NodeIndex, by: OwnedBy) -> Option<CodeOwner> {
        Some(self.by(self.owners.get(self.of[node.position()] as usize)?, by))
    }

    /// Whether no node comes from a script: the heap does not tell of scripts.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// What belongs to each owner, the largest first. Of the first `most` it is told what they retain. `dominators` and
    /// `sizes` are those of the [analysis](crate::Analysis).
    pub fn sums(
        &self,
        heap: &Heap,
        dominators: &[NodeIndex],
        sizes: &PackedColumn,
        by: OwnedBy,
        most: usize,
        threads: usize,
    ) -> Vec<OwnerSum> {
        self.sums_on(heap, &page_owned(heap), dominators, sizes, (by, most), threads)
    }

    /// What belongs to each owner, as [`CodeOwners::sums`] tells it. The heap needs its edges, but no names; `page` are
    /// the nodes that the page owns.
    pub(crate) fn sums_on(
        &self,
        heap: &Heap,
        page: &Bits,
        dominators: &[NodeIndex],
        sizes: &PackedColumn,
        (by, most): (OwnedBy, usize),
        threads: usize,
    ) -> Vec<OwnerSum> {
        let mut sums: Vec<OwnerSum> = Vec::new();
        let mut numbers: HashMap<CodeOwner, u32> = HashMap::default();
        let mut number = |owner: CodeOwner| {
            *numbers.entry(owner).or_insert_with_key(|owner| {
                sums.push(OwnerSum {
                    owner: owner.clone(),
                    count: 0,
                    size: 0,
                    retained_size: None,
                });
                sums.len() as u32 - 1
            })
        };
        let rest = [CodeOwner::Engine, CodeOwner::Unattributed, CodeOwner::Outside];
        let [engine, unattributed, outside] = rest.map(&mut number);
        let group_of: Vec<u32> =
            self.owners.iter().map(|owner| number(self.by(owner, by))).collect();
        let group = |node: NodeIndex| match self.of[node.position()] {
            NONE | NOBODY if heap.nodes().kind(node).is_of_the_program() => unattributed,
            NONE | NOBODY => engine,
            owner => group_of[owner as usize],
        };
        for node in heap.nodes().all() {
            let sum = &mut sums[group(node) as usize];
            sum.count += 1;
            sum.size = sum.size.saturating_add(sizes.get(node.position()));
        }
        sums[outside as usize].size = heap.extra_native_bytes();
        let mut order: Vec<u32> = (0..sums.len() as u32).collect();
        let rank = |&at: &u32| {
            let OwnerSum { owner, size, .. } = &sums[at as usize];
            (Reverse(*size), owner)
        };
        order.order_by(|a, b| rank(a).cmp(&rank(b)));
        let is_code = |at: &&u32| ![engine, unattributed, outside].contains(at);
        let wanted: Vec<u32> = order.iter().filter(is_code).take(most).copied().collect();
        let mut set_of_group = vec![NO_SET; sums.len()];
        (0..).zip(&wanted).for_each(|(set, &group)| set_of_group[group as usize] = set);
        let set_of: Vec<u32> =
            heap.nodes().all().map(|node| set_of_group[group(node) as usize]).collect();
        let retained = retained_on(heap, page, dominators, sizes, (&set_of, wanted.len()), threads);
        for (group, size) in wanted.into_iter().zip(retained) {
            sums[group as usize].retained_size = Some(size);
        }
        let sorted = order.into_iter().map(|at| sums[at as usize].clone());
        sorted.filter(|sum| sum.count > 0 || sum.size > 0).collect()
    }

    /// What a function or script is part of.
    fn by(&self, owner: &CodeOwner, by: OwnedBy) -> CodeOwner {
        match (owner, by) {
            (CodeOwner::Function { script, .. } | CodeOwner::Script(script), OwnedBy::Package) => {
                let is_ignored = self.ignored.contains(script);
                CodeOwner::Package(Package::of_source(script, is_ignored).to_string())
            }
            (CodeOwner::Function { script, .. }, OwnedBy::Script) => {
                CodeOwner::Script(script.clone())
            }
            _ => owner.clone(),
        }
    }
}

struct Finder<'a> {
    heap: &'a Heap,
    sources: Sources<'a>,
    owners: Vec<CodeOwner>,
    numbers: HashMap<CodeOwner, u32>,
    /// The owner by the SharedFunctionInfo.
    of_shared: HashMap<NodeIndex, u32>,
    /// The owner by the place of a function.
    of_place: HashMap<Place, u32>,
    of: Vec<u32>,
}

impl Finder<'_> {
    fn number(&mut self, owner: CodeOwner) -> u32 {
        let next = self.owners.len() as u32;
        *self.numbers.entry(owner).or_insert_with_key(|owner| {
            self.owners.push(owner.clone());
            next
        })
    }

    /// The function of a closure; of a bound one that which was bound.
    fn closure(&mut self, node: NodeIndex) -> u32 {
        let Unbound { closure, shared, .. } = unbound(self.heap, node);
        if let Some(&known) = shared.and_then(|shared| self.of_shared.get(&shared)) {
            return known;
        }
        let Some(script) = self.sources.script_of(closure) else { return NONE };
        let number = self.function(self.heap.node_name(closure), script, self.heap.place(closure));
        if let Some(shared) = shared {
            self.of_shared.insert(shared, number);
        }
        number
    }

    /// The function at a place, under the name that its source has for it.
    fn function(&mut self, name: &str, script: &str, place: Option<Place>) -> u32 {
        let original = place.and_then(|place| self.heap.original_at(place));
        let name = original.map_or(name.into(), |original| original.beside(name));
        let name = if name.is_empty() { ANONYMOUS.into() } else { name.into_owned() };
        let written = place.map(|at| (i64::from(at.line) + 1, i64::from(at.column) + 1));
        let number = self.number(CodeOwner::Function {
            script: original.map_or(script, |original| &original.source).into(),
            place: original.map(|original| (original.line, original.column)).or(written),
            name,
        });
        if let Some(place) = place {
            self.of_place.insert(place, number);
        }
        number
    }

    /// The function of a SharedFunctionInfo.
    fn shared(&mut self, shared: NodeIndex) -> u32 {
        if let Some(&known) = self.of_shared.get(&shared) {
            return known;
        }
        let heap = self.heap;
        let script = internal(heap, shared, Role::Script);
        let Some(script) = script.and_then(|script| script_name(heap, script)) else {
            return NONE;
        };
        let number = self.function(shared_name(heap, shared), script, None);
        self.of_shared.insert(shared, number);
        number
    }

    /// The function whose variables these are.
    fn scope(&mut self, scope: NodeIndex) -> u32 {
        self.sources.owner(scope).map_or(NONE, |shared| self.shared(shared))
    }

    /// The constructor of an object.
    fn object(&mut self, object: NodeIndex) -> u32 {
        let Some(place) = self.heap.place(object) else { return NONE };
        if let Some(&known) = self.of_place.get(&place) {
            return known;
        }
        let Some(script) = self.sources.script(place.script_id) else { return NONE };
        self.function(self.heap.node_name(object), script, Some(place))
    }

    /// A function's code, and its script.
    fn code(&mut self, node: NodeIndex) {
        let heap = self.heap;
        let Some(script) = internal(heap, node, Role::Script) else { return };
        self.of[node.position()] = self.shared(node);
        if let Some(name) = script_name(heap, script)
            && self.of[script.position()] == NONE
        {
            self.of[script.position()] = self.number(CodeOwner::Script(name.into()));
        }
    }
}
