//! The summary of several traces.

use super::{GpuActivity, OperationTime, SliceTime, TraceSummary, TraceTotals, view};
use crate::{
    By,
    answer::{List, Nanos, Share, answer},
    listing::SHOWN,
    profile::summary::{ProfileSummary, ProfilesSum},
    summed::Summed,
    trace::calls::{CallsSum, ScriptCalls},
    view::{Col, Shown, View, table, values},
};
use heapquarry::{Result, Source};
use heapquarry_base::Order;
use heapquarry_report::Section;
use std::cmp::Reverse;

answer! {
    /// What is in several traces together.
    pub struct TracesSummary {
        /// Number of traces.
        pub trace_count: u64,
        /// Sums over the traces; the duration is the sum of theirs.
        pub totals: TraceTotals,
        /// Slices by name and category, by self time.
        pub slices: List<SliceTime>,
        /// The first of them by total time.
        pub slices_by_total: List<SliceTime>,
        /// The CPU profiles in the traces, merged; absent if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cpu_profiles: Option<ProfileSummary>,
        /// Slices that run or compile scripts, by what they call; absent if no slice tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub script_calls: Option<ScriptCalls>,
        /// What people see the CPU profiles, or without one the calls of scripts, by, if not all.
        #[serde(skip)]
        pub(crate) by: Option<By>,
        /// Asynchronous operations by name and category, by total time.
        pub operations: List<OperationTime>,
        /// Each trace, in the order in which they were given; absent unless asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub each: Option<List<OneTrace>>,
    }

    /// One of several traces.
    pub struct OneTrace {
        /// The trace as given.
        pub input: String,
        /// Counts over it.
        pub totals: TraceTotals,
        /// Time in which a thread had any slice, summed over its threads.
        pub self_time_ns: Nanos,
        /// Streams of GPUs by device; absent if no slice ran on a GPU.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gpus: Option<List<GpuActivity>>,
    }
}

type Title = (Option<String>, Option<String>);

/// Traces that are added up.
#[derive(Default)]
pub(crate) struct TracesSum {
    count: u64,
    totals: TraceTotals,
    slices: Summed<Title, SliceTime>,
    operations: Summed<Title, OperationTime>,
    cpu_profiles: Option<ProfilesSum>,
    script_calls: Option<CallsSum>,
    each: Vec<OneTrace>,
}

impl TracesSum {
    /// Adds all of a trace.
    ///
    /// # Errors
    /// If its CPU profiles have other values than those before.
    pub(crate) fn add(&mut self, source: &Source, trace: TraceSummary, each: bool) -> Result<()> {
        self.count += 1;
        self.totals.add(&trace.totals);
        for slice in trace.slices.rows {
            let title = (slice.name.clone(), slice.category.clone());
            self.slices.add(title, slice, |sum, slice| {
                sum.count += slice.count;
                sum.self_time_ns = plus(sum.self_time_ns, slice.self_time_ns);
                sum.total_time_ns = plus(sum.total_time_ns, slice.total_time_ns);
                sum.longest_ns = sum.longest_ns.max(slice.longest_ns);
            });
        }
        for operation in trace.operations.rows {
            let title = (operation.name.clone(), operation.category.clone());
            self.operations.add(title, operation, |sum, operation| {
                sum.count += operation.count;
                sum.unended_count += operation.unended_count;
                sum.total_time_ns = plus(sum.total_time_ns, operation.total_time_ns);
                sum.longest_ns = sum.longest_ns.max(operation.longest_ns);
            });
        }
        if let Some(profiles) = trace.cpu_profiles {
            match &mut self.cpu_profiles {
                Some(sum) => sum.add(source, profiles, false)?,
                none => *none = Some(ProfilesSum::new(source, profiles, false)),
            }
        }
        if let Some(calls) = trace.script_calls {
            self.script_calls.get_or_insert_default().add(calls);
        }
        if each {
            let busy = trace.threads.rows.iter().map(|thread| thread.activity.self_time_ns);
            self.each.push(OneTrace {
                input: source.to_string(),
                totals: trace.totals,
                self_time_ns: busy.fold(Nanos(0), plus),
                gpus: trace.gpus,
            });
        }
        Ok(())
    }

    /// The sums: `top` rows of each list, grouped by `by`; if `with_each`, each trace by itself too.
    pub(crate) fn finish(
        self,
        top: Option<usize>,
        by: Option<By>,
        with_each: bool,
    ) -> TracesSummary {
        let mut slices = self.slices.into_rows();
        let own = |slice: &SliceTime| u64::try_from(slice.self_time_ns.0).unwrap_or(0);
        let whole = slices.iter().map(own).fold(0, u64::saturating_add);
        for slice in &mut slices {
            slice.self_percent = Share::of(own(slice), whole);
        }
        let mut operations = self.operations.into_rows();
        operations.order_by_key(|sum| (Reverse(sum.total_time_ns), Reverse(sum.count)));
        slices.order_by_key(|sum| (Reverse(sum.self_time_ns), Reverse(sum.total_time_ns)));
        let by_own = List::of(slices.clone(), top, |slice| slice);
        slices.order_by_key(|sum| (Reverse(sum.total_time_ns), Reverse(sum.self_time_ns)));
        TracesSummary {
            trace_count: self.count,
            totals: self.totals,
            slices: by_own,
            slices_by_total: List::of(slices, Some(top.unwrap_or(SHOWN)), |slice| slice),
            cpu_profiles: self.cpu_profiles.map(|sum| sum.finish(top, with_each).sums),
            script_calls: self.script_calls.map(|sum| sum.finish(top)),
            by,
            operations: List::of(operations, top, |operation| operation),
            each: with_each.then(|| List::of(self.each, None, |trace| trace)),
        }
    }
}

impl TraceTotals {
    fn add(&mut self, other: &TraceTotals) {
        let durations = [self.duration_ns, other.duration_ns].into_iter().flatten();
        self.duration_ns = durations.reduce(plus);
        self.event_count += other.event_count;
        self.process_count += other.process_count;
        self.thread_count += other.thread_count;
        self.slice_count += other.slice_count;
        self.operation_count += other.operation_count;
        self.instant_count += other.instant_count;
        self.flow_count += other.flow_count;
        self.counter_count += other.counter_count;
    }
}

fn plus(a: Nanos, b: Nanos) -> Nanos {
    Nanos(a.0.saturating_add(b.0))
}

impl View for TracesSummary {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let (profiles, calls) = (self.cpu_profiles.as_ref(), self.script_calls.as_ref());
        let count = values("traces", "Traces", [("Traces", self.trace_count.cell())]);
        let mut sections = vec![count, view::totals(&self.totals)];
        if let Some(each) = &self.each {
            sections.push(table("each", "Each trace", each, EACH, usize::MAX));
            sections.extend(each.rows.iter().filter_map(|trace| {
                let gpus = trace.gpus.as_ref()?;
                let title = format!("GPU streams of {}", trace.input).into();
                Some(Section { title, ..view::gpus(gpus, shown) })
            }));
        }
        if self.by.is_none() {
            sections.push(table(
                "slices",
                "Slices by self time",
                &self.slices,
                view::SLICES,
                shown,
            ));
            let (list, title) = (&self.slices_by_total, "Slices by total time");
            sections.push(table("slices_by_total", title, list, view::SLICES, shown));
        }
        sections.extend(view::whose(profiles, calls, self.by, shown));
        if self.by.is_none() {
            sections.push(view::operations(&self.operations, shown));
        }
        sections
    }
}

const EACH: &[Col<OneTrace>] = &[
    Col::new("Trace", |row| row.input.cell()),
    Col::new("Events", |row| row.totals.event_count.cell()),
    Col::new("Slices", |row| row.totals.slice_count.cell()),
    Col::new("In slices", |row| row.self_time_ns.cell()),
    Col::new("Duration", |row| row.totals.duration_ns.cell()),
];
