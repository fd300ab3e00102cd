//! Checks facts against rules.

use crate::{Facts, Origin, Rule, SourceLine, near, printable};
use heapquarry_base::Order;
use std::fmt;

/// Result of one rule.
#[derive(Clone, Debug)]
pub struct Check {
    /// The rule.
    pub rule: Rule,
    /// The outcome.
    pub outcome: Outcome,
    /// Number of names that the rule applied to.
    pub matched: usize,
    /// The findings that exceed the limit, sorted by growth or size. If none does, and the rule is for a single name,
    /// the finding of that name.
    pub findings: Vec<Finding>,
    /// The finding that is nearest to the limit, or farthest over it; none if the rule was skipped or applied to
    /// nothing.
    pub closest: Option<Finding>,
}

/// Outcome of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing exceeds the limit.
    Passed,
    /// Something exceeds the limit.
    Exceeded,
    /// It limits growth, and there is no baseline.
    Skipped,
}

impl Outcome {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Exceeded => "exceeded",
            Outcome::Skipped => "skipped",
        }
    }
}

/// A number that was compared with a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The input that it is of, where each of several is checked.
    pub input: Option<String>,
    /// Name of the subject; empty for the whole input.
    pub name: String,
    /// The number.
    pub actual: i64,
    /// The number in the baseline, if there is one.
    pub base: Option<i64>,
    /// Of several runs, of which `actual` is the median: the least and the greatest number.
    pub spread: Option<(i64, i64)>,
    /// Where in a program it comes from, if that is known.
    pub line: Option<SourceLine>,
    /// What is said of it, in whole sentences, if anything is.
    pub text: Option<String>,
    /// Names of further findings that come with this one, because its subject holds theirs: one leak is one finding.
    pub with: Vec<String>,
}

impl Finding {
    /// Growth over the baseline.
    pub fn growth(&self) -> Option<i64> {
        self.base.map(|base| self.actual.saturating_sub(base))
    }

    /// Its name, with that of its input where each of several is checked.
    pub(crate) fn name_in_input(&self) -> String {
        match (&self.input, &*self.name) {
            (None, name) => name.into(),
            (Some(input), "") => input.clone(),
            (Some(input), name) => format!("{input}: {name}"),
        }
    }
}

impl Check {
    /// This check, with that of the same rule of another input.
    fn joined(mut self, other: Check) -> Self {
        // What is kept is not listed beside what is not.
        if self.is_exceeded() == other.is_exceeded() {
            self.findings.extend(other.findings);
            self.findings.order_by_key(|finding| self.rule.room(finding));
        } else if other.is_exceeded() {
            (self.findings, self.outcome) = (other.findings, other.outcome);
        }
        self.matched += other.matched;
        let closest = [self.closest, other.closest].into_iter().flatten();
        self.closest = closest.min_by_key(|finding| self.rule.room(finding));
        self
    }

    /// Whether something exceeds the limit.
    pub fn is_exceeded(&self) -> bool {
        self.outcome == Outcome::Exceeded
    }
}

/// Checks facts against rules, one check for each rule. A name that an input does not have counts as 0.
pub fn check(rules: &[Rule], facts: &Facts, base: Option<&Facts>) -> Vec<Check> {
    rules.iter().map(|rule| check_one(rule, facts, base)).collect()
}

/// Checks each of several inputs against rules, one check for each rule: each input must keep it. Findings name their
/// input.
pub fn check_each(rules: &[Rule], inputs: &[(String, Facts)], base: Option<&Facts>) -> Vec<Check> {
    let one = |rule: &Rule| {
        let of = |(input, facts): &(String, Facts)| {
            let mut check = check_one(rule, facts, base);
            for finding in check.findings.iter_mut().chain(&mut check.closest) {
                finding.input = Some(input.clone());
            }
            check
        };
        inputs.iter().map(of).reduce(|all, one| all.joined(one)).expect("an input")
    };
    rules.iter().map(one).collect()
}

fn check_one(rule: &Rule, facts: &Facts, base: Option<&Facts>) -> Check {
    let number = |facts: &Facts, name: &str| {
        facts.of(rule.scope).get(name).map_or(0, |numbers| numbers[rule.quantity])
    };
    let finding = |name: &str| Finding {
        input: None,
        name: name.into(),
        actual: number(facts, name),
        base: base.map(|base| number(base, name)),
        spread: facts.spread(rule.scope, name, rule.quantity),
        with: Vec::new(),
        line: facts.line(rule.scope, name).cloned(),
        text: facts.text(rule.scope, name).cloned(),
    };
    let mut findings: Vec<Finding> = match rule.pattern.name() {
        Some(name) => vec![finding(name)],
        None => {
            let names = facts.of(rule.scope).keys().filter(|name| rule.pattern.matches(name));
            names.map(|name| finding(name)).collect()
        }
    };
    let matched = match rule.pattern.name() {
        Some(name) => usize::from(facts.of(rule.scope).contains_key(name)),
        None => findings.len(),
    };
    if base.is_none() && rule.limit.needs_baseline() {
        let (rule, outcome) = (rule.clone(), Outcome::Skipped);
        return Check { rule, outcome, matched, findings: vec![], closest: None };
    }
    let closest = findings.iter().min_by_key(|finding| rule.room(finding)).cloned();
    let is_over = |f: &Finding| rule.limit.is_exceeded(f.actual, f.base, rule.noise);
    let outcome = if findings.iter().any(is_over) {
        findings.retain(is_over);
        let by_growth = rule.limit.needs_baseline();
        let weight = |f: &Finding| if by_growth { f.growth().unwrap_or(0) } else { f.actual };
        findings.order_by_key(|f| std::cmp::Reverse(weight(f)));
        Outcome::Exceeded
    } else {
        findings.truncate(usize::from(rule.pattern.name().is_some()));
        Outcome::Passed
    };
    Check { rule: rule.clone(), outcome, matched, findings, closest }
}

impl Rule {
    /// How much more there may be before the limit is exceeded; negative by how much it is.
    pub fn room(&self, finding: &Finding) -> i64 {
        self.limit.room(finding.actual, finding.base, self.noise)
    }
}

/// A rule that applies to nothing: a misspelt or minified name would pass for ever.
#[derive(Clone, Debug)]
pub struct Unmatched {
    /// The rule.
    pub rule: Rule,
    /// Names that resemble its name, the nearest first.
    pub near: Vec<String>,
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unmatched { rule, near } = self;
        let (scope, name) = (rule.scope(), rule.pattern.to_string());
        write!(f, "limit applies to nothing (")?;
        if let Origin::File { path, line } = &rule.origin {
            write!(f, "{path}:{line}: ")?;
        }
        write!(f, "{rule}): there is no {scope} {name:?}; ")?;
        if !near.is_empty() {
            let names: Vec<_> = near.iter().map(|name| printable(name)).collect();
            write!(f, "did you mean {}? ", names.join(" or "))?;
        }
        match rule.origin {
            Origin::Expression => {
                write!(f, "if that may be, write {scope}[{name}]?.{}", rule.quantity())
            }
            Origin::File { .. } => f.write_str("if that may be, add `optional = true`"),
        }
    }
}

/// The first rule that applies to nothing, neither in the facts nor in those of the baseline, and is not optional. One
/// for all names applies whatever there is.
pub fn unmatched(rules: &[Rule], facts: &Facts, base: Option<&Facts>) -> Option<Unmatched> {
    rules.iter().find_map(|rule| {
        let names = || [Some(facts), base].into_iter().flatten().flat_map(|f| f.names(rule.scope));
        let applies = rule.optional
            || facts.vocabulary()[rule.scope].names.is_some()
            || rule.pattern.matches("")
            || names().any(|name| rule.pattern.matches(name));
        if applies {
            return None;
        }
        let wanted = rule.pattern.to_string().replace('*', "");
        let mut near: Vec<String> = near(&wanted, names()).into_iter().map(Into::into).collect();
        near.dedup();
        Some(Unmatched { rule: rule.clone(), near })
    })
}

/// A rule that limits what is not known of the input, or not well enough: it is neither kept nor exceeded.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The rule.
    pub rule: Rule,
    /// Why the quantity is not known.
    pub why: String,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unknown { rule, why } = self;
        write!(f, "limit cannot be checked (")?;
        if let Origin::File { path, line } = &rule.origin {
            write!(f, "{path}:{line}: ")?;
        }
        write!(f, "{rule}): {} {} is not known; {why}", rule.scope(), rule.quantity())
    }
}

/// The first rule that limits what is not known, of the facts or, if it limits growth, of those of the baseline.
pub fn unknown(rules: &[Rule], facts: &Facts, base: Option<&Facts>) -> Option<Unknown> {
    rules.iter().find_map(|rule| {
        let of = |facts: &Facts| facts.unknown(rule.scope, rule.quantity).map(String::from);
        let base = base.filter(|_| rule.limit.needs_baseline());
        let why = of(facts).or_else(|| of(base?)).or_else(|| unsure(rule, facts, base))?;
        Some(Unknown { rule: rule.clone(), why })
    })
}

/// Why it is not sure whether a rule is kept: what it limits is an estimate, and both are possible.
fn unsure(rule: &Rule, facts: &Facts, base: Option<&Facts>) -> Option<String> {
    if facts.is_exact() && base.is_none_or(Facts::is_exact) {
        return None;
    }
    let bounds = |facts: &Facts, name: &str| facts.bounds(rule.scope, rule.quantity, name);
    let is_about = |name: &&String| rule.pattern.matches(name);
    facts.of(rule.scope).keys().filter(is_about).find_map(|name| {
        let (low, high) = bounds(facts, name);
        // Growth is least from the greatest base.
        let (from, to) = base.map(|base| bounds(base, name)).unzip();
        let at_least = rule.limit.is_exceeded(low, to, rule.noise);
        let at_most = rule.limit.is_exceeded(high, from, rule.noise);
        let is_skipped = base.is_none() && rule.limit.needs_baseline();
        (at_least != at_most && !is_skipped).then(|| {
            let unit = rule.unit();
            let (low, high) = (unit.format(low), unit.format(high));
            format!("it is sure only that it is between {low} and {high}; more time makes it sure")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::tests::VOCABULARY;

    fn facts(classes: &[(&str, i64, i64)]) -> Facts {
        let mut facts = Facts::new(&VOCABULARY);
        facts.add("total", "", &[1000, 10]);
        for (name, count, retained) in classes {
            facts.add("class", name, &[*count, *retained]);
        }
        facts
    }

    #[test]
    fn outcomes() {
        let base = facts(&[("A", 1, 100), ("B", 5, 500), ("Gone", 9, 9)]);
        // The two A are the same name: 4 objects.
        let now = facts(&[("A", 2, 101), ("A", 2, 2), ("B", 5, 600), ("New", 3, 30)]);
        for (rule, with_base, outcome, names) in [
            ("class[A].count > 3", false, Outcome::Exceeded, &["A"][..]),
            ("class[A].count > 4", false, Outcome::Passed, &["A"]),
            ("class.count > 3", false, Outcome::Exceeded, &["B", "A"]),
            ("class.count > 5", false, Outcome::Passed, &[]),
            ("class[Nobody].count > 0", false, Outcome::Passed, &["Nobody"]),
            ("class[Gone].count > 0", true, Outcome::Passed, &["Gone"]),
            ("class.count > +0", false, Outcome::Skipped, &[]),
            ("class.count > +0", true, Outcome::Exceeded, &["A", "New"]),
            ("class.retained > +10%", true, Outcome::Exceeded, &["B", "New"]),
            ("class.retained > +10% and +50", true, Outcome::Exceeded, &["B"]),
            ("size > 999", false, Outcome::Exceeded, &[""]),
            ("size > +1%", true, Outcome::Passed, &[""]),
        ] {
            let rule = Rule::parse(rule, &VOCABULARY).unwrap();
            let checks = check(std::slice::from_ref(&rule), &now, with_base.then_some(&base));
            let found: Vec<_> = checks[0].findings.iter().map(|f| f.name.as_str()).collect();
            assert_eq!((checks[0].outcome, &found[..]), (outcome, names), "{rule}");
        }
    }

    #[test]
    fn noise_is_no_growth() {
        let mut rule = Rule::parse("class.retained > +10%", &VOCABULARY).unwrap();
        rule.noise = 100;
        let (base, now) = (facts(&[("A", 1, 100)]), facts(&[("A", 1, 200)]));
        assert_eq!(check(&[rule.clone()], &now, Some(&base))[0].outcome, Outcome::Passed);
        rule.noise = 99;
        assert!(check(&[rule], &now, Some(&base))[0].is_exceeded());
    }

    #[test]
    fn an_estimate_is_held_to_a_limit_only_if_all_that_it_can_be_agrees() {
        let estimate = |size: i64, bounds| {
            let mut facts = facts(&[]);
            facts.add("total", "", &[size - 1000, 0]);
            facts.set_bounds("total", "", "size", bounds);
            facts.set_bounds("total", "", "nothing", bounds);
            facts
        };
        let (wide, narrow) = (estimate(500, (100, 900)), estimate(500, (480, 520)));
        for (expression, now, base, expected) in [
            ("size > 1000 B", &wide, None, None),
            ("size > 900 B", &wide, None, None),
            ("size > 99 B", &wide, None, None),
            ("size > 100 B", &wide, None, Some("between 100 B and 900 B")),
            ("size > 400 B", &wide, None, Some("between 100 B and 900 B")),
            ("size > 400 B", &narrow, None, None),
            ("size > +100 B", &narrow, None, None),
            ("size > +100 B", &narrow, Some(&narrow), None),
            ("size > +10 B", &narrow, Some(&narrow), Some("between 480 B and 520 B")),
            ("size > +100 B", &narrow, Some(&wide), Some("between 480 B and 520 B")),
            ("total.count > 5", &wide, None, None),
        ] {
            let rules = [Rule::parse(expression, &VOCABULARY).unwrap()];
            let found = unknown(&rules, now, base).map(|unknown| unknown.why);
            match expected {
                None => assert_eq!(found, None, "{expression}"),
                Some(text) => assert!(found.unwrap().contains(text), "{expression}"),
            }
        }
        // Of several runs, what any of them can be.
        let median = Facts::median(&[estimate(500, (100, 600)), estimate(700, (400, 900))]);
        assert_eq!(median.bounds(0, 0, ""), (100, 900));
    }

    #[test]
    fn what_is_unknown_is_neither_kept_nor_exceeded() {
        let known = facts(&[("A", 1, 1)]);
        let mut gaps = facts(&[("A", 1, 1)]);
        gaps.set_unknown("total", "size", "three nodes have no size");
        gaps.set_unknown("total", "nothing", "there is no such quantity");
        for (expression, now, base, expected) in [
            ("size > 1 MB", &gaps, None, true),
            ("size > 1 MB", &known, Some(&gaps), false),
            ("size > +1 MB", &known, Some(&gaps), true),
            ("total.count > 5", &gaps, Some(&gaps), false),
            ("class.retained > 5 B", &gaps, None, false),
        ] {
            let rules = [Rule::parse(expression, &VOCABULARY).unwrap()];
            let found = unknown(&rules, now, base);
            assert_eq!(found.is_some(), expected, "{expression}");
        }
        let rules = [Rule::parse("size > 1 MB", &VOCABULARY).unwrap()];
        assert_eq!(
            unknown(&rules, &Facts::median(&[known, gaps]), None).unwrap().to_string(),
            "limit cannot be checked (total.size > 1 MB): total size is not known; three nodes have no size"
        );
    }
}
