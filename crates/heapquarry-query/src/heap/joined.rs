//! One leak is one finding: what the instances of a leaking class hold, and what holds them, is not listed separately.

use super::Subject;
use heapquarry_base::Order;
use heapquarry_graph::NodeIndex;
use heapquarry_report::{Check, Finding};
use std::{cmp::Reverse, collections::HashMap};

/// No finding, no node.
const NONE: u32 = u32::MAX;
/// Not known yet.
const UNKNOWN: u32 = u32::MAX - 1;

impl Subject {
    /// Joins the findings of a limit for classes: those whose growth is held by instances of another, and those that
    /// grew because they hold another. What is mostly new is named, of equals what holds the other.
    pub(crate) fn join_findings(&self, check: &mut Check) {
        if check.rule.scope() != "class" || !check.is_exceeded() || check.findings.len() < 2 {
            return;
        }
        let holders = self.holders(check.rule.quantity(), &check.findings);
        let heads = heads(&check.findings, &holders);
        let mut with: Vec<Vec<String>> = vec![Vec::new(); heads.len()];
        for (finding, &head) in check.findings.iter().zip(&heads) {
            with[head].push(finding.name.clone());
        }
        let all = std::mem::take(&mut check.findings).into_iter().zip(with).enumerate();
        check.findings = all
            .filter(|(at, _)| heads[*at] == *at)
            .map(|(_, (finding, mut with))| {
                with.retain(|name| *name != finding.name);
                Finding { with, ..finding }
            })
            .collect();
    }

    /// For each finding the one whose instances hold at least half of what it grew by.
    fn holders(&self, quantity: &str, findings: &[Finding]) -> Vec<Option<usize>> {
        let classes = &self.analysis.classes;
        let by_name: HashMap<&str, u32> =
            findings.iter().map(|f| f.name.as_str()).zip(0..).collect();
        // Classes of one name are one finding.
        let of_class: Vec<u32> = classes
            .classes
            .iter()
            .map(|class| by_name.get(class.name.as_str()).copied().unwrap_or(NONE))
            .collect();
        let of = |node: u32| of_class[classes.of[node as usize] as usize];
        let held_by = self.held_by(&of);
        let mut held: Vec<HashMap<u32, i64>> = vec![HashMap::new(); findings.len()];
        for node in self.heap.nodes().all() {
            let at = node.position() as u32;
            let (own, holder) = (of(at), held_by[at as usize]);
            if own == NONE || holder == NONE || self.shallow(node) == 0 {
                continue;
            }
            let weight = match quantity {
                "count" => 1,
                "size" => self.shallow(node),
                // Instances below another one of their class are in its retained size.
                _ if of(self.analysis.dominators[at as usize].position() as u32) == own => 0,
                _ => self.retained(node),
            };
            let sum = held[own as usize].entry(of(holder)).or_default();
            *sum = sum.saturating_add(i64::try_from(weight).unwrap_or(i64::MAX));
        }
        let holder = |(finding, held): (&Finding, HashMap<u32, i64>)| {
            let (by, weight) =
                held.into_iter().max_by_key(|&(by, weight)| (weight, Reverse(by)))?;
            (weight.saturating_mul(2) >= grown(finding)).then_some(by as usize)
        };
        findings.iter().zip(held).map(holder).collect()
    }

    /// For each node the nearest node above it in the dominator tree that is of a finding, and of another one than
    /// itself.
    fn held_by(&self, of: &impl Fn(u32) -> u32) -> Vec<u32> {
        let dominators: &[NodeIndex] = &self.analysis.dominators;
        let mut held_by = vec![UNKNOWN; dominators.len()];
        let mut way = Vec::new();
        for start in 0..dominators.len() as u32 {
            let mut node = start;
            while held_by[node as usize] == UNKNOWN {
                let above = dominators[node as usize].position() as u32;
                if above == node {
                    held_by[node as usize] = NONE;
                    break;
                }
                way.push(node);
                node = above;
            }
            let mut above = node;
            while let Some(node) = way.pop() {
                let nearest = if of(above) == NONE { held_by[above as usize] } else { above };
                let is_own = nearest != NONE && of(nearest) == of(node);
                held_by[node as usize] = if is_own { held_by[nearest as usize] } else { nearest };
                above = node;
            }
        }
        held_by
    }
}

/// What exceeds the limit: growth, or without a baseline all.
fn grown(finding: &Finding) -> i64 {
    finding.growth().unwrap_or(finding.actual)
}

/// For each finding the one that is named for it, which may be itself.
fn heads(findings: &[Finding], holders: &[Option<usize>]) -> Vec<usize> {
    // Holders from the nearest up; cycles end.
    let chain = |from: usize| {
        let mut all: Vec<usize> = Vec::new();
        let mut at = from;
        while let Some(holder) = holders[at] {
            if holder == from || all.contains(&holder) || all.len() == LONGEST {
                break;
            }
            all.push(holder);
            at = holder;
        }
        all
    };
    let chains: Vec<Vec<usize>> = (0..findings.len()).map(chain).collect();
    let mut order: Vec<usize> = (0..findings.len()).collect();
    // The share that is new, in thousandths: what is new throughout is the leak, not what holds it among much else.
    let share = |at: usize| {
        let (grown, actual) = (i128::from(grown(&findings[at])), i128::from(findings[at].actual));
        if actual > 0 { grown * 1000 / actual } else { 0 }
    };
    order.order_by_key(|&at| (Reverse(share(at)), chains[at].len(), at));
    let mut heads: Vec<usize> = (0..findings.len()).collect();
    let mut named: Vec<usize> = Vec::new();
    for at in order {
        if let Some(&holder) = chains[at].iter().find(|holder| named.contains(holder)) {
            heads[at] = holder;
            continue;
        }
        let below = || named.iter().copied().filter(|&head| chains[head].contains(&at));
        let explained: i64 =
            below().map(|head| grown(&findings[head])).fold(0, i64::saturating_add);
        match below().max_by_key(|&head| grown(&findings[head])) {
            // By count, a holder can grow by a few less than what it holds. Then it is the one to name.
            Some(head)
                if heads[head] == head
                    && grown(&findings[at]) < grown(&findings[head])
                    && share(at) * 50 >= share(head) * 49 =>
            {
                heads.iter_mut().filter(|named| **named == head).for_each(|named| *named = at);
                named.retain(|&other| other != head);
                named.push(at);
            }
            Some(head) if explained.saturating_mul(2) >= grown(&findings[at]) => heads[at] = head,
            _ => named.push(at),
        }
    }
    // What is about as new as what holds it, is a part of that.
    let part_of = |at: usize| {
        let is_as_new = |holder: usize| share(holder) * 5 >= share(at) * 4;
        chains[at].iter().copied().rfind(|h| named.contains(h) && is_as_new(*h))
    };
    let whole: Vec<usize> = (0..findings.len()).map(|at| part_of(at).unwrap_or(at)).collect();
    let top = |mut at: usize| {
        // A finding is a part of one that was named before it, so this ends; the bound does not rely on it.
        for _ in 0..LONGEST {
            at = whole[at];
        }
        at
    };
    heads.into_iter().map(top).collect()
}

/// Holders of holders that are looked at.
const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn finding((name, base, actual): (&str, i64, i64)) -> Finding {
        let (name, base) = (name.into(), Some(base));
        let (input, spread, line, with) = Default::default();
        Finding { input, name, actual, base, spread, line, text: None, with }
    }

    /// Findings as name, before and now; holders as names; what is named for each.
    fn check(findings: &[(&str, i64, i64)], holders: &[(&str, &str)], expected: &[&str]) {
        let at = |name: &str| findings.iter().position(|f| f.0 == name).unwrap();
        let mut of = vec![None; findings.len()];
        holders.iter().for_each(|(held, holder)| of[at(held)] = Some(at(holder)));
        let all: Vec<Finding> = findings.iter().map(|f| finding(*f)).collect();
        let found: Vec<&str> = heads(&all, &of).into_iter().map(|at| findings[at].0).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn one_leak_is_one_finding() {
        // What new sessions hold.
        check(
            &[("Session", 0, 100), ("(string)", 900, 1000), ("Array", 50, 150), ("{buf}", 0, 100)],
            &[("(string)", "{buf}"), ("{buf}", "Session"), ("Array", "Session")],
            &["Session"; 4],
        );
        // By retained size, what holds them grows too.
        check(
            &[("Window", 9000, 9900), ("Array", 100, 990), ("Session", 0, 880)],
            &[("Session", "Array"), ("Array", "Window")],
            &["Session"; 3],
        );
        // Two leaks stay two, and what holds both is named with the larger one.
        check(
            &[("Window", 9000, 9900), ("A", 0, 500), ("B", 0, 400), ("a", 0, 300), ("b", 5, 300)],
            &[("A", "Window"), ("B", "Window"), ("a", "A"), ("b", "B")],
            &["A", "A", "B", "A", "B"],
        );
        // What grew beside what it holds is a finding; what is about as new as its holder is a part of it.
        check(&[("Map", 900, 1700), ("A", 0, 100)], &[("A", "Map")], &["Map", "A"]);
        check(
            &[("Session", 23, 100), ("<div>", 22, 100)],
            &[("<div>", "Session")],
            &["Session"; 2],
        );
        // They hold each other.
        check(&[("A", 0, 10), ("B", 10, 20)], &[("A", "B"), ("B", "A")], &["A", "A"]);
        check(&[("A", 0, 10), ("B", 0, 10)], &[], &["A", "B"]);
    }
}
