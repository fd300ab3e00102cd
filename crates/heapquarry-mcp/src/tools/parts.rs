//! Parts of profiles and traces, as `inspect` tells them: a function with what calls it and what it calls, a slice with
//! what is around and within it.

use super::{
    arguments::{self, Argument},
    name,
};
use crate::{Failure, answer::Page};
use heapquarry::report::Unit;
use heapquarry_query::{
    Explored, Page as Rows, Session,
    answer::{Caveat, List, Share},
    profile::explore::{FunctionAnswer, FunctionOrder},
    trace::explore::SliceAnswer,
};
use serde::Serialize;

/// A function or a slice.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Part {
    Function(Box<FunctionAnswer>),
    Slice(Box<Sliced>),
}

/// A slice, and what it was called with.
#[derive(Serialize)]
pub(super) struct Sliced {
    #[serde(flatten)]
    told: SliceAnswer,
    /// Its arguments, each part that is no list or object by itself; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<List<Argument>>,
}

/// The name of the list of arguments.
const ARGUMENTS: &str = "arguments";

/// Slices among which one of just this name is looked for.
const NAMED: Rows = Rows { offset: 0, top: 100 };

impl Part {
    /// That of a name, or the largest whose name contains it, and what is to be known of the input.
    pub(super) fn named(
        text: &str,
        page: &Page,
        session: &Session,
    ) -> Result<(Self, Vec<Caveat>), Failure> {
        let none = |what| {
            let call = "find {\"name\": \"*\"} lists them";
            Failure::new(format!("there is no {what} {text:?}: {call}"))
        };
        let rows = Rows { offset: page.offset, top: page.rows };
        match session.kind() {
            Some("profile" | "trace") => {}
            _ => {
                return Err(Failure::new(
                    "a name is that of a function of a profile or a slice of a trace; in a heap, name an id or a class",
                ));
            }
        }
        match Explored::open(session)? {
            Explored::Profile(profile) => {
                // Scripts of that name are among them, too.
                let all = Rows { offset: 0, top: usize::MAX };
                let found = profile.functions(None, text, FunctionOrder::Total, false, all)?;
                let found = found.answer.functions.rows;
                let exact = found.iter().find(|row| row.value.function_name == text);
                let part = text.to_lowercase();
                let has_part = |name: &str| name.to_lowercase().contains(&part);
                let named = || found.iter().find(|row| has_part(&row.value.function_name));
                let row = exact.or_else(named).or(found.first());
                let row = row.ok_or_else(|| none("function"))?;
                let answered = profile.function(None, row.function, rows)?;
                Ok((Part::Function(answered.answer.into()), answered.caveats))
            }
            Explored::Trace(trace) => {
                let found = trace.find(text, NAMED).answer.slices.rows;
                let exact = found.iter().find(|row| row.name.as_deref() == Some(text));
                let row = exact.or(found.first()).ok_or_else(|| none("slice"))?;
                let answered = trace.slice(row.slice, rows)?;
                let told = answered.answer;
                // They are not in memory: the trace is read again. Pages of other lists do not need them.
                let wants_them = page.list.as_deref().is_none_or(|list| list == ARGUMENTS);
                let text = match told.slice.has_arguments && wants_them {
                    true => trace.arguments(row.slice)?.answer.arguments,
                    false => None,
                };
                let offset = page.offset_of(ARGUMENTS);
                let arguments = text.map(|text| arguments::rows(&text, offset, page.rows));
                Ok((Part::Slice(Sliced { told, arguments }.into()), answered.caveats))
            }
            Explored::Heap(_) | Explored::Watch(_) => Err(none("function or slice")),
        }
    }

    /// In words.
    pub(super) fn told(&self) -> String {
        match self {
            Part::Function(found) => {
                let value = &found.function.value;
                let percent = |share: Option<Share>| share.map_or(0.0, |share| share.percent());
                let (own, total) = (percent(value.self_percent), percent(value.total_percent));
                let caller = found.callers.rows.first();
                let caller = caller.map_or(String::new(), |caller| {
                    format!("; called most by {}", name(&caller.function_name))
                });
                let called = name(&value.function_name);
                format!("{called} takes {own:.1} % itself, {total:.1} % with what it calls{caller}")
            }
            Part::Slice(found) => {
                let slice = &found.told.slice;
                let called = name(slice.name.as_deref().unwrap_or("a slice without a name"));
                let time = slice.duration_ns.map_or("has no end".into(), |time| {
                    format!("takes {}", Unit::Nanos.format(time.0))
                });
                let function = slice
                    .called
                    .as_ref()
                    .map_or(String::new(), |called| format!(" of {}", name(&called.told())));
                let most = found.told.ran.rows.first().and_then(|ran| ran.name.as_deref());
                let most =
                    most.map_or(String::new(), |most| format!("; most of it is {}", name(most)));
                format!("{called}{function} {time}{most}")
            }
        }
    }
}
