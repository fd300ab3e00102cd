//! Workers, which have isolates of their own. An inspector of Node lists only the main thread, which passes messages on
//! to the others (domain `NodeWorker`). Dedicated workers of a page are listed by browsers, but answer only through the
//! connection to their page, by messages that are marked with a session (domain `Target`, flat mode).

use crate::{Error, Result, Session, message::member};
use heapquarry_process::Isolate;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tungstenite::Utf8Bytes;

/// Most workers of a page, with theirs.
const MOST_WORKERS: usize = 1000;
/// How long a Node may take to announce its workers, after it has said that it will.
pub(crate) const ANNOUNCED: Duration = Duration::from_millis(300);

/// What the ids of workers begin with, where they stand beside those of targets.
pub(crate) const PREFIX: &str = "worker-";

pub(crate) const ENABLE: &str = "NodeWorker.enable";
pub(crate) const DISABLE: &str = "NodeWorker.disable";
pub(crate) const ATTACHED: &str = "\"NodeWorker.attachedToWorker\"";
const RECEIVED: &str = "\"NodeWorker.receivedMessageFromWorker\"";
pub(crate) const DETACHED: &str = "\"NodeWorker.detachedFromWorker\"";

const TARGET_ATTACHED: &str = "\"Target.attachedToTarget\"";
const TARGET_DETACHED: &str = "\"Target.detachedFromTarget\"";

/// What browsers call dedicated workers.
pub(crate) const DEDICATED: &str = "worker";
/// What they call those that several pages can share. They answer themselves, too.
const SHARED: [&str; 2] = ["shared_worker", "service_worker"];

/// The code of an error that says that a session has ended.
const NO_SESSION: &str = "-32001";

/// A worker of a Node, or of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Worker {
    /// Its id among the targets of the port: of a Node `worker-5`.
    pub id: String,
    /// What it calls itself. The program chose it.
    pub title: String,
    /// What it runs. The program chose it.
    pub url: String,
    /// How it is spoken to.
    pub(crate) channel: Channel,
}

/// How messages get to a worker and back, on the connection to another target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// The main thread of a Node passes them on as texts in its own, which name this session.
    Passed(String),
    /// A browser sends them beside those of the page, marked with this session.
    Marked(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
    worker_info: Info,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetAttached {
    session_id: String,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
    /// Pages of one profile share workers.
    #[serde(default)]
    browser_context_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    worker_id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
}

impl Worker {
    /// What it is.
    pub fn isolate(&self) -> Isolate {
        Isolate::told(&self.id, &self.title, &self.url)
    }
}

impl Session<'_> {
    /// The workers of a Node, in the order of their ids, or the dedicated workers of a page; none of other targets. To
    /// be asked for once.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn workers(&mut self) -> Result<Vec<Worker>> {
        match self.workers_of_node()? {
            Some(workers) => Ok(workers),
            None => self.dedicated(None),
        }
    }

    /// All isolates besides that of the target: its workers; of a page also the shared workers and service workers of
    /// its origin, with theirs. To be asked for once.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn isolates(&mut self) -> Result<Vec<Worker>> {
        if let Some(workers) = self.workers_of_node()? {
            return Ok(workers);
        }
        let mut all = self.dedicated(None)?;
        for worker in self.shared()? {
            let parent = worker.channel.clone();
            all.push(worker);
            all.extend(self.dedicated(Some(parent))?);
        }
        Ok(all)
    }

    /// The workers of a Node, in the order of their ids; `None` of other targets.
    fn workers_of_node(&mut self) -> Result<Option<Vec<Worker>>> {
        let params = json!({ "waitForDebuggerOnStart": false });
        match self.announced(&[ATTACHED], ENABLE, &params, ANNOUNCED) {
            Err(Error::Refused { .. }) => Ok(None),
            Err(error) => Err(error),
            Ok(events) => {
                let mut workers: Vec<Worker> =
                    events.iter().filter_map(|event| attached(event)).collect();
                let number = |worker: &Worker| worker.id[PREFIX.len()..].parse::<u64>().ok();
                workers.sort_by_key(number);
                Ok(Some(workers))
            }
        }
    }

    /// The shared workers and service workers of the origin of a page; none of other targets. Browsers attach them to
    /// its connection.
    fn shared(&mut self) -> Result<Vec<Worker>> {
        let mut ask = |method, params: Value| match self.call(method, &params) {
            Err(Error::Refused { .. }) => Ok(Value::Null),
            told => told,
        };
        let own = ask("Target.getTargetInfo", json!({}))?;
        let Ok(page) = TargetInfo::deserialize(&own["targetInfo"]) else { return Ok(Vec::new()) };
        let all = ask("Target.getTargets", json!({}))?;
        let all = all["targetInfos"].as_array().into_iter().flatten();
        let all = all.filter_map(|info| TargetInfo::deserialize(info).ok());
        let is_of_page = |found: &TargetInfo| {
            SHARED.contains(&&*found.kind)
                && found.browser_context_id == page.browser_context_id
                && origin(&found.url) == origin(&page.url)
        };
        let mut workers = Vec::new();
        for TargetInfo { target_id: id, title, url, .. } in
            all.filter(is_of_page).take(MOST_WORKERS)
        {
            let attached =
                ask("Target.attachToTarget", json!({ "targetId": id, "flatten": true }))?;
            // Otherwise it has ended meanwhile.
            if let Some(session) = attached["sessionId"].as_str() {
                let channel = Channel::Marked(session.into());
                workers.push(Worker { id, title, url, channel });
            }
        }
        Ok(workers)
    }

    /// The dedicated workers of a page, or of a worker that it has, of its frames and of those workers.
    fn dedicated(&mut self, of: Option<Channel>) -> Result<Vec<Worker>> {
        let params =
            json!({ "autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true });
        let spoken_to = self.worker.take();
        let is_worker = of.is_some();
        let (mut workers, mut parents) = (Vec::new(), vec![of]);
        // What a parent has is announced before it answers.
        let mut at = 0;
        let failure = loop {
            let Some(parent) = parents.get(at).cloned() else { break None };
            if parents.len() > MOST_WORKERS {
                break Some(Error::Limit { why: "it announces too many workers".into() });
            }
            at += 1;
            let is_page = parent.is_none() && !is_worker;
            self.worker = parent;
            let events =
                self.announced(&[TARGET_ATTACHED], "Target.setAutoAttach", &params, Duration::ZERO);
            match events {
                Ok(events) => {
                    for worker in events.iter().filter_map(|event| attached_to(event)) {
                        let (kind, worker) = worker;
                        // Those that pages share are asked for once, not by each.
                        if !SHARED.contains(&&*kind) {
                            parents.push(Some(worker.channel.clone()));
                        }
                        workers.extend((kind == DEDICATED).then_some(worker));
                    }
                }
                Err(Error::Refused { .. }) => {}
                // It has ended meanwhile.
                Err(Error::Gone { .. }) if !is_page => {}
                Err(error) => break Some(error),
            }
        };
        self.worker = spoken_to;
        failure.map_or(Ok(workers), Err)
    }

    /// Asks for something, and returns the events of methods that come before the answer and for a time after it.
    fn announced(
        &mut self,
        events: &'static [&'static str],
        method: &'static str,
        params: &Value,
        time: Duration,
    ) -> Result<Vec<Utf8Bytes>> {
        self.kept.want(events);
        let is_waited = self.call(method, params).and_then(|_| self.wait(Some(time)));
        self.kept.want(&[]);
        let (events, is_whole) = self.kept.take();
        if !is_waited? {
            return Err(Error::Interrupted);
        }
        if !is_whole {
            return Err(Error::Limit { why: "it announces too many workers".into() });
        }
        Ok(events)
    }

    /// Speaks with a worker from now on, or with the main thread again.
    pub fn enter(&mut self, worker: Option<&Worker>) {
        self.worker = worker.map(|worker| worker.channel.clone());
    }

    /// Speaks with the worker of that id from now on.
    pub(crate) fn enter_by_id(&mut self, id: &str) -> Result<()> {
        let workers = self.workers()?;
        let fail = || Error::Targets {
            place: self.address.to_string(),
            why: "no worker has this id".into(),
        };
        let found = workers.iter().find(|worker| worker.id == id).ok_or_else(fail)?;
        self.worker = Some(found.channel.clone());
        Ok(())
    }
}

impl Channel {
    /// A message to the worker, as it is sent.
    pub(crate) fn outgoing(&self, mut message: Value) -> String {
        match self {
            // Unless it is an error, its answer says nothing: that of the worker is an event.
            Channel::Passed(session) => json!({
                "id": 0,
                "method": "NodeWorker.sendMessageToWorker",
                "params": { "sessionId": session, "message": message.to_string() },
            })
            .to_string(),
            Channel::Marked(session) => {
                message["sessionId"] = session.as_str().into();
                message.to_string()
            }
        }
    }

    /// What a message says of the worker.
    pub(crate) fn incoming(&self, message: Utf8Bytes) -> Passed {
        match self {
            Channel::Passed(session) => passed(session, &message),
            Channel::Marked(session) => marked(session, message),
        }
    }
}

/// What comes while a worker is spoken to.
pub(crate) enum Passed {
    /// A message of the worker.
    Message(Utf8Bytes),
    /// The worker has ended.
    Ended,
    /// Something else.
    Other,
}

/// Whether an object names the session.
fn names(object: &str, session: &str) -> bool {
    let named = member(object, "sessionId");
    named.is_some_and(|named| {
        serde_json::from_str(named).is_ok_and(|named: String| named == session)
    })
}

/// What a message of a browser says of a worker. Its own are marked; the mark stands behind what can be large.
fn marked(session: &str, message: Utf8Bytes) -> Passed {
    if names(&message, session) {
        return Passed::Message(message);
    }
    let params = || member(&message, "params").unwrap_or_default();
    let is_unknown = || {
        let error = member(&message, "error").unwrap_or_default();
        member(&message, "sessionId").is_none() && member(error, "code") == Some(NO_SESSION)
    };
    match member(&message, "method") {
        Some(TARGET_DETACHED) if names(params(), session) => Passed::Ended,
        None if is_unknown() => Passed::Ended,
        _ => Passed::Other,
    }
}

/// What a message of the main thread passes on from a worker.
fn passed(session: &str, message: &str) -> Passed {
    let method = member(message, "method");
    let params = member(message, "params").unwrap_or_default();
    let is_from_it = || names(params, session);
    match method {
        Some(DETACHED) if is_from_it() => Passed::Ended,
        Some(RECEIVED) if is_from_it() => {
            let text = member(params, "message").and_then(|text| serde_json::from_str(text).ok());
            text.map_or(Passed::Other, |text: String| Passed::Message(text.into()))
        }
        // It answers itself if it knows the worker no longer.
        None if member(message, "id") == Some("0") && member(message, "error").is_some() => {
            Passed::Ended
        }
        _ => Passed::Other,
    }
}

/// The scheme, host and port of an address.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find('/').map_or(url.len(), |at| host + at);
    &url[..end]
}

fn attached(event: &str) -> Option<Worker> {
    let Attached { session_id, worker_info } =
        serde_json::from_str(member(event, "params")?).ok()?;
    let Info { worker_id, title, url } = worker_info;
    let channel = Channel::Passed(session_id);
    Some(Worker { id: format!("{PREFIX}{worker_id}"), title, url, channel })
}

/// What a browser has attached to a connection, and its kind.
fn attached_to(event: &str) -> Option<(String, Worker)> {
    let TargetAttached { session_id, target_info } =
        serde_json::from_str(member(event, "params")?).ok()?;
    let TargetInfo { target_id: id, kind, title, url, .. } = target_info;
    Some((kind, Worker { id, title, url, channel: Channel::Marked(session_id) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_worker_are_passed_on() {
        let event = |method: &str, session: &str| {
            json!({"method": method, "params": {"sessionId": session, "message": "{\"id\":1}"}})
                .to_string()
        };
        for (message, expected) in [
            (event("NodeWorker.receivedMessageFromWorker", "7"), Some(Some("{\"id\":1}"))),
            (event("NodeWorker.receivedMessageFromWorker", "8"), Some(None)),
            (event("NodeWorker.detachedFromWorker", "7"), None),
            (event("NodeWorker.detachedFromWorker", "8"), Some(None)),
            (json!({"id": 0, "error": {"message": "Session id not found"}}).to_string(), None),
            (json!({"id": 0, "result": {}}).to_string(), Some(None)),
            (json!({"id": 1, "error": {}}).to_string(), Some(None)),
            (json!({"id": 1, "result": {}}).to_string(), Some(None)),
            (String::new(), Some(None)),
        ] {
            let found = match passed("7", &message) {
                Passed::Message(text) => Some(Some(text.to_string())),
                Passed::Ended => None,
                Passed::Other => Some(None),
            };
            assert_eq!(found, expected.map(|text| text.map(String::from)), "{message}");
        }
    }

    #[test]
    fn messages_of_a_browser_are_told_apart_by_their_mark() {
        let channel = Channel::Marked("AB".into());
        let sent = channel.outgoing(json!({"id": 1, "method": "Runtime.enable"}));
        let sent: Value = serde_json::from_str(&sent).unwrap();
        assert_eq!(sent, json!({"id": 1, "method": "Runtime.enable", "sessionId": "AB"}));
        let detached = |session: &str| json!({"method": "Target.detachedFromTarget", "params": {"sessionId": session}});
        let unknown = json!({"code": -32001, "message": "Session with given id not found."});
        for (message, expected) in [
            (json!({"id": 1, "result": {}, "sessionId": "AB"}), "message"),
            (json!({"method": "A.b", "params": {"sessionId": "C"}, "sessionId": "AB"}), "message"),
            (json!({"id": 1, "error": {"code": -32000}, "sessionId": "AB"}), "message"),
            (json!({"id": 1, "result": {}}), "other"),
            (json!({"method": "A.b", "params": {"sessionId": "AB"}}), "other"),
            (json!({"id": 1, "result": {}, "sessionId": "C"}), "other"),
            (detached("C"), "other"),
            (json!({"id": 1, "error": {"code": -32601}}), "other"),
            (detached("AB"), "ended"),
            (json!({"id": 1, "error": unknown}), "ended"),
        ] {
            let found = match channel.incoming(message.to_string().into()) {
                Passed::Message(text) => {
                    assert_eq!(*text, message.to_string());
                    "message"
                }
                Passed::Other => "other",
                Passed::Ended => "ended",
            };
            assert_eq!(found, expected, "{message}");
        }
    }

    #[test]
    fn announced_workers_have_ids_beside_those_of_targets() {
        let info = json!({"workerId": "5", "type": "worker", "title": "[worker 5] x", "url": "file:///w.js"});
        let method = ATTACHED.trim_matches('"');
        let event = json!({"method": method, "params": {"sessionId": "7", "workerInfo": info}});
        let expected = Worker {
            id: "worker-5".into(),
            title: "[worker 5] x".into(),
            url: "file:///w.js".into(),
            channel: Channel::Passed("7".into()),
        };
        assert_eq!(attached(&event.to_string()), Some(expected));
        assert_eq!(attached("{}"), None);
        let info = json!({"targetId": "F0", "type": "worker", "title": "x", "url": "blob:1"});
        let event = json!({"method": "Target.attachedToTarget", "params": {"sessionId": "AB", "targetInfo": info}});
        let expected = Worker {
            id: "F0".into(),
            title: "x".into(),
            url: "blob:1".into(),
            channel: Channel::Marked("AB".into()),
        };
        assert_eq!(attached_to(&event.to_string()), Some(("worker".into(), expected)));
        assert_eq!(attached_to("{}"), None);
    }

    #[test]
    fn workers_are_shared_within_an_origin() {
        for (url, expected) in [
            ("http://a.b:80/c/d.js?e://f", "http://a.b:80"),
            ("http://a.b", "http://a.b"),
            ("blob:http://a.b/1-2", "blob:http://a.b"),
            ("about:blank", "about:blank"),
            ("file:///a", "file://"),
            ("", ""),
        ] {
            assert_eq!(origin(url), expected);
        }
    }
}
