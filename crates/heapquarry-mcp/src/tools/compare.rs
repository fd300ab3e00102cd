//! What differs between inputs.

use super::{Ask, Context, Varied, args, caveats, count, name, next, sources};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::{RunOptions, report::Unit};
use heapquarry_query::{Diff, Difference, Question, Session};
use serde_json::{Value, json};

args! {
    /// Inputs of one kind.
    struct CompareArgs {}
}

/// So many rows at a time are compared: whoever asks for the rest of a list mostly finds it.
const ROWS: usize = 500;

pub(crate) struct Compare;

impl Ask for Compare {
    const NAME: &'static str = "compare";
    const WHAT: &'static str = "From the first to the last of snapshots of one process, profiles or traces: classes and \
                                objects that grew, functions and slices that got slower.";
    type Args = CompareArgs;
    type Answer = Varied;

    fn ask(
        args: &CompareArgs,
        page: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let (sources, has_changed) = sources(&args.input, context)?;
        let rows = page.offset.saturating_add(page.rows).checked_next_multiple_of(ROWS);
        let diff = Diff::default().top(rows);
        let question = format!("compare {:?} {rows:?}", args.input);
        let answered = context.sessions.remembered(question, &args.input, || {
            context.sessions.with_room(run, |run| diff.ask(&Session::new(sources.clone(), run)))
        })?;
        let (summary, call) = told(&answered.answer.found, args);
        let mut members = Found::members(&answered.answer)?;
        // They are what `leaks` answers, and there are no limits.
        for member in ["findings", "checks"] {
            members.remove(member);
        }
        Ok(Found {
            summary,
            caveats: caveats(has_changed, &answered.caveats),
            members,
            next: call.into_iter().collect(),
        })
    }
}

/// The greatest difference, and what to ask about it.
fn told(found: &Difference, args: &CompareArgs) -> (String, Option<String>) {
    let size = |bytes: i64| Unit::Bytes.format_change(bytes).to_string();
    match found {
        Difference::Heap(heap) => {
            let grown = heap.snapshots.last().map_or(0, |last| last.size_delta.0);
            let most = heap.objects.rows.first();
            let call = most.zip(args.input.last()).map(|(object, last)| {
                next("inspect", json!({ "input": [last], "id": format!("@{}", object.id.0) }))
            });
            let most = most.map_or(String::new(), |object| {
                let grown = size(object.retained_delta.0);
                format!("; {} @{} retains {grown}", name(&object.class_name), object.id.0)
            });
            (format!("the heap changed by {}{most}", size(grown)), call)
        }
        Difference::Profile(profile) => {
            let most = profile.functions.rows.first().map(|row| name(&row.function_name));
            let most =
                most.map_or("no function differs".into(), |most| format!("{most} grew most"));
            (format!("functions by growth of their own {}; {most}", profile.unit), None)
        }
        Difference::Trace(trace) => {
            let lists = serde_json::to_value(trace).unwrap_or(Value::Null);
            let lists = lists.as_object().into_iter().flatten();
            let changed = lists.filter_map(|(_, list)| list.get("changed_count")?.as_u64()).sum();
            (format!("{} slices, threads, counters and the like changed", count(changed)), None)
        }
    }
}
