//! Summary of a trace.

mod answer;
mod several;
pub(crate) mod view;

pub use answer::{
    Activity, CounterSeries, CpuActivity, GpuActivity, OperationTime, ProcessActivity,
    ScheduledThread, SliceTime, ThreadActivity, TraceSummary, TraceTotals,
};
pub(crate) use several::TracesSum;
pub use several::{OneTrace, TracesSummary};

use super::{Lanes, Subject};
use crate::{
    By,
    answer::{Nanos, issues},
};
use heapquarry_timeline::{EventIndex, Timeline};

impl Subject {
    /// What is in the trace, or in the part of it that was asked for; of each list at most `top` rows.
    pub(crate) fn summary(&self, top: Option<usize>, by: Option<By>) -> TraceSummary {
        let [slices, slices_by_total] = self.slices(top);
        let (processes, threads) = self.lanes(top);
        let is_scheduled = self.timeline.schedule.slices() > 0;
        TraceSummary {
            totals: self.totals(),
            processes,
            threads,
            cpus: is_scheduled.then(|| self.cpus(top)),
            scheduled_threads: is_scheduled.then(|| self.scheduled(top)),
            gpus: self.gpus(top),
            slices,
            slices_by_total,
            cpu_profiles: self.profile.as_ref().map(|profile| profile.summary(top, by)),
            script_calls: self.script_calls(top),
            by,
            operations: self.operations(top),
            counters: self.counters(top),
            issues: issues(&self.log),
        }
    }

    fn totals(&self) -> TraceTotals {
        let Timeline { events, flows, .. } = &self.timeline;
        let count = |test: &dyn Fn(EventIndex) -> bool| {
            let asked = events.all().filter(|&event| self.is_asked(event));
            asked.filter(|&event| test(event)).count() as u64
        };
        let operations = self.lasting().filter(|slice| self.is_asked(slice.event)).count();
        let Lanes { processes, threads, series } = self.lanes_asked();
        let of = |lanes: Vec<bool>| lanes.into_iter().filter(|&is| is).count() as u64;
        let flows = flows.iter();
        let flows = flows.filter(|flow| self.is_asked(flow.from) && self.is_asked(flow.to)).count();
        TraceTotals {
            duration_ns: Nanos::of_span(self.span()),
            event_count: count(&|_| true),
            process_count: of(processes),
            thread_count: of(threads),
            slice_count: count(&|event| self.timeline.slices.ending(event).is_some()),
            operation_count: operations as u64,
            instant_count: count(&|event| events.is_instant(event)),
            flow_count: flows as u64,
            counter_count: of(series),
        }
    }
}
