//! Which figures of an input are kept as a history.

use crate::{Check, Facts, Finding, Measure, Unit, unit::FROM_NOTHING};
use std::collections::HashSet;

/// Findings of one rule that become figures: a rule for all names may have thousands.
const MOST: usize = 50;

/// All figures of the whole input, then those that limits are about: of a limit for several names those that exceed it,
/// or the one that is nearest to it.
pub fn measures(facts: &Facts, checks: &[Check]) -> Vec<Measure> {
    let mut all = Vec::new();
    for (scope, declared) in facts.vocabulary().iter().enumerate().filter(|(_, s)| s.is_whole()) {
        for (quantity, of) in declared.quantities.iter().enumerate() {
            if facts.unknown(scope, quantity).is_some() {
                continue;
            }
            let value = facts.of(scope).get("").map_or(0, |figures| figures[quantity]);
            all.push(Measure {
                scope: declared.name,
                name: String::new(),
                quantity: of.name,
                unit: of.unit,
                value,
                spread: facts.spread(scope, "", quantity),
            });
        }
    }
    for check in checks {
        let listed = check.findings.iter().take(MOST).chain(&check.closest);
        all.extend(listed.map(|finding: &Finding| Measure {
            scope: check.rule.scope(),
            name: finding.name_in_input(),
            quantity: check.rule.quantity(),
            unit: check.rule.unit(),
            value: finding.actual,
            spread: finding.spread,
        }));
    }
    let mut seen = HashSet::new();
    let is_number =
        |measure: &Measure| measure.unit != Unit::Share || measure.value != FROM_NOTHING;
    all.retain(is_number);
    all.retain(|measure| seen.insert((measure.scope, measure.name.clone(), measure.quantity)));
    all
}
