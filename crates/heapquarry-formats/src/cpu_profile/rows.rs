//! Rows of a CPU profile: lines first, then samples, and last the nodes, because their times are sums over the samples.

use super::{
    recording::Recording,
    samples::{Block, Samples},
    spread::Spread,
};
use crate::{
    Claim, Code, Input, Log, ReadOptions, Result, Summary, document,
    json::NONE,
    profile::{Index, Nodes, Numbers, add, int32, int64, numbers, status},
};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use heapquarry_tables::{
    FileId, JS_CPU_PROFILER_FILES, JS_CPU_PROFILER_INFO, JS_CPU_PROFILER_NODE,
    JS_CPU_PROFILER_SAMPLE, JS_CPU_PROFILER_TICK, JS_CPU_PROFILER_TRACE_ID, Table, Type, arrays,
    js_cpu_profiler_files, js_cpu_profiler_info, js_cpu_profiler_node, js_cpu_profiler_sample,
    js_cpu_profiler_tick, js_cpu_profiler_trace_id,
};
use std::{ops::Range, sync::Arc};

/// The rows of one row group.
#[derive(Debug)]
pub struct Task {
    file_id: FileId,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Ticks { nodes: Vec<i64>, lines: Vec<i64>, ticks: Vec<i64> },
    Samples(Block),
    Nodes(Arc<Weighed>, Range<usize>),
}

/// Nodes with their sums.
#[derive(Debug)]
struct Weighed {
    nodes: Nodes,
    total_hits: Numbers,
    self_times: Numbers,
    total_times: Numbers,
}

impl Task {
    fn table(&self) -> &'static Table {
        match self.work {
            Work::Ticks { .. } => &JS_CPU_PROFILER_TICK,
            Work::Samples(_) => &JS_CPU_PROFILER_SAMPLE,
            Work::Nodes(..) => &JS_CPU_PROFILER_NODE,
        }
    }
}

impl document::Task for Task {
    type Done = ();
    type Scratch = ();

    fn tables(&self) -> Vec<&'static Table> {
        vec![self.table()]
    }

    fn decode(self, _: &[u8], (): &mut (), rows: &mut document::Rows<'_>) {
        let table = self.table();
        let batch = match self.work {
            Work::Ticks { nodes, lines, ticks } => js_cpu_profiler_tick::Columns {
                file_id: self.file_id.column(nodes.len()),
                function_id: int64(nodes),
                line_number: int32(lines.into_iter()),
                ticks: int64(ticks),
            }
            .into_batch(),
            Work::Samples(block) => samples(self.file_id, block),
            Work::Nodes(weighed, rows) => weighed.rows(self.file_id, &rows),
        };
        rows.add(table, batch);
    }
}

fn samples(file_id: FileId, block: Block) -> RecordBatch {
    let rows = block.ids.len();
    js_cpu_profiler_sample::Columns {
        file_id: file_id.column(rows),
        sample_index: Arc::new(Int64Array::from_iter_values(
            block.first..block.first + rows as i64,
        )),
        function_id: int64(block.ids),
        ts_us: int64(block.times),
        delta_us: int64(block.deltas),
        dur_us: int64(block.durations),
        line_number: positions(block.lines, rows),
        column_number: positions(block.columns, rows),
    }
    .into_batch()
}

/// Lines or columns that ran, if the file has them.
fn positions(positions: Vec<i64>, rows: usize) -> ArrayRef {
    match positions.is_empty() {
        true => arrays::nulls(Type::Int32, rows),
        false => int32(positions.into_iter()),
    }
}

impl Weighed {
    fn rows(&self, file_id: FileId, rows: &Range<usize>) -> RecordBatch {
        let nodes = &self.nodes;
        let [name, script_id, url, line, column] = nodes.frame_columns(rows);
        let weights = |weights: &Numbers| numbers(weights, rows);
        js_cpu_profiler_node::Columns {
            file_id: file_id.column(rows.len()),
            function_id: nodes.ids(rows),
            function_name: name,
            script_id,
            url,
            line_number: line,
            column_number: column,
            hit_count: weights(&nodes.tree.weights),
            parent_id: nodes.parent_ids(rows),
            depth: nodes.depths(rows),
            deopt_reason: nodes.reasons(rows),
            self_time_us: weights(&self.self_times),
            total_time_us: weights(&self.total_times),
            total_hit_count: weights(&self.total_hits),
            parent_index: nodes.parent_indexes(rows),
            node_index: Nodes::indexes(rows),
            module_name: nodes.modules(rows),
            code_type: nodes.code_types(rows),
            // Source maps tell them, once the document is complete.
            original_name: arrays::nulls(Type::Text, rows.len()),
            original_source: arrays::nulls(Type::Text, rows.len()),
            original_line: arrays::nulls(Type::Int32, rows.len()),
            original_column: arrays::nulls(Type::Int32, rows.len()),
        }
        .into_batch()
    }
}

/// Hands out the row groups.
pub struct Rows<'a> {
    file_id: FileId,
    rows: usize,
    recording: Recording,
    index: Index,
    samples: Option<Samples<'a>>,
    self_times: Numbers,
    /// Number of samples of each node, if the file has no counts.
    counted: Option<Numbers>,
    weighed: Option<Arc<Weighed>>,
    /// Memory of the nodes with their sums, which workers keep until all rows are made.
    bytes: u64,
    next: usize,
    totals: Totals,
}

/// Sums of a profile.
#[derive(Clone, Copy, Debug)]
struct Totals {
    start: i64,
    end: i64,
    nodes: u64,
    samples: u64,
    hits: i64,
    time: i64,
    /// Samples whose duration is not known.
    untimed: u64,
    /// Whether it is not known when the last sample ends.
    is_open: bool,
    /// What times were reckoned from; `None` if they are not known.
    time_source: Option<&'static str>,
}

impl Recording {
    /// Lines with samples, as soon as they fill a row group; at the end, any that are left.
    pub(super) fn take_ticks(
        &mut self,
        file_id: FileId,
        rows: usize,
        at_end: bool,
    ) -> Option<Task> {
        let ticks = &mut self.ticks;
        let count = ticks.nodes.len().min(rows);
        if count == 0 || count < rows && !at_end {
            return None;
        }
        let ids = &self.tree.ids;
        let nodes = ticks.nodes.drain(..count).map(|node| ids.get(node as usize)).collect();
        let work = Work::Ticks {
            nodes,
            lines: ticks.lines.drain(..count).collect(),
            ticks: ticks.ticks.drain(..count).collect(),
        };
        Some(Task { file_id, work })
    }

    /// The row groups, after everything has been read. Samples may still have to be read from `input`.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn into_rows<'a>(
        mut self,
        input: &'a dyn Input,
        file_id: FileId,
        options: &ReadOptions,
    ) -> Result<Rows<'a>> {
        let (start, end) = self.span();
        (self.source.start, self.source.end) = (start, end);
        self.source.wrapped = self.frames.wrapped;
        self.frames.free_lookup();
        let index = Index::new(&self.tree.ids, &mut self.log);
        // What is missing can stand in the part that was not read.
        let samples =
            Samples::new(&self.source, input, options.window, !is_cut(&self.log), &mut self.log)?;
        if samples.spread.is_some() {
            log_spread("samples", &mut self.log);
        }
        let nodes = self.tree.len();
        let counts = self.tree.weights.iter().any(|hits| hits != NONE);
        let missing = self.tree.ids.iter().filter(|&id| id == NONE).count();
        if missing > 0 {
            self.log.add(Code::MissingField, None, || format!("{missing} nodes have no id"));
        }
        Ok(Rows {
            file_id,
            rows: options.row_group_rows.max(1),
            index,
            self_times: Numbers::zeros(nodes),
            counted: (!counts).then(|| Numbers::zeros(nodes)),
            weighed: None,
            bytes: 0,
            next: 0,
            totals: Totals {
                start,
                end,
                nodes: nodes as u64,
                samples: 0,
                hits: 0,
                time: 0,
                untimed: 0,
                is_open: samples.is_open(),
                time_source: samples.source(),
            },
            samples: Some(samples),
            recording: self,
        })
    }
}

impl Totals {
    /// Shares out the time from start to end over hits, of a profile without samples.
    fn share_out(
        &mut self,
        hits: impl Iterator<Item = i64> + Clone,
        self_times: &mut Numbers,
        log: &mut Log,
    ) {
        let hits = hits.map(|hits| hits.max(0));
        let count = hits.clone().fold(0, i64::saturating_add);
        if count == 0 && self.samples == 0 || is_cut(log) {
            return;
        }
        let spread = match self.samples {
            0 => Spread::new(self.start, self.end, count as u64),
            _ => None,
        };
        let Some(spread) = spread else {
            return log.add(Code::MissingField, None, || {
                "samples have no times, and start and end do not say how long they took".into()
            });
        };
        log_spread("hits", log);
        (self.time, self.time_source) = (spread.length(), Some("hits"));
        let mut before = 0;
        for (node, hits) in hits.enumerate() {
            self_times.set(node, spread.duration(before, hits));
            before = before.saturating_add(hits);
        }
    }
}

/// Whether a part of the profile was not read.
fn is_cut(log: &Log) -> bool {
    log.has(Code::Truncated) || log.has(Code::Malformed)
}

/// Logs that the time from start to end was shared out.
fn log_spread(over: &str, log: &mut Log) {
    log.add(Code::SpreadTimes, None, || {
        format!("samples have no times: the time from start to end is shared out over {over}")
    });
}

impl Rows<'_> {
    /// The next row group, or a step towards it.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn claim(&mut self) -> Result<Claim<Task>> {
        let (file_id, rows) = (self.file_id, self.rows);
        if let Some(task) = self.recording.take_ticks(file_id, rows, true) {
            return Ok(Claim::Task(task, 0));
        }
        if let Some(samples) = &mut self.samples {
            let log = &mut self.recording.log;
            if samples.collect(rows, log)? {
                return Ok(Claim::Progress(0));
            }
            if let Some(block) = samples.next(rows, log)? {
                self.attribute(&block);
                return Ok(Claim::Task(Task { file_id, work: Work::Samples(block) }, 0));
            }
            self.samples = None;
            self.compute_sums();
        }
        let Some(weighed) = &self.weighed else { return Ok(Claim::End) };
        let range = self.next..(self.next + rows).min(self.totals.nodes as usize);
        if range.is_empty() {
            self.weighed = None;
            return Ok(Claim::End);
        }
        self.next = range.end;
        Ok(Claim::Task(Task { file_id, work: Work::Nodes(weighed.clone(), range) }, 0))
    }

    /// Adds samples to their nodes.
    fn attribute(&mut self, block: &Block) {
        self.totals.samples += block.ids.len() as u64;
        for (row, (&id, &duration)) in (block.first..).zip(block.ids.iter().zip(&block.durations)) {
            self.totals.untimed += u64::from(duration == NONE);
            let duration = if duration == NONE { 0 } else { duration };
            add(&mut self.totals.time, duration, "sampled_time_us", &mut self.recording.log);
            let Some(node) = self.index.node(id) else {
                if id != NONE {
                    self.recording.log.add(Code::UnknownNode, None, || {
                        format!("sample {row} (counted from 0) names a node {id} that is not there")
                    });
                }
                continue;
            };
            let log = &mut self.recording.log;
            self.self_times.add(node as usize, duration, "self_time_us", log);
            if let Some(counted) = &mut self.counted {
                counted.add(node as usize, 1, "hit_count", log);
            }
        }
    }

    /// Computes the sums of the nodes.
    fn compute_sums(&mut self) {
        let recording = &mut self.recording;
        let calls = recording.tree.calls(&self.index, &mut recording.log);
        self.index = Index::Dense(Vec::new());
        let mut tree = std::mem::take(&mut recording.tree);
        if let Some(counted) = self.counted.take() {
            tree.weights = counted;
        }
        let log = &mut recording.log;
        let hits =
            || tree.weights.range(0..tree.len()).map(|hits| if hits == NONE { 0 } else { hits });
        hits().for_each(|hits| add(&mut self.totals.hits, hits, "hit_count", log));
        let total_hits = calls.totals(hits(), "total_hit_count", log);
        let mut self_times = std::mem::take(&mut self.self_times);
        if self.totals.time_source.is_none() {
            self.totals.share_out(hits(), &mut self_times, log);
        }
        let total_times = calls.totals(self_times.iter(), "total_time_us", log);
        let nodes = Nodes::new(tree, calls, std::mem::take(&mut recording.frames));
        self.bytes = nodes.memory();
        self.weighed = Some(Arc::new(Weighed { nodes, total_hits, self_times, total_times }));
    }

    /// Memory of the profile, in bytes, about.
    pub(crate) fn memory(&self) -> u64 {
        let samples = self.samples.as_ref().map_or(0, Samples::memory);
        self.recording.memory() + samples + self.bytes
    }

    /// The rows for the whole profile, and its summary, after the end of [`Rows::claim`].
    pub fn finish(self, name: &str, bytes: u64) -> (Vec<(&'static Table, RecordBatch)>, Summary) {
        let Rows { file_id, recording, mut totals, .. } = self;
        // Without an end, the last sample has no duration.
        totals.untimed = totals.untimed.saturating_sub(u64::from(totals.is_open));
        let Recording { facts, trace_ids, origin, log, .. } = recording;
        let int = |value: i64| int64(vec![value]);
        let is_in_trace = origin.is_some();
        let origin = origin.unwrap_or_default();
        let optional = |value: Option<i64>| int(value.unwrap_or(NONE));
        let nanos = |time: i64| {
            let start = origin.start.or_else(|| totals.start.checked_mul(1000));
            let after = time.checked_sub(totals.start)?.checked_mul(1000)?;
            let known = is_in_trace && time != NONE && totals.start != NONE;
            start.filter(|_| known)?.checked_add(after)
        };
        let files = js_cpu_profiler_files::Columns {
            file_id: file_id.column(1),
            file_name: arrays::text([Some(name)]),
            start_time_us: int(totals.start),
            end_time_us: int(totals.end),
            node_count: int(totals.nodes as i64),
            sample_count: int(totals.samples as i64),
            hit_count: int(totals.hits),
            sampled_time_us: int(totals.time),
            start_time_ns: optional(nanos(totals.start)),
            end_time_ns: optional(nanos(totals.end)),
            trace_file_id: int32(
                [if is_in_trace { origin.trace_file_id.0.into() } else { NONE }].into_iter(),
            ),
            trace_event_index: optional(origin.event.map(|event| event as i64)),
            profile_id: arrays::text([origin.id]),
            pid: optional(origin.pid),
            pid_text: arrays::text([origin.pid_text]),
            tid: optional(origin.tid),
            tid_text: arrays::text([origin.tid_text]),
            time_source: arrays::text([totals.time_source]),
            untimed_sample_count: int(totals.untimed as i64),
        }
        .into_batch();
        let ark = facts.iter().any(|fact| fact.key == "aotTime" || fact.key == "arkuiEngineTime");
        let info = js_cpu_profiler_info::Columns {
            file_id: FileId::columns(facts.iter().map(|_| file_id)),
            key: arrays::text(facts.iter().map(|fact| Some(&fact.key))),
            int_value: Arc::new(facts.iter().map(|fact| fact.int).collect::<Int64Array>()),
            str_value: arrays::text(facts.iter().map(|fact| fact.text.as_ref())),
        };
        let stacks = js_cpu_profiler_trace_id::Columns {
            file_id: FileId::columns(trace_ids.iter().map(|_| file_id)),
            trace_id: Arc::new(Int64Array::from_iter_values(trace_ids.iter().map(|&(id, _)| id))),
            function_id: int64(trace_ids.iter().map(|&(_, node)| node).collect()),
        };
        let batches = vec![
            (&JS_CPU_PROFILER_FILES, files),
            (&JS_CPU_PROFILER_INFO, info.into_batch()),
            (&JS_CPU_PROFILER_TRACE_ID, stacks.into_batch()),
        ];
        let summary = Summary {
            name: None,
            format: "cpuprofile",
            producer: ark.then_some("ark"),
            bytes,
            status: status(&log),
            counts: vec![("nodes", totals.nodes), ("samples", totals.samples)],
            log,
        };
        (batches, summary)
    }
}
