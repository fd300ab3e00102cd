//! Streams of GPUs in traces of PyTorch (Kineto): kernels and copies, and the gaps between them.

use super::{Intervals, Subject, Subjects};
use heapquarry_timeline::Key;
use std::collections::{BTreeMap, HashMap};

/// The name of all streams of a device together: a gap there is one of the device.
const ALL_STREAMS: &str = "all streams";

/// Whether slices of that category run on a GPU.
fn is_gpu(category: &str) -> bool {
    ["kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"]
        .iter()
        .any(|known| category.eq_ignore_ascii_case(known))
}

impl Subject {
    pub(super) fn gpu_subjects(&self) -> Subjects {
        let events = &self.timeline.events;
        let strings = events.strings();
        if !strings.iter().any(is_gpu) {
            return Subjects::new();
        }
        let mut known: HashMap<Key, bool> = HashMap::new();
        let mut roles: HashMap<u32, [String; 2]> = HashMap::new();
        // By device and stream, with the number of slices.
        let mut found: BTreeMap<Vec<String>, Intervals> = BTreeMap::new();
        for (event, utid, start, dur) in self.slices_of_threads() {
            let category = events.category(event);
            let is_gpu =
                *known.entry(category).or_insert_with(|| strings.get(category).is_some_and(is_gpu));
            if !is_gpu || !self.is_wanted(event) {
                continue;
            }
            let [device, stream] = roles.entry(utid).or_insert_with(|| self.thread_role(utid));
            for stream in [stream.as_str(), ALL_STREAMS] {
                let names = vec![device.clone(), stream.into()];
                found.entry(names).or_default().0.push((start, start.saturating_add(dur)));
            }
        }
        let numbers = |(names, intervals): (Vec<String>, Intervals)| {
            let count = intervals.0.len() as f64;
            let (busy, mut gaps) = intervals.covered();
            let (idle, gap_count) = (gaps.sum(), gaps.0.len() as f64);
            let (p95, longest) = (gaps.percentile(95), gaps.longest());
            (names, vec![count, busy, idle, gap_count, p95, longest])
        };
        found.into_iter().map(numbers).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_kineto() {
        for (category, expected) in [
            ("kernel", true),
            ("Kernel", true),
            ("gpu_memcpy", true),
            ("cpu_op", false),
            ("", false),
        ] {
            assert_eq!(is_gpu(category), expected, "{category}");
        }
    }
}
