//! What inputs are.

use super::{Ask, Context, args, bytes, caveats, count, name, next, only, with_input};
use crate::{
    Failure,
    answer::{Found, Page},
    recording::{Process, record, remove},
};
use heapquarry::{RunOptions, engine::Locate};
use heapquarry_query::{
    Explored, Question, Session, Summary, SummaryAnswer,
    heap::PREPARED_ROWS,
    process::{
        ProcessMemory, ShortCurve,
        watch::{Advice, WatchVerdict},
    },
    profile::summary::ProfileSummary,
    trace::summary::TraceTotals,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

args! {
    /// Inputs.
    struct OpenArgs {
        /// Captures this Node into the files
        #[serde(default)]
        pid: Option<u32>,
        /// Or the process with its inspector at this port
        #[serde(default)]
        port: Option<u16>,
        /// Time between snapshots, or of a profile
        #[serde(default)]
        seconds: Option<u64>,
    }
}

/// What inputs are.
#[derive(Default, Serialize, JsonSchema)]
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
    /// Resident memory when a snapshot was captured
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<ProcessMemory>,
    #[serde(flatten)]
    watch: Option<Watched>,
}

/// What the memory of a watched process did.
#[derive(Serialize, JsonSchema)]
struct Watched {
    verdict: WatchVerdict,
    advice: Vec<Advice>,
    curves: Vec<ShortCurve>,
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
/// Points of a curve.
const POINTS: usize = 8;

pub(crate) struct Open;

impl Ask for Open {
    const NAME: &'static str = "open";
    const WHAT: &'static str = "First: what files are (heap snapshot, CPU or heap profile, trace, watch), how large, \
                                damaged or not, and what to ask next. One file is read and stays open; several are only \
                                recognised. With pid or port it makes them.";
    const CAPTURES: bool = true;
    type Args = OpenArgs;
    type Answer = OpenAnswer;

    fn ask(
        args: &OpenArgs,
        _: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let captured = capture(args, context, run)?;
        let found = read(args, context, run, captured.cut);
        if run.cancel.is_cancelled() {
            remove(&captured.files)?;
        }
        found
    }
}

/// What files are, of which the last one may not be whole.
fn read(
    args: &OpenArgs,
    context: &Context,
    run: &RunOptions,
    cut: Option<String>,
) -> Result<Found, Failure> {
    let files = args.input.iter().map(|input| file(input, context, run));
    let files = files.collect::<Result<Vec<_>, Failure>>()?;
    if files.len() > 1 {
        return several(args, files, cut);
    }
    let opened = only(&args.input, context, run)?;
    let answered = Summary::default().top(Some(PREPARED_ROWS)).ask(&opened.session)?;
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
    let largest = members.get(main).and_then(|list| list.get("rows").unwrap_or(list).as_array());
    let largest = largest.map(|rows| rows.iter().take(LARGEST).cloned().collect());
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
        process: match &answered.answer {
            SummaryAnswer::Heap(heap) => heap.process.clone(),
            SummaryAnswer::Isolates(isolates) => isolates.process.clone(),
            _ => None,
        },
        watch: match answered.answer {
            SummaryAnswer::Watch(watch) => Some(Watched {
                verdict: watch.verdict,
                advice: watch.advice,
                curves: curves(&opened.session)?,
            }),
            _ => None,
        },
    };
    let known = caveats(opened.has_changed, &answered.caveats);
    Ok(Found {
        summary,
        caveats: cut.into_iter().chain(known).collect(),
        members: Found::members(&answer)?,
        next: calls,
    })
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
        SummaryAnswer::Isolates(found) => {
            let totals = &found.totals;
            let (size, nodes) = (bytes(totals.size.0), count(totals.node_count));
            let isolates = count(totals.isolate_count);
            (format!("{isolates} isolates of a process, {size}, {nodes} nodes"), "isolates")
        }
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

/// The longest time of a capture, and between two, in seconds: a day.
const MOST_SECONDS: u64 = 86_400;

/// What was captured for a call.
#[derive(Default)]
struct Captured {
    files: Vec<PathBuf>,
    /// Why the last one is not whole.
    cut: Option<String>,
}

/// Captures a process into the inputs, if one is named.
fn capture(args: &OpenArgs, context: &Context, run: &RunOptions) -> Result<Captured, Failure> {
    let process = match (args.pid, args.port) {
        (None, None) if args.seconds.is_some() => {
            return Err(Failure::new("seconds are those of a capture: name a pid or a port, too"));
        }
        (None, None) => return Ok(Captured::default()),
        (Some(pid), None) => Process::Id(pid),
        (None, Some(port)) => Process::Port(port),
        (Some(_), Some(_)) => return Err(Failure::new("name either a pid or a port")),
    };
    if !context.captures {
        let what = "no process may be captured here: that needs a server that is started with --allow-capture; without \
                    pid and port, open reads files that are there";
        return Err(Failure::new(what));
    }
    if args.seconds.is_some_and(|seconds| seconds > MOST_SECONDS) {
        return Err(Failure::new(format!("seconds are at most {MOST_SECONDS}")));
    }
    let files = args.input.iter().map(|input| context.sessions.output(input));
    let files = files.collect::<Result<Vec<_>, Failure>>()?;
    if let Some(twice) = (1..files.len()).find(|&at| files[..at].contains(&files[at])) {
        return Err(Failure::new(format!("{} is named twice", args.input[twice])));
    }
    let cut = record(process, &files, args.seconds.map(Duration::from_secs), run)?;
    let done = files.iter().filter(|file| file.exists()).count();
    if let Some(why) = cut.as_ref().filter(|_| done < files.len()) {
        return Err(Failure::new(format!(
            "only {done} of {} files are captured: {why}",
            files.len()
        )));
    }
    let cut = cut.map(|why| format!("the capture is not whole: {why}"));
    Ok(Captured { files, cut })
}

fn curves(session: &Session) -> Result<Vec<ShortCurve>, Failure> {
    Ok(match Explored::open(session)? {
        Explored::Watch(watch) => watch.short_curves(POINTS),
        _ => Vec::new(),
    })
}

fn file(input: &str, context: &Context, run: &RunOptions) -> Result<OpenedFile, Failure> {
    let named = context.sessions.named(input)?;
    let format = match named.source.recording(run)? {
        Some(_) => "watch of a process",
        None => named.source.locate(run)?.format().describe(),
    };
    Ok(OpenedFile { input: input.into(), format, byte_size: size(&named.path) })
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len())
}

/// Inputs that belong together: they are recognised, and read by what compares them.
fn several(args: &OpenArgs, files: Vec<OpenedFile>, cut: Option<String>) -> Result<Found, Failure> {
    let summary = format!("{} inputs", files.len());
    let calls = vec![next("leaks", json!({ "input": args.input }))];
    let answer = OpenAnswer { files, ..OpenAnswer::default() };
    let members = Found::members(&answer)?;
    Ok(Found { summary, caveats: cut.into_iter().collect(), members, next: calls })
}
