//! The drawing of a call tree, of one or two profiles.

use heapquarry_base::Order;
use heapquarry_html::model::{self, Flame};
use heapquarry_profile::calls::{Call, Frame};
use std::{cmp::Reverse, collections::HashMap};

/// Calls that are drawn.
pub(super) const CALLS: usize = 20_000;

/// What is drawn of a call tree: the `most` calls with the largest totals, which form a tree, as no call takes more
/// than its caller.
pub(crate) fn flame(
    calls: &[Call],
    called: &[Frame],
    most: usize,
    unit: &'static str,
    sql: (&'static str, &'static str),
    with_before: bool,
) -> Flame {
    let mut totals: Vec<[u64; 2]> = calls.iter().map(|call| call.own).collect();
    for at in (1..calls.len()).rev() {
        let [now, before] = totals[at];
        let total = &mut totals[calls[at].parent as usize];
        *total = [total[0].saturating_add(now), total[1].saturating_add(before)];
    }
    let ranks: Vec<u64> = totals.iter().map(|[now, before]| *now.max(before)).collect();
    let least = heapquarry_graph::bound_of_largest(ranks.iter().copied(), most);
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for at in 1..calls.len() as u32 {
        if ranks[at as usize] > least {
            children.entry(calls[at as usize].parent).or_default().push(at);
        }
    }
    let mut flame = Flame { unit, sql, node_count: calls.len() as u64 - 1, ..Flame::default() };
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut frames: Vec<u32> = Vec::new();
    let (mut order, mut parents, mut frame_of) = (Vec::new(), Vec::new(), Vec::new());
    let mut stack = vec![(0, 0)];
    while let Some((at, parent)) = stack.pop() {
        let position = order.len() as u32;
        let frame = calls[at as usize].frame;
        order.push(at as usize);
        parents.push(parent);
        frame_of.push(*numbers.entry(frame).or_insert_with(|| {
            frames.push(frame);
            frames.len() as u32 - 1
        }));
        let mut below = children.remove(&at).unwrap_or_default();
        // The last comes out first.
        below.order_by_key(|&child| (ranks[child as usize], Reverse(child)));
        stack.extend(below.into_iter().map(|child| (child, position)));
    }
    flame.calls = model::Calls {
        parent: parents.into_iter().collect(),
        frame: frame_of.into_iter().collect(),
        own: order.iter().map(|&at| calls[at].own[0]).collect(),
        total: order.iter().map(|&at| totals[at][0]).collect(),
        before: match with_before {
            true => order.iter().map(|&at| totals[at][1]).collect(),
            false => model::Numbers::default(),
        },
    };
    let frames: Vec<&Frame> = frames.iter().map(|&frame| &called[frame as usize]).collect();
    let names: Vec<u32> = frames.iter().map(|f| flame.texts.number(&f.name)).collect();
    let scripts: Vec<u32> = frames.iter().map(|f| flame.texts.number(&f.script)).collect();
    flame.frames = model::Frames {
        name: names.into_iter().collect(),
        script: scripts.into_iter().collect(),
        line: frames.iter().map(|f| f.line.max(0) as u64).collect(),
    };
    flame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_take_nothing_are_not_drawn() {
        let called =
            ["all", "a", "b", "idle"].map(|name| Frame { name: name.into(), ..Frame::default() });
        // The root calls a, which calls b and idle, and b.
        let calls =
            [(0, 0, [1, 0]), (0, 1, [40, 5]), (0, 2, [20, 0]), (1, 3, [0, 0]), (1, 2, [40, 0])]
                .map(|(parent, frame, own)| Call { parent, frame, own });
        let flame = flame(&calls, &called, CALLS, "count", ("t", "c"), true);
        // Calls that take nothing in either profile are left out.
        let of = |numbers: &[u64]| model::Numbers::from(numbers.to_vec());
        assert_eq!(flame.calls.parent, of(&[0, 0, 1, 0]));
        assert_eq!(flame.calls.own, of(&[1, 40, 40, 20]));
        assert_eq!(flame.calls.total, of(&[101, 80, 40, 20]));
        assert_eq!(flame.calls.before, of(&[5, 5, 0, 0]));
    }
}
