//! Limits, and whether they are kept.

use super::answer;
use heapquarry_report::{Check, FROM_NOTHING, Finding, Origin, Outcome, Unit};
use serde::{Serialize, Serializer};

answer! {
    /// Limits, and whether they are kept.
    #[derive(Default)]
    pub struct Limits {
        /// Whether all limits are kept; absent if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub passed: Option<bool>,
        /// The limits, in the order in which they were given; absent if there are none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub checks: Vec<LimitCheck>,
    }

    /// A limit, and what it was held against.
    pub struct LimitCheck {
        /// The limit as an expression: `class[Session].count > 100`.
        pub rule: String,
        /// What it is about: `total`, `class`, `leak`, `function` and others.
        pub scope: &'static str,
        /// The names that it applies to, in which `*` stands for anything; empty for the whole input.
        pub name: String,
        /// What is limited: `count`, `size` and others.
        pub quantity: &'static str,
        /// The unit of the numbers: `count`, `bytes`, `us`, `ns`, `percent`, or `number` without one.
        pub unit: &'static str,
        /// The limit in words: `+5% and +64 KiB`.
        pub limit: String,
        /// The budget that it stands in; `null` if it is no budget's.
        pub file: Option<String>,
        /// Its line there, from 1.
        pub line: Option<u64>,
        /// Whether it is kept.
        pub outcome: LimitOutcome,
        /// Number of names that it applied to.
        pub matched: u64,
        /// What exceeds the limit, most first. If nothing does, and it is for a single name, that one.
        pub findings: Vec<LimitFinding>,
        /// What is nearest to the limit, or farthest over it; `null` if it applied to nothing.
        pub closest: Option<LimitFinding>,
    }

    /// A number that was held against a limit.
    pub struct LimitFinding {
        /// The input that it is of, where each of several is checked; absent otherwise.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub input: Option<String>,
        /// Whose number it is; empty for the whole input.
        pub name: String,
        /// The number.
        pub actual: Measured,
        /// The number that growth is measured from; `null` without one.
        pub base: Option<Measured>,
        /// How much more there may be; negative if the limit is exceeded.
        pub room: Measured,
        /// The least of several runs, of which `actual` is the median.
        pub least: Option<Measured>,
        /// The greatest of several runs.
        pub most: Option<Measured>,
        /// Names whose growth comes with this one: one leak is one finding.
        pub with: Vec<String>,
    }
}

answer! {
    /// Whether a limit is kept.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum LimitOutcome {
        /// Nothing exceeds it.
        Passed,
        /// Something exceeds it.
        Exceeded,
        /// It limits growth, and there is nothing to measure that from.
        Skipped,
    }
}

/// A number whose unit stands beside it. `null`: growth from 0, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, with = "Option<f64>")
)]
pub struct Measured {
    /// The number, as [`Unit`] keeps it.
    pub number: i64,
    pub(crate) unit: Unit,
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.unit {
            Unit::Share | Unit::Points if self.number == FROM_NOTHING => {
                serializer.serialize_none()
            }
            Unit::Share | Unit::Points => serializer.serialize_f64(self.number as f64 / 10_000.0),
            Unit::Thousandths => serializer.serialize_f64(self.number as f64 / 1000.0),
            _ => serializer.serialize_i64(self.number),
        }
    }
}

impl Limits {
    /// What became of limits.
    pub(crate) fn of(checks: &[Check]) -> Self {
        let passed = (!checks.is_empty()).then(|| !checks.iter().any(Check::is_exceeded));
        Limits { passed, checks: checks.iter().map(limit).collect() }
    }
}

fn limit(check: &Check) -> LimitCheck {
    let Check { rule, outcome, matched, findings, closest } = check;
    let (file, line) = match &rule.origin {
        Origin::Expression => (None, None),
        Origin::File { path, line } => (Some(path.clone()), Some(*line as u64)),
    };
    let finding = |finding: &Finding| {
        let number = |number| Measured { number, unit: rule.unit() };
        LimitFinding {
            input: finding.input.clone(),
            name: finding.name.clone(),
            actual: number(finding.actual),
            base: finding.base.map(number),
            room: number(rule.room(finding)),
            least: finding.spread.map(|(least, _)| number(least)),
            most: finding.spread.map(|(_, most)| number(most)),
            with: finding.with.clone(),
        }
    };
    LimitCheck {
        rule: rule.to_string(),
        scope: rule.scope(),
        name: rule.pattern.to_string(),
        quantity: rule.quantity(),
        unit: rule.unit().name(),
        limit: rule.limit.to_string(),
        file,
        line,
        outcome: (*outcome).into(),
        matched: *matched as u64,
        findings: findings.iter().map(finding).collect(),
        closest: closest.as_ref().map(finding),
    }
}

impl From<Outcome> for LimitOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Passed => LimitOutcome::Passed,
            Outcome::Exceeded => LimitOutcome::Exceeded,
            Outcome::Skipped => LimitOutcome::Skipped,
        }
    }
}
