//! Figures of a profile that can be limited.

use super::{
    Numbers, Subject, share,
    summary::{NATIVE, name_of, package},
};
use crate::{PACKAGE, Wanted, runs::WORSE};
use heapquarry::{Result, Source};
use heapquarry_profile::{Function, Kind};
use heapquarry_report::{
    Facts, Quantity, Scope, Together, Unit, Vocabulary, WHOLE,
    starter::{ANY, Limited, Starter},
};

const SELF: &str = "self value";
const TOTAL: &str = "total value: self and everything that it calls";
const SELF_SHARE: &str = "self value as a share of everything that was not idle";
const TOTAL_SHARE: &str = "total value as a share of everything that was not idle";
// The functions of two profiles are not as many as of each together: some are the same.
const FUNCTIONS: Quantity =
    Quantity::new("functions", Unit::Count, "functions").together(Together::Unknown);

/// The four quantities of functions and scripts.
macro_rules! numbers {
    ($own:literal, $total:literal, $unit:expr) => {
        &[
            Quantity::new($own, $unit, SELF),
            Quantity::new($total, $unit, TOTAL),
            Quantity::new("self_share", Unit::Share, SELF_SHARE),
            Quantity::new("total_share", Unit::Share, TOTAL_SHARE),
        ]
    };
}

/// Declares what can be limited of a kind of profile, and of a comparison of such profiles.
macro_rules! vocabulary {
    ($name:ident, $compared:ident, $numbers:expr, $whole:expr) => {
        static $name: [Scope; 4] = vocabulary!(@ $numbers, $whole);
        static $compared: [Scope; 5] = vocabulary!(@ $numbers, $whole, WORSE);
    };
    (@ $numbers:expr, $whole:expr $(, $more:expr)?) => {
        [
            Scope { name: "total", names: Some(WHOLE), quantities: $whole },
            Scope { name: "function", names: None, quantities: $numbers },
            Scope { name: "url", names: None, quantities: $numbers },
            Scope { name: PACKAGE, names: None, quantities: $numbers },
            $($more)?
        ]
    };
}

vocabulary!(
    CPU,
    CPU_COMPARED,
    numbers!("self_time", "total_time", Unit::Micros),
    &[
        Quantity::new("time", Unit::Micros, "time of all samples"),
        Quantity::new("busy", Unit::Micros, "everything that was not idle"),
        Quantity::new("gc", Unit::Micros, "garbage collection"),
        Quantity::new("samples", Unit::Count, "samples"),
        FUNCTIONS,
    ]
);

vocabulary!(
    HEAP,
    HEAP_COMPARED,
    numbers!("self_size", "total_size", Unit::Bytes),
    &[
        Quantity::new("size", Unit::Bytes, "size of all nodes: an estimate of the live bytes"),
        Quantity::new("samples", Unit::Count, "samples"),
        FUNCTIONS,
    ]
);

vocabulary!(
    SELF_PROFILE,
    SELF_PROFILE_COMPARED,
    numbers!("self_samples", "total_samples", Unit::Count),
    &[
        Quantity::new("samples", Unit::Count, "samples"),
        Quantity::new("busy", Unit::Count, "samples with a stack"),
        FUNCTIONS,
    ]
);

vocabulary!(
    PPROF,
    PPROF_COMPARED,
    numbers!("self_value", "total_value", Unit::Count),
    &[
        Quantity::new("value", Unit::Count, "sum of all values of the sample type"),
        Quantity::new("samples", Unit::Count, "samples"),
        FUNCTIONS,
    ]
);

/// What can be limited of a kind of profile.
pub(crate) fn vocabulary(kind: Kind) -> Vocabulary {
    match kind {
        Kind::Cpu => &CPU,
        Kind::Heap => &HEAP,
        Kind::SelfProfile => &SELF_PROFILE,
        Kind::Pprof => &PPROF,
    }
}

/// What can be limited of a comparison of such profiles: their figures, and what got worse.
pub(crate) fn compared(kind: Kind) -> Vocabulary {
    match kind {
        Kind::Cpu => &CPU_COMPARED,
        Kind::Heap => &HEAP_COMPARED,
        Kind::SelfProfile => &SELF_PROFILE_COMPARED,
        Kind::Pprof => &PPROF_COMPARED,
    }
}

/// Totals are limited where more is worse: a longer recording has more samples, but is not slower. Of functions the
/// shares are, which hardly differ between machines; what stands in parentheses, as `(program)`, is no function.
pub(crate) static STARTER: Starter = Starter {
    scopes: &[
        Limited {
            scope: "total",
            quantities: &["busy", "gc", "size", "value"],
            most: 1,
            fits: ANY,
            optional: false,
        },
        Limited {
            scope: "function",
            quantities: &["self_share"],
            most: 5,
            fits: |name| !name.starts_with('(') || name == "(anonymous)",
            optional: true,
        },
    ],
    growth: "[function.\"*\"]\nself_share = \"+5pp\"",
};

/// Whether it is known however the weights are.
fn is_count(quantity: &Quantity) -> bool {
    ["samples", "functions"].contains(&quantity.name)
}

impl Subject {
    /// The figures of a complete profile. Functions with the same name are added up; a subtree below several of them
    /// counts once.
    pub(crate) fn facts(
        &self,
        source: &Source,
        wanted: Wanted,
        vocabulary: Vocabulary,
    ) -> Result<Facts> {
        self.refuse_partial(source)?;
        let (profile, busy) = (&self.profile, self.busy());
        let mut facts = Facts::new(vocabulary);
        let why = profile.unknown();
        // Without any times, what got worse is told by samples.
        let is_unknown = |scope: &&Scope| scope.name != WORSE.name || !profile.counts_samples();
        for scope in vocabulary.iter().filter(|_| why.is_some()).filter(is_unknown) {
            for quantity in scope.quantities.iter().filter(|one| !is_count(one)) {
                facts.set_unknown(scope.name, quantity.name, why.as_deref().unwrap_or_default());
            }
        }
        let gc = self.gc();
        if gc.is_none() {
            facts.set_unknown("total", "gc", "no function of the profile collects garbage");
        }
        let samples = i64::try_from(profile.sample_count).unwrap_or(i64::MAX);
        let functions = self.listed().count() as i64;
        let whole: &[i64] = match profile.kind {
            Kind::Cpu => &[profile.whole, busy, gc.unwrap_or(0), samples, functions],
            Kind::Pprof if profile.counts_samples() => &[0, 0, 0, samples, functions],
            Kind::Heap | Kind::Pprof => &[profile.whole, samples, functions],
            Kind::SelfProfile => &[samples, busy, functions],
        };
        facts.add("total", "", whole);
        let mut add = |scope: &str, name: &str, Numbers { own, total }: Numbers| {
            facts.add(scope, name, &[own, total, share(own, busy), share(total, busy)]);
        };
        let (names, groups) = self.groups(Function::name);
        let sums = self.sums(&groups, names.len());
        for (group, name) in names.iter().enumerate() {
            add("function", name, Numbers::of(&sums, group));
        }
        let (names, groups) = self.groups(Function::source);
        let sums = self.sums(&groups, names.len());
        for (group, url) in names.iter().enumerate() {
            let name = if url.is_empty() { NATIVE } else { url };
            add("url", name, Numbers::of(&sums, group));
        }
        if wanted.packages {
            let (packages, groups) = self.groups(package);
            let sums = self.sums(&groups, packages.len());
            for (group, package) in packages.iter().enumerate() {
                add(PACKAGE, &name_of(package.as_ref()), Numbers::of(&sums, group));
            }
        }
        Ok(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_lists_what_can_be_limited() {
        let page = include_str!("../../../../docs/ci.md");
        for vocabulary in [&CPU_COMPARED, &HEAP_COMPARED, &SELF_PROFILE_COMPARED, &PPROF_COMPARED] {
            for scope in vocabulary {
                for quantity in scope.quantities {
                    let row =
                        format!("| `{}` | `{}` | {} |", scope.name, quantity.name, quantity.doc);
                    assert!(page.contains(&row), "{row}");
                }
            }
        }
    }
}
