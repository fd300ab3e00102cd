//! What inputs are.

use super::{Ask, Context, args, bytes, caveats, count, name, next, only, with_input};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::{RunOptions, engine::Locate};
use heapquarry_query::{
    Question, Summary, SummaryAnswer, profile::summary::ProfileSummary, trace::summary::TraceTotals,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{fs, path::Path};

args! {
    /// Inputs.
    struct OpenArgs {}
}

/// What inputs are.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OpenAnswer {
    files: Vec<OpenedFile>,
    /// Counts and sizes; of one input
    #[serde(skip_serializing_if = "Option::is_none")]
    totals: Option<Map<String, Value>>,
    /// Lists that `top` has, with the number of their rows
    #[serde(skip_serializing_if = "Map::is_empty")]
    lists: Map<String, Value>,
    /// What there is most of
    #[serde(skip_serializing_if = "Vec::is_empty")]
    largest: Vec<Value>,
}

/// An input.
#[derive(Serialize, JsonSchema)]
struct OpenedFile {
    input: String,
    /// What it is, in words.
    format: &'static str,
    /// Size of the file; absent for folders.
    byte_size: Option<u64>,
}

/// Rows of the list that says most.
const LARGEST: usize = 3;

pub(crate) struct Open;

impl Ask for Open {
    const NAME: &'static str = "open";
    const WHAT: &'static str = "First: what files are (heap snapshot, CPU or heap profile, trace), how large, damaged or \
                                not, and what to ask next. One file is read and stays open; several are only recognised.";
    type Args = OpenArgs;
    type Answer = OpenAnswer;

    fn ask(
        args: &OpenArgs,
        _: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let files = args.input.iter().map(|input| file(input, context, run));
        let files = files.collect::<Result<Vec<_>, Failure>>()?;
        if files.len() > 1 {
            return several(args, files);
        }
        let opened = only(&args.input, context, run)?;
        let answered = Summary::default().top(Some(LARGEST)).ask(&opened.session)?;
        let members = Found::members(&answered.answer)?;
        let lists = members.iter().filter_map(|(name, member)| {
            let total = match member {
                Value::Array(rows) => rows.len() as u64,
                _ => member.get("total")?.as_u64()?,
            };
            (total > 0 && member.get("node_count").is_none()).then(|| (name.clone(), total.into()))
        });
        let totals = members.get("totals").and_then(Value::as_object).cloned();
        let (summary, main) = told(&answered.answer);
        let largest = members.get(main).and_then(|list| list["rows"].as_array()).cloned();
        let mut calls = vec![next("top", with_input(&args.input, json!({ "by": main })))];
        if let SummaryAnswer::Heap(heap) = &answered.answer {
            let first = heap.retainers.rows.first().map(|object| {
                let id = format!("@{}", object.id.0);
                next("inspect", with_input(&args.input, json!({ "id": id })))
            });
            calls.extend(first);
        }
        let answer = OpenAnswer {
            files,
            totals,
            lists: lists.filter(|(name, _)| name != "totals").collect(),
            largest: largest.unwrap_or_default(),
        };
        Ok(Found {
            summary,
            caveats: caveats(opened.has_changed, &answered.caveats),
            members: Found::members(&answer)?,
            next: calls,
        })
    }
}

/// What an input is, and the list that says most about it.
fn told(answer: &SummaryAnswer) -> (String, &'static str) {
    match answer {
        SummaryAnswer::Heap(heap) => {
            let most = heap.retainers.rows.first().map_or(String::new(), |object| {
                let (class, size) = (name(&object.class_name), bytes(object.retained_size.0));
                format!("; {class} @{} retains most, {size}", object.id.0)
            });
            let (size, nodes) = (bytes(heap.totals.size.0), count(heap.totals.node_count));
            (format!("heap of {size}, {nodes} nodes{most}"), "retainers")
        }
        SummaryAnswer::Profile(profile) => told_profile(profile),
        SummaryAnswer::Profiles(profiles) => told_profile(&profiles.sums),
        SummaryAnswer::Trace(trace) => told_trace(&trace.totals),
        SummaryAnswer::Traces(traces) => told_trace(&traces.totals),
        SummaryAnswer::Watch(watch) => (watch.verdict.text.clone(), "growth"),
    }
}

fn told_profile(profile: &ProfileSummary) -> (String, &'static str) {
    let most = profile.functions.rows.first();
    let most = most.map_or(String::new(), |row| {
        let share = row.self_percent.map_or(0.0, |share| share.percent());
        format!("; {} takes most itself, {share:.1} %", name(&row.function_name))
    });
    let samples = count(profile.totals.sample_count);
    (format!("{} in {}, {samples} samples{most}", profile.title, profile.unit), "functions")
}

fn told_trace(totals: &TraceTotals) -> (String, &'static str) {
    let (events, threads) = (count(totals.event_count), count(totals.thread_count));
    (format!("trace of {events} events in {threads} threads"), "slices")
}

fn file(input: &str, context: &Context, run: &RunOptions) -> Result<OpenedFile, Failure> {
    let named = context.sessions.named(input)?;
    let format = named.source.locate(run)?.format().describe();
    Ok(OpenedFile { input: input.into(), format, byte_size: size(&named.path) })
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len())
}

/// Inputs that belong together: they are recognised, and read by what compares them.
fn several(args: &OpenArgs, files: Vec<OpenedFile>) -> Result<Found, Failure> {
    let summary = format!("{} inputs", files.len());
    let calls = vec![next("leaks", json!({ "input": args.input }))];
    let answer = OpenAnswer { files, totals: None, lists: Map::new(), largest: Vec::new() };
    let members = Found::members(&answer)?;
    Ok(Found { summary, caveats: Vec::new(), members, next: calls })
}
