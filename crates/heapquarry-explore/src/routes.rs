//! What can be asked: the page, and JSON. Each answer is the struct that the verb of the command prints.

use crate::{
    assets, guard,
    request::Request,
    response::{Response, Status},
    server::Shared,
};
use heapquarry::{Error, ErrorKind, report::printable};
use heapquarry_query::{
    Answered, Explorer, Question, Summary, Why,
    heap::explore::{ClassOrder, ObjectOrder, Page},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

/// Most rows of each list in one answer.
pub(crate) const MOST_ROWS: usize = 1000;
/// Most paths of an object: each is searched for.
const MOST_PATHS: usize = 20;
/// Rows of each list of the overview.
const OVERVIEW_ROWS: usize = 20;

/// What a request is answered with.
#[derive(Debug)]
pub(crate) enum Reply {
    Whole(Response),
    /// Nothing, as long as the page is open.
    Alive,
}

/// Declares the parameters of a question, with their defaults. Others are refused: above all none names a file.
macro_rules! parameters {
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

parameters! {
    Classes {
        filter: String = String::new(),
        sort: ClassOrder = ClassOrder::default(),
        ascending: bool = false,
        offset: usize = 0,
        top: usize = 100,
    }
}
parameters! {
    Objects {
        class: String = String::new(),
        sort: ObjectOrder = ObjectOrder::default(),
        ascending: bool = false,
        offset: usize = 0,
        top: usize = 100,
    }
}
parameters! {
    Object {
        node: Option<i64> = None,
        offset: usize = 0,
        top: usize = 100,
    }
}
parameters! {
    Paths {
        node: Option<i64> = None,
        shortest: bool = false,
        top: usize = 3,
    }
}

/// Answers a request.
pub(crate) fn respond(shared: &Shared, request: &Request) -> Reply {
    match reply(shared, request) {
        Ok(reply) => reply,
        Err(response) => Reply::Whole(response),
    }
}

fn reply(shared: &Shared, request: &Request) -> Result<Reply, Response> {
    guard::check(request).map_err(Response::empty)?;
    let path = request.path.strip_prefix('/').unwrap_or_default();
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    if shared.redeem(path) {
        return Ok(Reply::Whole(Response::redirect(shared.path())));
    }
    // Without the slash, addresses in the page would not be below the token.
    if !guard::is_same(first, &shared.token) || first.len() == path.len() {
        return Err(Response::empty(Status::NotFound));
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
            let not_ready = || Response::json(Status::NotReady, error("the heap is still read"));
            let explorer = shared.state.explorer.get().ok_or_else(not_ready)?;
            ask(shared, explorer, question, &request.query)?
        }
    }))
}

fn ask(
    shared: &Shared,
    explorer: &Explorer,
    question: &str,
    query: &str,
) -> Result<Response, Response> {
    let session = explorer.session();
    match question {
        "overview" => {
            if let Some(answer) = shared.state.overview.get() {
                return Ok(Response::json(Status::Ok, answer.clone()));
            }
            let answer = Summary::default().top(OVERVIEW_ROWS).ask(session).map_err(failed)?;
            let answer = written(&answer)?;
            Ok(Response::json(Status::Ok, shared.state.overview.get_or_init(|| answer).clone()))
        }
        "classes" => {
            let Classes { filter, sort, ascending, offset, top } = read(query)?;
            answered(&explorer.classes(&filter, sort, ascending, page(offset, top)?))
        }
        "objects" => {
            let Objects { class, sort, ascending, offset, top } = read(query)?;
            let objects = explorer.objects(&class, sort, ascending, page(offset, top)?);
            answered(&objects.map_err(failed)?)
        }
        "object" => {
            let Object { node, offset, top } = read(query)?;
            answered(&explorer.object(needed(node)?, page(offset, top)?).map_err(failed)?)
        }
        "retainers" => {
            let Object { node, offset, top } = read(query)?;
            let retainers = explorer.retainers(needed(node)?, page(offset, top)?);
            answered(&retainers.map_err(failed)?)
        }
        "dominated" => {
            let Object { node, offset, top } = read(query)?;
            answered(&explorer.dominated(node, page(offset, top)?).map_err(failed)?)
        }
        "dominators" => {
            let Object { node, offset, top } = read(query)?;
            let dominators = explorer.dominators(needed(node)?, page(offset, top)?);
            answered(&dominators.map_err(failed)?)
        }
        "why" => {
            let Paths { node, shortest, top } = read(query)?;
            if top > MOST_PATHS {
                return Err(wrong(&format!("top: at most {MOST_PATHS}")));
            }
            let why = Why::default().node(needed(node)?).shortest(shortest).top(top);
            answered(&why.ask(session).map_err(failed)?)
        }
        _ => Err(Response::empty(Status::NotFound)),
    }
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

fn needed(node: Option<i64>) -> Result<i64, Response> {
    node.ok_or_else(|| wrong("node: an id is needed"))
}

fn answered<A: Serialize>(answer: &Answered<A>) -> Result<Response, Response> {
    Ok(Response::json(Status::Ok, written(answer)?))
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
        _ => Status::Failed,
    };
    Response::json(status, error(&cause.to_string()))
}

fn error(what: &str) -> Vec<u8> {
    json!({ "error": heapquarry::report::printable(what) }).to_string().into_bytes()
}
