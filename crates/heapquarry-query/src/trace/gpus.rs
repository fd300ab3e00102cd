//! Streams of GPUs: how long each was busy and idle.

use super::{Subject, summary::GpuActivity};
use crate::answer::{List, Nanos};

impl Subject {
    /// The streams by device, and all streams of a device together; `None` if no slice ran on a GPU.
    pub(super) fn gpus(&self, top: Option<usize>) -> Option<List<GpuActivity>> {
        let streams: Vec<(Vec<String>, Vec<f64>)> = self.gpu_subjects().into_iter().collect();
        (!streams.is_empty()).then(|| List::of(streams, top, activity))
    }
}

/// The names and figures of a stream, in the order of [`Lists::Gpus`](super::list::Lists).
fn activity((names, figures): (Vec<String>, Vec<f64>)) -> GpuActivity {
    let mut names = names.into_iter();
    let figure = |at: usize| figures.get(at).copied().filter(|figure| !figure.is_nan());
    let nanos = |at| figure(at).map(|number| Nanos(number.round() as i64));
    let count = |at| figure(at).unwrap_or(0.0) as u64;
    GpuActivity {
        process_name: names.next().unwrap_or_default(),
        thread_name: names.next().unwrap_or_default(),
        count: count(0),
        busy_ns: nanos(1).unwrap_or_default(),
        idle_ns: nanos(2).unwrap_or_default(),
        gap_count: count(3),
        gap_p95_ns: nanos(4),
        longest_gap_ns: nanos(5),
    }
}
