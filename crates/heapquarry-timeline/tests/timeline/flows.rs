//! Flows: one rule a line, and random ones against a search through all slices.

use super::notation::{events, flows, timeline};
use heapquarry_timeline::{Ending, EventIndex, Id, Phase, analyze};
use proptest::prelude::*;

#[test]
fn arrows_go_from_slice_to_slice() {
    const SLICES: &str = "X a 0+10; X b 20+10; X c 40+10 t=2; X d 60+10 t=2;";
    for (text, expected) in [
        ("s f 5 id=1; f f 25 id=1 bp=e", vec!["a -> b"]),
        // An end belongs to what comes next, unless it says otherwise.
        ("s f 5 id=1; f f 15 id=1", vec!["a -> b"]),
        ("s f 5 id=1; f f 41 id=1 t=2", vec!["a -> d"]),
        ("s f 5 id=1; f f 41 id=1 t=2 bp=x", vec!["a -> d"]),
        ("s f 5 id=1 c=x,input; f f 41 id=1 t=2 c=x,input", vec!["a -> c"]),
        ("s f 5 id=1 c=ipc.flow; f f 41 id=1 t=2 c=ipc.flow", vec!["a -> c"]),
        ("s f 5 id=1; t f 25 id=1; f f 41 id=1 t=2 bp=e", vec!["a -> b", "b -> c"]),
        // One source, several targets.
        ("s f 5 id=1; f f 41 id=1 t=2 bp=e; f f 61 id=1 t=2 bp=e", vec!["a -> c", "a -> d"]),
        ("s f 5 id=1; f f 25 id=2 bp=e", vec![]),
        ("s f 5 id=1 c=x; f f 25 id=1 bp=e", vec![]),
        ("s f 5 id=1; f g 25 id=1 bp=e", vec![]),
        ("s f 5 local=1; f f 25 local=1 bp=e p=2", vec![]),
        ("s f 15 id=1; f f 25 id=1 bp=e", vec!["- -> b"]),
        ("s f 5 id=1; f f 99 id=1", vec!["a -> -"]),
        // Both ends of a slice belong to it; of two the later one.
        ("s f 0 id=1; f f 30 id=1 bp=e", vec!["a -> b"]),
        ("X e 10+10; s f 10 id=1; f f 20 id=1 bp=e", vec!["e -> b"]),
        ("f f 25 id=1 bp=e; s f 5 id=1", vec!["a -> b"]),
    ] {
        assert_eq!(flows(&timeline(&format!("{SLICES}{text}"))), expected, "{text}");
    }
}

#[test]
fn slices_bind_to_each_other_by_id() {
    for (text, expected) in [
        ("X a 0+1 bind=1 out; X b 5+1 bind=1 in", vec!["a -> b"]),
        ("X a 0+1 bind=1 out; X b 5+1 bind=1 in out; X c 9+1 bind=1 in", vec!["a -> b", "b -> c"]),
        ("X a 0+1 bind=1 out; X b 5+1 bind=1 in; X c 9+1 bind=1 in", vec!["a -> b", "a -> c"]),
        ("X b 5+1 bind=1 in; X a 0+1 bind=1 out", vec!["a -> b"]),
        ("X a 0+1 bind=1 out; X b 5+1 bind=2 in", vec![]),
        ("X a 0+1 bind=1; X b 5+1 bind=1 in", vec![]),
        ("X a 0+1 bind=1 out; b b 5 bind=1 in id=7; e b 9 id=7", vec!["a -> b"]),
        ("X a 0+1 bind=1 out; i b 5 bind=1 in", vec!["a -> -"]),
    ] {
        assert_eq!(flows(&timeline(text)), expected, "{text}");
    }
}

fn trace() -> impl Strategy<Value = String> {
    let event = prop_oneof![
        (0..30i64, 0..15i64, 1..3u8).prop_map(|(ts, dur, t)| format!("X x {ts}+{dur} t={t};")),
        (0..30i64, 1..3u8).prop_map(|(ts, t)| format!("B y {ts} t={t};")),
        (0..30i64, 1..3u8).prop_map(|(ts, t)| format!("E - {ts} t={t};")),
        (0..30i64, 1..3u8, 0..3u8, 0..2u8, any::<bool>()).prop_map(
            |(ts, t, phase, id, encloses)| {
                let phase = ["s", "t", "f"][usize::from(phase)];
                format!("{phase} f {ts} t={t} id={id}{};", if encloses { " bp=e" } else { "" })
            }
        ),
    ];
    proptest::collection::vec(event, 0..40).prop_map(|events| events.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn points_find_their_slices(text in trace()) {
        let found = analyze(events(&text), 1);
        let on_two = analyze(events(&text), 2);
        let [one, two] = [&found, &on_two].map(|found| {
            format!("{:?}", (&found.slices, &found.flows, &found.issues, &found.counters))
        });
        prop_assert_eq!(one, two);
        let (events, slices) = (&found.events, &found.slices);
        let ts = |event: EventIndex| events.ts(event).unwrap();
        let end = |slice: EventIndex| match slices.ending(slice).unwrap() {
            Ending::Open => i64::MAX,
            _ => ts(slice) + slices.dur(events, slice),
        };
        // Those that start later or, at the same time, end earlier come later. Between slices that are alike the
        // file decides, with an end between them either way.
        let key = |slice: EventIndex| (ts(slice), std::cmp::Reverse(end(slice)));
        for point in events.all().filter(|&e| events.phase(e).is_flow()) {
            let at = ts(point);
            let mine = events.all().filter(|&slice| {
                slices.ending(slice).is_some()
                    && events.thread_of(slice) == events.thread_of(point)
            });
            let is_next = events.phase(point) == Phase::FlowEnd
                && !events.flags(point).has(heapquarry_timeline::Flags::BIND_ENCLOSING);
            let expected = if is_next {
                mine.filter(|&s| (ts(s), s) > (at, point)).min_by_key(|&s| ts(s)).map(ts)
            } else {
                let around = mine.filter(|&s| ts(s) <= at && at <= end(s));
                around.max_by_key(|&s| key(s)).map(ts)
            };
            prop_assert_eq!(found.slice_of(point).map(ts), expected, "{} in {}", point, text);
        }
        // Each arrow starts at the latest start or step before it, of the same id.
        for flow in found.flows.iter() {
            prop_assert_eq!(found.slice_of(flow.from), found.slice_of_flow(flow.from));
            prop_assert_eq!(found.slice_of(flow.to), found.slice_of_flow(flow.to));
        }
        let id = |event: EventIndex| Some((event, events.id(event)?));
        let mut order: Vec<(EventIndex, Id)> = events.all().filter_map(id).collect();
        order.sort_by_key(|&(event, _)| ts(event));
        let mut expected = Vec::new();
        for (at, &(to, id)) in order.iter().enumerate() {
            let before: Vec<EventIndex> =
                order[..at].iter().filter(|&&(_, other)| other == id).map(|&(event, _)| event).collect();
            let phase = |event: EventIndex| events.phase(event);
            let has_start = before.iter().any(|&event| phase(event) == Phase::FlowBegin);
            if phase(to) != Phase::FlowBegin && has_start {
                let first = before.iter().position(|&event| phase(event) == Phase::FlowBegin).unwrap();
                let from = before[first..].iter().rev().find(|&&event| phase(event) != Phase::FlowEnd);
                expected.push((*from.unwrap(), to));
            }
        }
        expected.sort_by_key(|&(_, to)| to);
        let arrows: Vec<_> = found.flows.iter().map(|flow| (flow.from, flow.to)).collect();
        prop_assert_eq!(arrows, expected, "{}", text);
    }
}
