//! The summary of a trace for people.

use super::answer::{
    Activity, CounterSeries, CpuActivity, GpuActivity, OperationTime, ProcessActivity,
    ScheduledThread, SliceTime, ThreadActivity, TraceSummary, TraceTotals,
};
use crate::{
    By,
    answer::{List, NumberOrText},
    profile::summary::{ProfileSummary, view::of_trace},
    trace::calls::{self, ScriptCalls},
    view::{Col, Shown, View, issues, table, values},
};
use heapquarry_report::{Cell, Section, Unit};

impl View for TraceSummary {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let whose = whose(self.cpu_profiles.as_ref(), self.script_calls.as_ref(), self.by, shown);
        if self.by.is_some() {
            return [totals(&self.totals)].into_iter().chain(whose).collect();
        }
        let mut sections = vec![
            totals(&self.totals),
            processes(&self.processes, shown),
            threads(&self.threads, shown),
        ];
        let cpus = self.cpus.iter().map(|list| cpus(list, shown));
        let scheduled = self.scheduled_threads.iter().map(|list| scheduled(list, shown));
        sections.extend(cpus.chain(scheduled));
        sections.extend(self.gpus.iter().map(|list| gpus(list, shown)));
        sections.push(table("slices", "Slices by self time", &self.slices, SLICES, shown));
        let by_total = ("slices_by_total", "Slices by total time");
        sections.push(table(by_total.0, by_total.1, &self.slices_by_total, SLICES, shown));
        sections.extend(whose);
        sections.extend([
            operations(&self.operations, shown),
            counters(&self.counters, shown),
            issues(&self.issues),
        ]);
        sections
    }
}

/// Whose time it is: as CPU profiles tell, and calls of scripts; by what is asked for as one of them tells.
pub(crate) fn whose(
    profiles: Option<&ProfileSummary>,
    calls: Option<&ScriptCalls>,
    by: Option<By>,
    shown: usize,
) -> Vec<Section> {
    let calls = calls.filter(|_| by.is_none() || profiles.is_none());
    let mut sections: Vec<Section> =
        calls.into_iter().flat_map(|calls| calls::view::sections(calls, by, shown)).collect();
    sections.extend(profiles.into_iter().flat_map(|profiles| of_trace(profiles, shown)));
    sections
}

pub(crate) fn totals(totals: &TraceTotals) -> Section {
    let rows = [
        ("Duration", totals.duration_ns.cell()),
        ("Events", totals.event_count.cell()),
        ("Processes", totals.process_count.cell()),
        ("Threads", totals.thread_count.cell()),
        ("Slices", totals.slice_count.cell()),
        ("Asynchronous operations", totals.operation_count.cell()),
        ("Instants", totals.instant_count.cell()),
        ("Flows", totals.flow_count.cell()),
        ("Counter series", totals.counter_count.cell()),
    ];
    values("totals", "Trace", rows)
}

pub(crate) fn processes(list: &List<ProcessActivity>, shown: usize) -> Section {
    table("processes", "Processes", list, PROCESSES, shown)
}

pub(crate) fn threads(list: &List<ThreadActivity>, shown: usize) -> Section {
    table("threads", "Threads", list, THREADS, shown)
}

pub(crate) fn cpus(list: &List<CpuActivity>, shown: usize) -> Section {
    table("cpus", "CPUs", list, CPUS, shown)
}

pub(crate) fn scheduled(list: &List<ScheduledThread>, shown: usize) -> Section {
    table("scheduled_threads", "Threads on CPUs", list, SCHEDULED, shown)
}

pub(crate) fn gpus(list: &List<GpuActivity>, shown: usize) -> Section {
    table("gpus", "GPU streams", list, GPUS, shown)
}

pub(crate) fn operations(list: &List<OperationTime>, shown: usize) -> Section {
    table("operations", "Asynchronous operations by total time", list, OPERATIONS, shown)
}

pub(crate) fn counters(list: &List<CounterSeries>, shown: usize) -> Section {
    table("counters", "Counters", list, COUNTERS, shown)
}

/// An id is no count: its digits are not grouped.
fn id(id: &Option<NumberOrText>) -> Cell {
    match id {
        Some(NumberOrText::Number(number)) => Cell::Number(*number, Unit::Plain),
        id => id.cell(),
    }
}

/// Columns of a process or thread: its own, then those of its events.
macro_rules! with_activity {
    ($($column:expr),+ $(,)?) => {
        &[
            $($column,)+
            Col::new("Events", |row| activity(row).event_count.cell()),
            Col::new("Slices", |row| activity(row).slice_count.cell()),
            Col::new("In slices", |row| activity(row).self_time_ns.cell()),
            Col::optional("Duration", |row| activity(row).duration_ns.cell()),
        ]
    };
}

trait HasActivity {
    fn activity(&self) -> &Activity;
}

impl HasActivity for ProcessActivity {
    fn activity(&self) -> &Activity {
        &self.activity
    }
}

impl HasActivity for ThreadActivity {
    fn activity(&self) -> &Activity {
        &self.activity
    }
}

fn activity(row: &impl HasActivity) -> &Activity {
    row.activity()
}

const PROCESSES: &[Col<ProcessActivity>] = with_activity![
    Col::new("Process", |row| row.process_name.cell()),
    Col::new("Pid", |row| id(&row.pid)),
    Col::optional("Labels", |row| row.labels.cell()),
    Col::new("Threads", |row| row.thread_count.cell()),
];

const THREADS: &[Col<ThreadActivity>] = with_activity![
    Col::new("Thread", |row| row.thread_name.cell()),
    Col::new("Tid", |row| id(&row.tid)),
    Col::optional("Process", |row| row.process_name.cell()),
    Col::new("Pid", |row| id(&row.pid)),
];

const CPUS: &[Col<CpuActivity>] = &[
    Col::new("CPU", |row| Cell::Number(row.cpu.into(), Unit::Plain)),
    Col::new("Switches", |row| row.switch_count.cell()),
    Col::new("Busy", |row| row.busy_ns.cell()),
    Col::optional("Share", |row| row.busy_percent.cell()),
];

const SCHEDULED: &[Col<ScheduledThread>] = &[
    Col::new("Thread", |row| row.thread_name.cell()),
    Col::new("Tid", |row| Cell::Number(row.tid.into(), Unit::Plain)),
    Col::optional("Process", |row| row.process_name.cell()),
    Col::optional("Pid", |row| id(&row.pid)),
    Col::new("Times", |row| row.run_count.cell()),
    Col::new("Running", |row| row.running_ns.cell()),
    Col::new("Ready", |row| row.ready_ns.cell()),
    Col::optional("Longest", |row| row.longest_ready_ns.cell()),
    Col::new("Blocked", |row| row.blocked_ns.cell()),
];

const GPUS: &[Col<GpuActivity>] = &[
    Col::new("Device", |row| row.process_name.cell()),
    Col::new("Stream", |row| row.thread_name.cell()),
    Col::new("Kernels", |row| row.count.cell()),
    Col::new("Busy", |row| row.busy_ns.cell()),
    Col::new("Idle", |row| row.idle_ns.cell()),
    Col::new("Gaps", |row| row.gap_count.cell()),
    Col::new("p95 gap", |row| row.gap_p95_ns.cell()),
    Col::new("Longest gap", |row| row.longest_gap_ns.cell()),
];

pub(crate) const SLICES: &[Col<SliceTime>] = &[
    Col::new("Name", |row| row.name.cell()),
    Col::optional("Category", |row| row.category.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::new("Self", |row| row.self_time_ns.cell()),
    Col::optional("Share", |row| row.self_percent.cell()),
    Col::new("Total", |row| row.total_time_ns.cell()),
    Col::optional("Longest", |row| row.longest_ns.cell()),
];

const OPERATIONS: &[Col<OperationTime>] = &[
    Col::new("Name", |row| row.name.cell()),
    Col::optional("Category", |row| row.category.cell()),
    Col::new("Count", |row| row.count.cell()),
    Col::optional("Unfinished", |row| row.unended_count.cell()),
    Col::new("Total", |row| row.total_time_ns.cell()),
    Col::optional("Longest", |row| row.longest_ns.cell()),
];

const COUNTERS: &[Col<CounterSeries>] = &[
    Col::new("Counter", |row| row.counter_name.cell()),
    Col::optional("Id", |row| row.id.cell()),
    Col::new("Series", |row| row.series.cell()),
    Col::optional("Process", |row| row.process_name.cell()),
    Col::optional("Pid", |row| id(&row.pid)),
    Col::new("Values", |row| row.count.cell()),
    Col::new("Min", |row| row.min.cell()),
    Col::new("Max", |row| row.max.cell()),
    Col::new("Last", |row| row.last.cell()),
];
