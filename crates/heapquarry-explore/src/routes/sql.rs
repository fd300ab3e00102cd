//! SQL of the page: what is asked, its limits, and the answer.

use super::error;
use crate::{
    response::{Response, Status},
    shared::Shared,
    sql::{Form, Query},
};
use heapquarry::{Cancel, report::printable};
use heapquarry_query::Row;
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// Most rows of a table on the page.
const MOST_ROWS: usize = 10_000;
/// Most bytes of them.
const MOST_TABLE: u64 = 8 << 20;
/// Most bytes of CSV.
const MOST_CSV: u64 = 64 << 20;
/// How long a query may take, with the conversion of the input that it may need.
const LONGEST: Duration = Duration::from_secs(300);
/// Time between two looks at whether somebody waits for the result.
const POLL: Duration = Duration::from_millis(50);

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    sql: String,
    #[serde(default)]
    csv: bool,
}

/// The answer.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
    /// Whether there are more rows than these.
    has_more: bool,
}

impl Asked {
    /// What the body of a request asks.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(body).map_err(|error| error.to_string())
    }

    /// Asks the database, as long as somebody waits.
    pub(crate) fn answer(&self, shared: &Shared, is_gone: impl Fn() -> bool) -> Response {
        let (Some(explored), Some(sql)) = (shared.state.explored.get(), shared.state.sql.get())
        else {
            return Response::json(Status::NotReady, error("there is nothing to ask in SQL yet"));
        };
        let form = if self.csv { Form::Csv } else { Form::Rows { most: MOST_ROWS + 1 } };
        let most_bytes = if self.csv { MOST_CSV } else { MOST_TABLE };
        let query = Query { sql: &self.sql, form, most_bytes };
        let cancel = explored.session().options().cancel.child();
        let _only = shared.querying.lock().unwrap_or_else(PoisonError::into_inner);
        // While it waited for another one, its page may have gone, or the server ended.
        if cancel.is_cancelled() || is_gone() {
            return refused("the query was stopped");
        }
        let found = thread::scope(|scope| {
            let (send, result) = mpsc::channel();
            let (query, cancel) = (&query, &cancel);
            let ask = move || send.send(sql.result(query, cancel));
            let started = thread::Builder::new().name("query".into()).spawn_scoped(scope, ask);
            let asking = started.map_err(|error| error.to_string())?;
            let found = wait(&result, cancel, is_gone);
            // Joined here, so that its panic is not one of this thread.
            let _ = asking.join();
            found
        });
        let result = match found {
            Ok(result) => result,
            // What a database says has lines.
            Err(why) => return refused(&printable::lines(&why)),
        };
        if self.csv {
            return match result.len() as u64 > MOST_CSV {
                true => refused(&format!(
                    "the result has more than {} MB: `heapquarry query` writes it to a file",
                    MOST_CSV >> 20
                )),
                false => Response::csv(result),
            };
        }
        match Table::read(&result) {
            Ok(table) => {
                let mut json = Vec::new();
                match printable::json(&table, false, &mut json) {
                    Ok(()) => Response::json(Status::Ok, json),
                    Err(cause) => Response::json(Status::Failed, error(&cause.to_string())),
                }
            }
            Err(cause) => Response::json(Status::Failed, error(&cause)),
        }
    }
}

fn refused(why: &str) -> Response {
    let text = serde_json::json!({ "error": why });
    Response::json(Status::BadRequest, text.to_string().into_bytes())
}

/// Waits for a result, and cancels the query when nobody waits for it, or it takes too long.
fn wait(
    result: &mpsc::Receiver<Result<Vec<u8>, String>>,
    cancel: &Cancel,
    is_gone: impl Fn() -> bool,
) -> Result<Vec<u8>, String> {
    let start = Instant::now();
    let mut is_late = false;
    loop {
        match result.recv_timeout(POLL) {
            Ok(_) if is_late => {
                let minutes = LONGEST.as_secs() / 60;
                return Err(format!(
                    "it took more than {minutes} minutes: `heapquarry query` takes as long as it needs"
                ));
            }
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err("the query has failed".into()),
            Err(RecvTimeoutError::Timeout) => {
                is_late = start.elapsed() > LONGEST;
                if is_late || is_gone() {
                    cancel.cancel();
                }
            }
        }
    }
}

impl Table {
    /// Rows of JSON. The last one may be cut off, as may be rows after it.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let is_cut = bytes.len() as u64 > MOST_TABLE;
        let end = match is_cut {
            true => bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1),
            false => bytes.len(),
        };
        if is_cut && end == 0 {
            let most = MOST_TABLE >> 20;
            return Err(format!("the first row has more than {most} MB: take less of its texts"));
        }
        let (mut columns, mut rows) = (Vec::new(), Vec::new());
        let mut has_more = is_cut;
        for line in bytes[..end].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            if rows.len() == MOST_ROWS {
                has_more = true;
                break;
            }
            let Row(row) = serde_json::from_slice(line).map_err(|error| error.to_string())?;
            let (names, values): (Vec<_>, Vec<_>) = row.into_iter().unzip();
            if columns.is_empty() {
                columns = names;
            }
            rows.push(values);
        }
        Ok(Table { columns, rows, has_more })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_columns_in_order() {
        let text = "{\"z\":\"1\",\"a\":null}\n{\"z\":\"\",\"a\":\"18446744073709551615\"}\n";
        let cells = |row: &[Option<&str>]| row.iter().map(|cell| cell.map(Into::into)).collect();
        let expected = Table {
            columns: vec!["z".into(), "a".into()],
            rows: vec![cells(&[Some("1"), None]), cells(&[Some(""), Some("18446744073709551615")])],
            has_more: false,
        };
        assert_eq!(Table::read(text.as_bytes()), Ok(expected));
        let none = Table { columns: Vec::new(), rows: Vec::new(), has_more: false };
        assert_eq!(Table::read(b""), Ok(none));
    }

    #[test]
    fn more_rows_or_bytes_than_a_page_shows_are_said() {
        let row = "{\"a\":\"1\"}\n";
        let rows = |count: usize| Table::read(row.repeat(count).as_bytes()).unwrap();
        assert_eq!((rows(MOST_ROWS).rows.len(), rows(MOST_ROWS).has_more), (MOST_ROWS, false));
        let more = rows(MOST_ROWS + 1);
        assert_eq!((more.rows.len(), more.has_more), (MOST_ROWS, true));
        let long = |len: u64| format!("{{\"a\":\"{}\"}}\n", "x".repeat(len as usize));
        let cut = format!("{row}{}", long(MOST_TABLE));
        let cut = Table::read(&cut.as_bytes()[..=MOST_TABLE as usize]).unwrap();
        assert_eq!((cut.rows.len(), cut.has_more), (1, true));
        let first = long(MOST_TABLE);
        assert!(Table::read(&first.as_bytes()[..=MOST_TABLE as usize]).is_err());
    }

    #[test]
    fn bodies_name_a_query_and_nothing_else() {
        for (body, expected) in [
            (r#"{"sql":"FROM x"}"#, Some(("FROM x", false))),
            (r#"{"sql":"FROM x","csv":true}"#, Some(("FROM x", true))),
            (r#"{"sql":"FROM x","input":"/etc/passwd"}"#, None),
            (r#"{"csv":true}"#, None),
            ("FROM x", None),
            ("", None),
        ] {
            let asked = expected.map(|(sql, csv)| Asked { sql: sql.into(), csv });
            assert_eq!(Asked::read(body.as_bytes()).ok(), asked, "{body}");
        }
    }
}
