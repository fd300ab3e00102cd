//! Figures of a watched process that can be limited.

use super::Subject;
use heapquarry_process::{Part, Rate, peak, rate};
use heapquarry_report::{
    Facts, Quantity, Scope, Together, Unit, WHOLE,
    starter::{ANY, Limited, Starter},
};

const MAX: &str = "max";
const SLOPE: &str = "slope";

/// A part of the memory. Each is a scope of its own, so that a budget reads `rss.max`.
const fn part(name: &'static str) -> Scope {
    Scope { name, names: Some(WHOLE), quantities: &QUANTITIES }
}

static QUANTITIES: [Quantity; 2] = [
    Quantity::new(MAX, Unit::Bytes, "largest size after the warm-up").together(Together::Greatest),
    Quantity::new(SLOPE, Unit::BytesPerHour, "growth after the warm-up")
        .together(Together::Unknown),
];

/// The parts of the memory by the names that `watch` gives them.
pub(crate) static VOCABULARY: [Scope; 10] = [
    part("rss"),
    part("live_heap"),
    part("live_buffers"),
    part("wasm"),
    part("other_isolates"),
    part("native"),
    part("allocator_free"),
    part("rest"),
    part("file_cache"),
    part("heap_used"),
];

/// What is known of every process. Growth needs to be watched for longer the less of it is allowed, so nobody but the
/// author of a program knows what to limit it to.
pub(crate) static STARTER: Starter = Starter {
    scopes: &[
        Limited { scope: "rss", quantities: &[MAX], most: 1, fits: ANY, optional: false },
        Limited { scope: "live_heap", quantities: &[MAX], most: 1, fits: ANY, optional: false },
        Limited { scope: "live_buffers", quantities: &[MAX], most: 1, fits: ANY, optional: false },
    ],
    growth: "[live_heap]\nmax = \"+10% and +1 MB\"",
};

impl Subject {
    /// The figures of the watch. What was not seen is unknown; growth is an estimate.
    pub(crate) fn facts(&self) -> Facts {
        let mut facts = Facts::new(&VOCABULARY);
        for part in Part::ALL {
            let (name, recording) = (part.name(), &self.recording);
            let (size, growth) = (peak(recording, part), rate(recording, part));
            let slope = growth.map_or(0.0, |growth| growth.slope);
            facts.add(name, "", &[size.unwrap_or(0.0) as i64, per_hour(slope) as i64]);
            if let Err(why) = size {
                facts.set_unknown(name, MAX, why);
            }
            match growth {
                Ok(Rate { low, high, .. }) => {
                    let bounds = (per_hour(low).floor() as i64, per_hour(high).ceil() as i64);
                    facts.set_bounds(name, "", SLOPE, bounds);
                }
                Err(why) => facts.set_unknown(name, SLOPE, why),
            }
        }
        facts
    }
}

fn per_hour(per_second: f64) -> f64 {
    per_second * 3600.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Check, Question, Session};
    use heapquarry::{RunOptions, Source, engine::WatchDir};
    use heapquarry_process::{Inside, LiveBy, Recording, Sample};
    use heapquarry_report::Budget;
    use std::time::Duration;

    #[test]
    fn the_documentation_lists_what_can_be_limited() {
        let page = include_str!("../../../../docs/process.md");
        for scope in &VOCABULARY {
            assert!(page.contains(&format!("\n| `{}` | ", scope.name)), "{}", scope.name);
        }
        for Quantity { name, doc, .. } in &QUANTITIES {
            assert!(page.contains(&format!("`{name}` is the {doc}")), "{name}");
        }
    }

    /// A watch of so many minutes: heap and RSS in MB at a second, with figures of what lives every ten seconds.
    fn watched(minutes: u64, megabytes: impl Fn(f64) -> f64) -> Recording {
        let warm_up = Duration::from_secs(15);
        let mut recording = Recording { warm_up, ..Recording::default() };
        for at in (0..=60 * minutes).step_by(10) {
            let size = (megabytes(at as f64) * 1e6) as u64;
            recording.push(Sample {
                at: Duration::from_secs(at),
                live: Some(LiveBy::Measured),
                inside: Inside {
                    rss: Some(size + 50_000_000),
                    heap_used: Some(size),
                    ..Inside::default()
                },
                ..Sample::default()
            });
        }
        recording
    }

    /// What `check` says of a watch: whether the limits are kept, or why there is no answer.
    fn checked(budget: &str, recordings: &[Recording], check: Check) -> Result<bool, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.toml");
        std::fs::write(&path, budget).unwrap();
        let sources = recordings.iter().enumerate().map(|(number, recording)| {
            let tables = dir.path().join(number.to_string());
            let mut out = WatchDir::create(&tables, false).unwrap();
            out.add("9229", recording).unwrap();
            out.finish().unwrap();
            Source::path(tables)
        });
        let mut sources: Vec<Source> = sources.collect();
        let mut check = check.budget(path);
        if recordings.len() > 1 && !check.runs {
            check = check.baseline(sources.pop().unwrap());
        }
        let session = Session::new(sources, &RunOptions::default());
        let answered = check.ask(&session).map_err(|error| error.to_string())?;
        assert_eq!(answered.answer.kind, "process");
        Ok(answered.answer.limits.passed.unwrap())
    }

    #[test]
    fn limits_are_kept_exceeded_or_cannot_be_checked() {
        let level = || watched(10, |_| 100.0);
        let leak = || watched(10, |at| 100.0 + at / 10.0);
        let short = || watched(0, |_| 100.0);
        for (name, budget, recordings, expected) in [
            ("a level heap", "live_heap.slope = \"200 MB/h\"", vec![level()], Ok(true)),
            ("a leak", "live_heap.slope = \"200 MB/h\"", vec![leak()], Ok(false)),
            ("a leak, by RSS", "rss.slope = \"200 MB/h\"", vec![leak()], Ok(false)),
            ("a level RSS", "rss.slope = \"100 MB/h\"", vec![level()], Ok(true)),
            ("a size", "rss.max = \"149 MB\"", vec![level()], Ok(false)),
            ("a size that is kept", "rss.max = \"150 MB\"", vec![level()], Ok(true)),
            (
                "a limit that is too small for the time",
                "[rss]\nmax = \"1 GB\"\nslope = \"1 MB/h\"",
                vec![level()],
                Err("rss slope is not known; it is sure only that it is between -"),
            ),
            (
                "a watch that is too short",
                "live_heap.slope = \"1 GB/h\"",
                vec![short()],
                Err("no figures of it after collections"),
            ),
            ("what was not seen", "native.max = \"1 GB\"", vec![level()], Err("which rights")),
            ("garbage", "heap_used.slope = \"1 GB/h\"", vec![level()], Err("garbage is in it")),
            ("a baseline", "live_heap.max = \"+10%\"", vec![level(), level()], Ok(true)),
            ("growth", "live_heap.max = \"+10%\"", vec![leak(), level()], Ok(false)),
            ("more growth", "live_heap.slope = \"+200 MB/h\"", vec![leak(), level()], Ok(false)),
            ("limits for heaps", "total.size = 1", vec![level()], Err("they are for heaps")),
        ] {
            match (checked(budget, &recordings, Check::default()), expected) {
                (Err(found), Err(wanted)) => assert!(found.contains(wanted), "{name}: {found}"),
                (found, expected) => assert_eq!(found, expected.map_err(String::from), "{name}"),
            }
        }
        // Of several runs the medians count: 160 MB at the end of a leak.
        for (budget, expected) in
            [("live_heap.max = \"160 MB\"", true), ("live_heap.max = \"159 MB\"", false)]
        {
            let runs = [level(), leak(), leak()];
            assert_eq!(
                checked(budget, &runs, Check::default().runs(true)),
                Ok(expected),
                "{budget}"
            );
        }
    }

    /// The example keeps to what it says: it is read, and a program that is level keeps it.
    #[test]
    fn the_example_of_the_documentation_is_a_budget() {
        let page = include_str!("../../../../docs/process.md");
        let (_, example) = page.split_once("```toml\n# memory.toml\n").unwrap();
        let (example, _) = example.split_once("```").unwrap();
        let rules = Budget::parse(example, "memory.toml", &VOCABULARY).unwrap().rules;
        assert_eq!(rules.len(), 4);
        // Without native memory, which only the system tells.
        let (known, _) = example.split_once("[native]").unwrap();
        let check = |recording| checked(known, &[recording], Check::default());
        assert_eq!(check(watched(2, |_| 100.0)), Ok(true));
        assert_eq!(check(watched(2, |at| 100.0 + at / 2.0)), Ok(false));
    }

    /// Each part of a watch has a scope.
    #[test]
    fn all_parts_can_be_limited() {
        for part in Part::ALL {
            assert!(VOCABULARY.iter().any(|scope| scope.name == part.name()), "{part:?}");
        }
    }
}
