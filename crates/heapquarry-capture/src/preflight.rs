//! Asks a process, before a heap snapshot, what that will cost it and whether there is room.

use crate::{
    Error, Result, Session,
    message::number,
    pause, process,
    room::{self, Room},
};
use serde_json::json;
use std::time::Duration;

/// What the engine needs for a snapshot, for each byte of the heap. It has an entry of about 430 bytes for each object
/// with its references: in Node 20, a heap of strings of 40 kB needs a fifth of its size, one of plain objects of four
/// fields 13 times as much, and programs are in between (docs/capture.md).
const NEEDED_PER_BYTE: u64 = 6;
const MOST_PER_BYTE: u64 = 13;

/// The share of its limit up to which a heap may be filled: V8 ends the process when there is no more.
const FULL_PERCENT: u64 = 95;

/// Memory limits beyond this mean "none".
const NO_LIMIT: u64 = 1 << 60;

/// What a snapshot needs and what there is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Preflight {
    /// Used bytes of the JavaScript heap.
    pub heap: u64,
    /// Bytes that the engine will take for the snapshot, about.
    pub needed: u64,
    /// Bytes that the engine will take for the snapshot if its objects are small, about.
    pub most: u64,
    /// How long the process will stop, about. 0 if there is no room for the snapshot.
    pub pause: Duration,
    /// The limits that are known.
    pub rooms: Vec<Room>,
    /// The limit of the heap in bytes, if it is nearly reached.
    pub full: Option<u64>,
}

impl Preflight {
    /// The limit that the snapshot would exceed.
    pub fn lacking(&self) -> Option<&Room> {
        let least = self.rooms.iter().min_by_key(|room| room.left);
        least.filter(|room| room.left < self.needed)
    }
}

/// Why a snapshot should not be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no room for it: the process may end.
    Room(Room),
    /// The heap is nearly full, up to this limit in bytes: the process may end.
    Full(u64),
    /// The process would stop for longer than this.
    Pause(Duration),
}

impl Preflight {
    /// Why it should not be taken, if it should not. `max_pause` is how long the process may stop.
    pub fn refusal(&self, max_pause: Option<Duration>) -> Option<Refusal> {
        let room = self.lacking().cloned().map(Refusal::Room);
        let pause = max_pause.filter(|most| self.pause > *most).map(Refusal::Pause);
        room.or(self.full.map(Refusal::Full)).or(pause)
    }
}

/// What Node, and others with its interface, say of themselves.
const QUESTION: &str = "(() => {
    const told = {}, ask = (name, how) => { try { told[name] = how(); } catch {} };
    ask('memory', () => process.memoryUsage());
    ask('constrained', () => process.constrainedMemory());
    ask('heap', () => (process.getBuiltinModule ?? require)('v8').getHeapStatistics());
    return told;
})()";

/// Asks a target, and makes a collection there, as the snapshot will. Limits that only its machine knows are read if
/// that is this one.
///
/// # Errors
/// If it does not answer.
pub fn preflight(session: &mut Session<'_>) -> Result<Preflight> {
    let mut rooms = rooms(session)?;
    let usage = session.call("Runtime.getHeapUsage", &json!({}));
    let usage = match usage {
        Err(Error::Refused { .. }) => None,
        usage => number(&usage?["usedSize"]),
    };
    let told = session.evaluate(QUESTION)?;
    let (rss, used) = (number(&told["memory"]["rss"]), number(&told["memory"]["heapUsed"]));
    let heap = usage.or(used).unwrap_or(0);
    let constrained = number(&told["constrained"]).filter(|limit| (1..NO_LIMIT).contains(limit));
    // What this machine knows of the control group is more exact: it leaves out the cache of files.
    let is_known = rooms.iter().any(|room| room.of == "its control group");
    if let (Some(limit), Some(rss), false) = (constrained, rss, is_known) {
        rooms.push(Room { of: "its container", left: limit.saturating_sub(rss) });
    }
    let limit = number(&told["heap"]["heap_size_limit"]);
    let full = limit.filter(|limit| heap > limit / 100 * FULL_PERCENT);
    let needed = heap.saturating_mul(NEEDED_PER_BYTE);
    let most = heap.saturating_mul(MOST_PER_BYTE);
    let mut found = Preflight { heap, needed, most, pause: Duration::ZERO, rooms, full };
    // The prediction makes a collection: not where the snapshot is refused.
    if found.lacking().is_none() && found.full.is_none() {
        found.pause = pause::predict(session, heap)?;
    }
    Ok(found)
}

/// The limits of the process behind a target, if it is of this machine and that can be told; of a page those of its
/// browser.
fn rooms(session: &mut Session<'_>) -> Result<Vec<Room>> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    if let Some(pid) = process::process_of(session)? {
        return Ok(room::rooms(pid, read));
    }
    let browser = process::browser_of(&session.address);
    Ok(browser.map_or(Vec::new(), |pid| room::shared_rooms(pid, read)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_room_counts() {
        let of = |needed, left: &[u64]| Preflight {
            heap: 0,
            needed,
            most: needed,
            pause: Duration::ZERO,
            rooms: left.iter().map(|&left| Room { of: "it", left }).collect(),
            full: None,
        };
        assert_eq!(of(10, &[]).lacking(), None);
        assert_eq!(of(10, &[10, 20]).lacking(), None);
        assert_eq!(of(10, &[30, 9, 20]).lacking(), Some(&Room { of: "it", left: 9 }));
    }
}
