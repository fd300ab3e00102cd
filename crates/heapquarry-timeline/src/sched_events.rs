//! Scheduler events.

use crate::{Key, column::Column, packed::Packed};

/// A scheduler event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedEvent {
    /// Time in nanoseconds.
    pub ts: i64,
    /// The event.
    pub what: Sched,
}

/// Kinds of scheduler events. Threads are identified by `tid`; 0 is an idle CPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sched {
    /// A CPU switches from one thread to another (`sched_switch`).
    Switch {
        /// The CPU.
        cpu: i32,
        /// The previous thread.
        prev: i32,
        /// Its state.
        prev_state: Key,
        /// The next thread.
        next: i32,
        /// Its priority.
        next_prio: i32,
    },
    /// A thread becomes runnable (`sched_waking`, `sched_wakeup`).
    Wake {
        /// The thread.
        tid: i32,
        /// The thread that was running where it was woken.
        waker: i32,
    },
    /// A new thread becomes runnable (`sched_wakeup_new`).
    New {
        /// The thread.
        tid: i32,
        /// The thread that was running where it was created.
        waker: i32,
    },
    /// Reason of a thread's last wait (`sched_blocked_reason`).
    Blocked {
        /// The thread.
        tid: i32,
        /// Whether it waited for input or output.
        io_wait: bool,
        /// The kernel function in which it waited.
        function: Key,
    },
}

/// Scheduler events, in file order or in order of time: about ten bytes each.
#[derive(Clone, Debug, Default)]
pub struct SchedEvents {
    ts: Column,
    /// Indices into this order of [`Sched`].
    kinds: Column,
    /// Threads that were switched out, woken, or waited.
    tids: Column,
    /// Threads that run next, or woke others.
    others: Column,
    /// States and functions.
    keys: Column,
    cpus: Column,
    /// Priorities, and whether a wait was for input or output.
    numbers: Column,
}

const SWITCH: i64 = 0;
const WAKE: i64 = 1;
const NEW: i64 = 2;
const BLOCKED: i64 = 3;

impl SchedEvents {
    /// Number of events.
    pub fn len(&self) -> u64 {
        self.ts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ts.is_empty()
    }

    /// Adds an event.
    pub fn push(&mut self, event: SchedEvent) {
        let (kind, tid, other, key, cpu, number) = match event.what {
            Sched::Switch { cpu, prev, prev_state, next, next_prio } => {
                (SWITCH, prev, Some(next), prev_state, Some(cpu), Some(next_prio))
            }
            Sched::Wake { tid, waker } => (WAKE, tid, Some(waker), Key::NONE, None, None),
            Sched::New { tid, waker } => (NEW, tid, Some(waker), Key::NONE, None, None),
            Sched::Blocked { tid, io_wait, function } => {
                (BLOCKED, tid, None, function, None, Some(io_wait.into()))
            }
        };
        self.ts.push(Some(event.ts));
        self.kinds.push(Some(kind));
        self.tids.push(Some(tid.into()));
        self.others.push(other.map(i64::from));
        self.keys.push(key.number());
        self.cpus.push(cpu.map(i64::from));
        self.numbers.push(number.map(i64::from));
    }

    /// Appends the events of the next part; `key` maps its keys.
    pub fn append(&mut self, piece: &SchedEvents, key: impl Fn(Key) -> Key) {
        let SchedEvents { ts, kinds, tids, others, keys, cpus, numbers } = piece;
        let first = self.len();
        self.ts.append(ts, first, Some);
        self.kinds.append(kinds, first, Some);
        self.tids.append(tids, first, Some);
        self.others.append(others, first, Some);
        self.keys.append(keys, first, |number| key(Key::of(Some(number))).number());
        self.cpus.append(cpus, first, Some);
        self.numbers.append(numbers, first, Some);
    }

    /// An event.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub fn get(&self, at: u64) -> SchedEvent {
        let of = |column: &Column| column.get(at).unwrap_or(0) as i32;
        let (tid, other, number) = (of(&self.tids), of(&self.others), of(&self.numbers));
        let key = Key::of(self.keys.get(at));
        let what = match self.kinds.get(at) {
            Some(SWITCH) => Sched::Switch {
                cpu: of(&self.cpus),
                prev: tid,
                prev_state: key,
                next: other,
                next_prio: number,
            },
            Some(WAKE) => Sched::Wake { tid, waker: other },
            Some(NEW) => Sched::New { tid, waker: other },
            _ => Sched::Blocked { tid, io_wait: number != 0, function: key },
        };
        SchedEvent { ts: self.ts(at), what }
    }

    /// Time of an event in nanoseconds.
    #[inline]
    pub(crate) fn ts(&self, at: u64) -> i64 {
        self.ts.get(at).unwrap_or(i64::MIN)
    }

    /// The events in their order.
    pub fn iter(&self) -> impl Iterator<Item = SchedEvent> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Sorts them by time; events at the same time keep their order.
    pub(crate) fn sort(&mut self) {
        let ts = |at: u64| self.ts.get(at);
        if (1..self.len()).all(|at| ts(at - 1) <= ts(at)) {
            return;
        }
        let len = self.len() as usize;
        let mut order = Packed::positions(len);
        order.sort(0..len, ts);
        *self = (0..len).map(|at| self.get(order.get(at))).collect();
    }
}

impl FromIterator<SchedEvent> for SchedEvents {
    fn from_iter<T: IntoIterator<Item = SchedEvent>>(events: T) -> Self {
        let mut all = SchedEvents::default();
        events.into_iter().for_each(|event| all.push(event));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_every_kind_come_back() {
        let extremes = [i32::MIN, -1, 0, 1, i32::MAX];
        let keys = [Key(0), Key(u32::MAX - 1), Key::NONE];
        let times = [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX];
        let event = |at: usize| {
            let (int, key) = (|n: usize| extremes[(at + n) % 5], keys[at % 3]);
            let what = match at / 2 % 4 {
                0 => Sched::Switch {
                    cpu: int(0),
                    prev: int(1),
                    prev_state: key,
                    next: int(2),
                    next_prio: int(3),
                },
                1 => Sched::Wake { tid: int(0), waker: int(1) },
                2 => Sched::New { tid: int(0), waker: int(1) },
                _ => Sched::Blocked { tid: int(0), io_wait: at % 4 == 2, function: key },
            };
            SchedEvent { ts: times[at % 6], what }
        };
        let mut events: Vec<SchedEvent> = (0..200).map(event).collect();
        let mut columns: SchedEvents = events.iter().copied().collect();
        assert_eq!(columns.iter().collect::<Vec<_>>(), events);
        let other = |key: Key| key.some().map_or(Key::NONE, |key| Key(key.0 ^ 2));
        let mut twice = SchedEvents::default();
        twice.append(&columns, other);
        twice.append(&twice.clone(), other);
        assert_eq!(twice.iter().skip(200).collect::<Vec<_>>(), events);
        columns.sort();
        events.sort_by_key(|event| event.ts);
        assert_eq!(columns.iter().collect::<Vec<_>>(), events);
    }
}
