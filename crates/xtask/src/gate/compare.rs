//! Instruction counts against a baseline.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt::Write};

/// What the counts depend on besides the code: programs and their versions.
pub(super) type Tools = BTreeMap<String, String>;

/// Instructions of each case.
pub(super) type Counts = BTreeMap<String, u64>;

/// Whether a case is work from end to end.
pub(super) fn is_whole(name: &str) -> bool {
    ["convert/", "answer/"].iter().any(|group| name.starts_with(group))
}

/// Most growth, in percent, of a case from end to end.
const END_TO_END: f64 = 5.0;
/// Most growth of any other.
const PART: f64 = 2.0;
/// Most growth of any if the baseline was made with other tools.
const OTHER_TOOLS: f64 = 10.0;

/// Counts, as they are committed.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Baseline {
    pub(super) tools: Tools,
    pub(super) instructions: Counts,
}

impl Baseline {
    /// What became of the baseline.
    pub(super) fn compare(&self, tools: &Tools, counts: &Counts) -> Comparison {
        let other_tools = self.tools != *tools;
        let names = self
            .instructions
            .keys()
            .chain(counts.keys().filter(|n| !self.instructions.contains_key(*n)));
        let rows = names.map(|name| {
            let limit = match is_whole(name) {
                _ if other_tools => OTHER_TOOLS,
                true => END_TO_END,
                false => PART,
            };
            let (before, now) = (self.instructions.get(name).copied(), counts.get(name).copied());
            Row { name: name.clone(), before, now, limit }
        });
        let changed = |name: &String| {
            let [before, now] = [&self.tools, tools].map(|t| t.get(name).map_or("none", |v| v));
            (before != now).then(|| format!("{name}: {before}, now {now}"))
        };
        let names = self.tools.keys().chain(tools.keys().filter(|n| !self.tools.contains_key(*n)));
        Comparison { rows: rows.collect(), changed_tools: names.filter_map(changed).collect() }
    }
}

/// The counts beside those of the baseline.
pub(super) struct Comparison {
    rows: Vec<Row>,
    changed_tools: Vec<String>,
}

struct Row {
    name: String,
    before: Option<u64>,
    now: Option<u64>,
    limit: f64,
}

impl Row {
    /// In percent.
    fn change(&self) -> Option<f64> {
        let (before, now) = (self.before? as f64, self.now? as f64);
        Some((now - before) / before * 100.0)
    }

    fn verdict(&self) -> &'static str {
        match (self.change(), self.now) {
            (Some(change), _) if change > self.limit => "**too many**",
            (Some(change), _) if change < -self.limit => "fewer",
            (Some(_), _) => "",
            (None, Some(_)) => "**not in the baseline**",
            (None, None) => "**not run**",
        }
    }

    fn passes(&self) -> bool {
        self.change().is_some_and(|change| change <= self.limit)
    }
}

impl Comparison {
    /// Cases that have too many instructions, or are on one side only.
    pub(super) fn failed(&self) -> usize {
        self.rows.iter().filter(|row| !row.passes()).count()
    }

    /// Cases so much faster that a regression up to the baseline would pass.
    pub(super) fn outgrown(&self) -> usize {
        self.rows.iter().filter(|row| row.change().is_some_and(|c| c < -row.limit)).count()
    }

    /// A table in Markdown, and what is to be said of tools.
    pub(super) fn markdown(&self) -> String {
        let mut text = String::from(
            "| case | baseline | now | change | limit | |\n| --- | ---: | ---: | ---: | ---: | --- |\n",
        );
        for row in &self.rows {
            let [before, now] = [row.before, row.now].map(|n| n.map_or(String::new(), grouped));
            let change = row.change().map_or(String::new(), |change| format!("{change:+.2} %"));
            let (name, limit, verdict) = (&row.name, row.limit, row.verdict());
            let line = format!("| {name} | {before} | {now} | {change} | {limit} % | {verdict}");
            let _ = writeln!(text, "{} |", line.trim_end());
        }
        if !self.changed_tools.is_empty() {
            let changed = self.changed_tools.join("; ");
            let _ = writeln!(
                text,
                "\nThe baseline was made with other tools, so the limit is {OTHER_TOOLS} %: {changed}."
            );
        }
        text
    }
}

/// With commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(rustc: &str) -> Tools {
        Tools::from([("rustc".into(), rustc.into())])
    }

    fn counts(counts: &[(&str, u64)]) -> Counts {
        counts.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    /// The only case after this change, from a million.
    fn after(name: &str, now: u64, rustc: &str) -> Comparison {
        let baseline =
            Baseline { tools: tools("1.95"), instructions: counts(&[(name, 1_000_000)]) };
        baseline.compare(&tools(rustc), &counts(&[(name, now)]))
    }

    #[test]
    fn limits() {
        for (name, rustc, now, passes) in [
            ("scan/avx2/skip", "1.95", 1_000_000, true),
            ("scan/avx2/skip", "1.95", 1_020_000, true),
            ("scan/avx2/skip", "1.95", 1_020_100, false),
            ("encode/runs", "1.95", 1_100_000, false),
            ("encode/runs", "1.95", 500_000, true),
            ("convert/id", "1.95", 1_050_000, true),
            ("convert/id", "1.95", 1_050_100, false),
            ("answer/leaks", "1.95", 1_050_000, true),
            ("encode/runs", "1.96", 1_100_000, true),
            ("encode/runs", "1.96", 1_100_100, false),
            ("convert/id", "1.96", 1_100_100, false),
        ] {
            let comparison = after(name, now, rustc);
            assert_eq!(comparison.failed() == 0, passes, "{name} with {rustc}: {now}");
        }
        assert_eq!(after("encode/runs", 980_100, "1.95").outgrown(), 0);
        assert_eq!(after("encode/runs", 979_900, "1.95").outgrown(), 1);
    }

    #[test]
    fn cases_on_one_side_fail() {
        let baseline =
            Baseline { tools: tools("1"), instructions: counts(&[("a", 1), ("gone", 1)]) };
        let comparison = baseline.compare(&tools("1"), &counts(&[("a", 1), ("new", 1)]));
        assert_eq!(comparison.failed(), 2);
        let text = comparison.markdown();
        assert!(text.contains("| gone | 1 |  |  | 2 % | **not run** |\n"), "{text}");
        assert!(text.contains("| new |  | 1 |  | 2 % | **not in the baseline** |\n"), "{text}");
    }

    #[test]
    fn table() {
        assert_eq!(
            after("encode/runs", 1_100_000, "1.95").markdown(),
            "| case | baseline | now | change | limit | |\n\
             | --- | ---: | ---: | ---: | ---: | --- |\n\
             | encode/runs | 1,000,000 | 1,100,000 | +10.00 % | 2 % | **too many** |\n"
        );
        assert_eq!(
            after("encode/runs", 1_000, "1.96").markdown().lines().skip(2).collect::<Vec<_>>(),
            [
                "| encode/runs | 1,000,000 | 1,000 | -99.90 % | 10 % | fewer |",
                "",
                "The baseline was made with other tools, so the limit is 10 %: rustc: 1.95, now 1.96.",
            ]
        );
    }
}
