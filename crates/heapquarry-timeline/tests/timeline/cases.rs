//! One rule a line.

use super::notation::{async_slices, events, name, slices, timeline};
use heapquarry_timeline::{Aggregate, EventIndex, Ident, Issue, Track, Value, analyze};

/// Each trace with its slices.
fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(slices(&timeline(text)), *expected, "{text}");
    }
}

fn check_async(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(async_slices(&timeline(text)), *expected, "{text}");
    }
}

#[test]
fn durations_nest_by_thread() {
    check(&[
        ("B a 1; B b 2; E - 4; E - 5", &["a 1+4", "b 2+2 in a"]),
        ("B a 1; B b 2 t=2; E - 4 t=2; E - 5", &["a 1+4", "b 2+2"]),
        ("B a 1; B b 2 p=2; E - 4; E - 5 p=2", &["a 1+3", "b 2+3"]),
        ("B a 1 t=main; E a 5 t=main", &["a 1+4"]),
        // In any order of the file.
        ("E - 5; E - 4; B b 2; B a 1", &["b 2+2 in a", "a 1+4"]),
        // Without any time between them, the order of the file decides.
        ("B a 5; B b 5; E b 5; B c 5; E c 5; E a 5", &["a 5+0", "b 5+0 in a", "c 5+0 in a"]),
        ("B a 1; E a 5; B b 5; E b 7", &["a 1+4", "b 5+2"]),
        ("B a -7; E a -2", &["a -7+5"]),
    ]);
}

#[test]
fn an_end_ends_the_innermost_of_its_name() {
    check(&[
        ("B a 1; E b 2", &["a 1+-1 Open"]),
        ("E a 1; B b 2; E b 3", &["b 2+1"]),
        ("B a 1; B b 2; E a 3", &["a 1+2", "b 2+1 in a Implied"]),
        ("B a 1; B b 2; E a 3; E b 4", &["a 1+2", "b 2+1 in a Implied"]),
        ("B a 1; B b 2; E b 3", &["a 1+-1 Open", "b 2+1 in a"]),
        ("B a 1 c=x; B a 2 c=y; E a 3 c=x", &["a 1+2", "a 2+1 in a Implied"]),
        ("B a 1 c=x; B b 2 c=y; E - 3 c=x", &["a 1+2", "b 2+1 in a Implied"]),
        ("B a 1 c=x; E a 2", &["a 1+1"]),
        ("B a 1; E a 2 c=x", &["a 1+-1 Open"]),
    ]);
}

#[test]
fn the_longest_of_complete_events_comes_first() {
    check(&[
        ("X a 1+10; X b 2+3; X c 6+2", &["a 1+10", "b 2+3 in a", "c 6+2 in a"]),
        ("X b 1+3; X a 1+10", &["b 1+3 in a", "a 1+10"]),
        ("X a 1+3; X b 1+3", &["a 1+3", "b 1+3 in a"]),
        ("X a 1+4; X b 5+4", &["a 1+4", "b 5+4"]),
        ("X a 1+4; X b 5+0", &["a 1+4", "b 5+0"]),
        ("X a 5+0; X b 5+0", &["a 5+0", "b 5+0"]),
        // Written when they end, as many profilers do.
        ("X c 3+1; X b 2+4; X a 1+9", &["c 3+1 in b", "b 2+4 in a", "a 1+9"]),
        ("X a 1; X b 2+1", &["a 1+-1 Unknown", "b 2+1"]),
        ("X a 1+-5; X b 2+1", &["a 1+-5 Unknown", "b 2+1"]),
        ("X a -+5; X b 2+1", &["b 2+1"]),
    ]);
}

#[test]
fn durations_and_complete_events_nest_in_each_other() {
    check(&[
        ("B a 0; X b 2+3; E - 9", &["a 0+9", "b 2+3 in a"]),
        ("X a 0+9; B b 2; E - 4", &["a 0+9", "b 2+2 in a"]),
        ("B b 0; E b 3; X a 0+9", &["b 0+3 in a", "a 0+9"]),
        // A complete event may stand before an end of the same time.
        ("B a 0; X b 5+3; E a 5", &["a 0+5", "b 5+3"]),
        ("B a 0; X b 5+0; E a 5", &["a 0+5", "b 5+0 in a"]),
        (
            "X a 0+9; B b 2; X c 4+1; X d 12+1",
            &["a 0+9", "b 2+-1 in a Open", "c 4+1 in b", "d 12+1"],
        ),
    ]);
}

#[test]
fn slices_that_overlap_are_kept() {
    check(&[
        ("X a 0+6; X b 5+4", &["a 0+6", "b 5+4 overlaps"]),
        (
            "X o 0+20; X a 0+6; X b 5+4; X c 7+1",
            &["o 0+20", "a 0+6 in o", "b 5+4 in o overlaps", "c 7+1 in b"],
        ),
        ("B a 0; X b 3+10; E a 5; X c 7+1", &["a 0+5", "b 3+10 overlaps", "c 7+1 in b"]),
        ("X a 0+6; B b 3; E b 9; X c 7+1", &["a 0+6", "b 3+6 overlaps", "c 7+1 in b"]),
    ]);
}

#[test]
fn an_end_may_be_one_tick_too_late() {
    // The unit of these files is 1, 10 and 1000 ns; that of the format is the largest.
    for (unit, others) in
        [(1, ""), (10, "; X n 990+10 t=9"), (1000, ""), (1000, "; X n 5000000+0 t=9")]
    {
        let scaled = |text: &str| {
            let times = text.split(' ').map(|word| match word.split_once('+') {
                Some((ts, dur)) => {
                    let [ts, dur] = [ts, dur].map(|time| time.parse::<i64>().unwrap() * unit);
                    format!("{ts}+{dur}")
                }
                None => word.parse::<i64>().map_or(word.into(), |ts| (ts * unit).to_string()),
            });
            times.collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            // The outer one is covered up to its end; both keep their durations.
            ("X a 1+9 ; X b 3+8", &["a 1+9", "b 3+8 in a"][..]),
            ("X a 1+9 ; X b 3+8 ; X c 4+7", &["a 1+9", "b 3+8 in a", "c 4+7 in b"]),
            ("X a 1+9 ; X b 9+2", &["a 1+9", "b 9+2 in a"]),
            ("X a 1+9 ; X b 3+8 ; X c 10+3", &["a 1+9", "b 3+8 in a", "c 10+3"]),
            ("B a 1 ; X b 3+8 ; E a 10", &["a 1+9", "b 3+8 in a"]),
            ("X a 1+9 ; B b 3 ; B c 10 ; E c 11 ; E b 11", &["a 1+9", "b 3+8 in a", "c 10+1 in b"]),
            // What begins with its end, or ends two ticks later.
            ("X a 1+9 ; X b 10+1", &["a 1+9", "b 10+1"]),
            ("X a 1+9 ; X b 3+9", &["a 1+9", "b 3+9 overlaps"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|line| scaled(line)).collect();
            let found = timeline(&(scaled(text) + others));
            assert_eq!(slices(&found)[..expected.len()], expected, "{text} in {unit} ns");
        }
    }
    // Of whole milliseconds too, one tick is at most the unit of the format.
    let late = "X a 1000000+9000000; X b 3000000+8000000";
    check(&[(late, &["a 1000000+9000000", "b 3000000+8000000 overlaps"])]);
}

#[test]
fn sums_of_producers_are_no_work() {
    use Aggregate::{ClangTotals, CriticalPath, PyTorchProfiler};
    let total = "X Total~Source 0+60 t=8 args.count=2";
    for (text, marked, expected) in [
        (format!("X Source 5+9; {total}"), vec![1], vec![ClangTotals]),
        (
            format!("{total}; X Source 5+9; {total}").replacen("t=8", "t=7", 1),
            vec![0, 2],
            vec![ClangTotals],
        ),
        // Not what programs call so themselves.
        (format!("X Total~Source 5+9 args.count=2; {total}"), vec![1], vec![ClangTotals]),
        (format!("{total}; X other 70+1 t=8"), vec![], vec![]),
        ("X Source 0+9; X Total~Source 0+9 t=8".into(), vec![], vec![]),
        ("X Source 0+9; X Total~Source 3+9 t=8 args.count=2".into(), vec![], vec![]),
        ("X Source 0+9; X Totality 0+9 t=8 args.count=2".into(), vec![], vec![]),
        (
            "M thread_name 0 t=0 args.name=Critical~Path; X action 3+9; X action 3+9 t=0".into(),
            vec![2],
            vec![CriticalPath],
        ),
        (
            "X PyTorch~Profiler 0+99 p=Spans t=PyTorch~Profiler".into(),
            vec![0],
            vec![PyTorchProfiler],
        ),
        ("X PyTorch~Profiler 0+99 p=Spans t=other".into(), vec![], vec![]),
    ] {
        let found = timeline(&text);
        let all = found.events.all().filter(|&event| found.slices.is_aggregate(event));
        assert_eq!(all.map(|event| event.0).collect::<Vec<_>>(), marked, "{text}");
        assert_eq!(found.aggregates, expected, "{text}");
    }
}

#[test]
fn self_time_is_what_no_slice_within_covers() {
    for (text, expected) in [
        ("X a 0+10; X b 1+3; X c 5+2; X d 5+1", vec![Some(5), Some(3), Some(1), Some(1)]),
        ("X a 0+10; X b 1+4; X c 3+4", vec![Some(4), Some(4), Some(4)]),
        ("B a 0; X b 1+4; E a 9", vec![Some(5), Some(4), None]),
        ("B a 0; X b 1+4", vec![None, Some(4)]),
        ("X a 0+10; B b 2; X c 3+1", vec![Some(2), None, Some(1)]),
    ] {
        let found = timeline(text);
        let own: Vec<_> = found.events.all().map(|event| found.slices.self_dur(event)).collect();
        assert_eq!(own, expected, "{text}");
    }
}

#[test]
fn a_slice_has_the_arguments_of_its_beginning_or_of_its_end() {
    for (text, expected) in [
        ("B a 0; E a 1", None),
        ("B a 0 args.x=1; E a 1", Some(0)),
        ("B a 0; E a 1 args.x=1", Some(1)),
        ("B a 0 args.x=1; E a 1 args.x=2", Some(0)),
        ("X a 0+1 args.x=1", Some(0)),
    ] {
        let found = timeline(text);
        let begin = EventIndex(0);
        let found = found.arg_set(begin, found.slices.end_event(begin));
        assert_eq!(found, expected.map(EventIndex), "{text}");
    }
}

#[test]
fn operations_are_trees_by_category_and_id() {
    check_async(&[
        (
            "b a 0 c=x id=1; b b 1 c=x id=1; e b 2 c=x id=1; e a 3 c=x id=1",
            &["a 0+3", "b 1+1 in a"],
        ),
        ("b a 0 c=x id=1; e a 3 c=y id=1", &["a 0+-1 Open", "a 3+0 NoBegin"]),
        ("b a 0 id=1; e a 3 id=2", &["a 0+-1 Open", "a 3+0 NoBegin"]),
        ("b a 0 id=1 scope=x; e a 3 id=1 scope=y", &["a 0+-1 Open", "a 3+0 NoBegin"]),
        // An id means the same in all processes, a local one does not, and a global one is another.
        ("b a 0 id=1; e a 3 id=1 p=2", &["a 0+3"]),
        ("b a 0 local=1; e a 3 local=1 p=2", &["a 0+-1 Open", "a 3+0 NoBegin"]),
        ("b a 0 local=1; e a 3 local=1 t=7", &["a 0+3"]),
        ("b a 0 global=1; e a 3 global=1 p=2", &["a 0+3"]),
        ("b a 0 global=1; e a 3 id=1", &["a 0+-1 Open", "a 3+0 NoBegin"]),
        // Instants, and what does not match.
        ("b a 0 id=1; n i 1 id=1; e a 3 id=1", &["a 0+3", "i 1+0 in a Instant"]),
        ("b a 0 id=1; b b 1 id=1; e a 3 id=1", &["a 0+3", "b 1+2 in a Implied"]),
        ("n i 2 id=1; e a 3 id=1", &["i 2+0 Instant", "a 2+1 NoBegin"]),
        // Used again, as Chrome does since 2025; in order of time, not of the file.
        ("b a 0 id=1; e a 3 id=1; b a 5 id=1; e a 6 id=1", &["a 0+3", "a 5+1"]),
        ("b a 5 id=1; e a 6 id=1; b a 0 id=1; e a 3 id=1", &["a 5+1", "a 0+3"]),
        ("b a 0; e a 3", &[]),
    ]);
}

#[test]
fn legacy_operations_have_steps() {
    check_async(&[
        ("S a 0 id=1; F a 9 id=1 t=2", &["a 0+9"]),
        ("S a 0 id=1 c=x; F a 9 id=1 c=y", &["a 0+9"]),
        ("S a 0 id=1; F b 9 id=1", &["a 0+-1 Open"]),
        (
            "S a 0 id=1; T a 2 id=1 args.step=s1; T a 5 id=1 args.step=7; F a 9 id=1",
            &["a 0+9", "s1 2+3 in a Step", "7 5+4 in a Step"],
        ),
        (
            "S a 0 id=1; p a 2 id=1 args.step=s1; p a 5 id=1; F a 9 id=1",
            &["a 0+9", "s1 0+2 in a Step", "a 2+3 in a Step"],
        ),
        ("S a 0 id=1; T a 2 id=1 args.step=s", &["a 0+-1 Open", "s 2+-1 in a Open"]),
        ("S a 0 id=1; S a 4 id=1; F a 9 id=1", &["a 0+-1 Open", "a 4+5"]),
        ("T a 0 id=1; F a 1 id=1", &[]),
        ("S ClockSyncEvent.x 0 id=1; F ClockSyncEvent.x 9 id=1", &[]),
    ]);
}

#[test]
fn counters_have_a_series_for_each_member() {
    let found = timeline(
        "C c 0 args.x=1 args.y=2.5; C c 1 args.x=3 args.z=text; C c 2 id=7 args.x=4; C c 3 p=2 args.x=5; C c - args.x=9",
    );
    let values = (0..found.counters.len()).map(|at| found.counters.get(&found.events, at));
    let values: Vec<_> = values.map(|v| (v.event.0, v.series, v.value)).collect();
    let expected = [
        (0, 0, Value::Int(1)),
        (0, 1, Value::Float(2.5)),
        (1, 0, Value::Int(3)),
        (2, 2, Value::Int(4)),
        (3, 3, Value::Int(5)),
    ];
    assert_eq!(values, expected);
    assert_eq!(found.issues.count(Issue::NoTime), 1);
}

#[test]
fn metadata_names_threads_and_processes_wherever_it_stands() {
    let found = timeline(
        "X a 5+3 p=1 t=2; M thread_name - p=1 t=2 args.name=main; M process_name - p=1 t=0 args.name=app
         M process_name - p=1 t=0 args.name=app2; M process_labels - p=1 t=0 args.labels=l1
         M process_labels - p=1 t=0 args.labels=l2; M process_labels - p=1 t=0 args.labels=l1
         M thread_sort_index - p=1 t=2 args.sort_index=-3; M process_sort_index - p=1 t=0 args.sort_index=9
         X b 1+1 p=gpu t=7; M thread_name - p=9 t=9 args.name=idle",
    );
    let text = |key| found.events.strings().get(key).unwrap_or("-");
    let ident = |ident| match ident {
        Ident::None => "none".into(),
        Ident::Number(number) => number.to_string(),
        Ident::Text(key) => text(key).to_string(),
    };
    let processes = found.processes.processes.iter().map(|p| {
        let labels: Vec<_> = p.labels.iter().map(|&label| text(label)).collect();
        format!(
            "{} {} {} {:?} {:?}",
            ident(p.pid),
            text(p.name),
            labels.join(","),
            p.sort_index,
            p.span
        )
    });
    assert_eq!(
        processes.collect::<Vec<_>>(),
        ["1 app2 l1,l2 Some(9) Some((5, 8))", "gpu -  None Some((1, 2))", "9 -  None None"]
    );
    let threads = found.processes.threads.iter().map(|t| {
        format!("{} {} {} {:?} {:?}", ident(t.tid), t.upid, text(t.name), t.sort_index, t.span)
    });
    assert_eq!(
        threads.collect::<Vec<_>>(),
        ["2 0 main Some(-3) Some((5, 8))", "7 1 - None Some((1, 2))", "9 2 idle None None"]
    );
}

#[test]
fn each_kind_has_its_tracks() {
    let found = timeline(
        "X a 0+1; i i 1; i p 1 s=p; i g 1 s=g; b b 1 id=1; S s 1 id=2; C c 1 args.x=1; C c 1 p=2 args.x=1",
    );
    let expected = [
        Track::Thread(0),
        Track::Thread(1),
        Track::Process(0),
        Track::Global,
        Track::Async(0),
        Track::Async(1),
        Track::Counter(0, 0),
        Track::Counter(1, 1),
    ];
    let tracks: Vec<Track> = (0..found.tracks.len()).map(|at| found.tracks.get(at)).collect();
    assert_eq!(tracks, expected);
    let of = |event| found.tracks.of_instant(&found.events, &found.processes, EventIndex(event));
    assert_eq!([of(1), of(2), of(3)], [0, 2, 3]);
}

#[test]
fn instants_lie_in_the_slice_around_them() {
    let found = timeline("B a 0; I i 2; E a 5; R j 5; i k 6; i l 3 t=2; X b 5+0; X c 9+3; i m 9");
    let slice = |event| found.slice_of(EventIndex(event)).map(|slice| name(&found, slice));
    // Where one ends, what comes next begins.
    assert_eq!([1, 3, 4, 5, 8].map(slice), [Some("a"), None, None, None, Some("c")]);
}

/// `TYPE FIRST created destroyed SNAPSHOTS`.
fn objects(text: &str) -> Vec<String> {
    let found = timeline(text);
    let line = |o: &heapquarry_timeline::Object| {
        let type_name = found.events.strings().get(o.type_name).unwrap_or("-");
        let ts = |event: Option<EventIndex>| event.and_then(|event| found.events.ts(event));
        format!("{type_name} {:?} {:?} {}", ts(o.created), ts(o.destroyed), o.snapshots)
    };
    found.objects.objects.iter().map(line).collect()
}

#[test]
fn an_id_means_an_object_until_it_is_destroyed() {
    for (text, expected) in [
        ("N A 0 id=1; O A 1 id=1; D A 2 id=1", vec!["A Some(0) Some(2) 1"]),
        (
            "O A 10 id=1; N A 0 id=1; D A 20 id=1; N B 20 id=1; D B 25 id=1",
            vec!["A Some(0) Some(20) 1", "B Some(20) Some(25) 0"],
        ),
        ("O A 1 id=1; O A 2 id=1", vec!["A None None 2"]),
        ("N A 0 id=1; O Sub 1 id=1 args.base_type=A; D A 2 id=1", vec!["A Some(0) Some(2) 1"]),
        ("N A 0 id=1; O B 1 id=1", vec!["A Some(0) None 0", "B None None 1"]),
        ("D A 3 id=1", vec!["A None Some(3) 0"]),
        ("N A 0 id=1; O A 1 id=1 p=2", vec!["A Some(0) None 0", "A None None 1"]),
        ("N A 0 global=1; O A 1 global=1 p=2", vec!["A Some(0) None 1"]),
        ("N A 0 id=1 scope=x; O A 1 id=1", vec!["A Some(0) None 0", "A None None 1"]),
        ("N A 0", vec![]),
    ] {
        assert_eq!(objects(text), expected, "{text}");
    }
}

#[test]
fn contexts_last_until_they_are_left_or_destroyed() {
    for (text, expected) in [
        ("( c 0 id=1; ) c 5 id=1", vec![(0, Some(1))]),
        ("( c 0 id=1; ( d 1 id=2; ) c 5 id=1; ) d 6 id=2", vec![(0, Some(2)), (1, Some(3))]),
        ("( c 0 id=1; ) c 5 id=1 t=2", vec![(0, None)]),
        (
            "( c 0 id=1; ( c 0 id=1 t=2; D c 3 id=1 t=3; ) c 5 id=1",
            vec![(0, Some(2)), (1, Some(2))],
        ),
        ("( c 0 id=1; D c 3 id=1 p=2", vec![(0, None)]),
        ("( c 0 id=1; ( c 1 id=1; ) c 2 id=1; D c 3 id=1", vec![(0, Some(3)), (1, Some(2))]),
    ] {
        let found = timeline(text).contexts;
        let found: Vec<_> =
            found.iter().map(|c| (c.event.0, c.end_event.map(|end| end.0))).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn clocks_are_synchronised_in_two_forms() {
    let found = timeline(
        "c clock_sync 9 args.sync_id=abc; c clock_sync 12 args.sync_id=5 args.issue_ts=7
         S ClockSyncEvent.k 20 id=1; F ClockSyncEvent.k 25 id=1; S ClockSyncEvent.l 30 id=1",
    );
    let text = |key| found.events.strings().get(key).unwrap_or("-");
    let syncs: Vec<_> =
        found.clock_syncs.iter().map(|c| (c.event.0, text(c.sync_id), c.issue_ts)).collect();
    let expected = [(0, "abc", None), (1, "5", Some(7000)), (3, "-", Some(20)), (4, "-", None)];
    assert_eq!(syncs, expected);
}

#[test]
fn what_is_odd_is_counted() {
    let found = timeline(
        "B a 0; E b 1; X x 0+5 t=2; X y 3+5 t=2; X z 1 t=3; X n -+1; B o 0 t=4; B i 1 t=4; E o 2 t=4
         b p 0; e p 3 id=1; b q 4 id=1; t f 0 id=1; s g 0 id=2 t=9; ) c 0 id=1",
    );
    let issues: Vec<(_, _, Vec<_>)> = found
        .issues
        .iter()
        .map(|(issue, count, first)| (issue, count, first.iter().map(|event| event.0).collect()))
        .collect();
    assert_eq!(
        issues,
        [
            (Issue::NoTime, 1, vec![5]),
            (Issue::UnmatchedEnd, 1, vec![1]),
            (Issue::Unclosed, 1, vec![0]),
            (Issue::ImpliedEnd, 1, vec![7]),
            (Issue::Overlap, 1, vec![3]),
            (Issue::NoDuration, 1, vec![4]),
            (Issue::NoId, 1, vec![9]),
            (Issue::AsyncUnmatched, 1, vec![10]),
            (Issue::AsyncUnclosed, 1, vec![11]),
            (Issue::FlowUnmatched, 1, vec![12]),
            (Issue::FlowOutside, 1, vec![13]),
            (Issue::ContextUnmatched, 1, vec![14]),
        ]
    );
}

#[test]
fn nothing_is_made_of_nothing() {
    let found = analyze(events(""), 1);
    assert_eq!((slices(&found).len(), async_slices(&found).len(), found.flows.len()), (0, 0, 0));
    assert!(found.tracks.is_empty());
}

#[test]
fn many_ends_that_match_nothing_take_no_more_than_linear_time() {
    let count = 200_000;
    let mut text = String::new();
    (0..count).for_each(|n| text.push_str(&format!("B a{n} {n};")));
    (0..count).for_each(|n| text.push_str(&format!("E b{n} {};", count + n)));
    let found = timeline(&text);
    assert_eq!(found.issues.count(Issue::UnmatchedEnd), count);
    assert_eq!(found.slices.depth(EventIndex(count - 1)), count as u32 - 1);
}
