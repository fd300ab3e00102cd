//! What CPUs ran and what state threads were in: cases, and random schedules against one that looks at every event anew
//! for each row.

use heapquarry_timeline::{Key, Sched, SchedEvent, SchedSlice, State, ThreadState, schedule};
use proptest::{collection::vec, prelude::*};

const RUNNABLE: Key = Key(0);
const DISPLACED: Key = Key(1);
const SLEEPS: Key = Key(2);
const FUNCTION: Key = Key(9);

fn is_runnable(state: Key) -> bool {
    state == RUNNABLE || state == DISPLACED
}

/// A line of a case: `10 switch 0: 5 S -> 7`, `20 wake 5 by 7`, `20 new 5 by 7`, `30 blocked 5`.
fn event(line: &str) -> SchedEvent {
    let words: Vec<&str> = line.split([' ', ':']).filter(|word| !word.is_empty()).collect();
    let number = |at: usize| words[at].parse().unwrap();
    let what = match words[1] {
        "switch" => {
            let prev_state = match words[4] {
                "R" => RUNNABLE,
                "R+" => DISPLACED,
                _ => SLEEPS,
            };
            let (cpu, prev, next) = (number(2), number(3), number(6));
            Sched::Switch { cpu, prev, prev_state, next, next_prio: 100 + next }
        }
        "wake" => Sched::Wake { tid: number(2), waker: number(4) },
        "new" => Sched::New { tid: number(2), waker: number(4) },
        _ => Sched::Blocked { tid: number(2), io_wait: true, function: FUNCTION },
    };
    SchedEvent { ts: words[0].parse().unwrap(), what }
}

fn name(state: Key) -> &'static str {
    ["R", "R+", "S"].get(state.0 as usize).unwrap_or(&"-")
}

/// Slices as `CPU: ts+dur tid end_state`, states as `tid: ts+dur state`.
fn show((slices, states): &Found) -> (Vec<String>, Vec<String>) {
    let dur = |dur: Option<i64>| dur.map_or("?".into(), |dur| dur.to_string());
    let slice = |slice: &SchedSlice| {
        let SchedSlice { ts, cpu, tid, end_state, priority, .. } = slice;
        assert_eq!(*priority, 100 + tid);
        format!("{cpu}: {ts}+{} {tid} {}", dur(slice.dur), name(*end_state))
    };
    let state = |state: &ThreadState| {
        let what = match state.state {
            State::Running(cpu) => format!("on {cpu}"),
            State::Runnable => "ready".into(),
            State::Left(state) => name(state).into(),
        };
        let waker = state.waker.map_or(String::new(), |waker| format!(" by {waker}"));
        let blocked = if state.io_wait == Some(true) { " io" } else { "" };
        assert_eq!(state.blocked_function == FUNCTION, !blocked.is_empty());
        format!("{}: {}+{} {what}{waker}{blocked}", state.tid, state.ts, dur(state.dur))
    };
    (slices.iter().map(slice).collect(), states.iter().map(state).collect())
}

type Found = (Vec<SchedSlice>, Vec<ThreadState>);

fn found(events: Vec<SchedEvent>) -> Found {
    let found = schedule(events.into_iter().collect(), is_runnable);
    let slices = (0..found.slices()).map(|at| found.slice(at)).collect();
    (slices, (0..found.states()).map(|at| found.state(at)).collect())
}

#[track_caller]
fn check(events: &[&str], slices: &[&str], states: &[&str]) {
    let found = found(events.iter().map(|line| event(line)).collect());
    let (found_slices, found_states) = show(&found);
    assert_eq!(found_slices, slices);
    assert_eq!(found_states, states);
}

#[test]
fn a_switch_ends_what_ran_and_begins_what_runs() {
    check(
        &["10 switch 0: 5 S -> 7", "30 switch 0: 7 R+ -> 0", "40 switch 0: 0 R -> 7"],
        &["0: 10+20 7 R+", "0: 30+10 0 R", "0: 40+? 7 -"],
        &["5: 10+? S", "7: 10+20 on 0", "7: 30+10 R+", "7: 40+? on 0"],
    );
}

#[test]
fn cpus_are_independent() {
    check(
        &["10 switch 0: 0 R -> 7", "15 switch 1: 0 R -> 8", "20 switch 0: 7 S -> 0"],
        &["0: 10+10 7 S", "1: 15+? 8 -", "0: 20+? 0 -"],
        &["7: 10+10 on 0", "8: 15+? on 1", "7: 20+? S"],
    );
}

#[test]
fn a_wakeup_counts_once_and_only_for_those_that_sleep() {
    check(
        &[
            "10 switch 0: 5 S -> 7",
            "12 wake 5 by 7",
            "13 wake 5 by 8",
            "14 wake 7 by 5",
            "15 switch 0: 7 R -> 5",
            "16 wake 7 by 5",
        ],
        &["0: 10+5 7 R", "0: 15+? 5 -"],
        &["5: 10+2 S", "7: 10+5 on 0", "5: 12+3 ready by 7", "7: 15+? R", "5: 15+? on 0"],
    );
}

#[test]
fn threads_that_are_new_or_seen_first_when_woken() {
    check(
        &["10 new 5 by 7", "11 wake 6 by 7", "12 wake 0 by 7", "20 switch 1: 7 S -> 5"],
        &["1: 20+? 5 -"],
        &["5: 10+10 ready by 7", "6: 11+? ready by 7", "7: 20+? S", "5: 20+? on 1"],
    );
}

#[test]
fn why_a_thread_waited_is_told_when_it_is_woken() {
    check(
        &["5 blocked 5", "10 switch 0: 5 S -> 0", "20 wake 5 by 0", "21 blocked 5", "22 blocked 6"],
        &["0: 10+? 0 -"],
        &["5: 10+10 S io", "5: 20+? ready by 0"],
    );
}

#[test]
fn events_out_of_order_are_sorted() {
    check(
        &["20 switch 0: 7 S -> 5", "10 switch 0: 5 S -> 7"],
        &["0: 10+10 7 S", "0: 20+? 5 -"],
        &["5: 10+10 S", "7: 10+10 on 0", "7: 20+? S", "5: 20+? on 0"],
    );
}

/// The schedule found the slow way: each row looks through all events for what it needs.
fn naive(events: &[SchedEvent]) -> Found {
    let (mut slices, mut rows) = Found::default();
    // The states that a thread is in after so many events, newest last, as (event, state, waker).
    let states = |tid: i32, events: &[SchedEvent]| {
        let mut states: Vec<(usize, State, Option<i32>)> = Vec::new();
        for (at, event) in events.iter().enumerate() {
            match event.what {
                Sched::Switch { cpu, prev, prev_state, next, .. } => {
                    if prev == tid {
                        states.push((at, State::Left(prev_state), None));
                    }
                    if next == tid {
                        states.push((at, State::Running(cpu), None));
                    }
                }
                Sched::New { tid: new, waker } if new == tid => {
                    states.push((at, State::Runnable, Some(waker)));
                }
                Sched::Wake { tid: woken, waker } if woken == tid => {
                    let sleeps = match states.last() {
                        None => true,
                        Some((_, State::Left(state), _)) => !is_runnable(*state),
                        Some(_) => false,
                    };
                    if sleeps {
                        states.push((at, State::Runnable, Some(waker)));
                    }
                }
                _ => {}
            }
        }
        states
    };
    for (at, event) in events.iter().enumerate() {
        if let Sched::Switch { cpu, next, next_prio, .. } = event.what {
            let end = events[at + 1..].iter().find_map(|later| match later.what {
                Sched::Switch { cpu: other, prev_state, .. } if other == cpu => {
                    Some((later.ts - event.ts, prev_state))
                }
                _ => None,
            });
            slices.push(SchedSlice {
                ts: event.ts,
                dur: end.map(|(dur, _)| dur),
                cpu,
                tid: next,
                end_state: end.map_or(Key::NONE, |(_, state)| state),
                priority: next_prio,
            });
        }
        let mut threads = match event.what {
            Sched::Switch { prev, next, .. } => vec![prev, next],
            Sched::New { tid, .. } | Sched::Wake { tid, .. } => vec![tid],
            Sched::Blocked { .. } => vec![],
        };
        threads.dedup();
        for tid in threads.into_iter().filter(|&tid| tid != 0) {
            let all = states(tid, events);
            for (number, &(from, state, waker)) in all.iter().enumerate() {
                if from != at {
                    continue;
                }
                let until = all.get(number + 1).map(|next| next.0);
                let next_left = all[number + 1..]
                    .iter()
                    .find_map(|(from, state, _)| matches!(state, State::Left(_)).then_some(*from));
                let told = (matches!(state, State::Left(_)))
                    .then(|| &events[at..next_left.unwrap_or(events.len())])
                    .into_iter()
                    .flatten()
                    .any(|e| matches!(e.what, Sched::Blocked { tid: of, .. } if of == tid));
                rows.push(ThreadState {
                    ts: event.ts,
                    dur: until.map(|until| events[until].ts - event.ts),
                    tid,
                    state,
                    io_wait: told.then_some(true),
                    blocked_function: if told { FUNCTION } else { Key::NONE },
                    waker,
                });
            }
        }
    }
    (slices, rows)
}

fn what() -> impl Strategy<Value = Sched> {
    let tid = 0..5i32;
    prop_oneof![
        (0..2i32, tid.clone(), 0..3u32, tid.clone()).prop_map(|(cpu, prev, state, next)| {
            Sched::Switch { cpu, prev, prev_state: Key(state), next, next_prio: 100 + next }
        }),
        (tid.clone(), tid.clone()).prop_map(|(tid, waker)| Sched::Wake { tid, waker }),
        (tid.clone(), tid.clone()).prop_map(|(tid, waker)| Sched::New { tid, waker }),
        tid.prop_map(|tid| Sched::Blocked { tid, io_wait: true, function: FUNCTION }),
    ]
}

proptest! {
    #[test]
    fn schedules_are_as_the_naive_one(events in vec((0..200i64, what()), 0..200)) {
        let mut events: Vec<SchedEvent> =
            events.into_iter().map(|(ts, what)| SchedEvent { ts, what }).collect();
        let found = found(events.clone());
        events.sort_by_key(|event| event.ts);
        let expected = naive(&events);
        prop_assert_eq!(show(&found), show(&expected));
    }
}
