//! What CPU profiles and sampling heap profiles share: a tree of call frames, in any of the forms that producers write.

mod frames;
mod nodes;
mod number;
mod numbers;
mod rows;
mod tree;

pub(crate) use frames::{Frame, Frames, NO};
pub(crate) use nodes::{NodesReader, Shape, Target, Ticks};
pub(crate) use number::{Time, Times, add, float, integer, overflow, unwrapped};
pub(crate) use numbers::Numbers;
pub(crate) use rows::{Nodes, int32, int64, numbers};
pub(crate) use tree::{Calls, Index, Tree};

use crate::{
    ByteOffset, Code, Input, Log, Severity, Status, input,
    json::{Json, Stop},
};

/// A reader positioned at `offset`, after a byte order mark if the input begins with one.
pub(crate) fn reader<'a>(
    input: &'a dyn Input,
    offset: ByteOffset,
    window: usize,
    log: &mut Log,
) -> crate::Result<Json<'a>> {
    let start = if offset > ByteOffset::START { offset } else { input::start(input, log)? };
    Ok(Json::new(input, start, window))
}

/// Enters the object of a document. Logs it if the document is not an object.
pub(crate) fn enter(json: &mut Json<'_>, input: &dyn Input, log: &mut Log) -> crate::Result<bool> {
    if json.peek()? == Some(b'{') {
        json.bump();
        return Ok(true);
    }
    log_stop(Stop::Malformed { at: json.at(), expected: "`{`" }, input, log)?;
    Ok(false)
}

/// Where another document follows this one. Other content after it is logged.
pub(crate) fn next_document(
    json: &mut Json<'_>,
    input: &dyn Input,
    log: &mut Log,
) -> crate::Result<Option<ByteOffset>> {
    let Some(first) = json.peek()? else { return Ok(None) };
    let at = json.at();
    if matches!(first, b'{' | b'[') {
        return Ok(Some(at));
    }
    let found = input::bytes_at(input, at, 80)?;
    log.add_excerpt(Code::TrailingData, at, &found, || {
        format!("{} bytes behind the closing brace", input.end() - at)
    });
    Ok(None)
}

/// Logs why reading ended early; an error only if the input cannot be read.
pub(crate) fn log_stop(stop: Stop, input: &dyn Input, log: &mut Log) -> crate::Result<()> {
    match stop {
        Stop::Failed(error) => return Err(error),
        Stop::Cut => log.add(Code::Truncated, input.end(), || {
            "the document ends before its closing brace".into()
        }),
        Stop::Malformed { at, expected } => {
            // Used only in the message; empty if it cannot be read.
            let found = input::bytes_at(input, at, 80).unwrap_or_default();
            log.add_excerpt(Code::Malformed, at, &found, || {
                format!("expected {expected}; what follows is not read")
            });
        }
    }
    Ok(())
}

/// Whether a document was complete, according to its log.
pub(crate) fn status(log: &Log) -> Status {
    let unread = [Code::Truncated, Code::Malformed, Code::SecondDocument];
    if unread.into_iter().any(|code| log.has(code)) {
        Status::Truncated
    } else if log.count(Severity::DataLoss) > 0 {
        Status::Repaired
    } else {
        Status::Complete
    }
}
