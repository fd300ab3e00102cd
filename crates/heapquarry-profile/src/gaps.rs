//! What is not known of the weights of a profile.

use crate::{Kind, Measure, Profile};

/// What its times or sizes rest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Whether the file has no times, and the time from start to end was shared out over samples or hits.
    pub is_shared_out: bool,
    /// Whether a file has samples or hits, but no time at all.
    pub is_untimed: bool,
    /// Samples whose duration is not known, or nodes whose size is not.
    pub unknown: u64,
}

impl Gaps {
    /// Adds what is not known of another one.
    pub fn join(&mut self, other: Gaps) {
        self.is_shared_out |= other.is_shared_out;
        self.is_untimed |= other.is_untimed;
        self.unknown += other.unknown;
    }
}

impl Profile {
    /// Whether no time of a CPU profile is known. Its weights are numbers of samples.
    pub fn counts_samples(&self) -> bool {
        self.gaps.is_untimed && self.kind == Kind::Pprof
    }

    /// Takes numbers of samples as weights, if no time of a CPU profile is known.
    pub(crate) fn without_times(&mut self) {
        if self.kind != Kind::Cpu || !self.gaps.is_untimed || self.whole != 0 {
            return;
        }
        let weights = self.hits.clone();
        self.measures = vec![Measure { name: "samples".into(), unit: "count".into(), weights }];
        self.show(0);
    }

    /// Why sums of weights are not known; `None` if they are.
    pub fn unknown(&self) -> Option<String> {
        let Gaps { is_untimed, unknown, .. } = self.gaps;
        let what = if self.kind == Kind::Heap {
            "nodes have no known size"
        } else {
            "samples have no known time"
        };
        if is_untimed {
            return Some(
                "samples have no times, and start and end do not say how long they took".into(),
            );
        }
        if unknown > 0 {
            return Some(format!("{unknown} {what}; sums are those of the others"));
        }
        let is_large = self.whole == i64::MAX || self.weights.contains(&i64::MAX);
        is_large.then(|| "a sum has more than 64 bits".into())
    }

    /// Caveats: why the numbers are not what they seem.
    pub fn caveats(&self) -> Option<String> {
        let shared = self.gaps.is_shared_out.then(|| {
            "the file has no times: that from start to end is shared out evenly over samples or hits, as DevTools does".into()
        });
        let unknown = match self.counts_samples() {
            true => self.unknown().map(|why| format!("{why}: the numbers are those of samples")),
            false => self.unknown(),
        };
        let all: Vec<String> = shared.into_iter().chain(unknown).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}
