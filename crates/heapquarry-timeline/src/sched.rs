//! CPU slices and thread states, from switches and wakeups of the Linux scheduler.
//!
//! A switch ends the slice of its CPU's thread and begins that of the next thread. The previous thread enters the state
//! that the switch names. It becomes runnable when it is woken, and runs when a CPU switches to it. A wakeup of a
//! runnable or running thread changes nothing, because wakeups are reported several times (`sched_waking`,
//! `sched_wakeup`). Follows Perfetto,
//! <https://github.com/google/perfetto/tree/ec5d16b/src/trace_processor/importers/common/thread_state_tracker.cc>.

use crate::{HashMap, Key, Sched, SchedEvent, SchedEvents, column::Column, packed::Packed};

/// A slice in which a CPU ran a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedSlice {
    /// Start in nanoseconds.
    pub ts: i64,
    /// Duration in nanoseconds; `None` if it does not end.
    pub dur: Option<i64>,
    /// The CPU.
    pub cpu: i32,
    /// The thread.
    pub tid: i32,
    /// The state in which it was switched out.
    pub end_state: Key,
    /// Its priority.
    pub priority: i32,
}

/// State of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Running on that CPU.
    Running(i32),
    /// Runnable.
    Runnable,
    /// The state that a switch named.
    Left(Key),
}

/// A time in which a thread was in one state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreadState {
    /// Start in nanoseconds.
    pub ts: i64,
    /// Duration in nanoseconds; `None` if it does not end.
    pub dur: Option<i64>,
    /// The thread.
    pub tid: i32,
    /// The state.
    pub state: State,
    /// Whether it waited for input or output, if known.
    pub io_wait: Option<bool>,
    /// The kernel function in which it waited.
    pub blocked_function: Key,
    /// The thread that woke it.
    pub waker: Option<i32>,
}

/// CPU slices and thread states, both in order of start. Rows are generated from the events on demand; besides the
/// events, a row takes about 6 bytes.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// In order of time.
    events: SchedEvents,
    /// The switches that begin and end slices.
    slices: Rows,
    /// Beginnings and ends of states: twice the event's position, plus one for the thread that a CPU switches to.
    states: Rows,
    /// The event with the reason of a wait, by state; the last one counts.
    blocked: Vec<(u64, u64)>,
}

/// Rows, by their beginnings and ends.
#[derive(Clone, Debug, Default)]
struct Rows {
    starts: Column,
    ends: Packed,
}

impl Rows {
    fn new(bound: u64) -> Self {
        Rows { starts: Column::default(), ends: Packed::empty(bound) }
    }

    /// Begins a row and ends another one.
    fn push(&mut self, start: u64, ended: Option<u64>) -> u64 {
        if let Some(ended) = ended {
            self.ends.set(ended as usize, start);
        }
        self.starts.push(Some(start as i64));
        self.ends.push(None);
        self.len() - 1
    }

    fn len(&self) -> u64 {
        self.starts.len()
    }

    /// The beginning of a row.
    fn start(&self, row: u64) -> u64 {
        self.starts.get(row).expect("there are so many rows") as u64
    }
}

/// Computes CPU slices and thread states from scheduler events in file order. `is_runnable` returns whether a thread in
/// that state can continue: `R`, `R+`. Takes about 6 bytes of memory for each row, and a few words for each thread and
/// CPU.
pub fn schedule(mut events: SchedEvents, is_runnable: impl Fn(Key) -> bool) -> Schedule {
    // The buffers of CPUs are merged, but can be out of order by a few microseconds.
    events.sort();
    let bound = 2 * events.len();
    let mut slices = Rows::new(bound);
    let mut running: HashMap<i32, u64> = HashMap::default();
    let mut threads = Threads { states: Rows::new(bound), last: HashMap::default() };
    let mut blocked = Vec::new();
    for (at, event) in (0..).zip(events.iter()) {
        match event.what {
            Sched::Switch { cpu, prev, next, .. } => {
                threads.begin(prev, 2 * at, true);
                threads.begin(next, 2 * at + 1, false);
                let before = running.get(&cpu).copied();
                running.insert(cpu, slices.push(at, before));
            }
            Sched::New { tid, .. } => threads.begin(tid, 2 * at, false),
            Sched::Wake { tid, .. } => {
                let sleeps = match threads.last.get(&tid) {
                    Some(last) => match state(&events, threads.states.start(last.any)).1 {
                        State::Left(state) => !is_runnable(state),
                        State::Running(_) | State::Runnable => false,
                    },
                    None => true,
                };
                if sleeps {
                    threads.begin(tid, 2 * at, false);
                }
            }
            Sched::Blocked { tid, .. } => {
                let left = threads.last.get(&tid).and_then(|last| last.left);
                blocked.extend(left.map(|state| (state, at)));
            }
        }
    }
    blocked.sort_unstable();
    Schedule { events, slices, states: threads.states, blocked }
}

/// The thread and the state that begin there.
fn state(events: &SchedEvents, start: u64) -> (i32, State) {
    match events.get(start / 2).what {
        Sched::Switch { prev, prev_state, .. } if start.is_multiple_of(2) => {
            (prev, State::Left(prev_state))
        }
        Sched::Switch { cpu, next, .. } => (next, State::Running(cpu)),
        Sched::Wake { tid, .. } | Sched::New { tid, .. } | Sched::Blocked { tid, .. } => {
            (tid, State::Runnable)
        }
    }
}

impl Schedule {
    /// Number of slices.
    pub fn slices(&self) -> usize {
        self.slices.len() as usize
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.states.len() as usize
    }

    /// A CPU slice.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub fn slice(&self, at: usize) -> SchedSlice {
        let SchedEvent { ts, what } = self.events.get(self.slices.start(at as u64));
        let Sched::Switch { cpu, next: tid, next_prio: priority, .. } = what else {
            unreachable!("switches begin slices")
        };
        let end = self.slices.ends.optional(at).map(|end| self.events.get(end));
        let end_state = match end.map(|end| end.what) {
            Some(Sched::Switch { prev_state, .. }) => prev_state,
            _ => Key::NONE,
        };
        let dur = end.map(|end| end.ts.saturating_sub(ts));
        SchedSlice { ts, dur, cpu, tid, end_state, priority }
    }

    /// A thread state.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub fn state(&self, at: usize) -> ThreadState {
        let start = self.states.start(at as u64);
        let SchedEvent { ts, what } = self.events.get(start / 2);
        let (tid, state) = state(&self.events, start);
        let end = self.states.ends.optional(at);
        let dur = end.map(|end| self.events.ts(end / 2).saturating_sub(ts));
        let waker = match what {
            Sched::Wake { waker, .. } | Sched::New { waker, .. } => Some(waker),
            Sched::Switch { .. } | Sched::Blocked { .. } => None,
        };
        let told = self.blocked.partition_point(|&(state, _)| state <= at as u64).checked_sub(1);
        let told = told.map(|told| self.blocked[told]).filter(|&(state, _)| state == at as u64);
        let (io_wait, blocked_function) = match told.map(|(_, by)| self.events.get(by).what) {
            Some(Sched::Blocked { io_wait, function, .. }) => (Some(io_wait), function),
            _ => (None, Key::NONE),
        };
        ThreadState { ts, dur, tid, state, io_wait, blocked_function, waker }
    }
}

/// Thread states being built.
struct Threads {
    states: Rows,
    last: HashMap<i32, Last>,
}

/// Positions of a thread's last states.
#[derive(Clone, Copy)]
struct Last {
    /// The last state of any kind.
    any: u64,
    /// The last state that a switch named.
    left: Option<u64>,
}

impl Threads {
    /// Ends the state of a thread and begins another.
    fn begin(&mut self, tid: i32, start: u64, is_left: bool) {
        if tid == 0 {
            return;
        }
        let last = self.last.get(&tid).copied();
        let any = self.states.push(start, last.map(|last| last.any));
        let left = if is_left { Some(any) } else { last.and_then(|last| last.left) };
        self.last.insert(tid, Last { any, left });
    }
}
