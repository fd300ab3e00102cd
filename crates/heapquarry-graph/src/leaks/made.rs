//! Where leaked objects were made.

use super::{classes::internal, labels::counts, last::Last, scripts::Scripts, words::Word};
use crate::{EdgeType, HashSet, NodeIndex, NodeType, SourcePlace};

/// Nodes that are looked at.
const MOST: usize = 400;

/// Scopes in each other in which a function looks for the one that it wraps.
const SCOPES: usize = 3;

/// Where a leaked object comes from.
pub(super) struct Made {
    /// The place that is told first.
    pub(super) place: SourcePlace,
    /// What has that place: the object, or something in it.
    pub(super) node: NodeIndex,
    /// The object's own place, or the nearest one, in a package that stores something of the program's.
    pub(super) in_package: Option<SourcePlace>,
}

/// The place of an object, or that of the nearest thing in it that has one of the program's. V8 gives the constructor
/// of objects, and the place of functions; plain objects and arrays have none. A place in a package comes first only
/// where nothing leads to the program's own files: who uses the package wants to know where. Of places in packages,
/// that of a function which the object is to run comes before that of its class, and that of a callback before that of
/// the function around it.
pub(super) fn made_at(last: &Last<'_>, scripts: &Scripts<'_>, node: NodeIndex) -> Option<Made> {
    let mut in_package = None;
    let mut found = |node: NodeIndex| {
        let place = scripts.own_place(last, node)?;
        match place.is_in_package() {
            true => {
                in_package.get_or_insert((place, node));
                None
            }
            false => Some((place, node)),
        }
    };
    let own = found(node).or_else(|| nearest(last, node, &mut found));
    match own {
        Some((place, node)) => {
            Some(Made { place, node, in_package: in_package.map(|(place, _)| place) })
        }
        None => in_package.map(|(place, of)| {
            let is_class = of == node && last.kinds.is_object(node);
            let task = is_class.then(|| task(last, scripts, node, &place)).flatten();
            let wrapped = || Some((wrapped(last, scripts, of, &place)?, of));
            match task.or_else(wrapped) {
                Some((task, node)) => Made { place: task, node, in_package: Some(place) },
                None => Made { place, node: of, in_package: None },
            }
        }),
    }
}

/// A new function in an object, of another file than its class: what a timer, a task or a listener is to run says more
/// than where the class of all timers is.
fn task(
    last: &Last<'_>,
    scripts: &Scripts<'_>,
    node: NodeIndex,
    class: &SourcePlace,
) -> Option<(SourcePlace, NodeIndex)> {
    let targets = last.heap.edges().of(node).filter_map(|edge| {
        let target = last.heap.edges().target(edge);
        (leads_on(last, edge, target) && last.kinds.is_function(target)).then_some(target)
    });
    let mut places = targets.filter_map(|target| Some((scripts.own_place(last, target)?, target)));
    places.find(|(place, _)| place.script != class.script)
}

/// The new function of another package that a function keeps in its variables: a callback in a listener, which says
/// more than where the package makes all its listeners.
fn wrapped(
    last: &Last<'_>,
    scripts: &Scripts<'_>,
    function: NodeIndex,
    place: &SourcePlace,
) -> Option<SourcePlace> {
    if !last.kinds.is_function(function) {
        return None;
    }
    let edges = last.heap.edges();
    // Scopes of calls that came after the first snapshot, the innermost first.
    let scope = |node: NodeIndex, word| {
        internal(last.heap, last.words, node, word).filter(|&scope| !last.is_old(scope))
    };
    let scopes =
        std::iter::successors(scope(function, Word::Context), |&at| scope(at, Word::Previous));
    let variables = scopes.take(SCOPES).flat_map(|scope| edges.of(scope));
    let functions = variables.map(|edge| (edge, edges.target(edge))).filter(|&(edge, target)| {
        edges.kind(edge) == EdgeType::Context
            && leads_on(last, edge, target)
            && last.kinds.is_function(target)
    });
    let mut places = functions.filter_map(|(_, target)| scripts.own_place(last, target));
    places.find(|other| other.package() != place.package())
}

/// The nearest thing below an object that is looked for.
fn nearest<T>(
    last: &Last<'_>,
    node: NodeIndex,
    mut found: impl FnMut(NodeIndex) -> Option<T>,
) -> Option<T> {
    let mut seen: HashSet<NodeIndex> = HashSet::default();
    seen.insert(node);
    let (mut nodes, mut next) = (vec![node], Vec::new());
    while !nodes.is_empty() && seen.len() <= MOST {
        for node in nodes.drain(..) {
            for edge in last.heap.edges().of(node) {
                let target = last.heap.edges().target(edge);
                if !leads_on(last, edge, target) || seen.len() > 2 * MOST || !seen.insert(target) {
                    continue;
                }
                if last.kinds.is_visible(target)
                    && let Some(own) = found(target)
                {
                    return Some(own);
                }
                next.push(target);
            }
        }
        std::mem::swap(&mut nodes, &mut next);
    }
    None
}

/// Not to prototypes, not into the engine, nor to what was there in the first snapshot.
fn leads_on(last: &Last<'_>, edge: usize, target: NodeIndex) -> bool {
    let edges = last.heap.edges();
    counts(edges.kinds[edge])
        && !matches!(last.words.get(edges.string(edge)), Word::Proto | Word::Constructor)
        && !last.kinds.is_engine(target)
        && last.heap.nodes().kind(target) != NodeType::Synthetic
        && !(last.is_old(target) && last.kinds.is_visible(target))
}
