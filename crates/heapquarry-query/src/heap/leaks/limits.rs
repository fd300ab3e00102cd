//! What can be limited of leaks.

use super::{answer::Leak, view::sum};
use crate::{heap::facts::add_constructors, sections::signed};
use heapquarry::{Error, ErrorKind, Result};
use heapquarry_graph::{Heap, classify, detachedness};
use heapquarry_report::{
    Check, Facts, Quantity, Rule, Scope, SourceLine, Unit, WHOLE, check, unmatched,
};

/// What limits can be set to.
pub(super) static VOCABULARY: [Scope; 4] = [
    Scope {
        name: "leaks",
        names: Some(WHOLE),
        quantities: &[
            Quantity::new("count", Unit::Count, "places that grow in every step"),
            Quantity::new("bytes", Unit::Bytes, "by how much they grow together"),
        ],
    },
    Scope {
        name: "leak",
        names: None,
        quantities: &[
            Quantity::new("growth", Unit::Bytes, "by how much a place grows"),
            Quantity::new("added", Unit::Count, "objects that were added there"),
        ],
    },
    // The last snapshot as a whole. These two are compared with the first.
    Scope {
        name: "total",
        names: Some(WHOLE),
        quantities: &[
            Quantity::new("size", Unit::Bytes, "shallow size of all nodes"),
            Quantity::new("nodes", Unit::Count, "nodes"),
        ],
    },
    Scope {
        name: "class",
        names: None,
        quantities: &[
            Quantity::new("count", Unit::Count, "instances that have a size"),
            Quantity::new("size", Unit::Bytes, "their shallow size"),
        ],
    },
];

/// `any`, a number of findings, a size, or an expression.
pub(super) fn rule(text: &str) -> Result<Rule> {
    let trimmed = text.trim();
    let expression = if trimmed == "any" {
        "leak.growth > 0".into()
    } else if let Ok(count) = trimmed.parse::<u64>() {
        format!("leaks.count > {}", count.saturating_sub(1))
    } else if trimmed.starts_with(|c: char| c.is_ascii_digit()) {
        format!("leak.growth > {trimmed}")
    } else {
        trimmed.into()
    };
    Rule::parse(&expression, &VOCABULARY).map_err(|error| Error::new(ErrorKind::Limit(error)))
}

/// Holds findings and the last snapshot against limits; what is about the snapshot is compared with the first.
pub(super) fn hold(rules: &[Rule], current: &Facts, base: &Facts) -> Result<Vec<Check>> {
    let is_compared = |rule: &Rule| matches!(rule.scope(), "total" | "class");
    // Leaks come and go; a class must be there.
    let of_classes: Vec<Rule> = rules.iter().filter(|rule| is_compared(rule)).cloned().collect();
    if let Some(rule) = unmatched(&of_classes, current, Some(base)) {
        return Err(Error::new(ErrorKind::Unmatched(rule)));
    }
    let checks = rules.iter().flat_map(|rule| {
        check(std::slice::from_ref(rule), current, is_compared(rule).then_some(base))
    });
    Ok(checks.collect())
}

/// Adds the instances of each class. Plain objects are one class, unlike in [`Subject`](crate::heap::Subject): their
/// classes need all edges, and limits are for those with a name.
pub(super) fn add_classes(heap: &Heap, threads: usize, facts: &mut Facts) {
    let classes = classify(heap, &detachedness(heap), &[], threads);
    let mut sums = vec![(0i64, 0i64); classes.classes.len()];
    for (node, &class) in heap.nodes().all().zip(&classes.of) {
        let size = signed(heap.nodes().self_size(node));
        if size > 0 {
            let (count, sum) = &mut sums[class as usize];
            *count += 1;
            *sum = sum.saturating_add(size);
        }
    }
    for (class, (count, size)) in classes.classes.iter().zip(sums) {
        facts.add("class", &class.name, &[count, size]);
    }
    add_constructors(heap, facts);
}

/// Adds the findings.
pub(super) fn add_leaks(found: &[Leak], facts: &mut Facts) {
    facts.add("leaks", "", &[found.len() as i64, signed(sum(found).0)]);
    for leak in found {
        let name = match &leak.made_at {
            Some(at) => format!("{} ({})", leak.owner, at.place),
            None => leak.owner.clone(),
        };
        facts.add("leak", &name, &[signed(leak.growth.0), leak.added.unwrap_or(0)]);
        facts.set_text("leak", &name, &leak.text);
        if let Some(at) = &leak.made_at {
            let path = at.script_name.strip_prefix("file://").unwrap_or(&at.script_name).into();
            facts.set_line("leak", &name, SourceLine { path, line: at.line.unsigned_abs() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_may_be_written_in_short() {
        for (text, expected) in [
            ("any", "leak.growth > 0 B"),
            ("1", "leaks.count > 0"),
            ("3", "leaks.count > 2"),
            ("0", "leaks.count > 0"),
            ("64 KiB", "leak.growth > 64 KiB"),
            ("1MB", "leak.growth > 1 MB"),
            ("leak[Store*].added > 10", "leak[Store*].added > 10"),
        ] {
            let rule = rule(text).unwrap();
            let expected = Rule::parse(expected, &VOCABULARY).unwrap();
            assert_eq!(rule.to_string(), expected.to_string(), "{text}");
        }
        for text in ["", "some", "-1", "1 week", "leak.size > 3"] {
            assert!(rule(text).is_err(), "{text}");
        }
    }
}
