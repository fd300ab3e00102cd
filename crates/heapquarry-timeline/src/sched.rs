//! What CPUs ran and what state threads were in, out of the switches and wakeups of the Linux kernel's scheduler.
//!
//! A switch ends what its CPU ran and begins what it runs next. A thread that is left goes on in the state that the switch
//! tells; it becomes able to run when it is woken, and runs when a CPU switches to it. Being woken while it can run, or
//! runs, changes nothing, as a wakeup is told several times (`sched_waking`, `sched_wakeup`). Follows Perfetto,
//! <https://github.com/google/perfetto/tree/ec5d16b/src/trace_processor/importers/common/thread_state_tracker.cc>.

use crate::{HashMap, Key};

/// One thing that a scheduler did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedEvent {
    /// When, in nanoseconds.
    pub ts: i64,
    /// What.
    pub what: Sched,
}

/// What a scheduler did. Threads are known by their `tid`; 0 is a CPU that idles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sched {
    /// A CPU leaves one thread and runs another (`sched_switch`).
    Switch {
        /// The CPU.
        cpu: i32,
        /// The thread that it leaves.
        prev: i32,
        /// The state in which that is.
        prev_state: Key,
        /// The thread that it runs.
        next: i32,
        /// Priority of that.
        next_prio: i32,
    },
    /// A thread becomes able to run (`sched_waking`, `sched_wakeup`).
    Wake {
        /// The thread.
        tid: i32,
        /// The thread that ran where it was woken.
        waker: i32,
    },
    /// A thread is able to run for the first time (`sched_wakeup_new`).
    New {
        /// The thread.
        tid: i32,
        /// The thread that ran where it was made.
        waker: i32,
    },
    /// Why a thread waited last (`sched_blocked_reason`).
    Blocked {
        /// The thread.
        tid: i32,
        /// Whether it waited for input or output.
        io_wait: bool,
        /// The function of the kernel in which it waited.
        function: Key,
    },
}

/// A time for which a CPU ran a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedSlice {
    /// When it began.
    pub ts: i64,
    /// How long it took; `None` if it does not end.
    pub dur: Option<i64>,
    /// The CPU.
    pub cpu: i32,
    /// The thread.
    pub tid: i32,
    /// The state in which it was left.
    pub end_state: Key,
    /// Its priority.
    pub priority: i32,
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It runs, on that CPU.
    Running(i32),
    /// It could run.
    Runnable,
    /// What the switch that left it told.
    Left(Key),
}

/// A time for which a thread was in one state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreadState {
    /// When it began.
    pub ts: i64,
    /// How long it took; `None` if it does not end.
    pub dur: Option<i64>,
    /// The thread.
    pub tid: i32,
    /// The state.
    pub state: State,
    /// Whether it waited for input or output, if that is told.
    pub io_wait: Option<bool>,
    /// The function of the kernel in which it waited.
    pub blocked_function: Key,
    /// Who woke it.
    pub waker: Option<i32>,
}

/// What CPUs ran and what state threads were in, both in order of start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// What CPUs ran.
    pub slices: Vec<SchedSlice>,
    /// What state threads were in.
    pub states: Vec<ThreadState>,
}

/// Finds out what CPUs ran and what state threads were in, out of what the scheduler did in the order of the file.
/// `is_runnable` tells states in which a thread could have gone on: `R`, `R+`. Takes memory for what it returns, and a few
/// words for each thread and CPU.
pub fn schedule(mut events: Vec<SchedEvent>, is_runnable: impl Fn(Key) -> bool) -> Schedule {
    // The buffers of CPUs are merged, but a few microseconds out of order are seen.
    events.sort_by_key(|event| event.ts);
    let mut slices: Vec<SchedSlice> = Vec::new();
    let mut running: HashMap<i32, usize> = HashMap::default();
    let mut threads = Threads::default();
    for SchedEvent { ts, what } in events {
        match what {
            Sched::Switch { cpu, prev, prev_state, next, next_prio } => {
                threads.begin(ts, prev, State::Left(prev_state), None);
                threads.begin(ts, next, State::Running(cpu), None);
                if let Some(open) = running.insert(cpu, slices.len()) {
                    let slice = &mut slices[open];
                    slice.dur = Some(ts.saturating_sub(slice.ts));
                    slice.end_state = prev_state;
                }
                let (dur, end_state) = (None, Key::NONE);
                slices.push(SchedSlice { ts, dur, cpu, tid: next, end_state, priority: next_prio });
            }
            Sched::New { tid, waker } => threads.begin(ts, tid, State::Runnable, Some(waker)),
            Sched::Wake { tid, waker } => {
                let sleeps = match threads.state(tid) {
                    Some(State::Running(_) | State::Runnable) => false,
                    Some(State::Left(state)) => !is_runnable(state),
                    None => true,
                };
                if sleeps {
                    threads.begin(ts, tid, State::Runnable, Some(waker));
                }
            }
            Sched::Blocked { tid, io_wait, function } => {
                if let Some(left) = threads.left(tid) {
                    left.io_wait = Some(io_wait);
                    left.blocked_function = function;
                }
            }
        }
    }
    Schedule { slices, states: threads.states }
}

/// States of threads in the making.
#[derive(Default)]
struct Threads {
    states: Vec<ThreadState>,
    last: HashMap<i32, Last>,
}

/// Positions of a thread's last states.
#[derive(Clone, Copy)]
struct Last {
    /// Of any kind.
    any: usize,
    /// Told by the switch that left it.
    left: Option<usize>,
}

impl Threads {
    /// Ends the state of a thread and begins another.
    fn begin(&mut self, ts: i64, tid: i32, state: State, waker: Option<i32>) {
        if tid == 0 {
            return;
        }
        let at = self.states.len();
        let left = matches!(state, State::Left(_)).then_some(at);
        let last = self.last.entry(tid).or_insert(Last { any: at, left: None });
        if let Some(before) = self.states.get_mut(last.any) {
            before.dur = Some(ts.saturating_sub(before.ts));
        }
        *last = Last { any: at, left: left.or(last.left) };
        let (io_wait, blocked_function) = (None, Key::NONE);
        let new = ThreadState { ts, dur: None, tid, state, io_wait, blocked_function, waker };
        self.states.push(new);
    }

    fn state(&self, tid: i32) -> Option<State> {
        self.last.get(&tid).map(|last| self.states[last.any].state)
    }

    fn left(&mut self, tid: i32) -> Option<&mut ThreadState> {
        let left = self.last.get(&tid)?.left?;
        self.states.get_mut(left)
    }
}
