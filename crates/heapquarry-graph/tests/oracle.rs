//! Every algorithm against the plainest way to the same answer, on small random heaps.

use heapquarry_graph::{
    Analysis, ByClass, DiffBase, Dominators, EdgeType, Heap, HeapBuilder, HeapParts, NO_SET,
    NodeIndex, NodeType, Retainers, SYSTEM, Sources, UNREACHED, Ways, aggregates, analyze,
    analyze_in_place, analyze_like, classify, count_fields, distances, dominators, interfaces,
    owners, page_owned, prepare, retained_sets, retained_sizes, retaining_paths, shallow_sizes,
    statistics,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const NODE_TYPES: [&str; 7] =
    ["object", "hidden", "array", "native", "synthetic", "string", "closure"];
const EDGE_TYPES: [EdgeType; 7] = [
    EdgeType::Property,
    EdgeType::Internal,
    EdgeType::Element,
    EdgeType::Context,
    EdgeType::Hidden,
    EdgeType::Shortcut,
    EdgeType::Weak,
];
const NAMES: [&str; 8] = [
    "Object",
    "Foo",
    "x",
    "y",
    "a,b",
    "__proto__",
    "(Document DOM trees)",
    "system / ExternalStringData",
];

/// What a heap is made of.
#[derive(Clone, Debug)]
struct Plan {
    /// Type, name and size.
    nodes: Vec<(usize, usize, u64)>,
    /// From, type, name, to.
    edges: Vec<(usize, usize, usize, usize)>,
    root: usize,
}

impl Plan {
    fn build(&self) -> Heap {
        self.build_with(None)
    }

    /// The heap with these ids, in which most nodes are plain objects, some of them with places of their own.
    fn build_plain(&self, ids: &[u64]) -> Heap {
        let mut builder = HeapBuilder::new();
        for (&(kind, name, size), &id) in self.nodes.iter().zip(ids) {
            let is_plain = size % 4 > 0;
            let (kind, name) = if is_plain { (0, 0) } else { (kind, name) };
            let node =
                builder.node(NODE_TYPES[kind], NAMES[name], if size % 5 == 0 { 0 } else { size });
            builder.id(node, id);
            if size % 7 == 0 {
                builder.location(node, 1, size as i32 % 2, 0);
            }
        }
        for &(from, _, name, to) in &self.edges {
            builder.edge(NodeIndex::at(from), EdgeType::Property, NAMES[name], NodeIndex::at(to));
        }
        builder.root(NodeIndex::at(self.root));
        builder.build()
    }

    /// The heap that comes with these dominators.
    fn build_with(&self, dominators: Option<Vec<NodeIndex>>) -> Heap {
        let mut builder = HeapBuilder::new();
        for &(kind, name, size) in &self.nodes {
            builder.node(NODE_TYPES[kind], NAMES[name], size);
        }
        for &(from, kind, name, to) in &self.edges {
            let kind = EDGE_TYPES[kind];
            let numbered = matches!(kind, EdgeType::Element | EdgeType::Hidden);
            let name = if numbered { name.to_string() } else { NAMES[name].to_owned() };
            builder.edge(NodeIndex::at(from), kind, &name, NodeIndex::at(to));
        }
        builder.root(NodeIndex::at(self.root));
        let heap = Heap::new(HeapParts { dominators, ..builder.parts() }, 1);
        assert_eq!(heap.root(), NodeIndex::at(self.root));
        heap
    }
}

/// Heaps of up to `most` nodes: loops, multiple edges, islands and all.
fn plans(most: usize) -> impl Strategy<Value = Plan> {
    (1..=most).prop_flat_map(|nodes| {
        let node = (0..NODE_TYPES.len(), 0..NAMES.len(), 0..100u64);
        let edge = (0..nodes, 0..EDGE_TYPES.len(), 0..NAMES.len(), 0..nodes);
        let root = prop_oneof![4 => Just(0), 1 => Just(nodes - 1)];
        (prop::collection::vec(node, nodes), prop::collection::vec(edge, 0..nodes * 4), root)
            .prop_map(|(nodes, edges, root)| Plan { nodes, edges, root })
    })
}

/// Edges as pairs, those that pass.
fn pairs(
    heap: &Heap,
    passes: impl Fn(NodeIndex, EdgeType, NodeIndex) -> bool,
) -> Vec<(NodeIndex, NodeIndex)> {
    let edges = heap.edges();
    let all = (0..edges.len()).map(|e| (edges.owner(e), edges.kind(e), edges.target(e)));
    all.filter(|&(from, kind, to)| passes(from, kind, to)).map(|(from, _, to)| (from, to)).collect()
}

/// What can be reached, without going through `without`.
fn reach(
    edges: &[(NodeIndex, NodeIndex)],
    from: &[NodeIndex],
    without: Option<NodeIndex>,
) -> BTreeSet<NodeIndex> {
    let mut reached: BTreeSet<NodeIndex> =
        from.iter().copied().filter(|node| Some(*node) != without).collect();
    loop {
        let more: Vec<NodeIndex> = edges
            .iter()
            .filter(|(a, b)| reached.contains(a) && !reached.contains(b) && Some(*b) != without)
            .map(|(_, b)| *b)
            .collect();
        if more.is_empty() {
            return reached;
        }
        reached.extend(more);
    }
}

fn nodes(heap: &Heap) -> impl Iterator<Item = NodeIndex> + use<> {
    heap.nodes().all()
}

fn strong(heap: &Heap) -> Vec<(NodeIndex, NodeIndex)> {
    pairs(heap, |_, kind, _| kind != EdgeType::Weak)
}

fn is_document_trees(heap: &Heap, node: NodeIndex) -> bool {
    heap.nodes().kind(node) == NodeType::Synthetic && heap.node_name(node) == "(Document DOM trees)"
}

fn naive_page(heap: &Heap) -> BTreeSet<NodeIndex> {
    let root = heap.root();
    let entries = pairs(heap, |from, kind, to| {
        let is_trees = kind == EdgeType::Element && is_document_trees(heap, to);
        from == root && (kind == EdgeType::Shortcut || is_trees)
    });
    let entries: Vec<NodeIndex> = entries.into_iter().map(|(_, to)| to).collect();
    reach(&strong(heap), &entries, None)
}

/// The edges that dominators go by, with those from the root to nodes that only weak references point to.
fn essential(heap: &Heap) -> Vec<(NodeIndex, NodeIndex)> {
    let (root, page) = (heap.root(), naive_page(heap));
    let mut edges = pairs(heap, |from, kind, to| {
        kind != EdgeType::Weak
            && from != to
            && (from == root
                || (kind != EdgeType::Shortcut && (page.contains(&from) || !page.contains(&to))))
    });
    let held: BTreeSet<NodeIndex> = edges.iter().map(|(_, to)| *to).collect();
    edges.extend(nodes(heap).filter(|n| *n != root && !held.contains(n)).map(|n| (root, n)));
    edges
}

/// For each node, the nodes without which it cannot be reached, itself included; none for those that never can.
fn naive_dominator_sets(heap: &Heap) -> Vec<BTreeSet<NodeIndex>> {
    let edges = essential(heap);
    let root = [heap.root()];
    let reached = reach(&edges, &root, None);
    let mut sets = vec![BTreeSet::new(); heap.nodes().len()];
    for &node in &reached {
        sets[node.position()].insert(node);
    }
    for &removed in &reached {
        let still = reach(&edges, &root, Some(removed));
        for &node in reached.difference(&still) {
            sets[node.position()].insert(removed);
        }
    }
    sets
}

fn naive_dominators(heap: &Heap) -> Vec<NodeIndex> {
    let sets = naive_dominator_sets(heap);
    let immediate = |node: NodeIndex| {
        let proper = sets[node.position()].iter().filter(|d| **d != node);
        // Of all that dominate it, the one that the others dominate.
        proper.max_by_key(|d| sets[d.position()].len()).copied().unwrap_or(heap.root())
    };
    nodes(heap).map(immediate).collect()
}

fn naive_user_roots(heap: &Heap) -> Vec<NodeIndex> {
    let from_root = pairs(heap, |from, _, _| from == heap.root());
    let is_user =
        |n: &NodeIndex| heap.nodes().kind(*n) != NodeType::Synthetic || is_document_trees(heap, *n);
    from_root.into_iter().map(|(_, to)| to).filter(is_user).collect()
}

/// By relaxation until nothing changes.
fn naive_distances(heap: &Heap) -> Vec<i32> {
    let mut found = vec![UNREACHED; heap.nodes().len()];
    let users = naive_user_roots(heap);
    users.iter().for_each(|n| found[n.position()] = 1);
    let relax = |found: &mut Vec<i32>, fixed: &[bool]| loop {
        let before = found.clone();
        for (from, to) in strong(heap) {
            let (a, b) = (found[from.position()], found[to.position()]);
            if a != UNREACHED && !fixed[to.position()] && (b == UNREACHED || a + 1 < b) {
                found[to.position()] = a + 1;
            }
        }
        if *found == before {
            return;
        }
    };
    let mut fixed = vec![false; found.len()];
    users.iter().for_each(|n| fixed[n.position()] = true);
    relax(&mut found, &fixed);
    for (fixed, distance) in fixed.iter_mut().zip(&found) {
        *fixed = *distance != UNREACHED;
    }
    let root = heap.root().position();
    found[root] = if users.is_empty() { 0 } else { SYSTEM };
    fixed[root] = true;
    // Only from the root: what was reached before is done.
    let mut second = vec![UNREACHED; found.len()];
    second[root] = found[root];
    loop {
        let before = second.clone();
        for (from, to) in strong(heap) {
            let (a, b) = (second[from.position()], second[to.position()]);
            if a != UNREACHED && !fixed[to.position()] && (b == UNREACHED || a + 1 < b) {
                second[to.position()] = a + 1;
            }
        }
        if second == before {
            break;
        }
    }
    let join = |(first, second): (i32, i32)| if first == UNREACHED { second } else { first };
    found.into_iter().zip(second).map(join).collect()
}

fn is_helper(heap: &Heap, node: NodeIndex) -> bool {
    let kind = heap.nodes().kind(node);
    let is_text = kind == NodeType::Native && heap.node_name(node) == "system / ExternalStringData";
    is_text || matches!(kind, NodeType::Hidden | NodeType::Array)
}

/// The only node that is no helper and reaches the helper through helpers.
fn naive_owners(heap: &Heap) -> Vec<Option<NodeIndex>> {
    let through = |owner: NodeIndex| {
        let passes = |from: NodeIndex, kind: EdgeType, to: NodeIndex| {
            kind != EdgeType::Weak
                && is_helper(heap, to)
                && (from == owner || is_helper(heap, from))
        };
        reach(&pairs(heap, passes), &[owner], None)
    };
    let owners: Vec<(NodeIndex, BTreeSet<NodeIndex>)> =
        nodes(heap).filter(|n| !is_helper(heap, *n)).map(|n| (n, through(n))).collect();
    let owner = |node: NodeIndex| {
        if !is_helper(heap, node) {
            return Some(node);
        }
        let mut reaching = owners.iter().filter(|(_, reached)| reached.contains(&node));
        match (reaching.next(), reaching.next()) {
            (Some((owner, _)), None) => Some(*owner),
            _ => None,
        }
    };
    nodes(heap).map(owner).collect()
}

fn naive_shallow_sizes(heap: &Heap) -> Vec<u64> {
    let mut sizes: Vec<u64> = nodes(heap).map(|n| heap.nodes().self_size(n)).collect();
    if naive_user_roots(heap).is_empty() {
        return sizes;
    }
    for (node, owner) in nodes(heap).zip(naive_owners(heap)) {
        let Some(owner) = owner.filter(|o| *o != node && *o != heap.root()) else {
            continue;
        };
        if heap.nodes().kind(owner) != NodeType::Synthetic {
            sizes[owner.position()] += std::mem::take(&mut sizes[node.position()]);
        }
    }
    sizes
}

/// The properties of a plain object, in order.
fn properties(heap: &Heap, node: NodeIndex) -> Vec<String> {
    let edges = heap.edges();
    let named = edges.of(node).filter(|e| edges.kind(*e) == EdgeType::Property);
    named.map(|e| heap.edge_name(e).to_string()).collect()
}

/// Names of the classes of plain objects, by the text of the rules.
fn naive_interfaces(heap: &Heap) -> (Vec<String>, BTreeMap<NodeIndex, String>) {
    let plain: Vec<NodeIndex> = nodes(heap)
        .filter(|n| heap.nodes().kind(*n) == NodeType::Object && heap.node_name(*n) == "Object")
        .collect();
    let mut candidates: Vec<(String, Vec<String>, usize)> = Vec::new();
    for &node in &plain {
        let mut text = String::from("{");
        let mut used = Vec::new();
        for name in properties(heap, node).into_iter().filter(|name| name != "__proto__") {
            let shown = if name.contains(',') { format!("{name:?}") } else { name.clone() };
            if text.len() > 1 && text.len() + shown.len() > 120 {
                break;
            }
            if text.len() > 1 {
                text += ", ";
            }
            text += &shown;
            used.push(name);
        }
        if used.is_empty() {
            continue;
        }
        text += "}";
        match candidates.iter_mut().find(|(known, ..)| *known == text) {
            Some((.., count)) => *count += 1,
            None => candidates.push((text, used, 1)),
        }
    }
    candidates.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    candidates.retain(|(.., count)| *count >= 2 && *count * 1000 >= plain.len());
    let has = |all: &[String], wanted: &[String]| {
        let mut left = all.to_vec();
        wanted.iter().all(|name| {
            let at = left.iter().position(|own| own == name);
            at.map(|at| left.remove(at)).is_some()
        })
    };
    let class = |node: NodeIndex| {
        let own = properties(heap, node);
        let mut best: Option<&(String, Vec<String>, usize)> = None;
        for candidate in &candidates {
            if has(&own, &candidate.1) && best.is_none_or(|b| candidate.1.len() > b.1.len()) {
                best = Some(candidate);
            }
        }
        (node, best.map_or("Object".into(), |(name, ..)| name.clone()))
    };
    let names = candidates.iter().map(|(name, ..)| name.clone()).collect();
    (names, plain.into_iter().map(class).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn dominators_and_retained_sizes(plan in plans(14)) {
        let heap = plan.build();
        let page = page_owned(&heap);
        let found: BTreeSet<NodeIndex> = nodes(&heap).filter(|n| page.get(*n)).collect();
        prop_assert_eq!(&found, &naive_page(&heap));
        prop_assert_eq!(page.count(), found.len());
        let tree = dominators(&heap);
        prop_assert_eq!(tree.by_node(), naive_dominators(&heap));

        let sizes = shallow_sizes(&heap);
        prop_assert_eq!(sizes.iter().collect::<Vec<_>>(), naive_shallow_sizes(&heap));
        let sets = naive_dominator_sets(&heap);
        let expected = |node: NodeIndex| -> u64 {
            let below = nodes(&heap).filter(|n| match sets[n.position()].is_empty() {
                // What cannot be reached is the root's.
                true => *n == node || node == heap.root(),
                false => sets[n.position()].contains(&node),
            });
            below.map(|n| sizes.get(n.position())).sum()
        };
        let expected: Vec<u64> = nodes(&heap).map(expected).collect();
        prop_assert_eq!(retained_sizes(&tree, &sizes).iter().collect::<Vec<_>>(), expected);
    }

    /// A heap that comes with its dominators has the analysis of one that does not.
    #[test]
    fn given_dominators_change_nothing(plan in plans(14), threads in 1..3usize) {
        let heap = plan.build();
        prop_assert_eq!(heap.given_dominators(), None);
        let found = dominators(&heap).by_node();
        let given = plan.build_with(Some(found.clone()));
        prop_assert_eq!(given.given_dominators(), Some(&found[..]));
        let [expected, analysis] =
            [&heap, &given].map(|heap| format!("{:?}", analyze(heap, threads)));
        prop_assert_eq!(analysis, expected);
    }

    /// What is no tree is not taken, whatever it is.
    #[test]
    fn dominators_that_are_no_tree_are_found_anew(
        plan in plans(8),
        others in prop::collection::vec(0..9usize, 7..9),
    ) {
        let heap = plan.build();
        let (nodes, root) = (heap.nodes().len(), heap.root());
        let others: Vec<NodeIndex> = others.into_iter().map(NodeIndex::at).collect();
        let above = |node: NodeIndex| others.get(node.position()).copied();
        let ends_at_root = |node: NodeIndex| {
            let steps = std::iter::successors(Some(node), |node| above(*node));
            steps.take(others.len() + 1).any(|node| node == root)
        };
        let is_tree = above(root) == Some(root)
            && others.iter().all(|node| node.position() < others.len())
            && NodeIndex::each(0..others.len()).all(ends_at_root);
        let tree = Dominators::from_nodes(&others, root);
        prop_assert_eq!(tree.is_some(), is_tree);
        if let Some(tree) = tree {
            prop_assert_eq!(&tree.by_node(), &others);
            let order = tree.order;
            let place = |node: &NodeIndex| order.iter().position(|other| other == node).unwrap();
            let is_later = |node: &NodeIndex| place(&others[node.position()]) < place(node);
            prop_assert!(order[0] == root && order[1..].iter().all(is_later), "{:?}", order);
        }
        if !is_tree || others.len() != nodes {
            let given = plan.build_with(Some(others));
            prop_assert_eq!(&*analyze(&given, 1).dominators, &*analyze(&heap, 1).dominators);
        }
    }

    /// Without all nodes of a set, what is no longer reached has gone with it.
    #[test]
    fn retained_sizes_of_sets(plan in plans(14), sets in prop::collection::vec(0..5u32, 14)) {
        let heap = plan.build();
        let analysis = analyze(&heap, 1);
        let sizes = &analysis.shallow_sizes;
        let set_of: Vec<u32> = nodes(&heap)
            .map(|node| if sets[node.position()] < 4 { sets[node.position()] } else { NO_SET })
            .collect();
        let edges = essential(&heap);
        let root = [heap.root()];
        let before = reach(&edges, &root, None);
        let expected = |set: u32| -> u64 {
            let stays = |node: &NodeIndex| set_of[node.position()] != set;
            let among: Vec<_> = edges.iter().copied().filter(|(a, b)| stays(a) && stays(b)).collect();
            let from: Vec<_> = root.iter().copied().filter(stays).collect();
            let after = reach(&among, &from, None);
            let freed = nodes(&heap)
                .filter(|n| !stays(n) || before.contains(n) && !after.contains(n));
            freed.map(|n| sizes.get(n.position())).sum()
        };
        let found = retained_sets(&heap, &analysis.dominators, sizes, &set_of, 4, 2);
        prop_assert_eq!(found, (0..4).map(expected).collect::<Vec<_>>());

        // A set of one node retains what the node does.
        let alone: Vec<u32> = (0..heap.nodes().len() as u32).collect();
        let found = retained_sets(&heap, &analysis.dominators, sizes, &alone, alone.len(), 2);
        for node in before.iter().filter(|node| **node != heap.root()) {
            let own = analysis.retained_sizes.get(node.position());
            prop_assert_eq!(found[node.position()], own);
        }
    }

    #[test]
    fn distances_and_owners(plan in plans(14)) {
        let heap = plan.build();
        prop_assert_eq!(distances(&heap), naive_distances(&heap));
        prop_assert_eq!(owners(&heap).collect::<Vec<_>>(), naive_owners(&heap));
    }

    #[test]
    fn classes_of_plain_objects(plan in plans(10)) {
        let heap = plan.build();
        let found = interfaces(&heap, 1);
        let (names, classes) = naive_interfaces(&heap);
        prop_assert_eq!(found.iter().map(|i| i.name.clone()).collect::<Vec<_>>(), names);
        let classified = classify(&heap, &[], &found, 1);
        for (node, class) in classes {
            prop_assert_eq!(&classified.class(node).name, &class);
        }
    }

    #[test]
    fn totals_of_classes(plan in plans(14)) {
        let heap = plan.build();
        let analysis = analyze(&heap, 1);
        let of_root = analysis.retained_sizes.get(heap.root().position());
        prop_assert_eq!(&statistics(&heap, &analysis.shallow_sizes, of_root, 1), &analysis.statistics);
        let sets = naive_dominator_sets(&heap);
        for (class, of) in (0u32..).zip(&analysis.classes.classes) {
            let counts = |n: &NodeIndex| {
                analysis.classes.of[n.position()] == class
                    && analysis.shallow_sizes.get(n.position()) > 0
            };
            let instances: Vec<NodeIndex> = nodes(&heap).filter(counts).collect();
            let found = analysis.aggregates.iter().find(|sum| sum.class == class);
            prop_assert_eq!(found.is_some(), !instances.is_empty());
            let Some(found) = found else { continue };
            prop_assert_eq!(found.count, instances.len() as u64, "{}", &of.name);
            let above = |n: NodeIndex, other: NodeIndex| match sets[n.position()].is_empty() {
                true => other == heap.root(),
                false => sets[n.position()].contains(&other),
            };
            let outermost =
                instances.iter().filter(|n| !instances.iter().any(|o| o != *n && above(**n, *o)));
            let retained: u64 = outermost.map(|n| analysis.retained_sizes.get(n.position())).sum();
            prop_assert_eq!(found.retained_size, retained, "{}", &of.name);
            let nearest = instances.iter().map(|n| analysis.distances[n.position()]).min();
            prop_assert_eq!(Some(found.distance), nearest);
        }
    }

    #[test]
    fn retainers_and_paths(plan in plans(12)) {
        let heap = plan.build();
        let retainers = Retainers::new(&heap);
        let (edges, distances) = (heap.edges(), distances(&heap));
        for node in nodes(&heap) {
            let expected: Vec<usize> = (0..edges.len()).filter(|e| edges.target(*e) == node).collect();
            prop_assert_eq!(retainers.count(node), expected.len());
            prop_assert_eq!(retainers.of(node).collect::<Vec<_>>(), expected);
            let paths = retaining_paths(&heap, &retainers, &distances, node, 3);
            prop_assert!(paths.len() <= 3);
            for path in &paths {
                let mut at = path.node;
                for step in &path.steps {
                    prop_assert_eq!((edges.owner(step.edge), edges.target(step.edge)), (step.node, at));
                    prop_assert!(edges.is_strong(step.edge));
                    at = step.node;
                }
                prop_assert_eq!(path.reaches_root, at == heap.root());
            }
            let distance = distances[node.position()];
            // A global object counts as one even if the root holds it but weakly: then there is no way.
            let weak = pairs(&heap, |from, kind, _| from == heap.root() && kind == EdgeType::Weak);
            if (1..SYSTEM).contains(&distance) && node != heap.root() && weak.is_empty() {
                prop_assert!(paths[0].reaches_root);
                // A grouping node that the root holds has no distance of its own.
                prop_assert!(paths[0].steps.len() <= distance as usize);
            }
        }
    }

    /// What is kept of the first snapshot is enough: the answers are those of both heaps. Ids may be damaged.
    #[test]
    fn differences(
        old in plans(10), new in plans(10),
        ids in prop::collection::vec(0..12u64, 20),
        is_own in any::<bool>(),
        is_bare in any::<bool>(),
        threads in 1..3usize,
    ) {
        let (old, new) = (old.build_plain(&ids[..10]), new.build_plain(&ids[10..]));
        let after = analyze(&new, threads);
        let before = analyze_like(&old, &after.interfaces, 1);
        // Sizes by class and id. Of one id in a damaged file, equals are taken for each other by size.
        let sizes = |heap: &Heap, analysis: &Analysis| {
            let mut sizes: BTreeMap<(String, i64), Vec<u64>> = BTreeMap::new();
            for node in nodes(heap) {
                let key = (analysis.classes.class(node).key.clone(), heap.nodes().id(node));
                let size = analysis.shallow_sizes.get(node.position());
                sizes.entry(key).or_default().extend(Some(size).filter(|size| *size > 0));
            }
            sizes.values_mut().for_each(|sizes| sizes.sort_unstable());
            sizes
        };
        let [old_sizes, new_sizes] = [sizes(&old, &before), sizes(&new, &after)];
        let mut expected: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
        for both in old_sizes.keys().chain(new_sizes.keys()).collect::<BTreeSet<_>>() {
            let [old, new] = [&old_sizes, &new_sizes].map(|sizes| sizes.get(both).map_or(&[][..], |s| s));
            let [added, removed] = [(new, old.len()), (old, new.len())]
                .map(|(sizes, others)| sizes.iter().skip(others).copied());
            let numbers = expected.entry(&both.0).or_default();
            numbers[0] += added.len() as u64;
            numbers[1] += added.sum::<u64>();
            numbers[2] += removed.len() as u64;
            numbers[3] += removed.sum::<u64>();
        }
        expected.retain(|_, numbers| *numbers != [0; 4]);
        let kept = if is_own { analyze(&old, 1) } else { analyze_like(&old, &[], 1) };
        let base = match is_bare {
            true => DiffBase::of(old.clone(), threads),
            false => DiffBase::new(old.clone(), kept, threads),
        };
        prop_assert_eq!((base.nodes(), base.total()), (old.nodes().len(), before.statistics.total));
        let found = base.compare(&new, &after, threads);
        let changes: Vec<_> = found.classes.iter().map(|d| {
            (&d.class_key[..], [d.added_count, d.added_size, d.removed_count, d.removed_size])
        }).collect();
        prop_assert_eq!(changes, expected.into_iter().collect::<Vec<_>>());
        let mut totals: Vec<_> = found.base.iter().map(|t| (&t.class, t.numbers())).collect();
        let mut expected: Vec<_> = before.aggregates.iter().map(|a| {
            let class = &before.classes.classes[a.class as usize];
            (class, [a.count, a.shallow_size, a.retained_size])
        }).collect();
        totals.sort_by_key(|totals| &totals.0.key);
        expected.sort_by_key(|totals| &totals.0.key);
        prop_assert_eq!(totals, expected);
        let mut lookup = found.retained.lookup();
        for id in ids.iter().map(|&id| id as i64).chain([-1, 13]) {
            let all = nodes(&old).filter(|&node| old.nodes().id(node) == id);
            let largest = all.map(|node| before.retained_sizes.get(node.position())).max();
            prop_assert_eq!((lookup.get(id), found.retained.get(id)), (largest, largest));
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// What is known of each class is what is found in its nodes.
    #[test]
    fn classes_as_a_whole(plan in plans(20), threads in 1..3usize, most in 0..30usize) {
        let heap = plan.build();
        let analysis = analyze(&heap, 1);
        let ready = prepare(&heap, &analysis, threads);
        let by_class = ByClass::new(&heap, &analysis, &ready, threads);
        let (members, of) = (by_class.members(), &analysis.classes.of);
        let (ways, sources) = (Ways::known(&heap, &ready).unwrap(), Sources::new(&heap));
        let size = |nodes: &[NodeIndex]| -> u64 {
            nodes.iter().map(|node| analysis.shallow_sizes.get(node.position())).sum()
        };
        let ranked = |classes: &[u32]| {
            let mut nodes: Vec<NodeIndex> =
                nodes(&heap).filter(|node| classes.contains(&of[node.position()])).collect();
            let retained = |node: &NodeIndex| analysis.retained_sizes.get(node.position());
            nodes.sort_by_key(|node| (std::cmp::Reverse(retained(node)), *node));
            nodes
        };
        let all: Vec<u32> = (0..analysis.classes.classes.len() as u32).collect();
        for &class in &all {
            let nodes = ranked(&[class]);
            prop_assert_eq!(members.shallow_size(class), size(&nodes));
            let expected = Ways::new(&heap, &nodes, 1).groups(&nodes, of);
            let mut expected: Vec<_> = expected.into_iter().map(|group| group.nodes).collect();
            expected.sort();
            let mut found = Vec::new();
            for group in members.groups(class) {
                prop_assert_eq!(group.class, class);
                prop_assert_eq!(group.size, size(group.nodes));
                let retained = analysis.retained_sizes.get(group.nodes[0].position());
                prop_assert_eq!(group.retained, retained);
                let path = ways.path(group.nodes[0]);
                let told = ways.text(&path, &sources, &analysis.detachedness);
                prop_assert_eq!(group.way, Some(&told[..]));
                found.push(group.nodes.to_vec());
            }
            prop_assert_eq!(members.of(class), found.concat());
            found.sort();
            prop_assert_eq!(found, expected);
        }
        for classes in all.chunks(3).chain(all.chunks(1)).chain([&all[..]]) {
            let mut nodes = ranked(classes);
            let largest = members.largest(classes, most, &analysis.retained_sizes);
            prop_assert_eq!(&largest[..], &nodes[..most.min(nodes.len())]);
            nodes.sort();
            let found = by_class.fields().of(classes);
            prop_assert_eq!(found, Some(count_fields(&heap, of, &nodes)));
        }
    }
}

/// More properties than are counted, and several classes that have them.
#[test]
fn properties_of_a_class_may_be_too_many() {
    let build = |count: usize| {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let [foo, bar] = ["Foo", "Bar"].map(|name| builder.node("object", name, 8));
        builder.edge(root, EdgeType::Property, "foo", foo);
        builder.edge(root, EdgeType::Property, "bar", bar);
        for at in 0..count {
            builder.edge(foo, EdgeType::Property, &format!("k{at}"), bar);
        }
        builder.edge(bar, EdgeType::Property, &format!("k{}", count - 1), foo);
        builder.build()
    };
    for (count, is_known) in [(999, true), (1000, false), (1001, false)] {
        let heap = build(count);
        let analysis = analyze(&heap, 1);
        let by_class = ByClass::new(&heap, &analysis, &prepare(&heap, &analysis, 1), 1);
        let of = &analysis.classes.of;
        let fields = |classes: &[u32]| {
            let nodes: Vec<NodeIndex> =
                nodes(&heap).filter(|node| classes.contains(&of[node.position()])).collect();
            count_fields(&heap, of, &nodes)
        };
        for class in 0..3 {
            assert_eq!(by_class.fields().of(&[class]), Some(fields(&[class])), "{count} {class}");
        }
        let all = by_class.fields().of(&[0, 1, 2]);
        assert_eq!(all.is_some(), is_known, "{count}");
        assert!(all.is_none_or(|all| all == fields(&[0, 1, 2])));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Ranges of nodes for several threads need some thousand of them.
    #[test]
    fn threads_and_reused_memory_change_nothing(seed in plans(20)) {
        let mut plan = seed.clone();
        let size = seed.nodes.len();
        for copy in 1..(13_000 / size) {
            plan.nodes.extend(&seed.nodes);
            let shift = copy * size;
            let edges = seed.edges.iter().map(|&(a, k, n, b)| (a + shift, k, n, b + shift));
            plan.edges.extend(edges);
            plan.edges.push((copy % size, 0, copy % 6, shift));
        }
        let mut heap = plan.build();
        let text = |analysis: heapquarry_graph::Analysis| format!("{analysis:?}");
        let one = text(analyze(&heap, 1));
        let four = text(analyze(&heap, 4));
        let in_place = text(analyze_in_place(&mut heap, false, 3));
        // Not `prop_assert_eq`: megabytes of text would be shown.
        prop_assert!(one == four && one == in_place);
    }
}

/// The storage of an array belongs to it unless something else refers to it, wherever that is in the file: the nodes
/// are more than one thread looks at.
#[test]
fn storage_of_arrays_that_others_refer_to_is_not_theirs() {
    const ARRAYS: usize = 5_000;
    let storage = |array: usize| NodeIndex::at(1 + ARRAYS + array);
    // Who else refers to the storage of an array: another array, by its number.
    let other = |array: usize| match array % 5 {
        0 => Some(array),
        1 => Some((array + 1) % ARRAYS),
        2 => Some((array + ARRAYS / 2) % ARRAYS),
        _ => None,
    };
    let size = |array: usize| 100 + array as u64;
    let mut builder = HeapBuilder::new();
    builder.node("synthetic", "", 0);
    for _ in 0..ARRAYS {
        builder.node("object", "Array", 16);
    }
    // Not of the type "array": nodes of that type are part of the shallow size of their only owner.
    for array in 0..ARRAYS {
        builder.node("object", "Storage", size(array));
    }
    for array in 0..ARRAYS {
        let node = NodeIndex::at(1 + array);
        builder.edge(NodeIndex::at(0), EdgeType::Element, &array.to_string(), node);
        builder.edge(node, EdgeType::Internal, "elements", storage(array));
    }
    for array in 0..ARRAYS {
        if let Some(other) = other(array) {
            builder.edge(NodeIndex::at(1 + other), EdgeType::Internal, "x", storage(array));
        }
    }
    builder.root(NodeIndex::at(0));
    let heap = builder.build();
    let theirs: u64 = (0..ARRAYS).filter(|&array| other(array).is_none()).map(size).sum();
    for threads in [1, 2, 3, 7] {
        let found = analyze(&heap, threads).statistics.js_arrays;
        assert_eq!(found, 16 * ARRAYS as u64 + theirs, "{threads} threads");
    }
}

/// The first property is part of the name of a class however long it is, others only as far as there is room.
#[test]
fn a_class_may_be_called_by_one_long_property() {
    for (lengths, expected) in [(&[130][..], 1), (&[130, 1], 1), (&[60, 59], 2), (&[60, 60], 1)] {
        let mut builder = HeapBuilder::new();
        for _ in 0..2 {
            let object = builder.node("object", "Object", 8);
            for (letter, &length) in ["a", "b"].iter().zip(lengths) {
                builder.edge(object, EdgeType::Property, &letter.repeat(length), object);
            }
        }
        let heap = builder.build();
        let found = interfaces(&heap, 1);
        assert_eq!(found.len(), 1, "{lengths:?}");
        assert_eq!(found[0].name.split(", ").count(), expected, "{lengths:?}: {}", found[0].name);
        assert_eq!(found[0].name, naive_interfaces(&heap).0[0]);
    }
}

/// Classes are named after properties that at least two, and one of a thousand plain objects have.
#[test]
fn rare_properties_name_no_class() {
    for (rare, objects, expected) in
        [(1, 3, 1), (2, 4, 2), (2, 2000, 2), (2, 2001, 1), (3, 3000, 2), (3, 3001, 1)]
    {
        let mut builder = HeapBuilder::new();
        for at in 0..objects {
            let object = builder.node("object", "Object", 8);
            let name = if at < rare { "rare" } else { "common" };
            builder.edge(object, EdgeType::Property, name, object);
        }
        let heap = builder.build();
        for threads in [1, 3] {
            let found = interfaces(&heap, threads);
            let names: Vec<&str> = found.iter().map(|interface| &*interface.name).collect();
            assert_eq!(names.len(), expected, "{rare} of {objects}: {names:?}");
        }
    }
}

/// A chain as long as no stack is deep, its end held by the root as well.
#[test]
fn a_million_nodes_in_a_row() {
    let mut builder = HeapBuilder::new();
    let root = builder.node("synthetic", "", 0);
    let mut last = root;
    let length = 1_000_000u32;
    for i in 0..length {
        let next = builder.node("object", "Node", 1);
        let kind = if i == 0 { EdgeType::Shortcut } else { EdgeType::Property };
        builder.edge(last, kind, "next", next);
        last = next;
    }
    builder.edge(root, EdgeType::Internal, "end", last);
    let heap = builder.build();
    let analysis = analyze(&heap, 2);
    assert_eq!(analysis.distances[last.position()], 1);
    assert_eq!(analysis.distances[last.position() - 1], length as i32 - 1);
    assert_eq!(analysis.dominators[last.position()], root);
    assert_eq!(analysis.retained_sizes.get(1), u64::from(length) - 1);
    assert_eq!(analysis.retained_sizes.get(root.position()), u64::from(length));
    assert_eq!(analysis.aggregates.len(), 1);
    assert_eq!(analysis.aggregates[0].retained_size, u64::from(length));
    let retainers = Retainers::new(&heap);
    let paths = retaining_paths(&heap, &retainers, &analysis.distances, NodeIndex(last.0 - 1), 9);
    assert_eq!(paths.len(), 1);
    assert_eq!(paths[0].steps.len(), length as usize - 1);
}

#[test]
fn stars_loops_and_islands() {
    let mut builder = HeapBuilder::new();
    let root = builder.node("synthetic", "", 0);
    let hub = builder.node("object", "Hub", 5);
    builder.edge(root, EdgeType::Shortcut, "1", hub);
    let rays: Vec<NodeIndex> = (0..5).map(|_| builder.node("object", "Ray", 7)).collect();
    for &ray in &rays {
        for _ in 0..3 {
            builder.edge(hub, EdgeType::Property, "ray", ray);
        }
        builder.edge(ray, EdgeType::Property, "self", ray);
        builder.edge(ray, EdgeType::Property, "hub", hub);
    }
    // Nothing but a weak reference leads to the one, nothing at all to the ring.
    let weak = builder.node("object", "Weak", 11);
    builder.edge(hub, EdgeType::Weak, "weak", weak);
    let ring: Vec<NodeIndex> = (0..3).map(|_| builder.node("object", "Ring", 13)).collect();
    for i in 0..3 {
        builder.edge(ring[i], EdgeType::Property, "next", ring[(i + 1) % 3]);
    }
    builder.edge(ring[0], EdgeType::Property, "hub", hub);
    let heap = builder.build();
    let analysis = analyze(&heap, 1);
    let dominators = [0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0].map(NodeIndex);
    assert_eq!(analysis.dominators, dominators);
    assert!(analysis.retained_sizes.iter().take(3).eq([5 + 5 * 7 + 11 + 3 * 13, 5 + 5 * 7, 7]));
    assert_eq!(analysis.distances[weak.position()], UNREACHED);
    assert!(ring.iter().all(|n| analysis.distances[n.position()] == UNREACHED));
}

#[test]
fn an_empty_heap_and_a_lone_root() {
    for nodes in [0, 1] {
        let mut builder = HeapBuilder::new();
        for _ in 0..nodes {
            builder.node("synthetic", "", 0);
        }
        let heap = builder.build();
        let analysis = analyze(&heap, 3);
        assert_eq!(analysis.dominators.len(), nodes);
        assert_eq!(analysis.statistics.total, 0);
        assert!(analysis.aggregates.is_empty());
    }
}

/// Where DevTools' 32 bits end: sizes of 4 GiB and more.
#[test]
fn sizes_beyond_4_gib_do_not_wrap() {
    let mut builder = HeapBuilder::new();
    let root = builder.node("synthetic", "", 0);
    let holder = builder.node("object", "Holder", 16);
    let storage = builder.node("array", "", 5 << 30);
    let native = builder.node("native", "system / JSArrayBufferData", (4 << 30) + 1);
    builder.edge(root, EdgeType::Shortcut, "1", holder);
    builder.edge(holder, EdgeType::Internal, "elements", storage);
    builder.edge(holder, EdgeType::Internal, "backing_store", native);
    builder.native_size(native, 1 << 40);
    let heap = builder.build();
    let analysis = analyze(&heap, 1);
    assert_eq!(analysis.shallow_sizes.get(holder.position()), (5 << 30) + 16);
    assert_eq!(analysis.retained_sizes.get(root.position()), (9 << 30) + 17);
    assert_eq!(analysis.retained_native_sizes.unwrap().get(holder.position()), 1 << 40);
    assert_eq!(analysis.statistics.typed_arrays, (4 << 30) + 1);
    let sums = aggregates(
        &analysis.classes,
        &analysis.distances,
        &analysis.shallow_sizes,
        &analysis.retained_sizes,
        &dominators(&heap),
    );
    assert_eq!(sums, analysis.aggregates);
}

/// Both edges by which a WeakMap holds a value: the key's holds it, the distance is the larger of the key's and the
/// map's.
#[test]
fn values_of_weak_maps_belong_to_their_keys() {
    let mut builder = HeapBuilder::new();
    let root = builder.node("synthetic", "", 0);
    let global = builder.node("object", "Window", 10);
    let table = builder.node("array", "", 20);
    let far = builder.node("object", "Far", 30);
    let key = builder.node("object", "Key", 40);
    let value = builder.node("object", "Value", 50);
    builder.edge(root, EdgeType::Shortcut, "1", global);
    builder.edge(global, EdgeType::Internal, "table", table);
    builder.edge(global, EdgeType::Property, "far", far);
    builder.edge(far, EdgeType::Property, "key", key);
    let name =
        |n| format!("{n} / part of key (Key @9) -> value (Value @11) pair in WeakMap (table @5)");
    builder.edge(table, EdgeType::Internal, &name(1), value);
    builder.edge(key, EdgeType::Internal, &name(2), value);
    let mut heap = builder.build();
    for in_place in [false, true] {
        let analysis =
            if in_place { analyze_in_place(&mut heap, false, 1) } else { analyze(&heap, 1) };
        assert_eq!(analysis.distances[value.position()], 4);
        assert_eq!(analysis.dominators[value.position()], key);
        assert_eq!(analysis.retained_sizes.get(far.position()), 120);
    }
}
