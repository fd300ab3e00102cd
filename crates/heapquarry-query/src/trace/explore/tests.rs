//! Parts of traces, each against the whole that is made in the simplest way.

use super::*;
use crate::{
    Explored, Question, Summary, SummaryAnswer,
    trace::{schedule::WaitState, summary::SliceTime},
};
use heapquarry::{RunOptions, Source};

const ALL: Page = Page { offset: 0, top: usize::MAX };

fn of_source(source: Source) -> (Session, TraceExplorer) {
    let session = Session::new([source], &RunOptions::default());
    match Explored::open(&session) {
        Ok(Explored::Trace(explorer)) => (session, *explorer),
        other => panic!("{:?}", other.map(|other| other.kind())),
    }
}

fn corpus(name: &str) -> (Session, TraceExplorer) {
    of_source(Source::path(format!("{}/../../corpus/{name}", env!("CARGO_MANIFEST_DIR"))))
}

const TRACES: [&str; 3] =
    ["traces/node26.trace.json.gz", "traces/chromium.trace.json.gz", "traces/node18.trace.json.gz"];

/// Slices of threads with a start.
fn slices(explorer: &TraceExplorer) -> Vec<EventIndex> {
    let Timeline { events, slices, .. } = &explorer.trace.timeline;
    let is_it = |&event: &EventIndex| slices.ending(event).is_some() && events.ts(event).is_some();
    events.all().filter(is_it).collect()
}

#[test]
fn arguments_of_a_question_that_was_cancelled_are_no_error_of_the_input() {
    let (session, explorer) = corpus(TRACES[1]);
    let has_arguments =
        |&&slice: &&EventIndex| explorer.with_arguments(Found::Slice(slice)).is_some();
    let slice = *slices(&explorer).iter().find(has_arguments).unwrap();
    let options = RunOptions::default();
    options.cancel.cancel();
    let Ok(Explored::Trace(cancelled)) = Explored::open(&session.under(&options)) else {
        panic!("it is in memory")
    };
    let error = cancelled.arguments(slice.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
}

#[test]
fn tracks_have_everything_once() {
    for name in TRACES {
        let (session, explorer) = corpus(name);
        let SummaryAnswer::Trace(summary) = Summary::default().ask(&session).unwrap().answer else {
            panic!("{name}")
        };
        let TracksAnswer { duration_ns, tracks, .. } = explorer.tracks().answer;
        assert_eq!(Some(duration_ns), summary.totals.duration_ns, "{name}");
        let count = |kind| {
            tracks.iter().filter(|track| track.kind == kind).map(|track| track.count).sum::<u64>()
        };
        let timeline = &explorer.trace.timeline;
        assert_eq!(count(TrackKind::Slices), slices(&explorer).len() as u64, "{name}");
        assert_eq!(count(TrackKind::Slices), summary.totals.slice_count, "{name}");
        assert_eq!(count(TrackKind::Instants), summary.totals.instant_count, "{name}");
        assert_eq!(count(TrackKind::Operations), timeline.async_slices.len() as u64, "{name}");
        assert_eq!(count(TrackKind::Counter), timeline.counters.len() as u64, "{name}");
        // Each process once.
        let mut processes: Vec<&str> = tracks.iter().map(|track| &*track.process).collect();
        processes.dedup();
        let distinct: HashSet<&str> = processes.iter().copied().collect();
        assert_eq!(processes.len(), distinct.len(), "{name}: {processes:?}");
    }
}

#[test]
fn what_is_drawn_is_there() {
    for name in TRACES {
        let (_, explorer) = corpus(name);
        let all: Vec<u32> = (0..explorer.tracks.all.len() as u32).collect();
        let whole = explorer.tracks().answer;
        let duration = whole.duration_ns.0;
        for (from, to, width) in [
            (0, duration + 1, 1000),
            (duration / 3, duration / 2, 1000),
            (duration / 2, duration / 2 + 50_000, 300),
        ] {
            let answered = explorer.drawn(&all, [from, to], width).unwrap();
            let drawn = &answered.answer;
            assert_eq!(drawn.tracks.len(), all.len());
            let mut counts = HashMap::new();
            for track in &drawn.tracks {
                let SliceBoxes { slice, name: named, depth, start, dur, count } = &track.boxes;
                let columns = [named.len(), depth.len(), start.len(), dur.len(), count.len()];
                assert_eq!(columns, [slice.len(); 5]);
                for at in 0..slice.len() {
                    let facts = explorer.slice(slice[at], ALL).unwrap().answer.slice;
                    assert_eq!(facts.name.unwrap_or_default(), drawn.names[named[at] as usize]);
                    assert_eq!(facts.track, Some(track.track), "{name} {}", slice[at]);
                    assert!(start[at] < to && start[at] + dur[at] >= from);
                    if count[at] == 1 {
                        assert_eq!(facts.start_ns.0, start[at], "{name} {}", slice[at]);
                        if let Some(duration) = facts.duration_ns {
                            assert_eq!(duration.0, dur[at], "{name} {}", slice[at]);
                        }
                    }
                    *counts.entry(whole.tracks[track.track as usize].kind as u8).or_default() +=
                        count[at];
                }
                assert!(track.values.start.is_sorted());
            }
            if from == 0 {
                let of = |kind: TrackKind| counts.get(&(kind as u8)).copied().unwrap_or(0u64);
                assert_eq!(of(TrackKind::Slices), slices(&explorer).len() as u64, "{name}");
            }
        }
        assert!(explorer.drawn(&[u32::MAX], [0, 1], 100).is_err());
    }
}

#[test]
fn slices_are_those_of_the_timeline() {
    for name in TRACES {
        let (_, explorer) = corpus(name);
        let Timeline { events, slices: known, .. } = &explorer.trace.timeline;
        let all = slices(&explorer);
        let mut children: HashMap<EventIndex, Vec<u64>> = HashMap::new();
        for &slice in &all {
            if let Some(parent) = known.parent(slice) {
                children.entry(parent).or_default().push(slice.0);
            }
        }
        for &slice in all.iter().step_by((all.len() / 200).max(1)) {
            let answer = explorer.slice(slice.0, ALL).unwrap().answer;
            assert_eq!(answer.slice.self_time_ns, known.self_dur(slice).map(Nanos));
            assert_eq!(answer.slice.ts_ns.0, events.ts(slice).unwrap());
            assert_eq!(answer.above.len(), known.depth(slice) as usize);
            assert_eq!(
                answer.above.first().map(|above| above.slice),
                known.parent(slice).map(|p| p.0)
            );
            let mut found: Vec<u64> = answer.children.rows.iter().map(|row| row.slice).collect();
            found.sort_unstable();
            let mut expected = children.remove(&slice).unwrap_or_default();
            expected.sort_unstable();
            assert_eq!(found, expected, "{name} {slice}");
            // All that ran in it, and it.
            let is_within = |&&other: &&EventIndex| {
                iter::successors(Some(other), |&at| known.parent(at)).any(|at| at == slice)
            };
            let within: Vec<&EventIndex> = all.iter().filter(is_within).collect();
            let ran = answer.ran.rows;
            assert_eq!(
                ran.iter().map(|row| row.count).sum::<u64>(),
                within.len() as u64,
                "{name} {slice}"
            );
            let own = within.iter().map(|&&slice| known.self_dur(slice).unwrap_or(0)).sum::<i64>();
            assert_eq!(
                ran.iter().map(|row| row.self_time_ns.0).sum::<i64>(),
                own,
                "{name} {slice}"
            );
        }
    }
}

#[test]
fn a_range_has_the_sums_of_the_summary() {
    for name in TRACES {
        let path = format!("{}/../../corpus/{name}", env!("CARGO_MANIFEST_DIR"));
        let (_, explorer) = corpus(name);
        let duration = explorer.tracks().answer.duration_ns.0;
        let whole = explorer.area([0, duration], &[], ALL).answer.slices;
        for (from, to) in [(0, duration), (duration / 4, duration / 2), (duration / 2, duration)] {
            let [from, to] = [from, to].map(|at| at / 1_000_000 * 1_000_000);
            let found = explorer.area([from, to], &[], ALL).answer.slices;
            let seconds = |at: i64| Some(format!("{:.3}", at as f64 / 1e9));
            let part = Part::default().from(seconds(from)).until(seconds(to));
            let session = Session::new([Source::path(&path).part(part)], &RunOptions::default());
            let SummaryAnswer::Trace(summary) = Summary::default().ask(&session).unwrap().answer
            else {
                panic!("{name}")
            };
            assert_eq!(found, summary.slices, "{name} {from} {to}");
        }
        // Threads add up.
        let count = |list: &crate::answer::List<SliceTime>| {
            list.rows.iter().map(|row| row.count).sum::<u64>()
        };
        let of_threads = explorer.tracks.of_threads.values();
        let sum = of_threads
            .map(|&track| count(&explorer.area([0, duration], &[track], ALL).answer.slices));
        assert_eq!(sum.sum::<u64>(), count(&whole), "{name}");
    }
}

#[test]
fn what_is_looked_for_is_found() {
    for name in TRACES {
        let (_, explorer) = corpus(name);
        let events = &explorer.trace.timeline.events;
        for text in ["", "gc", "V8*", "nothing is called so"] {
            let FoundAnswer { slices: found, total_time_ns } = explorer.find(text, ALL).answer;
            let fits = filter_of(text);
            let naive = slices(&explorer).into_iter().filter(|&event| {
                let called = explorer.trace.called(event).and_then(|of| of.function_name);
                let called = called.filter(|name| name != "(anonymous)");
                let name = events.strings().get(events.name(event));
                name.into_iter().chain(called.as_deref()).any(&fits)
            });
            let of_threads = found.rows.iter().filter(|row| {
                explorer.trace.timeline.slices.ending(EventIndex(row.slice)).is_some()
            });
            assert_eq!(of_threads.count(), naive.count(), "{name} {text}");
            let durations: Vec<i64> =
                found.rows.iter().map(|row| row.duration_ns.map_or(0, |dur| dur.0)).collect();
            assert!(durations.is_sorted_by(|a, b| a >= b), "{name} {text}");
            assert_eq!(durations.iter().sum::<i64>(), total_time_ns.0);
        }
    }
}

/// A thread with a long task, arguments at the end of a slice, an arrow, an operation, a counter.
const SMALL: &str = r#"{"traceEvents":[
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"CrRendererMain"}},
{"ph":"B","name":"task","cat":"a","pid":1,"tid":1,"ts":1000},
{"ph":"X","name":"parse","cat":"a","pid":1,"tid":1,"ts":2000,"dur":30000,"tts":5,"tdur":20000,"args":{"url":"<b>"}},
{"ph":"X","name":"layout","cat":"b","pid":1,"tid":1,"ts":40000,"dur":9000},
{"ph":"s","name":"flow","cat":"f","id":1,"pid":1,"tid":1,"ts":2001},
{"ph":"X","name":"worker","cat":"a","pid":1,"tid":2,"ts":40000,"dur":500},
{"ph":"f","bp":"e","name":"flow","cat":"f","id":1,"pid":1,"tid":2,"ts":40100},
{"ph":"E","pid":1,"tid":1,"ts":71000,"args":{"late":true}},
{"ph":"b","name":"load","cat":"net","id":"7","pid":1,"tid":1,"ts":3000,"args":{"n":1}},
{"ph":"n","name":"first byte","cat":"net","id":"7","pid":1,"tid":1,"ts":4000},
{"ph":"e","name":"load","cat":"net","id":"7","pid":1,"tid":1,"ts":60000},
{"ph":"i","name":"mark","s":"t","pid":1,"tid":1,"ts":50000},
{"ph":"C","name":"heap","pid":1,"ts":1000,"args":{"used":10}},
{"ph":"C","name":"heap","pid":1,"ts":1001,"args":{"used":30}},
{"ph":"C","name":"heap","pid":1,"ts":61000,"args":{"used":20}},
{"ph":"B","name":"never ends","cat":"a","pid":1,"tid":3,"ts":70000}
]}"#;

fn small() -> TraceExplorer {
    of_source(Source::bytes("small.json", SMALL.as_bytes().to_vec())).1
}

#[test]
fn a_slice_has_everything_that_belongs_to_it() {
    let explorer = small();
    let names = |rows: &[SliceRow]| {
        rows.iter().map(|row| row.name.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    let task = explorer.slice(1, ALL).unwrap().answer;
    assert_eq!(task.slice.duration_ns, Some(Nanos(70_000_000)));
    assert_eq!(task.slice.self_time_ns, Some(Nanos(31_000_000)));
    assert_eq!(names(&task.children.rows), ["parse", "layout"]);
    let ran: Vec<(&str, i64)> = task
        .ran
        .rows
        .iter()
        .map(|row| (row.name.as_deref().unwrap(), row.self_time_ns.0))
        .collect();
    assert_eq!(ran, [("task", 31_000_000), ("parse", 30_000_000), ("layout", 9_000_000)]);
    let parse = explorer.slice(2, ALL).unwrap().answer;
    assert_eq!(names(&parse.above), ["task"]);
    assert_eq!(parse.slice.thread_duration_ns, Some(Nanos(20_000_000)));
    assert_eq!(names(&parse.flows_out.rows), ["worker"]);
    let worker = explorer.slice(5, ALL).unwrap().answer;
    assert_eq!(names(&worker.flows_in.rows), ["parse"]);
    let load = explorer.slice(8, ALL).unwrap().answer;
    assert!(load.slice.is_operation);
    assert_eq!(names(&load.children.rows), ["first byte"]);
    let mark = explorer.slice(11, ALL).unwrap().answer.slice;
    assert_eq!((mark.name.as_deref(), mark.duration_ns), (Some("mark"), Some(Nanos(0))));
    let open = explorer.slice(15, ALL).unwrap().answer.slice;
    assert_eq!((open.duration_ns, open.self_time_ns), (None, None));
    assert!(open.track.is_some());
    for none in [0, 4, 7, 16, u64::MAX] {
        assert!(explorer.slice(none, ALL).is_err(), "{none}");
    }
    let tasks = explorer.long_tasks(ALL).answer.tasks;
    assert_eq!(tasks.total, 1);
    let LongTask { slice, thread, over_ns, ran } = &tasks.rows[0];
    assert_eq!((slice.slice, thread.as_str(), over_ns.0), (1, "CrRendererMain 1", 20_000_000));
    assert_eq!(ran.len(), 3);
}

#[test]
fn as_many_boxes_as_there_is_room_for_are_drawn() {
    // One slice around many: rows share the room.
    let around = r#"{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":20000}"#.to_string();
    let within = (0..10_000)
        .map(|at| format!(r#"{{"ph":"X","name":"b","pid":1,"tid":1,"ts":{},"dur":1}}"#, 2 * at));
    let events: Vec<String> = iter::once(around).chain(within).collect();
    let trace = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let (_, explorer) = of_source(Source::bytes("many.json", trace.into_bytes()));
    let drawn = explorer.drawn(&[0], [0, 20_000_001], 20_000).unwrap();
    assert_eq!(drawn.answer.tracks[0].boxes.slice.len(), 10_001);
}

#[test]
fn of_slices_deeper_than_what_is_drawn_the_outer_ones_are() {
    let depth = MOST_BOXES as u64 + 10;
    let slice = |at: u64| {
        let dur = 2 * (depth - at);
        format!(r#"{{"ph":"X","name":"a","pid":1,"tid":1,"ts":{at},"dur":{dur}}}"#)
    };
    let events: Vec<String> = (0..depth).map(slice).collect();
    let trace = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let (_, explorer) = of_source(Source::bytes("deep.json", trace.into_bytes()));
    let answered = explorer.drawn(&[0], [0, 1_000 * depth as i64], 100).unwrap();
    let drawn = &answered.answer;
    let outer: Vec<u32> = (0..MOST_BOXES as u32).collect();
    assert_eq!(drawn.tracks[0].boxes.depth, outer);
}

#[test]
fn tracks_are_in_the_order_of_time_spent() {
    // Threads that are busy, whose slices never end, and that have instants only; of three processes.
    let event = |ph, pid, tid, ts: u64, rest| {
        format!(r#"{{"ph":"{ph}","name":"a","pid":{pid},"tid":{tid},"ts":{ts}{rest}}}"#)
    };
    let events = [
        event("B", 1, 11, 0, ""),
        event("X", 1, 12, 0, r#","dur":1"#),
        event("i", 1, 13, 0, r#","s":"t""#),
        event("i", 1, 12, 0, r#","s":"t""#),
        event("B", 2, 21, 0, ""),
        event("i", 2, 21, 1, r#","s":"t""#),
        event("X", 2, 22, 0, r#","dur":9"#),
        event("C", 2, 22, 0, r#","args":{"of":1}"#),
        event("B", 3, 31, 0, ""),
    ];
    let trace = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let (_, explorer) = of_source(Source::bytes("order.json", trace.into_bytes()));
    let tracks = explorer.tracks().answer.tracks;
    let names: Vec<_> = tracks.iter().map(|one| (&*one.process, &*one.name)).collect();
    let expected = [
        ("process 2", "thread 22"),
        ("process 2", "thread 21"),
        ("process 2", "thread 21: instants"),
        ("process 2", "a of"),
        ("process 1", "thread 12"),
        ("process 1", "thread 12: instants"),
        ("process 1", "thread 11"),
        ("process 1", "thread 13: instants"),
        ("process 3", "thread 31"),
    ];
    assert_eq!(names, expected);
}

#[test]
fn operations_take_the_rows_that_they_need() {
    // One of three levels, and beside it one of a single level.
    let events = [("b", "deep", 1, 0), ("b", "b", 1, 1), ("b", "c", 1, 2), ("b", "flat", 2, 3)];
    let ends = [("e", "c", 1, 4), ("e", "b", 1, 5), ("e", "deep", 1, 6), ("e", "flat", 2, 7)];
    let event = |(ph, name, id, ts)| {
        format!(
            r#"{{"ph":"{ph}","name":"{name}","cat":"net","id":{id},"pid":1,"tid":1,"ts":{ts}}}"#
        )
    };
    let events: Vec<String> = events.into_iter().chain(ends).map(event).collect();
    let trace = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let (_, explorer) = of_source(Source::bytes("rows.json", trace.into_bytes()));
    let tracks = explorer.tracks().answer.tracks;
    assert_eq!(tracks.iter().map(|track| (track.depth, track.count)).collect::<Vec<_>>(), [(4, 4)]);
    let answered = explorer.drawn(&[0], [0, 8_000], 8_000).unwrap();
    let drawn = &answered.answer;
    let SliceBoxes { name, depth, .. } = &drawn.tracks[0].boxes;
    let rows = depth.iter().zip(name).map(|(&row, &name)| (row, &*drawn.names[name as usize]));
    assert_eq!(rows.collect::<Vec<_>>(), [(0, "deep"), (1, "b"), (2, "c"), (3, "flat")]);
}

/// Pictures of kinds that browsers draw, in the order of time; nothing else becomes an address.
#[test]
fn pictures_of_the_screen_are_read_again() {
    let path =
        std::env::temp_dir().join(format!("heapquarry-pictures-{}.json", std::process::id()));
    let event = |ts, name: &str, snapshot: &str| {
        format!(
            r#"{{"name":"{name}","ph":"O","pid":1,"tid":1,"id":"1","ts":{ts},"args":{{"snapshot":"{snapshot}"}}}}"#
        )
    };
    let events = [
        r#"{"name":"a","ph":"X","pid":1,"tid":1,"ts":10,"dur":50}"#.to_string(),
        event(40, "Screenshot", "/9j/AAAA"),
        event(20, "Screenshot", "iVBORw0KGgoBBBB="),
        event(30, "Other", "/9j/CCCC"),
        event(50, "Screenshot", "PHN2Zz4="),
        event(60, "Screenshot", r#"/9j/\" onload=\"x"#),
        r#"{"name":"Screenshot","ph":"O","pid":1,"tid":1,"id":"1","ts":70,"args":{"snapshot":7}}"#
            .into(),
    ];
    std::fs::write(&path, format!("[{}]", events.join(","))).unwrap();
    let (_, explorer) = of_source(Source::path(&path));
    let PicturesAnswer { pictures: found, left_out } = explorer.pictures(ALL).unwrap().answer;
    assert_eq!(left_out, 0);
    // What does not fit is counted.
    let few = explorer.read_pictures("data:image/jpeg;base64,/9j/AAAA".len()).unwrap();
    assert_eq!((few.kept.len(), few.left_out), (1, 1));
    std::fs::remove_file(&path).unwrap();
    let rows: Vec<(i64, &str)> =
        found.rows.iter().map(|row| (row.start_ns.0, &*row.image)).collect();
    let expected = [
        (10_000, "data:image/png;base64,iVBORw0KGgoBBBB="),
        (30_000, "data:image/jpeg;base64,/9j/AAAA"),
    ];
    assert_eq!(rows, expected);
    // They are kept; a trace without pictures is not read again.
    assert_eq!(explorer.pictures(Page { offset: 1, top: 1 }).unwrap().answer.pictures.total, 2);
    let (_, explorer) = corpus(TRACES[0]);
    assert_eq!(explorer.pictures(ALL).unwrap().answer.pictures.total, 0);
}

#[test]
fn arguments_are_read_again() {
    let path =
        std::env::temp_dir().join(format!("heapquarry-arguments-{}.json", std::process::id()));
    std::fs::write(&path, SMALL).unwrap();
    let (_, explorer) = of_source(Source::path(&path));
    for (slice, expected) in [
        (1, Some(r#"{"late":true}"#)),
        (2, Some(r#"{"url":"<b>"}"#)),
        (3, None),
        (8, Some(r#"{"n":1}"#)),
        (15, None),
    ] {
        let facts = explorer.slice(slice, ALL).unwrap().answer.slice;
        assert_eq!(facts.has_arguments, expected.is_some(), "{slice}");
        let found = explorer.arguments(slice).unwrap().answer.arguments;
        assert_eq!(found.as_deref(), expected, "{slice}");
    }
    assert!(explorer.arguments(4).is_err());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn counters_keep_their_peaks() {
    let explorer = small();
    let TracksAnswer { tracks, duration_ns, .. } = explorer.tracks().answer;
    let heap = tracks.iter().find(|track| track.kind == TrackKind::Counter).unwrap();
    assert_eq!((heap.name.as_str(), heap.count), ("heap used", 3));
    let drawn = |from, to, width| {
        let drawn = explorer.drawn(&[heap.track], [from, to], width).unwrap();
        drawn.answer.tracks[0].values.clone()
    };
    let whole = drawn(0, duration_ns.0, 100);
    let numbers = |values: &[AnyNumber]| values.iter().map(|value| value.0).collect::<Vec<_>>();
    assert_eq!(whole.start, [0, 60_000_000]);
    assert_eq!(numbers(&whole.least), [10.0, 20.0]);
    assert_eq!(numbers(&whole.most), [30.0, 20.0]);
    assert_eq!(numbers(&whole.last), [30.0, 20.0]);
    // The value that holds when the range begins.
    assert_eq!(drawn(30_000_000, 31_000_000, 100).start, [1_000]);
}

/// A thread that waits for another one, and then for a disk.
const WAITS: &str = "\
# tracer: nop
 a-5 ( 5) [000] d..3 1.000000: print: B|5|work
 w-6 ( 5) [001] d..3 1.000500: print: B|5|answer
 a-5 ( 5) [000] d..3 1.001000: sched_switch: prev_comm=a prev_pid=5 prev_prio=1 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=1
 w-6 ( 5) [001] d..3 1.004000: sched_waking: comm=a pid=5 prio=1
 x-0 ( 0) [000] d..3 1.005000: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=1 prev_state=R ==> next_comm=a next_pid=5 next_prio=1
 a-5 ( 5) [000] d..3 1.006000: sched_switch: prev_comm=a prev_pid=5 prev_prio=1 prev_state=D ==> next_comm=swapper next_pid=0 next_prio=1
 w-6 ( 5) [001] d..3 1.006500: sched_waking: comm=a pid=5 prio=1
 x-0 ( 0) [000] d..3 1.007000: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=1 prev_state=R ==> next_comm=a next_pid=5 next_prio=1
 w-6 ( 5) [001] d..3 1.008000: print: E|5
 a-5 ( 5) [000] d..3 1.009000: print: E|5
";

#[test]
fn a_slice_says_what_its_thread_waited_for() {
    let (_, explorer) = of_source(Source::bytes("waits.ftrace", WAITS.as_bytes().to_vec()));
    let slice = |name: &str| {
        let found = explorer.find(name, ALL).answer.slices;
        explorer.slice(found.rows[0].slice, ALL).unwrap().answer
    };
    let work = slice("work");
    assert_eq!(work.slice.waited_ns, Some(Nanos(5_000_000)));
    let found: Vec<_> = (work.waits.rows.iter())
        .map(|wait| {
            let by = wait.waker_slice.as_ref().and_then(|slice| slice.name.as_deref());
            (wait.start_ns.0, wait.duration_ns.0, wait.state, wait.waker.as_deref(), by)
        })
        .collect();
    let (woken, alone) = ((Some("w 6"), Some("answer")), (None, None));
    let wait = |start, dur, state, (waker, by): (Option<&'static str>, Option<&'static str>)| {
        (start, dur, state, waker, by)
    };
    assert_eq!(
        found,
        [
            wait(1_000_000, 3_000_000, WaitState::Sleeping, woken),
            wait(4_000_000, 1_000_000, WaitState::Ready, alone),
            wait(6_000_000, 500_000, WaitState::Blocked, woken),
            wait(6_500_000, 500_000, WaitState::Ready, alone),
        ]
    );
    // Of a page the sum is that of all.
    let work = explorer.slice(work.slice.slice, Page { offset: 1, top: 2 }).unwrap().answer;
    assert_eq!((work.slice.waited_ns, work.waits.total), (Some(Nanos(5_000_000)), 4));
    let page: Vec<i64> = work.waits.rows.iter().map(|wait| wait.start_ns.0).collect();
    assert_eq!(page, [4_000_000, 6_000_000]);
    // Nothing is known of a thread that the scheduler did not tell of.
    let answer = slice("answer");
    assert_eq!((answer.slice.waited_ns, answer.waits.total), (None, 0));
    // Without the scheduler, the clock of the thread says how long it was off a CPU.
    let parse = small().slice(2, ALL).unwrap().answer;
    assert_eq!((parse.slice.waited_ns, parse.waits.total), (Some(Nanos(10_000_000)), 0));
}

#[test]
fn late_frames_are_listed() {
    let mark = |name: &str, ts: u64| {
        format!(r#"{{"ph":"I","s":"t","name":"{name}","pid":1,"tid":1,"ts":{ts}}}"#)
    };
    let drawn = [0, 16_000, 32_000, 48_000, 98_000].map(|ts| mark("DrawFrame", ts));
    let events: Vec<String> = drawn.into_iter().chain([mark("DroppedFrame", 60_000)]).collect();
    let trace = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let (_, explorer) = of_source(Source::bytes("frames.json", trace.into_bytes()));
    let FramesAnswer { frames, late, gpus } = explorer.frames(ALL).answer;
    let [frames] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!((frames.count, frames.dropped_count, frames.janky_count), (5, 1, 1));
    assert_eq!(frames.longest_ns, Some(Nanos(50_000_000)));
    let late: Vec<_> = late.rows.iter().map(|row| (row.slice.start_ns.0, row.time_ns)).collect();
    assert_eq!(late, [(98_000_000, Some(Nanos(50_000_000))), (60_000_000, None)]);
    assert_eq!(gpus, None);
    let none = small().frames(ALL).answer;
    assert_eq!((none.frames.len(), none.late.total), (0, 0));
}
