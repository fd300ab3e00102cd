//! Sums over groups of functions: by name, by script, or each function separately.

use crate::{NO, Profile};

/// Sums of each group.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Sum of the self values of its nodes.
    pub own: Vec<i64>,
    /// Sum of the self values of its nodes and of all nodes below them. A node below two nodes of a group counts once.
    pub total: Vec<i64>,
    /// Number of nodes.
    pub nodes: Vec<u64>,
}

impl Profile {
    /// Sums the nodes by group, given the group of each function.
    pub fn sums(&self, group_of: &[u32], groups: usize) -> Sums {
        self.sums_of(&self.weights, group_of, groups)
    }

    /// Sums other self values of the nodes: those of a part of the profile.
    pub fn sums_of(&self, weights: &[i64], group_of: &[u32], groups: usize) -> Sums {
        let nodes = self.of.len();
        let mut sums =
            Sums { own: vec![0; groups], total: vec![0; groups], nodes: vec![0; groups] };
        let group = |node: usize| group_of[self.of[node] as usize] as usize;
        // The tree from the top down: for each node, its first child and its next sibling.
        let mut first = vec![NO; nodes];
        let mut next = vec![NO; nodes];
        let mut roots = NO;
        for node in (0..nodes).rev() {
            let siblings = match first.get_mut(self.parents[node] as usize) {
                Some(children) if self.parents[node] as usize != node => children,
                _ => &mut roots,
            };
            next[node] = std::mem::replace(siblings, node as u32);
        }
        for (node, &weight) in weights.iter().enumerate() {
            let own = &mut sums.own[group(node)];
            *own = own.saturating_add(weight);
            sums.nodes[group(node)] += 1;
        }
        // For each group, the number of its open nodes; for each open node, the sum of its subtree.
        let mut open = vec![0u32; groups];
        let mut path: Vec<(u32, i64)> = Vec::new();
        let mut at = roots;
        loop {
            while at != NO {
                open[group(at as usize)] += 1;
                path.push((at, weights[at as usize]));
                at = first[at as usize];
            }
            let Some((node, total)) = path.pop() else { break };
            let group = group(node as usize);
            open[group] -= 1;
            if open[group] == 0 {
                sums.total[group] = sums.total[group].saturating_add(total);
            }
            if let Some((_, above)) = path.last_mut() {
                *above = above.saturating_add(total);
            }
            at = next[node as usize];
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn profile(parents: Vec<u32>, of: Vec<u32>, weights: Vec<i64>) -> Profile {
        Profile { parents, of, weights, ..Profile::default() }
    }

    #[test]
    fn a_function_that_calls_itself_counts_once() {
        // 0 calls 1, which calls 0 again, which calls 2.
        let tree = profile(vec![NO, 0, 1, 2], vec![0, 1, 0, 2], vec![1, 10, 100, 1000]);
        let sums = tree.sums(&[0, 1, 2], 3);
        assert_eq!(sums.own, [101, 10, 1000]);
        assert_eq!(sums.total, [1111, 1110, 1000]);
        assert_eq!(sums.nodes, [2, 1, 1]);
    }

    #[test]
    fn groups_hold_several_functions() {
        let tree = profile(vec![NO, 0, 0, 2], vec![0, 1, 2, 1], vec![1, 10, 100, 1000]);
        // 1 and 2 have the same script.
        let sums = tree.sums(&[0, 1, 1], 2);
        assert_eq!((sums.own, sums.total), (vec![1, 1110], vec![1111, 1110]));
    }

    #[test]
    fn what_is_no_tree_ends_too() {
        // A node that is its own caller, two that call each other, and one whose caller does not exist.
        let tree = profile(vec![0, 2, 1, 9], vec![0, 0, 0, 0], vec![1, 10, 100, 1000]);
        let sums = tree.sums(&[0], 1);
        assert_eq!((sums.own, sums.total), (vec![1111], vec![1001]));
    }

    #[test]
    fn depth_is_no_matter() {
        let nodes = 300_000u32;
        let parents = (0..nodes).map(|node| if node == 0 { NO } else { node - 1 }).collect();
        let tree = profile(parents, vec![0; nodes as usize], vec![1; nodes as usize]);
        assert_eq!(tree.sums(&[0], 1).total, [i64::from(nodes)]);
    }

    proptest! {
        /// Each node adds to all groups on its stack, once each.
        #[test]
        fn totals_are_those_of_the_stacks(
            nodes in prop::collection::vec((any::<prop::sample::Index>(), 0..5u32, 0..100i64), 1..60),
            forward in any::<bool>(),
        ) {
            let count = nodes.len();
            // Callers before callees, or after them.
            let place = |node: usize| if forward { node } else { count - 1 - node };
            let (mut parents, mut of, mut weights) = (vec![NO; count], vec![0; count], vec![0; count]);
            for (node, (caller, function, weight)) in nodes.iter().enumerate() {
                parents[place(node)] =
                    if node == 0 { NO } else { place(caller.index(node)) as u32 };
                (of[place(node)], weights[place(node)]) = (*function, *weight);
            }
            let tree = profile(parents, of, weights);
            let groups = [0, 1, 1, 2, 0];
            let (mut own, mut total) = (vec![0; 3], vec![0; 3]);
            for node in 0..count {
                let group = |node: usize| groups[tree.of[node] as usize] as usize;
                own[group(node)] += tree.weights[node];
                let on_stack: std::collections::BTreeSet<usize> =
                    tree.stack(node).map(group).collect();
                on_stack.into_iter().for_each(|group| total[group] += tree.weights[node]);
            }
            let sums = tree.sums(&groups, 3);
            prop_assert_eq!((sums.own, sums.total), (own, total));
        }
    }
}
