//! Some objects as a forest.

use crate::{HashMap, NodeIndex};

/// Objects with their ranks as a forest by [dominators](crate::Analysis::dominators): each below the nearest one that
/// alone holds it, with its depth. What is held comes after what holds it, those of one holder in the order given.
pub fn nested(
    dominators: &[NodeIndex],
    objects: &[(NodeIndex, u64)],
) -> Vec<(NodeIndex, u64, usize)> {
    let listed: HashMap<NodeIndex, usize> =
        objects.iter().enumerate().map(|(at, &(node, _))| (node, at)).collect();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); objects.len()];
    let mut roots = Vec::new();
    for (at, &(node, _)) in objects.iter().enumerate() {
        let mut up = node;
        let holder = loop {
            let next = dominators[up.position()];
            if next == up {
                break None;
            }
            up = next;
            if let Some(&holder) = listed.get(&up) {
                break Some(holder);
            }
        };
        match holder {
            Some(holder) => below[holder].push(at),
            None => roots.push(at),
        }
    }
    let mut work: Vec<(usize, usize)> = roots.into_iter().rev().map(|at| (at, 0)).collect();
    let mut order = Vec::new();
    while let Some((at, depth)) = work.pop() {
        let (node, rank) = objects[at];
        order.push((node, rank, depth));
        work.extend(below[at].iter().rev().map(|&at| (at, depth + 1)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_comes_after_what_holds_it() {
        // 0 holds 1 and 5; 1 holds 2, which holds 3 and 4.
        let dominators = [0, 0, 1, 2, 2, 0].map(NodeIndex);
        let objects = [(4, 9), (1, 8), (5, 7), (3, 6)].map(|(node, rank)| (NodeIndex(node), rank));
        let expected = [(1, 8, 0), (4, 9, 1), (3, 6, 1), (5, 7, 0)];
        let expected = expected.map(|(node, rank, depth)| (NodeIndex(node), rank, depth));
        assert_eq!(nested(&dominators, &objects), expected);
    }
}
