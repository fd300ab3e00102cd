//! The lists of a summary.

use super::{Ask, Context, Varied, args, caveats, count, next, only, with_input};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::RunOptions;
use heapquarry_query::{By, Question, Summary, SummaryAnswer, heap::PREPARED_ROWS};
use serde_json::{Map, Value, json};

args! {
    /// A list of one input.
    struct TopArgs {
        /// Heap: retainers, classes, packages, scripts, duplicate_strings, detached, statistics, kept,
        /// unread_variables, native_contexts. Profile: functions, functions_by_total, packages, urls. Trace: slices,
        /// slices_by_total, threads, processes, operations, counters, cpus, scheduled_threads, gpus, functions
        #[serde(default)]
        by: Option<String>,
    }
}

pub(crate) struct Top;

impl Ask for Top {
    const NAME: &'static str = "top";
    const WHAT: &'static str = "What takes most in a heap, profile or trace: one list, the largest first. Ids are for \
                                inspect.";
    type Args = TopArgs;
    type Answer = Varied;

    fn ask(
        args: &TopArgs,
        page: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let opened = only(&args.input, context, run)?;
        // The cursor names the list, too.
        let by = page.list.as_deref().or(args.by.as_deref());
        let owners = owners(by);
        // What is prepared, or a multiple of it: the rest of a list is there when it is asked for.
        let rows = page.offset.saturating_add(page.rows).checked_next_multiple_of(PREPARED_ROWS);
        let answered = Summary::default().top(rows).by(owners).ask(&opened.session)?;
        let (default, kind) = match &answered.answer {
            SummaryAnswer::Heap(_) => ("retainers", "heap"),
            SummaryAnswer::Profile(_) | SummaryAnswer::Profiles(_) => ("functions", "profile"),
            SummaryAnswer::Trace(_) | SummaryAnswer::Traces(_) => ("slices", "trace"),
            SummaryAnswer::Isolates(_) => ("isolates", "process"),
            SummaryAnswer::Watch(_) => ("growth", "watch"),
        };
        let by = by.unwrap_or(default);
        let lists = lists(Found::members(&answered.answer)?, by);
        let Some(list) = lists.get(by) else {
            let mut known: Vec<&str> = lists.keys().map(String::as_str).collect();
            if kind == "heap" {
                known.extend(OWNERS.map(|(name, _)| name));
            }
            let known = known.join(", ");
            return Err(Failure::new(format!("no list {by:?} of a {kind}: by is one of {known}")));
        };
        let total = match list {
            Value::Array(rows) => rows.len() as u64,
            _ => list["total"].as_u64().unwrap_or(0),
        };
        let first = list.get("rows").unwrap_or(list).get(0);
        let id = first.and_then(|row| row["id"].as_i64()).filter(|_| kind == "heap");
        let call = id
            .map(|id| next("inspect", with_input(&args.input, json!({ "id": format!("@{id}") }))));
        let mut members = Map::new();
        members.insert(by.into(), list.clone());
        Ok(Found {
            summary: format!(
                "{} {} of the {kind}, the largest first",
                count(total),
                by.replace('_', " ")
            ),
            caveats: caveats(opened.has_changed, &answered.caveats),
            members,
            next: call.into_iter().collect(),
        })
    }
}

/// Lists of a heap that a summary has only if they are asked for.
const OWNERS: [(&str, By); 2] = [("packages", By::Package), ("scripts", By::Script)];

fn owners(by: Option<&str>) -> Option<By> {
    OWNERS.into_iter().find(|(name, _)| Some(*name) == by).map(|(_, by)| by)
}

/// The lists among the members of a summary, with those of the CPU profiles in a trace. Owners have the name that they
/// were asked for by.
fn lists(members: Map<String, Value>, by: &str) -> Map<String, Value> {
    let mut lists = Map::new();
    for (name, member) in members {
        match member {
            Value::Array(_) => drop(lists.insert(name, member)),
            Value::Object(inner) if name == "cpu_profiles" => {
                for (name, list) in self::lists(inner, by) {
                    lists.entry(name).or_insert(list);
                }
            }
            Value::Object(mut inner) if name == "owners" => {
                lists.extend(inner.remove("owners").map(|list| (by.into(), list)));
            }
            Value::Object(ref list) if list.contains_key("rows") => {
                drop(lists.insert(name, member))
            }
            _ => {}
        }
    }
    lists
}
