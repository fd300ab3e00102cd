//! What leaks between snapshots of one process.

use super::{Ask, Context, args, bytes, caveats, count, name, next, sources};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::{RunOptions, report::printable::cut};
use heapquarry_query::{
    Leaks, Question, Session,
    answer::{Bytes, BytesChange, NodeId, SourceLocation},
    heap::leaks::{Confidence, HoldingStep, Leak, LeakGroup, LeakKind, LeaksAnswer, SnapshotSize},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

args! {
    /// Snapshots of one process.
    struct LeaksArgs {
        /// Owners or ways that may grow, such as `Cache.entries`; * matches any text
        #[serde(default)]
        ignore: Vec<String>,
    }
}

/// What leaks.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LeaksFound {
    /// Places that grow in every step, the worst first
    findings: Vec<Finding>,
    growth: BytesChange,
    explained: Bytes,
    snapshots: Vec<Size>,
}

/// A snapshot, in the order of the inputs.
#[derive(Serialize, JsonSchema)]
struct Size {
    size: Bytes,
    node_count: u64,
    /// Of the process, right before.
    #[serde(skip_serializing_if = "Option::is_none")]
    rss: Option<Bytes>,
}

/// A place that grows in every step.
#[derive(Serialize, JsonSchema)]
struct Finding {
    kind: LeakKind,
    confidence: Confidence,
    owner: String,
    way: String,
    container: String,
    /// Of the container, in the last snapshot.
    id: Option<NodeId>,
    leaked: Option<String>,
    /// Of which classes there are more, if there are several, with their numbers.
    groups: Vec<String>,
    counts: Option<Vec<u64>>,
    growth: Bytes,
    steps: Vec<BytesChange>,
    kept_percent: Option<f64>,
    /// Where the objects are made.
    made_at: Option<String>,
    package: Option<String>,
    stored_by: Option<String>,
    held_at: Option<String>,
    also_held_by: Vec<String>,
    /// What usually frees what is held in this way: a guess.
    usual_cure: Option<String>,
    /// What holds the container, and so on.
    path: Vec<String>,
}

/// Columns of a name within a step of a path: the id behind it must not be cut.
const NAME: usize = 40;

pub(crate) struct LeaksOf;

impl Ask for LeaksOf {
    const NAME: &'static str = "leaks";
    const WHAT: &'static str = "What leaks between two heap snapshots of one process, better three, oldest first, with the \
                                same work between them: who holds it, what, how much, where it is made. Ids are of the last.";
    type Args = LeaksArgs;
    type Answer = LeaksFound;

    fn ask(
        args: &LeaksArgs,
        _: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let (sources, has_changed) = sources(&args.input, context)?;
        if args.input.len() < 2 {
            let what = "leaks wants two snapshots or more: what one holds, `top` tells";
            return Err(Failure::new(what));
        }
        let leaks = Leaks::default().ignore(args.ignore.clone());
        let question = format!("leaks {:?} {:?}", args.input, args.ignore);
        let answered = context.sessions.remembered(question, &args.input, || {
            context.sessions.with_room(run, |run| leaks.ask(&Session::new(sources.clone(), run)))
        })?;
        let last = args.input.last().cloned().unwrap_or_default();
        let first = answered.answer.findings.first();
        let id = first.and_then(|leak| leak.container.id);
        let call =
            id.map(|id| next("inspect", json!({ "input": [last], "id": format!("@{}", id.0) })));
        let summary = summary(&answered.answer);
        let LeaksAnswer { findings, growth, explained, snapshots, .. } = answered.answer.clone();
        let findings = findings.into_iter().map(finding).collect();
        let size =
            |of: SnapshotSize| Size { size: of.size, node_count: of.node_count, rss: of.rss };
        let snapshots = snapshots.into_iter().map(size).collect();
        let answer = LeaksFound { findings, growth, explained, snapshots };
        Ok(Found {
            summary,
            caveats: caveats(has_changed, &answered.caveats),
            members: Found::members(&answer)?,
            next: call.into_iter().collect(),
        })
    }
}

fn summary(answer: &LeaksAnswer) -> String {
    let Some(first) = answer.findings.first() else {
        return "nothing grows in every step".into();
    };
    let (number, s) = match answer.findings.len() {
        1 => ("1 place".to_string(), "s"),
        n => (format!("{} places", count(n as u64)), ""),
    };
    let size = bytes(answer.explained.0);
    let leaks = first.headline_of(&name);
    let made = first.made_at.as_ref();
    let made = made.map_or(String::new(), |at| format!(", made at {}", name(&place(at))));
    format!("{number} grow{s} in every step, {size}; first: {leaks}{made}")
}

/// File, line and column.
fn place(at: &SourceLocation) -> String {
    format!("{}:{}", at.place, at.column)
}

fn finding(leak: Leak) -> Finding {
    let what = |at: &Option<SourceLocation>| {
        at.as_ref().map(|at| format!("{} {}", place(at), cut(&at.what, NAME)))
    };
    Finding {
        kind: leak.kind,
        confidence: leak.confidence,
        container: leak.container.class_name,
        id: leak.container.id,
        leaked: leak.leaked,
        groups: if leak.groups.len() > 1 {
            leak.groups.iter().map(group).collect()
        } else {
            Vec::new()
        },
        counts: leak.counts,
        growth: leak.growth,
        steps: leak.steps,
        kept_percent: leak.kept_percent.map(|share| share.percent()),
        made_at: what(&leak.made_at),
        package: leak.made_at.as_ref().and_then(|at| at.package.clone()),
        stored_by: what(&leak.stored_by),
        held_at: what(&leak.held_at),
        also_held_by: leak.also_held_by,
        usual_cure: leak.cure.map(|cure| cure.text),
        path: leak.path.iter().filter(|step| !step.is_storage).map(step).collect(),
        owner: leak.owner,
        way: leak.way,
    }
}

/// A class with its number in each snapshot: `Timeout 200 400 600`.
fn group(group: &LeakGroup) -> String {
    let counts: Vec<String> = group.counts.iter().map(ToString::to_string).collect();
    format!("{} {}", cut(&group.class_name, NAME), counts.join(" "))
}

/// A reference and the object that has it: `sessions of SessionStore @51709`.
fn step(step: &HoldingStep) -> String {
    let id = step.id.map_or(String::new(), |id| format!(" @{}", id.0));
    format!("{} of {}{id}", cut(&step.edge, NAME), cut(&step.class_name, NAME))
}
