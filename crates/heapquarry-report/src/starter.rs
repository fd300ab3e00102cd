//! Starter budgets: limits that the first runs of a program keep, with room for the next ones.
//!
//! A limit is the greatest figure of the runs and some room, rounded up to two digits. The room is the larger of two:
//! twice what the runs lie apart (greatest less least), and what figures of the unit need. Sizes and counts get a
//! tenth: they hardly differ between runs. Times get half and at least 10 ms, because they differ from machine to
//! machine. Shares get three percentage points. What is 0 in all runs, other than a time or a share, stays 0.

use crate::{Facts, Limit, Pattern, Quantity, Unit, grouped, limit::Amount, unit::PER_PERCENT};
use heapquarry_base::Order;
use std::{cmp::Reverse, fmt::Write};
use toml_writer::ToTomlKey;

/// What a starter budget of a kind of input limits.
#[derive(Debug)]
pub struct Starter {
    /// The limits, in their order.
    pub scopes: &'static [Limited],
    /// Limits on growth, which need a baseline: as comments at the end.
    pub growth: &'static str,
}

/// What a starter budget limits of a scope.
#[derive(Debug)]
pub struct Limited {
    /// The scope.
    pub scope: &'static str,
    /// Quantities of each name. The first one chooses the names: those with most of it, if they have any.
    pub quantities: &'static [&'static str],
    /// The largest number of names.
    pub most: usize,
    /// Names that are limited.
    pub fits: fn(&str) -> bool,
    /// Whether later inputs may lack the names.
    pub optional: bool,
}

/// Any name.
pub const ANY: fn(&str) -> bool = |_| true;

/// Least room of a time, in microseconds.
const LEAST_MICROS: i64 = 10_000;

/// A starter budget as TOML, of the medians of so many runs; `None` if nothing that it would limit is known.
pub fn starter(facts: &Facts, runs: usize, of: &Starter) -> Option<String> {
    let mut text = String::new();
    for limited in of.scopes {
        let position = |scope: &crate::Scope| scope.name == limited.scope;
        let Some(scope) = facts.vocabulary().iter().position(position) else { continue };
        let declared = &facts.vocabulary()[scope];
        let known = |name: &&str| {
            let at = declared.quantities.iter().position(|quantity| quantity.name == *name)?;
            facts.unknown(scope, at).is_none().then_some((at, &declared.quantities[at]))
        };
        let quantities: Vec<(usize, &Quantity)> =
            limited.quantities.iter().filter_map(known).collect();
        let Some(&(first, _)) = quantities.first() else { continue };
        let fits = |(name, figures): &(&String, &Vec<i64>)| {
            declared.is_whole() || figures[first] > 0 && (limited.fits)(name)
        };
        let mut names: Vec<(&String, &Vec<i64>)> = facts.of(scope).iter().filter(fits).collect();
        // Equal ones stay in the order of their names.
        names.order_by_key(|(_, figures)| Reverse(figures[first]));
        for (name, figures) in names.into_iter().take(limited.most) {
            let mut lacks = false;
            let mut lines = Vec::new();
            for &(at, quantity) in &quantities {
                let figure = figures[at];
                let ends = facts.spread(scope, name, at).unwrap_or((figure, figure));
                lacks |= ends.0 == 0;
                let limit = with_room(ends, quantity.unit);
                lines.push((
                    format!("{} = {}", quantity.name, written(limit, quantity.unit)),
                    told(figure, ends, quantity.unit),
                ));
            }
            match declared.is_whole() {
                true => writeln!(text, "\n[{}]", declared.name),
                false => {
                    let key = Pattern::literal(name).to_string().to_toml_key();
                    writeln!(text, "\n[{}.{key}]", declared.name)
                }
            }
            .ok()?;
            let width = lines.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
            for (line, told) in lines {
                writeln!(text, "{line:width$}  # {told}").ok()?;
            }
            if !declared.is_whole() && (limited.optional || lacks) {
                text += "optional = true\n";
            }
        }
    }
    if text.is_empty() {
        return None;
    }
    let runs = if runs == 1 { "one run".into() } else { format!("{runs} runs") };
    let growth: String = of.growth.lines().map(|line| format!("# {line}\n")).collect();
    Some(format!(
        "# Limits with room, made by `heapquarry check --init` from {runs}. Beside each stands what was measured.\n\
         # Make those tight that matter to you, and remove others.\n\
         {text}\n\
         # Limits on growth need a baseline (--save-baseline, --baseline):\n\
         {growth}"
    ))
}

/// The limit on a figure, of which these are the least and the greatest.
fn with_room((least, most): (i64, i64), unit: Unit) -> i64 {
    let most = most.max(0);
    let needed = match unit {
        Unit::Micros => (most / 2).max(LEAST_MICROS),
        Unit::Nanos => (most / 2).max(LEAST_MICROS * 1000),
        Unit::Share => 3 * PER_PERCENT,
        _ => most / 10,
    };
    let apart = most.saturating_sub(least).saturating_mul(2);
    let limit = most.saturating_add(needed.max(apart));
    match unit {
        // In tenths of a percent, up to the whole.
        Unit::Share => up_to(limit, PER_PERCENT / 10).min(most.max(100 * PER_PERCENT)),
        // So that one more is no alarm where there are few.
        Unit::Count if most > 0 => rounded_up(limit.max(most.saturating_add(1))),
        _ => rounded_up(limit),
    }
}

/// Rounded up to two digits.
fn rounded_up(n: i64) -> i64 {
    let digits = n.max(1).ilog10();
    up_to(n, 10i64.pow(digits.saturating_sub(1)))
}

/// The next multiple of a step that is not less.
fn up_to(n: i64, step: i64) -> i64 {
    let over = n % step;
    if over == 0 { n } else { n.saturating_add(step - over) }
}

/// A limit as TOML.
fn written(limit: i64, unit: Unit) -> String {
    let text = Limit { unit, amounts: vec![Amount::Max(limit)] }.to_string();
    match unit {
        Unit::Count => grouped(limit.unsigned_abs()).replace(',', "_"),
        _ if unit.words().is_empty() => text,
        _ => format!("\"{text}\""),
    }
}

/// What was measured, for people.
fn told(figure: i64, (least, most): (i64, i64), unit: Unit) -> String {
    let figure = unit.format(figure);
    match least == most {
        true => figure.to_string(),
        false => format!("{figure}, from {} to {}", unit.format(least), unit.format(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Vocabulary, check, rule::tests::VOCABULARY, unmatched};
    use proptest::prelude::*;

    const STARTER: Starter = Starter {
        scopes: &[
            Limited { scope: "total", quantities: &["size"], most: 1, fits: ANY, optional: false },
            Limited {
                scope: "class",
                quantities: &["count", "retained"],
                most: 2,
                fits: |name| name != "(engine)",
                optional: false,
            },
        ],
        growth: "[class.\"*\"]\nretained = \"+10%\"",
    };

    fn facts(size: i64, classes: &[(&str, i64)]) -> Facts {
        let mut facts = Facts::new(&VOCABULARY);
        facts.add("total", "", &[size, 10]);
        classes.iter().for_each(|(name, count)| facts.add("class", name, &[*count, 100 * count]));
        facts
    }

    fn rules(text: &str, vocabulary: Vocabulary) -> Vec<crate::Rule> {
        Budget::parse(text, "budget.toml", vocabulary)
            .unwrap_or_else(|e| panic!("{e}\n{text}"))
            .rules
    }

    #[test]
    fn limits_have_room_as_their_units_need_it() {
        for (ends, unit, expected) in [
            ((0, 0), Unit::Count, "0"),
            ((1, 1), Unit::Count, "2"),
            ((100, 100), Unit::Count, "110"),
            ((90, 100), Unit::Count, "120"),
            ((0, 0), Unit::Bytes, "\"0 B\""),
            ((3_312_345, 3_312_345), Unit::Bytes, "\"3.7 MB\""),
            ((3_000_000, 3_312_345), Unit::Bytes, "\"4 MB\""),
            ((36_312_345, 36_312_345), Unit::Bytes, "\"40 MB\""),
            ((0, 0), Unit::Micros, "\"10 ms\""),
            ((2_000_000, 2_000_000), Unit::Micros, "\"3 s\""),
            ((2_000_000, 2_000_000), Unit::Nanos, "\"12 ms\""),
            ((100_000, 123_456), Unit::Share, "\"17.1%\""),
            ((123_456, 123_456), Unit::Share, "\"15.4%\""),
            ((990_000, 990_000), Unit::Share, "\"100%\""),
        ] {
            let text = written(with_room(ends, unit), unit).replace(" %", "%");
            assert_eq!(text, expected, "{ends:?} {unit:?}");
        }
    }

    #[test]
    fn the_names_with_most_are_limited_as_they_are_written() {
        let odd = "a.\"b\"\\* \n#";
        let run = facts(5_000, &[("(engine)", 900), ("A", 1), (odd, 80), ("B", 7)]);
        let text = starter(&run, 1, &STARTER).unwrap();
        let written = rules(&text, &VOCABULARY);
        let found: Vec<String> = written.iter().map(|rule| rule.to_string()).collect();
        assert_eq!(found.len(), 5, "{text}");
        assert_eq!(found[0], "total.size > 5.5 kB");
        assert!(!text.contains("[class.A]") && text.contains("[class.B]"), "{text}");
        let limited = check(&written, &run, None);
        assert!(limited.iter().all(|check| check.matched == 1 && !check.is_exceeded()), "{text}");
        assert!(unmatched(&written, &run, None).is_none());
        // Without its comments it limits growth as well.
        let (_, growth) = text.split_once("--baseline):\n").unwrap();
        assert_eq!(rules(&growth.replace("# ", ""), &VOCABULARY).len(), 1);
    }

    #[test]
    fn of_several_runs_the_greatest_counts_and_what_one_lacks_is_optional() {
        let runs = [facts(5_000, &[("A", 100)]), facts(6_000, &[]), facts(5_500, &[("A", 90)])];
        let text = starter(&Facts::median(&runs), 3, &STARTER).unwrap();
        assert!(text.contains("size = \"8 kB\"  # 5.5 kB, from 5.0 kB to 6.0 kB"), "{text}");
        let rules = rules(&text, &VOCABULARY);
        for run in &runs {
            assert!(check(&rules, run, None).iter().all(|check| !check.is_exceeded()), "{text}");
            assert!(unmatched(&rules, run, None).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_unknown_has_no_limit() {
        let mut run = facts(5_000, &[("A", 1)]);
        run.set_unknown("total", "size", "");
        run.set_unknown("class", "count", "");
        assert_eq!(rules(&starter(&run, 1, &STARTER).unwrap(), &VOCABULARY).len(), 1);
        run.set_unknown("class", "retained", "");
        assert_eq!(starter(&run, 1, &STARTER), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_kept(least: i64, more in 0..i64::MAX, at in 0..5usize) {
            let unit = [Unit::Count, Unit::Bytes, Unit::Micros, Unit::Nanos, Unit::Share][at];
            let most = least.saturating_add(more);
            let limit = with_room((least, most), unit);
            prop_assert!(limit >= most && limit >= 0);
            let text = written(limit, unit);
            let read = Limit::parse(&text.replace(['"', '_'], ""), unit).unwrap();
            prop_assert_eq!(read.amounts, [Amount::Max(limit)]);
        }
    }
}
