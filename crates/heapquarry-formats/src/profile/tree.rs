//! The call tree: callers, depths, and sums over subtrees.

use super::{frames::NO, numbers::Numbers};
use crate::{Code, HashMap, Log, json::NONE};

/// Memory of a node in bytes, about: id, frame, weight and caller, depth, place among the ids, and sums.
const PER_NODE: usize = 64;

/// The nodes while they are read.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// [`NONE`] if the file does not have it.
    pub(crate) ids: Numbers,
    /// Number of the frame, or [`NO`].
    pub(crate) frames: Vec<u32>,
    /// Hit counts or self sizes; [`NONE`] if the file does not have them.
    pub(crate) weights: Numbers,
    /// The node that contains a nested node, or [`NO`].
    parents: Vec<u32>,
    /// Ids of children, and the nodes that list them.
    children: Numbers,
    named_by: Vec<u32>,
    /// Nodes that have the id of their parent.
    named_parents: Vec<(u32, i64)>,
    /// Texts that few nodes have: why the function was not optimised.
    pub(crate) reasons: Vec<(u32, u32)>,
}

impl Tree {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Memory that they take, in bytes, about: with the callers and the sums that are found when all have been read.
    pub(crate) fn memory(&self) -> u64 {
        let named = 12 * self.named_by.len() + 16 * self.named_parents.len();
        (PER_NODE * self.len() + named + 8 * self.reasons.len()) as u64
    }

    /// Adds a node, nested in another or not; `None` if there are too many.
    pub(crate) fn add(&mut self, parent: Option<u32>) -> Option<u32> {
        let node = u32::try_from(self.len()).ok().filter(|&node| node != NO)?;
        self.ids.push(NONE);
        self.frames.push(NO);
        self.weights.push(NONE);
        self.parents.push(parent.unwrap_or(NO));
        Some(node)
    }

    /// Removes the node that was added last.
    pub(crate) fn drop_last(&mut self) {
        let Some(last) = self.len().checked_sub(1) else { return };
        self.ids.pop();
        self.frames.pop();
        self.weights.pop();
        self.parents.pop();
        while self.named_by.last().is_some_and(|&node| node as usize == last) {
            self.named_by.pop();
            self.children.pop();
        }
        self.named_parents.retain(|&(node, _)| (node as usize) < last);
        self.reasons.retain(|&(node, _)| (node as usize) < last);
    }

    pub(crate) fn add_child(&mut self, node: u32, child: i64) {
        self.children.push(child);
        self.named_by.push(node);
    }

    pub(crate) fn name_parent(&mut self, node: u32, parent: i64) {
        self.named_parents.push((node, parent));
    }

    /// Determines callers from any of the forms in which the file has them.
    pub(crate) fn calls(&mut self, index: &Index, log: &mut Log) -> Calls {
        let mut parents = std::mem::take(&mut self.parents);
        let children = std::mem::take(&mut self.children);
        let named_by = std::mem::take(&mut self.named_by);
        let named = std::mem::take(&mut self.named_parents);
        let mut link = |node: u32, parent: u32, log: &mut Log| {
            let known = &mut parents[node as usize];
            if *known == NO {
                *known = parent;
            } else if *known != parent {
                log.add(Code::SecondParent, None, || {
                    format!(
                        "node {node} (counted from 0) has more than one parent; the first is kept"
                    )
                });
            }
        };
        for (node, child) in named_by.into_iter().zip(children.iter()) {
            match index.node(child) {
                Some(child) => link(child, node, log),
                None => log.add(Code::UnknownNode, None, || {
                    format!("node {node} (counted from 0) has a child {child} that is not there")
                }),
            }
        }
        for (node, parent) in named {
            match index.node(parent) {
                Some(parent) => link(node, parent, log),
                // The parent of the root: V8 omits it, others write 0 or -1.
                None if parent <= 0 => {}
                None => log.add(Code::UnknownNode, None, || {
                    format!("node {node} (counted from 0) has a parent {parent} that is not there")
                }),
            }
        }
        Calls::new(parents, log)
    }
}

/// Maps ids to nodes.
#[derive(Debug)]
pub(crate) enum Index {
    /// Ids in a small range, as engines assign them.
    Dense(Vec<u32>),
    Sparse(HashMap<i64, u32>),
}

impl Index {
    pub(crate) fn new(ids: &Numbers, log: &mut Log) -> Self {
        let most = 4 * ids.len() as i64 + 1024;
        let dense = ids.iter().all(|id| id == NONE || (0..most).contains(&id));
        let length = || ids.iter().max().map_or(0, |id| id.max(-1) + 1) as usize;
        let mut index = match dense {
            true => Index::Dense(vec![NO; length()]),
            false => {
                Index::Sparse(HashMap::with_capacity_and_hasher(ids.len(), Default::default()))
            }
        };
        for (node, id) in (0..).zip(ids.iter()) {
            if id == NONE {
                continue;
            }
            let place = match &mut index {
                Index::Dense(nodes) => &mut nodes[id as usize],
                Index::Sparse(nodes) => nodes.entry(id).or_insert(NO),
            };
            if *place == NO {
                *place = node;
            } else {
                log.add(Code::DuplicateId, None, || {
                    format!("node {node} (counted from 0) has the id {id} of node {place}; samples count for that")
                });
            }
        }
        index
    }

    #[inline]
    pub(crate) fn node(&self, id: i64) -> Option<u32> {
        let node = match self {
            Index::Dense(nodes) => usize::try_from(id).ok().and_then(|id| nodes.get(id).copied()),
            Index::Sparse(nodes) => nodes.get(&id).copied(),
        };
        node.filter(|&node| node != NO)
    }
}

/// Callers of all nodes: a forest.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The caller, or [`NO`].
    pub(crate) parents: Vec<u32>,
    /// Number of callers of a node.
    pub(crate) depths: Vec<u32>,
    /// Whether callers precede the nodes that they call, as engines write them.
    ordered: bool,
}

impl Calls {
    /// `parents` has the caller of each node, or [`NO`].
    pub(crate) fn new(mut parents: Vec<u32>, log: &mut Log) -> Self {
        const UNKNOWN: u32 = u32::MAX;
        const PENDING: u32 = u32::MAX - 1;
        let mut depths = vec![UNKNOWN; parents.len()];
        let mut path = Vec::new();
        for start in 0..parents.len() as u32 {
            let mut node = start;
            // Engines write callers before what they call: most depths follow from one that is known.
            let above = match parents[start as usize] {
                NO => Some(0),
                parent => depths[parent as usize].checked_add(1).filter(|&depth| depth < PENDING),
            };
            if let (Some(depth), UNKNOWN) = (above, depths[start as usize]) {
                depths[start as usize] = depth;
                continue;
            }
            loop {
                if node == NO || depths[node as usize] < PENDING {
                    break;
                }
                if depths[node as usize] == PENDING {
                    // The path has a cycle: its first node loses its caller.
                    let from = path.iter().position(|&n| n == node).unwrap_or(0);
                    let first = path[from..].iter().copied().min().unwrap_or(node);
                    log.add(Code::CallCycle, None, || {
                        format!("node {first} (counted from 0) is its own ancestor: it is taken for a root")
                    });
                    parents[first as usize] = NO;
                    break;
                }
                depths[node as usize] = PENDING;
                path.push(node);
                node = parents[node as usize];
            }
            // Visited twice if a cycle was cut in the middle of the path.
            while let Some(&last) = path.last() {
                let mut chain = vec![last];
                let mut at = parents[last as usize];
                while at != NO && depths[at as usize] >= PENDING {
                    chain.push(at);
                    at = parents[at as usize];
                }
                let first = if at == NO { 0 } else { depths[at as usize] + 1 };
                for (depth, &node) in (first..).zip(chain.iter().rev()) {
                    depths[node as usize] = depth;
                }
                while path.last().is_some_and(|&node| depths[node as usize] < PENDING) {
                    path.pop();
                }
            }
        }
        let ordered = (0..).zip(&parents).all(|(node, &parent)| parent == NO || parent < node);
        Calls { parents, depths, ordered }
    }

    /// Adds the weight of each node to all its callers.
    pub(crate) fn totals(
        &self,
        weights: impl Iterator<Item = i64>,
        what: &'static str,
        log: &mut Log,
    ) -> Numbers {
        let mut totals: Numbers = weights.collect();
        let mut add = |node: usize| {
            let parent = self.parents[node];
            if parent != NO {
                totals.add(parent as usize, totals.get(node), what, log);
            }
        };
        if self.ordered {
            (0..self.parents.len()).rev().for_each(&mut add);
        } else {
            let mut nodes: Vec<u32> = (0..self.parents.len() as u32).collect();
            nodes.sort_unstable_by_key(|&node| std::cmp::Reverse(self.depths[node as usize]));
            nodes.into_iter().for_each(|node| add(node as usize));
        }
        totals
    }
}
