//! What can be asked of a trace.

use super::{answered, failed, needed, numbers, page, parameters, read, width};
use crate::response::Response;
use heapquarry_query::TraceExplorer;
use serde::Deserialize;

parameters! {
    Nothing {}
}
parameters! {
    Drawn {
        tracks: String = String::new(),
        from: i64 = 0,
        to: i64 = i64::MAX,
        width: u32 = 1280,
    }
}
parameters! {
    paged Slice {
        slice: Option<u64> = None,
    }
}
parameters! {
    paged Area {
        tracks: String = String::new(),
        from: i64 = 0,
        to: i64 = i64::MAX,
    }
}
parameters! {
    paged Find {
        text: String = String::new(),
    }
}
parameters! {
    paged List {}
}

/// The answer to a question; `None` if there is no such question.
pub(super) fn ask(
    trace: &TraceExplorer,
    question: &str,
    query: &str,
) -> Result<Option<Response>, Response> {
    match question {
        "tracks" => {
            let Nothing {} = read(query)?;
            answered(&trace.tracks())
        }
        "drawn" => {
            let Drawn { tracks, from, to, width: wide } = read(query)?;
            let tracks = numbers("tracks", &tracks)?;
            let drawn = trace.drawn(&tracks, [from, to], width(wide)?).map_err(failed)?;
            answered(&*drawn)
        }
        "slice" => {
            let Slice { slice, offset, top } = read(query)?;
            let slice = trace.slice(needed(slice, "slice")?, page(offset, top)?);
            answered(&slice.map_err(failed)?)
        }
        "arguments" => {
            let Slice { slice, .. } = read(query)?;
            answered(&trace.arguments(needed(slice, "slice")?).map_err(failed)?)
        }
        "pictures" => {
            let List { offset, top } = read(query)?;
            answered(&trace.pictures(page(offset, top)?).map_err(failed)?)
        }
        "area" => {
            let Area { tracks, from, to, offset, top } = read(query)?;
            let tracks = numbers("tracks", &tracks)?;
            answered(&trace.area([from, to], &tracks, page(offset, top)?))
        }
        "find" => {
            let Find { text, offset, top } = read(query)?;
            answered(&trace.find(&text, page(offset, top)?))
        }
        "frames" => {
            let List { offset, top } = read(query)?;
            answered(&trace.frames(page(offset, top)?))
        }
        "long_tasks" => {
            let List { offset, top } = read(query)?;
            answered(&trace.long_tasks(page(offset, top)?))
        }
        _ => Ok(None),
    }
}
