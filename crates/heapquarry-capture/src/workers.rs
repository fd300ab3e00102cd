//! The workers of a Node, which have isolates of their own: its inspector lists only the main thread, and passes
//! messages on to the others (domain `NodeWorker`).

use crate::{Error, Result, Session, message::member};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use tungstenite::Utf8Bytes;

/// How long a Node may take to announce its workers, after it has said that it will.
const ANNOUNCED: Duration = Duration::from_millis(300);

/// What the ids of workers begin with, where they stand beside those of targets.
pub(crate) const PREFIX: &str = "worker-";

const ATTACHED: &str = "NodeWorker.attachedToWorker";
const RECEIVED: &str = "\"NodeWorker.receivedMessageFromWorker\"";
const DETACHED: &str = "\"NodeWorker.detachedFromWorker\"";

/// A worker of a Node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Worker {
    /// Its id among the targets of the port: `worker-5`.
    pub id: String,
    /// What it calls itself. The program chose it.
    pub title: String,
    /// What it runs. The program chose it.
    pub url: String,
    /// What messages to it are marked with.
    pub(crate) session: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
    worker_info: Info,
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

impl Session<'_> {
    /// The workers of a Node, in the order of their ids; none of other targets.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn workers(&mut self) -> Result<Vec<Worker>> {
        self.kept.want(Some(ATTACHED));
        let enabled = self.call("NodeWorker.enable", &json!({ "waitForDebuggerOnStart": false }));
        let is_waited = match enabled {
            Err(Error::Refused { .. }) => Ok(true),
            Err(error) => Err(error),
            Ok(_) => self.wait(Some(ANNOUNCED)),
        };
        self.kept.want(None);
        let (kept, is_whole) = self.kept.take();
        if !is_waited? {
            return Err(Error::Interrupted);
        }
        if !is_whole {
            return Err(Error::Limit { why: "it announces too many workers".into() });
        }
        let mut workers: Vec<Worker> = kept.iter().filter_map(|event| attached(event)).collect();
        let number = |worker: &Worker| worker.id[PREFIX.len()..].parse::<u64>().ok();
        workers.sort_by_key(number);
        Ok(workers)
    }

    /// Speaks with a worker from now on, or with the main thread again.
    pub fn enter(&mut self, worker: Option<&Worker>) {
        self.worker = worker.map(|worker| worker.session.clone());
    }

    /// Speaks with the worker of that id from now on.
    pub(crate) fn enter_by_id(&mut self, id: &str) -> Result<()> {
        let workers = self.workers()?;
        let fail = || Error::Targets {
            place: self.address.to_string(),
            why: "no worker has this id; --list shows them".into(),
        };
        let found = workers.iter().find(|worker| worker.id == id).ok_or_else(fail)?;
        self.worker = Some(found.session.clone());
        Ok(())
    }
}

/// A message to a worker, as one to the main thread.
pub(crate) fn wrapped(session: &str, message: &str) -> String {
    // Unless it is an error, its answer says nothing: that of the worker is an event.
    json!({
        "id": 0,
        "method": "NodeWorker.sendMessageToWorker",
        "params": { "sessionId": session, "message": message },
    })
    .to_string()
}

/// What the main thread says while a worker is spoken to.
pub(crate) enum Passed {
    /// A message of the worker.
    Message(Utf8Bytes),
    /// The worker has ended.
    Ended,
    /// Something else.
    Other,
}

/// What a message of the main thread passes on from a worker.
pub(crate) fn passed(session: &str, message: &str) -> Passed {
    let method = member(message, "method");
    let params = member(message, "params").unwrap_or_default();
    let is_from_it = || {
        let from = member(params, "sessionId");
        from.is_some_and(|from| {
            serde_json::from_str(from).is_ok_and(|from: String| from == session)
        })
    };
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

fn attached(event: &str) -> Option<Worker> {
    let Attached { session_id, worker_info } =
        serde_json::from_str(member(event, "params")?).ok()?;
    let Info { worker_id, title, url } = worker_info;
    Some(Worker { id: format!("{PREFIX}{worker_id}"), title, url, session: session_id })
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
    fn announced_workers_have_ids_beside_those_of_targets() {
        let info = json!({"workerId": "5", "type": "worker", "title": "[worker 5] x", "url": "file:///w.js"});
        let event = json!({"method": ATTACHED, "params": {"sessionId": "7", "workerInfo": info}});
        let expected = Worker {
            id: "worker-5".into(),
            title: "[worker 5] x".into(),
            url: "file:///w.js".into(),
            session: "7".into(),
        };
        assert_eq!(attached(&event.to_string()), Some(expected));
        assert_eq!(attached("{}"), None);
    }
}
