//! Which calls made what lives.

use super::answer::{AllocationFrame, AllocationStack, LivingAllocations};
use crate::{
    answer::{Bytes, Nanos},
    profile::place,
};
use heapquarry_process::{AllocationCall, Allocations};
use heapquarry_report::Unit;
use std::time::Duration;

/// Call stacks that are told.
const STACKS: usize = 20;
/// Functions of a stack that are named in words.
const FRAMES: usize = 4;

pub(super) fn living(found: &Allocations) -> LivingAllocations {
    let sum =
        |of: fn(&AllocationCall) -> u64| found.calls.iter().map(of).fold(0, u64::saturating_add);
    // Tables have microseconds.
    let nanos = |time: Duration| Nanos(i64::try_from(time.as_micros() * 1000).unwrap_or(i64::MAX));
    let makers = found.makers();
    LivingAllocations {
        from: nanos(found.from),
        until: nanos(found.until),
        interval: Bytes(found.interval),
        size: Bytes(sum(|call| call.size)),
        early_size: Bytes(sum(|call| call.early_size)),
        sample_count: sum(|call| call.sample_count),
        stack_count: makers.len() as u64,
        stacks: makers.iter().take(STACKS).map(|&at| stack(found, at)).collect(),
    }
}

fn stack(found: &Allocations, at: usize) -> AllocationStack {
    let call = &found.calls[at];
    AllocationStack {
        size: Bytes(call.size),
        early_size: Bytes(call.early_size),
        sample_count: call.sample_count,
        // The root is no function.
        frames: found.stack(at).filter(|call| call.caller.is_some()).map(frame).collect(),
    }
}

fn frame(call: &AllocationCall) -> AllocationFrame {
    let from_one = |place: Option<u32>| place.map(|place| i64::from(place) + 1);
    let line = from_one(call.line);
    AllocationFrame {
        function_name: match &*call.function {
            "" => "(anonymous)".into(),
            name => name.into(),
        },
        place: place(&call.url, line.and_then(|line| i32::try_from(line).ok())),
        url: call.url.clone(),
        line,
        column: from_one(call.column),
    }
}

impl AllocationStack {
    /// Its functions in words: `request (app/server.js:24) ← listOnTimeout (internal/timers:588)`.
    pub(super) fn text(&self) -> String {
        let text = |frame: &AllocationFrame| match &frame.place {
            Some(place) => format!("{} ({place})", frame.function_name),
            None => frame.function_name.clone(),
        };
        let mut texts: Vec<String> = self.frames.iter().take(FRAMES).map(text).collect();
        if self.frames.len() > FRAMES {
            texts.push("…".into());
        }
        if texts.is_empty() { "the engine".into() } else { texts.join(" ← ") }
    }
}

impl LivingAllocations {
    /// The calls that made most of what stays, and how much of it; `None` if nothing has stayed.
    pub(super) fn made_by(&self) -> Option<String> {
        let first = self.stacks.first().filter(|stack| stack.early_size.0 > 0)?;
        let size = |bytes: Bytes| Unit::Bytes.format(i64::try_from(bytes.0).unwrap_or(i64::MAX));
        Some(format!(
            "{} of {} that live of the first half of what was allocated, by {}",
            size(first.early_size),
            size(self.early_size),
            first.text()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(caller: usize, function: &str, early_size: u64, size: u64) -> AllocationCall {
        AllocationCall {
            caller: Some(caller),
            function: function.into(),
            url: "file:///home/me/app/src/server.js".into(),
            line: Some(23),
            column: Some(4),
            size,
            early_size,
            sample_count: u64::from(size > 0),
        }
    }

    #[test]
    fn stacks_name_their_functions() {
        let root = AllocationCall { function: "(root)".into(), ..AllocationCall::default() };
        let calls = vec![
            root,
            call(0, "", 0, 0),
            call(1, "listen", 0, 0),
            call(2, "serve", 2_000_000, 9_000_000),
            call(3, "answer", 0, 0),
            call(4, "request", 20_000_000, 41_000_000),
        ];
        let found = Allocations { calls, interval: 512, ..Allocations::default() };
        let told = living(&found);
        assert_eq!(
            (told.stack_count, told.size, told.early_size),
            (2, Bytes(50_000_000), Bytes(22_000_000))
        );
        assert_eq!(
            told.made_by().unwrap(),
            "20.0 MB of 22.0 MB that live of the first half of what was allocated, by \
             request (src/server.js:24) ← answer (src/server.js:24) ← serve (src/server.js:24) ← \
             listen (src/server.js:24) ← …"
        );
        let last = &told.stacks[1];
        assert_eq!(
            (last.frames.len(), last.frames[2].line, last.frames[2].column),
            (3, Some(24), Some(5))
        );
        assert_eq!(last.frames[2].function_name, "(anonymous)");
    }

    #[test]
    fn without_what_stays_nobody_made_it() {
        let calls = vec![call(0, "cache", 0, 9_000_000)];
        let told = living(&Allocations { calls, ..Allocations::default() });
        assert_eq!((told.made_by(), told.stack_count), (None, 1));
        assert_eq!(living(&Allocations::default()).made_by(), None);
    }
}
