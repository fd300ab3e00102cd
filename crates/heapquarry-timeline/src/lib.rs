//! Analysis of trace events: slices and their nesting, asynchronous operations, flows, counters, threads and processes.
//!
//! Plain vectors in, plain vectors out: this crate does not know JSON, Arrow or files. [`Events`] are the events of a
//! trace in file order, about 10 bytes each. The decoder of a format fills them, in several parts if several threads
//! decode. [`analyze`] determines what they mean; each rule is a file.
//!
//! ```
//! use heapquarry_timeline::{Event, EventIndex, Events, Ident, Phase, analyze};
//!
//! let mut events = Events::default();
//! let thread = events.thread(Ident::Number(1), Ident::Number(1));
//! let (outer, inner) = (events.string("outer"), events.string("inner"));
//! events.push(Event { ts: Some(0), name: outer, ..Event::new(Phase::Begin, thread) });
//! events.push(Event { ts: Some(10), dur: Some(20), name: inner, ..Event::new(Phase::Complete, thread) });
//! events.push(Event { ts: Some(50), ..Event::new(Phase::End, thread) });
//!
//! let timeline = analyze(events, 1);
//! let [outer, inner] = [0, 1].map(EventIndex);
//! assert_eq!(timeline.slices.dur(&timeline.events, outer), 50);
//! assert_eq!(timeline.slices.self_dur(outer), Some(30));
//! assert_eq!((timeline.slices.parent(inner), timeline.slices.depth(inner)), (Some(outer), 1));
//! ```
//!
//! The rules are those of the Trace Event Format,
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>, as its reference importer reads it,
//! <https://github.com/catapult-project/catapult/blob/6fd8bbe/tracing/tracing/extras/importer/trace_event_importer.html>,
//! and Perfetto's JSON importer, <https://github.com/google/perfetto/tree/ec5d16b/src/trace_processor/importers/json>.
//! Each file says which it follows where they differ. No event is dropped because it contradicts others: it is kept,
//! marked and counted ([`Issues`]).
#![forbid(unsafe_code)]

mod aggregates;
mod args;
mod async_slices;
mod clocks;
mod column;
mod contexts;
mod counters;
mod event;
mod events;
mod flows;
mod identity;
mod index;
mod intern;
mod issues;
mod legacy_async;
mod objects;
mod open;
mod order;
mod packed;
mod phase;
mod points;
mod processes;
mod ranks;
pub mod roles;
pub mod row;
mod sched;
mod sched_events;
mod slices;
mod small;
mod sums;
mod tick;
mod timeline;
mod tracks;

/// Maps with a lookup per event: std's hash protects against chosen keys, which costs more than all other work.
type HashMap<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;

pub use aggregates::Aggregate;
pub use async_slices::{AsyncEnding, AsyncSlice, AsyncSlices, Tree};
pub use clocks::{ClockSync, LEGACY_CLOCK_SYNC, OTHER_CLOCK, clock_syncs};
pub use contexts::Context;
pub use counters::{CounterValue, Counters, Series};
pub use event::{Event, Flags, Id, IdKind, Ident, ThreadId, Value};
pub use events::Events;
pub use flows::{Flow, Flows};
pub use index::EventIndex;
pub use intern::{Key, Strings};
pub use issues::{Issue, Issues};
pub use objects::{Object, Objects, Snapshot};
pub use phase::Phase;
pub use processes::{Process, Processes, Thread};
pub use sched::{SchedSlice, Schedule, State, ThreadState, schedule};
pub use sched_events::{Sched, SchedEvent, SchedEvents};
pub use slices::{Ending, Slices};
pub use sums::{SliceFigures, Sum, percentile, slice_figures, slice_sums, slice_sums_by};
pub use timeline::{Timeline, analyze};
pub use tracks::{Track, Tracks};
