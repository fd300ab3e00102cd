//! Figures of an input.

use super::{Measured, answer};
use heapquarry_report::{Check, Facts, Measure, measures};

answer! {
    /// A figure of an input.
    pub struct Figure {
        /// What it is about: `total`, `class`, `function` and others.
        pub scope: &'static str,
        /// Whose number it is; empty for the whole input.
        pub name: String,
        /// What is measured: `count`, `size` and others.
        pub quantity: &'static str,
        /// The unit of the numbers: `count`, `bytes`, `us`, `ns`, `percent`, or `number` without one.
        pub unit: &'static str,
        /// The number; of several runs the median.
        pub value: Measured,
        /// The least of several runs.
        pub least: Option<Measured>,
        /// The greatest of several runs.
        pub most: Option<Measured>,
    }

    /// A quantity of inputs of this kind that is not known of this one. A limit on it is an error.
    pub struct UnknownQuantity {
        /// What it would be about.
        pub scope: &'static str,
        /// What would be measured.
        pub quantity: &'static str,
        /// Why it is not known.
        pub why: String,
    }
}

impl Figure {
    /// The figures of the whole input, then those that limits are about.
    pub(crate) fn all(facts: &Facts, checks: &[Check]) -> Vec<Self> {
        measures(facts, checks).into_iter().map(Into::into).collect()
    }
}

impl From<Measure> for Figure {
    fn from(measure: Measure) -> Self {
        let Measure { scope, name, quantity, unit, value, spread } = measure;
        let number = |number| Measured { number, unit };
        Figure {
            scope,
            name,
            quantity,
            unit: unit.name(),
            value: number(value),
            least: spread.map(|(least, _)| number(least)),
            most: spread.map(|(_, most)| number(most)),
        }
    }
}

/// A figure for programs that keep histories.
impl From<&Figure> for Measure {
    fn from(figure: &Figure) -> Self {
        let Figure { scope, name, quantity, value, least, most, .. } = figure;
        Measure {
            scope,
            name: name.clone(),
            quantity,
            unit: value.unit,
            value: value.number,
            spread: least.zip(*most).map(|(least, most)| (least.number, most.number)),
        }
    }
}

impl UnknownQuantity {
    /// The quantities that are not known.
    pub(crate) fn all(facts: &Facts) -> Vec<Self> {
        let one = |(scope, quantity, why): (_, _, &str)| {
            let why = why.into();
            UnknownQuantity { scope, quantity, why }
        };
        facts.unknowns().map(one).collect()
    }
}
