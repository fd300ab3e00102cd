//! What can be asked: the page, and JSON. Each answer is a struct of heapquarry-query, most of them those that verbs of
//! the command print. A file for each kind of input says what can be asked of it.

mod heap;
mod profile;
mod sql;
mod trace;
mod watch;

use crate::{
    assets, guard,
    request::Request,
    response::{Response, Status},
    shared::Shared,
    state::State,
};
use heapquarry::{Error, ErrorKind, report::printable};
use heapquarry_query::{Answered, Explored, Page, Question, Summary};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use sql::Asked;
use std::sync::PoisonError;

/// Most rows of each list in one answer.
const MOST_ROWS: usize = 1000;
/// Most pixels of a drawing.
const MOST_WIDE: u32 = 16_384;
/// Rows of each list of the overview.
const OVERVIEW_ROWS: usize = 20;

/// What a request is answered with.
#[derive(Debug)]
pub(crate) enum Reply {
    Whole(Response),
    /// The result of a query, which takes its time.
    Query(Asked),
    /// Nothing, as long as the page is open.
    Alive,
}

/// Declares the parameters of a question, with their defaults. Others are refused: above all none names a file. Those
/// of a `paged` question also say which rows of a list are wanted.
macro_rules! parameters {
    (paged $name:ident { $($field:ident: $ty:ty = $default:expr,)* }) => {
        parameters! {
            $name {
                $($field: $ty = $default,)*
                offset: usize = heapquarry_query::Page::default().offset,
                top: usize = heapquarry_query::Page::default().top,
            }
        }
    };
    ($name:ident { $($field:ident: $ty:ty = $default:expr,)* }) => {
        #[derive(Deserialize)]
        #[serde(default, deny_unknown_fields)]
        struct $name {
            $($field: $ty,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }
    };
}
pub(crate) use parameters;

/// Answers a request of someone who may ask.
pub(crate) fn respond(shared: &Shared, request: &Request) -> Reply {
    match reply(shared, request) {
        Ok(reply) => reply,
        Err(response) => Reply::Whole(response),
    }
}

fn reply(shared: &Shared, request: &Request) -> Result<Reply, Response> {
    let path = request.path.strip_prefix('/').unwrap_or_default();
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    if shared.redeem(path) {
        return Ok(Reply::Whole(Response::redirect(shared.path())));
    }
    // Without the slash, addresses in the page would not be below the token.
    if !guard::is_same(first, &shared.token) || first.len() == path.len() {
        return Err(Response::empty(Status::NotFound));
    }
    if request.method == "POST" {
        return match rest {
            "api/sql" => {
                Ok(Reply::Query(Asked::read(&request.body).map_err(|error| wrong(&error))?))
            }
            _ => Err(Response::empty(Status::NotAllowed)),
        };
    }
    Ok(Reply::Whole(match rest.strip_prefix("api/") {
        None => match assets::find(rest) {
            Some((kind, text)) => Response::file(kind, text),
            None => Response::empty(Status::NotFound),
        },
        Some("alive") => return Ok(Reply::Alive),
        Some("status") => {
            let stage = shared.state.stage();
            Response::json(Status::Ok, serde_json::to_vec(&stage).unwrap_or_default())
        }
        Some(question) => {
            let not_ready = || Response::json(Status::NotReady, error("the input is still read"));
            let explored = shared.state.explored.get().ok_or_else(not_ready)?;
            ask(shared, explored, question, &request.query)?
        }
    }))
}

fn ask(
    shared: &Shared,
    explored: &Explored,
    question: &str,
    query: &str,
) -> Result<Response, Response> {
    if question == "overview" {
        return overview(&shared.state, explored);
    }
    let asked = match explored {
        Explored::Heap(heap) => heap::ask(heap, question, query)?,
        Explored::Profile(_) => None,
        Explored::Trace(trace) => trace::ask(trace, question, query)?,
        Explored::Watch(watch) => watch::ask(watch, question, query)?,
    };
    let asked = match explored.profile().filter(|_| asked.is_none()) {
        Some(profile) => profile::ask(profile, question, query)?,
        None => asked,
    };
    asked.ok_or_else(|| Response::empty(Status::NotFound))
}

/// What each page begins with.
pub(crate) fn overview(state: &State, explored: &Explored) -> Result<Response, Response> {
    let mut kept = state.overview.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = match kept.take() {
        Some(answer) => answer,
        None => {
            let summary = Summary::default().top(OVERVIEW_ROWS);
            written(&summary.ask(explored.session()).map_err(failed)?)?
        }
    };
    Ok(Response::json(Status::Ok, kept.insert(answer).clone()))
}

/// The parameters of a question.
fn read<P: DeserializeOwned>(query: &str) -> Result<P, Response> {
    serde_urlencoded::from_str(query).map_err(|error| wrong(&error.to_string()))
}

fn page(offset: usize, top: usize) -> Result<Page, Response> {
    match top {
        0..=MOST_ROWS => Ok(Page { offset, top }),
        _ => Err(wrong(&format!("top: at most {MOST_ROWS}"))),
    }
}

/// How many parts of a drawing can be told apart.
fn width(width: u32) -> Result<u32, Response> {
    match width {
        1..=MOST_WIDE => Ok(width),
        _ => Err(wrong(&format!("width: from 1 to {MOST_WIDE}"))),
    }
}

/// Numbers with commas between them.
fn numbers(name: &str, list: &str) -> Result<Vec<u32>, Response> {
    let all = list.split(',').filter(|number| !number.is_empty()).map(str::parse);
    all.collect::<Result<_, _>>().map_err(|error| wrong(&format!("{name}: {error}")))
}

/// A parameter that has no default.
fn needed<T>(parameter: Option<T>, name: &str) -> Result<T, Response> {
    parameter.ok_or_else(|| wrong(&format!("{name}: a value is needed")))
}

fn answered<A: Serialize>(answer: &Answered<A>) -> Result<Option<Response>, Response> {
    Ok(Some(Response::json(Status::Ok, written(answer)?)))
}

/// An answer as the command writes it.
fn written<A: Serialize>(answer: &Answered<A>) -> Result<Vec<u8>, Response> {
    let mut json = Vec::new();
    match printable::json(answer, false, &mut json) {
        Ok(()) => Ok(json),
        Err(cause) => Err(Response::json(Status::Failed, error(&cause.to_string()))),
    }
}

fn wrong(what: &str) -> Response {
    Response::json(Status::BadRequest, error(what))
}

fn failed(cause: Error) -> Response {
    let status = match cause.kind() {
        ErrorKind::NotFound { .. } => Status::NotFound,
        ErrorKind::Pattern(_) => Status::BadRequest,
        _ => Status::Failed,
    };
    Response::json(status, error(&cause.to_string()))
}

fn error(what: &str) -> Vec<u8> {
    json!({ "error": heapquarry::report::printable(what) }).to_string().into_bytes()
}
