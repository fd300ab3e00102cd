//! What CPU profiles and sampling heap profiles share: a tree of call frames, in any of the forms in which it is written.

mod frames;
mod nodes;
mod numbers;
mod rows;
mod tree;

pub(crate) use frames::{Frames, NO, integer, odd_integer};
pub(crate) use nodes::{NodesReader, Shape, Target, Ticks};
pub(crate) use numbers::Numbers;
pub(crate) use rows::{Nodes, int32, int64, numbers};
pub(crate) use tree::{Calls, Index, Tree};

use crate::{
    Code, Input, Log, Severity, Status, input,
    json::{Json, Stop},
};

/// A reader that stands at `offset`, behind a byte order mark if the input begins with one.
pub(crate) fn reader<'a>(
    input: &'a dyn Input,
    offset: u64,
    window: usize,
    log: &mut Log,
) -> crate::Result<Json<'a>> {
    let start = if offset > 0 { offset } else { input::start(input, log)? };
    Ok(Json::new(input, start, window))
}

/// Goes into the object that a document is; if it is none, that is logged.
pub(crate) fn enter(json: &mut Json<'_>, input: &dyn Input, log: &mut Log) -> crate::Result<bool> {
    if json.peek()? == Some(b'{') {
        json.bump();
        return Ok(true);
    }
    log_stop(Stop::Malformed { at: json.at(), expected: "`{`" }, input, log)?;
    Ok(false)
}

/// Logs what stands behind a document.
pub(crate) fn log_rest(json: &mut Json<'_>, input: &dyn Input, log: &mut Log) -> crate::Result<()> {
    if json.peek()?.is_some() {
        let at = json.at();
        let found = input::bytes_at(input, at, 80)?;
        log.add_excerpt(Code::TrailingData, at, &found, || {
            format!("{} bytes behind the closing brace", input.size() - at)
        });
    }
    Ok(())
}

/// Logs why reading ended early; an error only if the input cannot be read.
pub(crate) fn log_stop(stop: Stop, input: &dyn Input, log: &mut Log) -> crate::Result<()> {
    match stop {
        Stop::Failed(error) => return Err(error),
        Stop::Cut => log.add(Code::Truncated, input.size(), || {
            "the document ends before its closing brace".into()
        }),
        Stop::Malformed { at, expected } => {
            // Only for the message: if it cannot be read, it stays empty.
            let found = input::bytes_at(input, at, 80).unwrap_or_default();
            log.add_excerpt(Code::Malformed, at, &found, || {
                format!("expected {expected}; what follows is not read")
            });
        }
    }
    Ok(())
}

/// Whether a document was whole, by what was logged.
pub(crate) fn status(log: &Log) -> Status {
    if log.has(Code::Truncated) || log.has(Code::Malformed) {
        Status::Truncated
    } else if log.count(Severity::DataLoss) > 0 {
        Status::Repaired
    } else {
        Status::Complete
    }
}
