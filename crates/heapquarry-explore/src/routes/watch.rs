//! What can be asked of a watch of a process.

use super::{answered, parameters, read};
use crate::response::Response;
use heapquarry_query::WatchExplorer;
use serde::Deserialize;

parameters! {
    Nothing {}
}

/// The answer to a question; `None` if there is no such question.
pub(super) fn ask(
    watch: &WatchExplorer,
    question: &str,
    query: &str,
) -> Result<Option<Response>, Response> {
    match question {
        "curves" => {
            let Nothing {} = read(query)?;
            answered(&watch.curves())
        }
        _ => Ok(None),
    }
}
