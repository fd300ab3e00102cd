//! The values of pprof profiles: which of them are asked for, and in which unit.

use crate::{Kind, Measure, Profile};

impl Profile {
    /// Takes the values of this type as weights. Times become those of a CPU profile, bytes those of a heap profile.
    pub fn show(&mut self, shown: usize) {
        self.shown = shown;
        let Some(Measure { unit, weights, .. }) = self.measures.get(shown) else {
            self.weights = vec![0; self.of.len()];
            return;
        };
        let (kind, scale) = scale(unit);
        self.kind = kind;
        self.weights = match scale {
            Scale::Times(by) => weights.iter().map(|weight| weight.saturating_mul(by)).collect(),
            Scale::Thousandths => rounded(weights),
        };
        self.whole = self.weights.iter().fold(0, |sum, &weight| sum.saturating_add(weight));
        if let Some(samples) = self.measured_samples() {
            let count = samples.weights.iter().fold(0i64, |sum, &count| sum.saturating_add(count));
            self.sample_count = u64::try_from(count).unwrap_or(self.sample_count);
        }
    }

    /// The values of a pprof profile that count its samples, if it has them.
    fn measured_samples(&self) -> Option<&Measure> {
        let counts =
            |one: &&Measure| one.unit == "count" && ["sample", "samples"].contains(&&*one.name);
        self.measures.iter().find(counts)
    }

    /// The value that one sample stands for, on average; 0 if that is not known, as of a pprof profile that does not
    /// count its samples.
    pub fn value_of_a_sample(&self) -> f64 {
        let is_known = self.measures.is_empty() || self.measured_samples().is_some();
        if is_known && self.sample_count > 0 {
            self.whole as f64 / self.sample_count as f64
        } else {
            0.0
        }
    }
}

enum Scale {
    Times(i64),
    Thousandths,
}

/// The kind of profile that values of a unit make, and what makes microseconds or bytes of them. The units are those
/// that pprof knows: <https://github.com/google/pprof/blob/main/internal/measurement/measurement.go>
fn scale(unit: &str) -> (Kind, Scale) {
    use Scale::{Thousandths, Times};
    match unit.to_ascii_lowercase().as_str() {
        "ns" | "nanosecond" | "nanoseconds" => (Kind::Cpu, Thousandths),
        "us" | "µs" | "microsecond" | "microseconds" => (Kind::Cpu, Times(1)),
        "ms" | "millisecond" | "milliseconds" => (Kind::Cpu, Times(1000)),
        "s" | "sec" | "second" | "seconds" => (Kind::Cpu, Times(1_000_000)),
        "b" | "byte" | "bytes" => (Kind::Heap, Times(1)),
        "kb" | "kib" | "kilobyte" | "kilobytes" => (Kind::Heap, Times(1 << 10)),
        "mb" | "mib" | "megabyte" | "megabytes" => (Kind::Heap, Times(1 << 20)),
        _ => (Kind::Pprof, Times(1)),
    }
}

/// Nanoseconds as microseconds. What rounding takes from one node is added to a later one, so that the sum is right.
fn rounded(weights: &[i64]) -> Vec<i64> {
    let mut rest = 0;
    let round = |&weight: &i64| {
        let sum = i128::from(weight) + rest;
        let micros = sum.div_euclid(1000);
        rest = sum.rem_euclid(1000);
        i64::try_from(micros).unwrap_or(i64::MAX)
    };
    weights.iter().map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_makes_the_kind() {
        for (unit, kind, weights) in [
            ("nanoseconds", Kind::Cpu, [0, 1, 10_000]),
            ("ms", Kind::Cpu, [600_000, 900_000, 9_999_500_000]),
            ("bytes", Kind::Heap, [600, 900, 9_999_500]),
            ("kB", Kind::Heap, [614_400, 921_600, 10_239_488_000]),
            ("count", Kind::Pprof, [600, 900, 9_999_500]),
            ("", Kind::Pprof, [600, 900, 9_999_500]),
        ] {
            let measure = Measure {
                unit: unit.into(),
                weights: vec![600, 900, 9_999_500],
                ..Measure::default()
            };
            let mut profile = Profile { measures: vec![measure], ..Profile::default() };
            profile.show(0);
            assert_eq!((profile.kind, &profile.weights[..]), (kind, &weights[..]), "{unit}");
            assert_eq!(profile.whole, weights.iter().sum::<i64>());
        }
    }

    #[test]
    fn rounding_keeps_the_sum() {
        assert_eq!(
            rounded(&[999, 1, 500, 500, -1000, i64::MAX]),
            [0, 1, 0, 1, -1, i64::MAX / 1000]
        );
    }
}
