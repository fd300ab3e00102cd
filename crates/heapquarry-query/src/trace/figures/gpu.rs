//! Streams of GPUs in traces of PyTorch (Kineto): kernels and copies, and the gaps between them.

use super::{Intervals, Subject, Subjects, subjects_of};
use heapquarry_timeline::Key;
use std::collections::HashMap;

/// The name of all streams of a device together: a gap there is one of the device.
const ALL_STREAMS: &str = "all streams";

/// Whether slices of that category run on a GPU.
fn is_gpu(category: &str) -> bool {
    ["kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"]
        .iter()
        .any(|known| category.eq_ignore_ascii_case(known))
}

impl Subject {
    pub(in crate::trace) fn gpu_subjects(&self) -> Subjects {
        let events = &self.timeline.events;
        let strings = events.strings();
        if !strings.iter().any(is_gpu) {
            return Subjects::new();
        }
        let mut known: HashMap<Key, bool> = HashMap::new();
        // By device and stream: positions of their intervals.
        let mut streams: HashMap<Vec<String>, usize> = HashMap::new();
        let mut intervals: Vec<Intervals> = Vec::new();
        let mut of_threads: HashMap<u32, [usize; 2]> = HashMap::new();
        for (event, utid, start, dur) in self.slices_of_threads() {
            let category = events.category(event);
            let is_gpu =
                *known.entry(category).or_insert_with(|| strings.get(category).is_some_and(is_gpu));
            if !is_gpu || !self.is_wanted(event) {
                continue;
            }
            let places = of_threads.entry(utid).or_insert_with(|| {
                let [device, stream] = self.thread_role(utid);
                [stream, ALL_STREAMS.into()].map(|stream| {
                    *streams.entry(vec![device.clone(), stream]).or_insert_with(|| {
                        intervals.push(Intervals::default());
                        intervals.len() - 1
                    })
                })
            });
            for place in *places {
                intervals[place].0.push((start, start.saturating_add(dur)));
            }
        }
        let numbers = |(names, place): (Vec<String>, usize)| {
            let intervals = std::mem::take(&mut intervals[place]);
            let count = intervals.0.len() as f64;
            let (busy, mut gaps) = intervals.covered();
            let (idle, gap_count) = (gaps.sum(), gaps.0.len() as f64);
            let (p95, longest) = (gaps.percentile(95), gaps.longest());
            (names, vec![count, busy, idle, gap_count, p95, longest])
        };
        subjects_of(streams.into_iter().map(numbers))
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
