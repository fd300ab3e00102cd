//! An event, as it is added to [`Events`](crate::Events).

use crate::{Key, Phase};
use std::ops::{BitOr, BitOrAssign};

/// An event, as it is added.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its phase.
    pub phase: Phase,
    /// Its flags.
    pub flags: Flags,
    /// Time in nanoseconds.
    pub ts: Option<i64>,
    /// Duration in nanoseconds, if the event has one.
    pub dur: Option<i64>,
    /// Its thread: [`Events::thread`](crate::Events::thread).
    pub thread: u32,
    /// Its name: [`Events::string`](crate::Events::string).
    pub name: Key,
    /// Its categories, as one string.
    pub category: Key,
}

impl Event {
    /// An event with that phase and thread, and nothing else.
    pub fn new(phase: Phase, thread: u32) -> Self {
        Event {
            phase,
            flags: Flags::NONE,
            ts: None,
            dur: None,
            thread,
            name: Key::NONE,
            category: Key::NONE,
        }
    }
}

/// Boolean members of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// No flags.
    pub const NONE: Flags = Flags(0);
    /// An instant of its process: `"s":"p"`.
    pub const PROCESS_SCOPE: Flags = Flags(1);
    /// An instant of the whole trace: `"s":"g"`.
    pub const GLOBAL_SCOPE: Flags = Flags(1 << 1);
    /// The end of a flow that binds to the slice around it: `"bp":"e"`.
    pub const BIND_ENCLOSING: Flags = Flags(1 << 2);
    /// `bp` with another value, which no version of the format defines.
    pub const BIND_UNKNOWN: Flags = Flags(1 << 3);
    /// The flow `bind_id` enters: `"flow_in":true`.
    pub const FLOW_IN: Flags = Flags(1 << 4);
    /// The flow `bind_id` leaves: `"flow_out":true`.
    pub const FLOW_OUT: Flags = Flags(1 << 5);
    /// `args` exists and is not empty.
    pub const ARGS: Flags = Flags(1 << 6);
    /// `tts` of an asynchronous event is meaningful: `"use_async_tts":1`.
    pub const ASYNC_TTS: Flags = Flags(1 << 7);

    /// Whether all of `other` are set.
    #[inline]
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// A `pid` or `tid`: producers write numbers of any size and sign, and names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ident {
    /// Missing.
    None,
    /// An integer.
    Number(i64),
    /// Anything else, as text.
    Text(Key),
}

/// Identity of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId {
    /// The process.
    pub pid: Ident,
    /// The thread; threads of different processes can have the same `tid`.
    pub tid: Ident,
}

/// The member that has an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdKind {
    /// `id`.
    Plain,
    /// `id2.local`: valid only within its process.
    Local,
    /// `id2.global`.
    Global,
}

/// The id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id {
    /// The member that has it.
    pub kind: IdKind,
    /// A string unchanged; a number as its decimal text, so `1` and `"1"` are equal.
    pub text: Key,
    /// `scope`.
    pub scope: Key,
}

/// A scalar member of `args`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string; not `true`, `false` or `null`.
    Text(Key),
}
