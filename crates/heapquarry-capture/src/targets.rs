//! The targets of a port: programs, pages, workers.

use crate::{Address, Error, Result, Session, Worker, http, workers};
use serde::Deserialize;
use std::collections::HashSet;

/// A target, as an inspector lists it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Target {
    /// Its id; empty if the address is that of its websocket.
    pub id: String,
    /// `node`, `page`, `worker` and others.
    pub kind: String,
    /// What it calls itself. The target chose it.
    pub title: String,
    /// What it runs. The target chose it.
    pub url: String,
    /// Where its websocket is.
    pub(crate) address: Address,
    /// The worker of it that is meant.
    pub(crate) worker: Option<String>,
}

impl Target {
    /// Whether it can have workers that only it knows, or that answer only through it: [`Session::workers`].
    pub(crate) fn may_have_workers(&self) -> bool {
        self.kind == "node" || self.kind == "shared_worker" || is_program(self)
    }

    /// Whether it is a dedicated worker of a page, which answers only through that.
    pub(crate) fn is_of_page(&self) -> bool {
        self.kind == workers::DEDICATED
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    id: String,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
    web_socket_debugger_url: Option<String>,
}

/// The targets of a port. `stop` is asked often, and ends it.
///
/// # Errors
/// If it cannot be reached, or is no inspector's.
pub fn list(address: &Address, stop: &dyn Fn() -> bool) -> Result<Vec<Target>> {
    let listed: Vec<Entry> = http::get(address, "/json/list", stop)?;
    let target = |Entry { id, kind, title, url, web_socket_debugger_url }| {
        let socket: Option<String> = web_socket_debugger_url;
        // Only the path: an inspector must not send us to another machine.
        let rest = socket?.split_once("://")?.1.to_owned();
        let path = rest[rest.find('/')?..].to_owned();
        if path.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return None;
        }
        let address = Address { path: Some(path), id: None, ..address.clone() };
        Some(Target { id, kind, title, url, address, worker: None })
    };
    Ok(listed.into_iter().filter_map(target).collect())
}

/// A target, and what stands below it.
pub struct Listed {
    /// The target.
    pub target: Target,
    /// Its workers. They are not known if it is busy, or another debugger has it.
    pub workers: Result<Vec<Worker>>,
}

/// The targets of a port, each with its workers. Browsers list workers of pages, too, but do not always know what they
/// are: those come last that no page has.
///
/// # Errors
/// The errors of [`list`].
pub fn list_with_workers(address: &Address, stop: &dyn Fn() -> bool) -> Result<Vec<Listed>> {
    let (of_pages, targets): (Vec<_>, Vec<_>) =
        list(address, stop)?.into_iter().partition(Target::is_of_page);
    let mut found = Vec::new();
    for target in targets {
        let workers = match target.may_have_workers() {
            true => Session::open(&target, stop).and_then(|mut session| session.workers()),
            false => Ok(Vec::new()),
        };
        if let Err(Error::Interrupted) = workers {
            return Err(Error::Interrupted);
        }
        found.push(Listed { target, workers });
    }
    let known = found.iter().filter_map(|listed| listed.workers.as_ref().ok()).flatten();
    let known: HashSet<String> = known.map(|worker| worker.id.clone()).collect();
    let others = of_pages.into_iter().filter(|worker| !known.contains(&worker.id));
    found.extend(others.map(|target| Listed { target, workers: Ok(Vec::new()) }));
    Ok(found)
}

/// The target of an address: that of its websocket, that with its id, or the only one of the port, or a worker of that.
/// Workers and pages of the browser itself are used only by their id.
///
/// # Errors
/// The errors of [`list`], and an error if there is no such target, or several.
pub fn choose(address: &Address, stop: &dyn Fn() -> bool) -> Result<Target> {
    if address.path.is_some() {
        let (id, kind, title, url) = Default::default();
        return Ok(Target { id, kind, title, url, address: address.clone(), worker: None });
    }
    let targets = list(address, stop)?;
    let fail = |why: String| Err(Error::Targets { place: address.to_string(), why });
    let (worker, id) = match &address.id {
        Some(id) if id.starts_with(workers::PREFIX) => (Some(id.clone()), None),
        id => (None, id.as_deref()),
    };
    let mut found: Vec<&Target> = match id {
        Some(id) => targets.iter().filter(|target| target.id.starts_with(id)).collect(),
        None => targets.iter().filter(|target| is_program(target)).collect(),
    };
    match found.len() {
        1 if found[0].is_of_page() => through_page(found[0], &targets, stop),
        1 => Ok(Target { worker, ..found.remove(0).clone() }),
        0 if id.is_some() => fail("none has this id".into()),
        0 => fail("it has none".into()),
        count => fail(format!("it has {count}; select one as HOST:PORT/ID")),
    }
}

/// A worker, with the way to it through the page that has it; itself if none has.
fn through_page(worker: &Target, targets: &[Target], stop: &dyn Fn() -> bool) -> Result<Target> {
    for page in targets.iter().filter(|target| target.may_have_workers()) {
        let has_it = match Session::open(page, stop).and_then(|mut session| session.workers()) {
            Ok(workers) => workers.iter().any(|found| found.id == worker.id),
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            // It is busy, or has gone.
            Err(_) => false,
        };
        if has_it {
            let (address, id) = (page.address.clone(), Some(worker.id.clone()));
            return Ok(Target { address, worker: id, ..worker.clone() });
        }
    }
    Ok(worker.clone())
}

fn is_program(target: &Target) -> bool {
    let is_own = ["devtools://", "chrome-extension://", "chrome://"];
    matches!(target.kind.as_str(), "node" | "page" | "deno")
        && !is_own.iter().any(|scheme| target.url.starts_with(scheme))
}
