//! Ftrace text: rows are what was written, whatever shape they have, and no bytes lead to a panic, or to other rows
//! when they are read in other pieces.

mod common;

use common::{Cell, Row, rows};
use heapquarry_formats::{
    Entry, Error, Format, Gather, Gathered, ReadOptions, ftrace::Ftrace, read_all, sniff,
};
use heapquarry_tables::FileId;
use heapquarry_timeline::{Events, Ident, SchedEvents, analyze, schedule};
use proptest::{collection::vec, option, prelude::*};
use std::collections::BTreeMap;

fn collecting() -> ReadOptions {
    ReadOptions::default().gather(Gather::Always)
}

fn gathered(gathered: Option<Gathered>) -> (Events, SchedEvents) {
    match gathered {
        Some(Gathered::Trace(parts)) => (parts.events, parts.scheduled),
        other => panic!("{other:?}"),
    }
}

/// Rows by table, what is told besides, and the log.
fn read_tables(
    document: &[u8],
    row_group_rows: usize,
    window: usize,
) -> (BTreeMap<&'static str, Vec<Row>>, Vec<String>, Vec<Entry>) {
    let options = collecting().row_group_rows(row_group_rows).window(window);
    let mut found: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
    let reader = Ftrace::new(&document, FileId(7), &options).unwrap();
    let finished = read_all(reader, |table, batch| {
        assert!(batch.num_rows() <= row_group_rows || table.name == "trace_metadata");
        found.entry(table.name).or_default().extend(rows(table, &batch));
        Ok::<_, Error>(())
    })
    .unwrap();
    let (events, scheduled) = gathered(finished.gathered);
    let [summary] = <[_; 1]>::try_from(finished.documents).expect("one document");
    let rows = found.get("ftrace_event").map_or(0, Vec::len);
    assert_eq!(summary.counts, [("ftrace_events", rows as u64)]);

    let timeline = analyze(events, 1);
    let events = &timeline.events;
    let mut told: Vec<String> = events
        .all()
        .map(|event| {
            let (phase, ts) = (events.phase(event), events.ts(event));
            let name = events.strings().get(events.name(event));
            let (pid, line) = (events.pid(event), events.number(event));
            format!("{line}: {} {ts:?} {name:?} {pid:?}", char::from(phase.byte()))
        })
        .collect();
    told.extend(timeline.processes.threads.iter().map(|thread| {
        let name = events.strings().get(thread.name);
        let pid = timeline.processes.processes[thread.upid as usize].pid;
        format!("{:?} of {pid:?}: {name:?} {:?}", thread.tid, thread.span)
    }));
    let schedule = schedule(scheduled, |_| false);
    told.extend((0..schedule.slices()).map(|at| {
        let slice = schedule.slice(at);
        let state = events.strings().get(slice.end_state);
        format!("{} {:?} {} {} {state:?}", slice.ts, slice.dur, slice.cpu, slice.tid)
    }));
    told.extend((0..schedule.states()).map(|at| {
        let state = schedule.state(at);
        let function = events.strings().get(state.blocked_function);
        format!("{} {:?} {} {function:?} {:?}", state.ts, state.dur, state.tid, state.waker)
    }));
    (found, told, summary.log.into_entries())
}

/// Rows of `ftrace_event`, and the log.
fn read(document: &[u8], row_group_rows: usize, window: usize) -> (Vec<Row>, Vec<Entry>) {
    let (mut tables, _, log) = read_tables(document, row_group_rows, window);
    (tables.remove("ftrace_event").unwrap_or_default(), log)
}

/// A mark.
fn marking() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[BESFGHINC](\\|[0-9]{0,2}(\\|[a-c=;]{0,2}){0,4}(\\|[0-9.-]{0,3})?)?",
        Just("trace_event_clock_sync: parent_ts=1.5".to_owned()),
    ];
    let pid = option::of(0..4u8);
    (pid, 0..4u8, 0..50u8, prop_oneof![Just("print"), Just("0")], text).prop_map(
        |(tgid, tid, ts, name, text)| {
            let tgid = tgid.map_or("-----".into(), |tgid| tgid.to_string());
            format!("m-{tid} ({tgid:>5}) [000] .... {ts}.5: {name}: {text}\n")
        },
    )
}

/// A line of the scheduler.
fn scheduling() -> impl Strategy<Value = String> {
    let task = || (prop_oneof![Just("a"), Just("b c"), Just("<...>"), Just("x pid=3")], 0..6u8);
    let args = (task(), prop_oneof![Just("S"), Just("R+"), Just("D"), Just("R")], task());
    (args, 0..3u8, 0..50u8, 0..5u8).prop_map(
        |(((prev_comm, prev), state, (next_comm, next)), cpu, ts, what)| {
            let args = match what {
                0 | 1 => format!(
                    "sched_switch: prev_comm={prev_comm} prev_pid={prev} prev_prio=1 \
                     prev_state={state} ==> next_comm={next_comm} next_pid={next} next_prio=2"
                ),
                2 => format!("sched_waking: comm={next_comm} pid={next} prio=1"),
                3 => format!("sched_wakeup_new: comm={next_comm} pid={next} prio=1"),
                _ => format!("sched_blocked_reason: pid={next} iowait=1 caller=f+0x1"),
            };
            format!("{prev_comm}-{prev} ({prev:5}) [00{cpu}] d..3 {ts}.5: {args}\n")
        },
    )
}

#[derive(Clone, Debug)]
struct Event {
    comm: String,
    tid: u32,
    tgid: Option<Option<u32>>,
    cpu: u16,
    flags: Option<String>,
    micros: u64,
    name: Option<String>,
    args: String,
}

fn event() -> impl Strategy<Value = Event> {
    let comm = "[a-z:/.<>()éλ-][a-z0-9:/.<>() é\u{4e00}\\[\\]-]{0,14}";
    // Behind a name stands one blank; a text without a name begins with none and has no colon.
    (
        (comm, any::<u32>(), option::of(option::of(any::<u32>())), any::<u16>()),
        (option::of("[a-zA-Z.][a-zA-Z0-9.]{3,4}"), 0u64..1 << 50),
        prop_oneof![
            ("[a-z_:]{1,20}", "[ -~é]{0,40}").prop_map(|(name, args)| (Some(name), args)),
            "([a-z_<-]{1,9}( [a-z<-]{0,9}){0,3})?".prop_map(|text| (None, text)),
        ],
    )
        .prop_map(|((comm, tid, tgid, cpu), (flags, micros), (name, args))| Event {
            comm,
            tid,
            tgid,
            cpu,
            flags,
            micros,
            name,
            args,
        })
}

fn line(event: &Event) -> String {
    let Event { comm, tid, tgid, cpu, flags, micros, name, args } = event;
    let tgid = match tgid {
        None => String::new(),
        Some(None) => " (-----)".into(),
        Some(Some(tgid)) => format!(" ({tgid:5})"),
    };
    let flags = flags.as_ref().map_or(String::new(), |flags| format!(" {flags}"));
    let name = name.as_ref().map_or(String::new(), |name| format!("{name}: "));
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    format!("{comm:>16}-{tid:<5}{tgid} [{cpu:03}]{flags} {seconds:5}.{fraction:06}: {name}{args}")
}

fn row(event: &Event, number: usize, offset: usize) -> Row {
    let text = |text: &Option<String>| text.as_deref().map_or(Cell::Null, |t| Cell::Text(t.into()));
    vec![
        Cell::Int(7),
        Cell::Int(number as i64),
        Cell::Int(offset as i64),
        Cell::Int(event.micros as i64 * 1000),
        Cell::Int(event.cpu.into()),
        Cell::Text(event.comm.as_str().into()),
        Cell::Int(event.tid.into()),
        event.tgid.flatten().map_or(Cell::Null, |tgid| Cell::Int(tgid.into())),
        text(&event.flags),
        text(&event.name),
        Cell::Text(event.args.as_str().into()),
    ]
}

proptest! {
    #[test]
    fn rows_are_what_was_written(
        events in vec(event(), 1..20),
        ending in prop_oneof![Just("\n"), Just("\r\n"), Just("\\n\\\n")],
        (row_group_rows, window) in (1usize..9, 1usize..300),
    ) {
        let mut text = format!("# tracer: nop{ending}#{ending}");
        let mut expected = Vec::new();
        for (number, event) in (2..).zip(&events) {
            expected.push(row(event, number, text.len()));
            text += &line(event);
            text += ending;
        }
        prop_assert_eq!(sniff(&text).unwrap().map(|found| found.format), Some(Format::Ftrace));
        let (found, log) = read(text.as_bytes(), row_group_rows, window);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(log, vec![]);
    }

    #[test]
    fn bytes_of_any_kind_are_read_alike_in_any_pieces(
        pieces in vec(
            prop_oneof![
                event().prop_map(|event| line(&event).into_bytes()),
                vec(scheduling(), 1..6).prop_map(|lines| lines.concat().into_bytes()),
                vec(marking(), 1..6).prop_map(|lines| lines.concat().into_bytes()),
                Just(b"# tracer: nop\n".to_vec()),
                vec(any::<u8>(), 0..20),
                "[ \\[\\]()0-9.:a-z\n-]{0,30}".prop_map(String::into_bytes),
                Just(b"\n".to_vec()),
                Just(b"CPU:3 [LOST 5 EVENTS]\n".to_vec()),
            ],
            0..12,
        ),
        (row_group_rows, window) in (1usize..9, 1usize..300),
    ) {
        let bytes = pieces.concat();
        let expected = read_tables(&bytes, 1000, 1000);
        prop_assert_eq!(read_tables(&bytes, row_group_rows, window), expected);
    }

    /// What is cut off is a row less, or a shorter one.
    #[test]
    fn cut_anywhere(events in vec(event(), 1..5), cut in any::<prop::sample::Index>()) {
        let text: String = events.iter().map(|event| line(event) + "\n").collect();
        let (whole, _) = read(text.as_bytes(), 1000, 1000);
        let cut = cut.index(text.len() + 1);
        let (found, log) = read(&text.as_bytes()[..cut], 1000, 1000);
        let lines = text[..text.floor_char_boundary(cut)].matches('\n').count();
        prop_assert_eq!(&found[..lines], &whole[..lines]);
        prop_assert!(found.len() <= lines + 1 && log.len() <= 2);
    }
}

#[test]
fn a_line_that_is_too_long_is_left_out() {
    let row = "a-1 [000] 1.5: b: c";
    for long in [8 << 20, (8 << 20) + 1, 20 << 20] {
        for rest in [format!("\n{row}\n"), String::new()] {
            let text = format!("{row}\n{}{rest}", "x".repeat(long));
            let (found, log) = read(text.as_bytes(), 1000, 1 << 20);
            assert_eq!(found.len(), if rest.is_empty() { 1 } else { 2 });
            let told: Vec<_> =
                log.iter().map(|entry| (entry.code.name(), entry.offset.map(|at| at.0))).collect();
            assert_eq!(told, [("string_too_long", Some(20))]);
            if let Some(last) = found.get(1) {
                assert_eq!(last[1], Cell::Int(2));
            }
        }
    }
}

/// What a text says of threads, marks and their processes.
#[test]
fn marks_belong_to_processes() {
    let text = "\
           a-10 (    9) [000] .... 1.000001: tracing_mark_write: B|8|x
           a-10 (    9) [000] .... 1.000002: tracing_mark_write: C|9|c|1
           a-10 (    9) [000] .... 1.000003: tracing_mark_write: C|77|c|1
           b-11 (-----) [000] .... 1.000004: tracing_mark_write: C|77|c|1
           b-11 (-----) [000] .... 1.000005: tracing_mark_write: B|12|x
           c-13 (-----) [000] .... 1.000006: tracing_mark_write: I|0|x
";
    let mut events = Events::default();
    // Of a trace around it, which knows the process of a thread.
    events.thread(Ident::Number(14), Ident::Number(13));
    let reader = Ftrace::new(&text, FileId(0), &collecting()).unwrap().with_events(events);
    let finished = read_all(reader, |_, _| Ok::<_, Error>(())).unwrap();
    let (events, scheduled) = gathered(finished.gathered);
    assert!(scheduled.is_empty());
    let pids: Vec<Ident> = events.all().map(|event| events.pid(event)).collect();
    // The kernel knows the process of a thread better than that itself.
    assert_eq!(pids, [9, 9, 77, 77, 12, 14].map(Ident::Number));
    let lines: Vec<u64> = events.all().map(|event| events.number(event)).collect();
    assert_eq!(lines, [0, 1, 2, 3, 4, 5]);
}
