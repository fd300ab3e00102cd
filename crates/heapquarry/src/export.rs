//! CPU and sampling heap profiles in the formats of viewers.

use crate::{BatchOptions, Error, ErrorKind, Result, batches};
use arrow_array::{Int32Array, Int64Array, RecordBatch, StringArray, cast::AsArray};
use heapquarry_tables::{
    JS_CPU_PROFILER_NODE, JS_CPU_PROFILER_SAMPLE, JS_HEAP_SAMPLING_NODE, Table,
};
use serde_json::json;
use std::{
    collections::HashMap,
    io::{self, Write},
    path::Path,
};

/// A format that viewers read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Stacks with their weights, one in each line, as flamegraph.pl and inferno take them.
    Collapsed,
    /// The file format of <https://www.speedscope.app>.
    Speedscope,
}

/// The tree of a profile.
#[derive(Default)]
struct Profile {
    names: Vec<String>,
    urls: Vec<String>,
    lines: Vec<Option<i32>>,
    /// -1 for none.
    parents: Vec<i64>,
    ids: HashMap<i64, usize>,
    /// Self time in microseconds, or self size in bytes.
    weights: Vec<i64>,
    /// Nodes and durations of the samples.
    samples: Vec<(usize, i64)>,
    sampled: Vec<(i64, i64)>,
    is_heap: bool,
}

/// Writes a profile for a viewer. Of a CPU profile weights are microseconds, of a sampling heap profile bytes.
///
/// # Errors
/// If the input cannot be read, is no such profile, or `out` cannot be written: [`ErrorKind::NotThere`] and the others say
/// which.
pub fn export(path: impl AsRef<Path>, to: Viewer, out: &mut dyn Write) -> Result<()> {
    let path = path.as_ref();
    let mut profile = Profile::default();
    batches(path, BatchOptions::default(), |table, batch| {
        profile.take(table, &batch);
        Ok::<_, Error>(())
    })?;
    if profile.names.is_empty() {
        let what = "CPU profile or sampling heap profile with nodes".into();
        return Err(Error::new(ErrorKind::NotThere { path: path.into(), what }));
    }
    profile.resolve();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let written = match to {
        Viewer::Collapsed => profile.collapsed(out),
        Viewer::Speedscope => profile.speedscope(&name, out),
    };
    written.map_err(|source| {
        Error::new(ErrorKind::Input { path: path.into(), doing: "export", source })
    })
}

impl Profile {
    fn take(&mut self, table: &'static Table, batch: &RecordBatch) {
        let (id, weight) = if *table == JS_CPU_PROFILER_NODE {
            ("function_id", "self_time_us")
        } else if *table == JS_HEAP_SAMPLING_NODE {
            self.is_heap = true;
            ("node_id", "self_size")
        } else if *table == JS_CPU_PROFILER_SAMPLE {
            ("function_id", "dur_us")
        } else {
            return;
        };
        let batch = table.expand(batch).expect("names of a profile take less than 2 GiB");
        let column = |name: &str| batch.column(table.column(name).expect("it is declared"));
        let ints = |name: &str| -> &Int64Array { column(name).as_primitive() };
        if *table == JS_CPU_PROFILER_SAMPLE {
            let rows = ints(id).iter().zip(ints(weight));
            self.sampled.extend(rows.filter_map(|(id, time)| Some((id?, time.unwrap_or(0)))));
            return;
        }
        let texts = |name: &str| -> Vec<String> {
            let texts: &StringArray = column(name).as_string();
            texts.iter().map(|text| text.unwrap_or_default().into()).collect()
        };
        for (row, id) in (self.names.len()..).zip(ints(id)) {
            if let Some(id) = id {
                self.ids.entry(id).or_insert(row);
            }
        }
        self.names.extend(texts("function_name"));
        self.urls.extend(texts("url"));
        let lines: &Int32Array = column("line_number").as_primitive();
        self.lines.extend(lines.iter());
        self.parents.extend(ints("parent_index").iter().map(|parent| parent.unwrap_or(-1)));
        self.weights.extend(ints(weight).iter().map(|weight| weight.unwrap_or(0)));
        debug_assert_eq!(self.weights.len(), self.parents.len());
    }

    /// Samples by the positions of their nodes.
    fn resolve(&mut self) {
        let ids = &self.ids;
        let sampled = std::mem::take(&mut self.sampled).into_iter();
        self.samples = sampled.filter_map(|(id, time)| Some((*ids.get(&id)?, time))).collect();
    }

    fn parent(&self, node: usize) -> Option<usize> {
        usize::try_from(self.parents[node]).ok()
    }

    /// The nodes of a stack, the outermost first.
    fn stack(&self, node: usize) -> Vec<usize> {
        let mut stack: Vec<_> =
            std::iter::successors(Some(node), |&node| self.parent(node)).collect();
        stack.reverse();
        stack
    }

    fn name(&self, node: usize) -> &str {
        if self.names[node].is_empty() { "(anonymous)" } else { &self.names[node] }
    }

    /// A frame as one word of a line: what would end it is replaced.
    fn word(&self, node: usize) -> String {
        let mut word = self.name(node).to_string();
        if !self.urls[node].is_empty() {
            word += &format!(" ({}:{})", self.urls[node], self.lines[node].unwrap_or(-1) + 1);
        }
        word.replace(';', ":").replace(|c: char| c.is_control(), " ")
    }

    fn collapsed(&self, out: &mut dyn Write) -> io::Result<()> {
        for node in (0..self.names.len()).filter(|&node| self.weights[node] > 0) {
            let stack: Vec<_> = self.stack(node).into_iter().map(|node| self.word(node)).collect();
            writeln!(out, "{} {}", stack.join(";"), self.weights[node])?;
        }
        out.flush()
    }

    fn speedscope(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        // Frames that are alike are one.
        let mut numbers = HashMap::new();
        let mut frames = Vec::new();
        let frame_of: Vec<usize> = (0..self.names.len())
            .map(|node| {
                let key = (self.name(node), self.urls[node].as_str(), self.lines[node]);
                *numbers.entry(key).or_insert_with(|| {
                    let mut frame = json!({"name": key.0});
                    if !key.1.is_empty() {
                        frame["file"] = key.1.into();
                    }
                    if let Some(line) = key.2.filter(|line| *line >= 0) {
                        frame["line"] = (i64::from(line) + 1).into();
                    }
                    frames.push(frame);
                    frames.len() - 1
                })
            })
            .collect();
        // Heap profiles have no order of time: each node once.
        let all = || (0..self.names.len()).map(|node| (node, self.weights[node]));
        let samples: Vec<(usize, i64)> = match self.samples.is_empty() {
            true => all().filter(|(_, weight)| *weight > 0).collect(),
            false => self.samples.clone(),
        };
        let unit = if self.is_heap { "bytes" } else { "microseconds" };
        let total = samples.iter().fold(0i64, |sum, (_, weight)| sum.saturating_add(*weight));
        write!(
            out,
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"heapquarry {}","name":{},"shared":{{"frames":{}}},"profiles":[{{"type":"sampled","name":{},"unit":"{unit}","startValue":0,"endValue":{total},"samples":["#,
            env!("CARGO_PKG_VERSION"),
            json!(name),
            json!(frames),
            json!(name),
        )?;
        for (i, (node, _)) in samples.iter().enumerate() {
            let stack: Vec<_> = self.stack(*node).into_iter().map(|node| frame_of[node]).collect();
            write!(out, "{}{}", if i > 0 { "," } else { "" }, json!(stack))?;
        }
        let weights: Vec<_> = samples.iter().map(|(_, weight)| weight).collect();
        writeln!(out, r#"],"weights":{}}}]}}"#, json!(weights))?;
        out.flush()
    }
}
