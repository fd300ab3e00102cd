//! Marks: text that programs and drivers write to the trace (`tracing_mark_write` or `print`), for slices, operations,
//! counters and instants.
//!
//! ```text
//! B|PID|NAME                E, E|PID                         a slice of the thread
//! S|PID|NAME|COOKIE         F|PID|NAME|COOKIE                an operation
//! G|PID|TRACK|NAME|COOKIE   H|PID|TRACK|COOKIE               an operation on a track of that name
//! I|PID|NAME                N|PID|TRACK|NAME                 a point in time, of the thread or on a track
//! C|PID|NAME|VALUE                                           a counter
//! trace_event_clock_sync: parent_ts=SECONDS                  what another clock shows
//! ```
//!
//! The syntax is that of Android's tracer
//! (<https://android.googlesource.com/platform/system/core/+/refs/heads/main/libcutils/trace-dev.inc>), as Perfetto
//! reads it
//! (<https://github.com/google/perfetto/blob/ec5d16b/src/trace_processor/importers/systrace/systrace_parser.cc>).
//! Chromium appends `|ARGUMENTS|CATEGORY`, as in `B|7|draw|width=5;height=6|gfx`, which Perfetto treats as part of the
//! name.

use super::line::{self, Row};
use heapquarry_timeline::{Event, Events, IdKind, Ident, Key, OTHER_CLOCK, Phase, Value};

/// A mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mark<'l> {
    Begin {
        pid: i64,
        name: &'l str,
        category: Option<&'l str>,
    },
    End {
        pid: i64,
    },
    /// The beginning or end of an operation.
    Operation {
        is_end: bool,
        pid: i64,
        name: &'l str,
        cookie: &'l str,
        category: Option<&'l str>,
    },
    /// The beginning or end of an operation on a track. Some ends do not name the operation.
    OnTrack {
        is_end: bool,
        pid: i64,
        track: &'l str,
        name: Option<&'l str>,
        cookie: &'l str,
    },
    Instant {
        pid: i64,
        name: &'l str,
    },
    InstantOnTrack {
        pid: i64,
        track: &'l str,
        name: &'l str,
    },
    Counter {
        pid: i64,
        name: &'l str,
        value: Value,
        category: Option<&'l str>,
    },
    /// The value of another clock, in nanoseconds.
    Clock {
        name: &'l str,
        ts: i64,
    },
    /// A point that another trace has too.
    Sync {
        id: &'l str,
    },
}

/// The mark of a row; `Ok(None)` if it is not a mark or is free text, `Err` if it looks like a mark and is invalid.
pub(super) fn read<'l>(row: &Row<'l>) -> Result<Option<Mark<'l>>, ()> {
    // Old kernels resolved the function's address to `0`; trace-cmd writes it after `print`.
    let Some("tracing_mark_write" | "print" | "0") = row.name else { return Ok(None) };
    let text = row.args.strip_prefix("tracing_mark_write: ").unwrap_or(row.args);
    if let Some(sync) = text.strip_prefix("trace_event_clock_sync:") {
        return clock(sync.trim_start_matches(' ')).map(Some).ok_or(());
    }
    let (phase, rest) = text.split_once('|').unwrap_or((text, ""));
    let is_mark = matches!(phase, "B" | "E" | "S" | "F" | "G" | "H" | "I" | "N" | "C");
    if !is_mark || (rest.is_empty() && phase != "E") {
        return Ok(None);
    }
    let (pid, rest) = rest.split_once('|').unwrap_or((rest, ""));
    let pid = if pid.is_empty() { Some(0) } else { pid.parse().ok().filter(|&pid| pid >= 0) };
    pid.and_then(|pid| mark(phase, pid, rest)).map(Some).ok_or(())
}

fn mark<'l>(phase: &str, pid: i64, rest: &'l str) -> Option<Mark<'l>> {
    Some(match phase {
        "B" => {
            let (name, category) = chromium(rest);
            Mark::Begin { pid, name, category }
        }
        "E" => Mark::End { pid },
        "S" | "F" => {
            let (name, rest) = rest.split_once('|')?;
            let (cookie, category) = chromium(rest);
            Mark::Operation { is_end: phase == "F", pid, name, cookie, category }
        }
        "G" | "H" => {
            let (track, rest) = rest.split_once('|')?;
            let is_end = phase == "H";
            let (name, cookie) = match rest.rsplit_once('|') {
                Some((name, cookie)) => (Some(name), cookie),
                None if is_end => (None, rest),
                None => return None,
            };
            Mark::OnTrack { is_end, pid, track, name, cookie }
        }
        "I" => Mark::Instant { pid, name: rest },
        "N" => {
            let (track, name) = rest.split_once('|')?;
            Mark::InstantOnTrack { pid, track, name }
        }
        _ => {
            let (name, rest) = rest.split_once('|')?;
            let (value, category) = match rest.split_once('|') {
                Some((value, category)) => (value, Some(category)),
                None => (rest, None),
            };
            let value = value.trim();
            let int = value.parse().map(Value::Int);
            let value = int.or_else(|_| value.parse().map(Value::Float)).ok()?;
            Mark::Counter { pid, name, value, category }
        }
    })
}

/// Splits off Chromium's suffix: arguments, each with an equals sign, and categories.
fn chromium(text: &str) -> (&str, Option<&str>) {
    let mut parts = text.split('|');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(before), Some(args), Some(category), None)
            if args.is_empty() || args.split(';').all(|arg| arg.contains('=')) =>
        {
            (before, Some(category))
        }
        _ => (text, None),
    }
}

fn clock(text: &str) -> Option<Mark<'_>> {
    let (name, value) = text.trim_end().split_once('=')?;
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    match name {
        "parent_ts" => Some(Mark::Clock { name, ts: line::nanoseconds(whole, fraction)? }),
        // Wall clock, in milliseconds since 1970.
        "realtime_ts" => {
            let millis: i64 = value.parse().ok()?;
            Some(Mark::Clock { name, ts: millis.checked_mul(1_000_000)? })
        }
        "name" => Some(Mark::Sync { id: value }),
        _ => None,
    }
}

impl Mark<'_> {
    /// The process of the writing thread, as the mark names it.
    pub(super) fn process_of_thread(&self) -> Option<i64> {
        match *self {
            // Drivers write the other marks for any process.
            Mark::Begin { pid, .. } | Mark::End { pid } | Mark::Instant { pid, .. } => {
                Some(pid).filter(|&pid| pid > 0)
            }
            _ => None,
        }
    }

    /// Adds it to the events. Their threads have no process yet, because it is not known.
    pub(super) fn add(&self, events: &mut Events, number: u64, row: &Row<'_>) {
        let thread = events.thread(Ident::None, Ident::Number(row.tid));
        let phase = match self {
            Mark::Begin { .. } => Phase::Begin,
            Mark::End { .. } => Phase::End,
            Mark::Operation { is_end: false, .. } => Phase::AsyncBegin,
            Mark::Operation { is_end: true, .. } => Phase::AsyncEnd,
            Mark::OnTrack { is_end: false, .. } => Phase::NestableAsyncBegin,
            Mark::OnTrack { is_end: true, .. } => Phase::NestableAsyncEnd,
            Mark::Instant { .. } => Phase::Instant,
            Mark::InstantOnTrack { .. } => Phase::NestableAsyncInstant,
            Mark::Counter { .. } => Phase::Counter,
            Mark::Clock { .. } | Mark::Sync { .. } => Phase::ClockSync,
        };
        let (name, category) = match *self {
            Mark::Begin { name, category, .. }
            | Mark::Operation { name, category, .. }
            | Mark::Counter { name, category, .. } => (Some(name), category),
            Mark::Instant { name, .. } | Mark::InstantOnTrack { name, .. } => (Some(name), None),
            Mark::OnTrack { name, .. } => (name, None),
            Mark::End { .. } | Mark::Clock { .. } | Mark::Sync { .. } => (None, None),
        };
        let mut key = |text: Option<&str>| text.map_or(Key::NONE, |text| events.string(text));
        let (name, category) = (key(name), key(category));
        events.push(Event { ts: Some(row.ts), name, category, ..Event::new(phase, thread) });
        events.set_number(number);
        match *self {
            Mark::Operation { pid, cookie, .. } => {
                let cookie = events.string(cookie);
                events.set_id(IdKind::Local, cookie, Key::NONE);
                events.set_process(Ident::Number(pid));
            }
            Mark::OnTrack { pid, track, cookie, .. } => {
                let (cookie, track) = (events.string(cookie), events.string(track));
                events.set_id(IdKind::Local, cookie, track);
                events.set_process(Ident::Number(pid));
            }
            Mark::InstantOnTrack { pid, track, .. } => {
                let (none, track) = (events.string(""), events.string(track));
                events.set_id(IdKind::Local, none, track);
                events.set_process(Ident::Number(pid));
            }
            Mark::Counter { pid, value, .. } => {
                events.add_arg(Key::NONE, value);
                events.set_process(Ident::Number(pid));
            }
            Mark::Clock { name: clock, ts } => {
                let (id, clock) = (events.string("sync_id"), events.string(clock));
                let other = events.string(OTHER_CLOCK);
                events.add_arg(id, Value::Text(clock));
                events.add_arg(other, Value::Int(ts));
            }
            Mark::Sync { id } => {
                let (key, id) = (events.string("sync_id"), events.string(id));
                events.add_arg(key, Value::Text(id));
            }
            Mark::Begin { .. } | Mark::End { .. } | Mark::Instant { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read() {
        let counter = |name, value, category| Mark::Counter { pid: 9, name, value, category };
        let operation = |is_end, cookie, category| {
            let name = "op";
            Mark::Operation { is_end, pid: 9, name, cookie, category }
        };
        let on_track =
            |is_end, name| Mark::OnTrack { is_end, pid: 9, track: "lane", name, cookie: "8" };
        for (args, expected) in [
            ("B|9|a|b", Ok(Some(Mark::Begin { pid: 9, name: "a|b", category: None }))),
            (
                "B|9|draw|k=1;l=two|gfx",
                Ok(Some(Mark::Begin { pid: 9, name: "draw", category: Some("gfx") })),
            ),
            (
                "B|9|draw||gfx",
                Ok(Some(Mark::Begin { pid: 9, name: "draw", category: Some("gfx") })),
            ),
            ("B|9|a|k|b", Ok(Some(Mark::Begin { pid: 9, name: "a|k|b", category: None }))),
            ("B|9|", Ok(Some(Mark::Begin { pid: 9, name: "", category: None }))),
            ("B||a", Ok(Some(Mark::Begin { pid: 0, name: "a", category: None }))),
            ("tracing_mark_write: E|9", Ok(Some(Mark::End { pid: 9 }))),
            ("E", Ok(Some(Mark::End { pid: 0 }))),
            ("E|9|draw|k=1|gfx", Ok(Some(Mark::End { pid: 9 }))),
            ("S|9|op|-7", Ok(Some(operation(false, "-7", None)))),
            ("F|9|op|7|k=1|gfx", Ok(Some(operation(true, "7", Some("gfx"))))),
            ("G|9|lane|g|8", Ok(Some(on_track(false, Some("g"))))),
            ("H|9|lane|g|8", Ok(Some(on_track(true, Some("g"))))),
            ("H|9|lane|8", Ok(Some(on_track(true, None)))),
            ("I|9|lane|tick", Ok(Some(Mark::Instant { pid: 9, name: "lane|tick" }))),
            (
                "N|9|lane|tick",
                Ok(Some(Mark::InstantOnTrack { pid: 9, track: "lane", name: "tick" })),
            ),
            ("C|9|c|5", Ok(Some(counter("c", Value::Int(5), None)))),
            ("C|9|c|-2.5|gfx", Ok(Some(counter("c", Value::Float(-2.5), Some("gfx"))))),
            (
                "trace_event_clock_sync: parent_ts=23.5",
                Ok(Some(Mark::Clock { name: "parent_ts", ts: 23_500_000_000 })),
            ),
            (
                "trace_event_clock_sync: parent_ts=7",
                Ok(Some(Mark::Clock { name: "parent_ts", ts: 7_000_000_000 })),
            ),
            (
                "trace_event_clock_sync: realtime_ts=1445530184000",
                Ok(Some(Mark::Clock { name: "realtime_ts", ts: 1_445_530_184_000_000_000 })),
            ),
            ("trace_event_clock_sync: name=a-b", Ok(Some(Mark::Sync { id: "a-b" }))),
            ("C|9|c", Err(())),
            ("C|9|c|much", Err(())),
            ("S|9|op", Err(())),
            ("N|9|tick", Err(())),
            ("G|9|lane|8", Err(())),
            ("B|x|a", Err(())),
            ("B|-9|a", Err(())),
            ("B|99999999999999999999|a", Err(())),
            ("trace_event_clock_sync: parent_ts=x", Err(())),
            ("trace_event_clock_sync: else=1", Err(())),
            ("Begin", Ok(None)),
            ("B", Ok(None)),
            ("T|9|lane|t", Ok(None)),
            ("", Ok(None)),
        ] {
            let row = Row {
                comm: "x",
                tid: 1,
                tgid: None,
                cpu: 0,
                flags: None,
                ts: 0,
                name: Some("print"),
                args,
            };
            assert_eq!(read(&row), expected, "{args}");
            assert_eq!(read(&Row { name: Some("sched_wakeup"), ..row }), Ok(None));
        }
    }
}
