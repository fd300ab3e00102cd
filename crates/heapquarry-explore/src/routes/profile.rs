//! What can be asked of a profile.

use super::{answered, failed, needed, numbers, page, parameters, read, width};
use crate::response::Response;
use heapquarry_query::{
    ProfileExplorer,
    profile::explore::{ChangeOrder, FunctionOrder, TimeRange},
};
use serde::Deserialize;

parameters! {
    paged Functions {
        thread: usize = 0,
        from: Option<i64> = None,
        to: Option<i64> = None,
        filter: String = String::new(),
        sort: FunctionOrder = FunctionOrder::default(),
        ascending: bool = false,
    }
}
parameters! {
    paged Changes {
        filter: String = String::new(),
        sort: ChangeOrder = ChangeOrder::default(),
        ascending: bool = false,
    }
}
parameters! {
    paged Part {
        thread: usize = 0,
        from: Option<i64> = None,
        to: Option<i64> = None,
        function: Option<u32> = None,
        call: u32 = 0,
        way: String = String::new(),
    }
}
parameters! {
    Drawn {
        thread: usize = 0,
        from: Option<i64> = None,
        to: Option<i64> = None,
        call: u32 = 0,
        width: u32 = 1280,
    }
}

/// The answer to a question; `None` if there is no such question.
pub(super) fn ask(
    profile: &ProfileExplorer,
    question: &str,
    query: &str,
) -> Result<Option<Response>, Response> {
    match question {
        "functions" => {
            let Functions { thread, from, to, filter, sort, ascending, offset, top } = read(query)?;
            let (range, page) = (range(thread, from, to), page(offset, top)?);
            let functions = profile.functions(range, &filter, sort, ascending, page);
            answered(&functions.map_err(failed)?)
        }
        "changes" => {
            let Changes { filter, sort, ascending, offset, top } = read(query)?;
            let changes = profile.changes(&filter, sort, ascending, page(offset, top)?);
            answered(&changes.map_err(failed)?)
        }
        "function" => {
            let Part { thread, from, to, function, offset, top, .. } = read(query)?;
            let (range, page) = (range(thread, from, to), page(offset, top)?);
            let function = profile.function(range, needed(function, "function")?, page);
            answered(&function.map_err(failed)?)
        }
        "calls" => {
            let Part { thread, from, to, call, offset, top, .. } = read(query)?;
            let (range, page) = (range(thread, from, to), page(offset, top)?);
            answered(&profile.calls(range, call, page).map_err(failed)?)
        }
        "callers" => {
            let Part { thread, from, to, way, offset, top, .. } = read(query)?;
            let way = numbers("way", &way)?;
            let (range, page) = (range(thread, from, to), page(offset, top)?);
            answered(&profile.callers(range, &way, page).map_err(failed)?)
        }
        "packages" => {
            let Part { thread, from, to, offset, top, .. } = read(query)?;
            let (range, page) = (range(thread, from, to), page(offset, top)?);
            answered(&profile.packages(range, page).map_err(failed)?)
        }
        "flame" => {
            let Drawn { thread, from, to, call, width: wide } = read(query)?;
            let flame = profile.flame(range(thread, from, to), call, width(wide)?);
            answered(&flame.map_err(failed)?)
        }
        "chart" => {
            let Drawn { thread, from, to, width: wide, .. } = read(query)?;
            let whole = (thread > 0).then_some(TimeRange { thread, from: 0, to: i64::MAX });
            let range = range(thread, from, to).or(whole);
            answered(&profile.chart(range, width(wide)?).map_err(failed)?)
        }
        _ => Ok(None),
    }
}

/// A part of the time; `None` for all of it.
fn range(thread: usize, from: Option<i64>, to: Option<i64>) -> Option<TimeRange> {
    let is_part = from.is_some() || to.is_some();
    let (from, to) = (from.unwrap_or(0), to.unwrap_or(i64::MAX));
    is_part.then_some(TimeRange { thread, from, to })
}
