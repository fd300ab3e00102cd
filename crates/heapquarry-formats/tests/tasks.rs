//! Tasks may be decoded and completed in any order, with any number of them in flight.

mod common;
mod model;

use arrow_array::RecordBatch;
use common::{BOTH, Broken, FILE_ID, NAME, Reading, assert_readings, handmade, options, read};
use heapquarry_formats::{
    Ahead, Buffer, Claim, Finished, Input, Names, Reader, Rows, Task as _,
    heap::{Scratch, Snapshot, Task},
};
use heapquarry_tables::{
    FileId, JS_HEAP_NODES, JS_HEAP_STRING, JS_HEAP_TRACE_NODE, Projection, Table,
};
use model::snapshots;
use proptest::{collection::vec, prelude::*};
use std::collections::VecDeque;

/// A claimed task with its bytes.
struct InFlight {
    /// Position among all claims.
    claim: usize,
    task: Task,
    bytes: Buffer,
}

/// Reads with up to `workers` tasks in flight; `choices` tell again and again whether to claim or which task to decode,
/// and whether to read ahead before, and what of that to claim with: mostly in turn, as it is meant.
fn read_in_order(
    input: &dyn Input,
    names: Names,
    rows: usize,
    workers: usize,
    choices: &[u8],
    wanted: &Projection,
) -> Result<Reading, String> {
    let mut snapshot = Snapshot::new(input, FileId(FILE_ID), NAME, &options(names, rows, 50))
        .map_err(|e| e.to_string())?;
    let mut scratch: Vec<Scratch> = (0..workers).map(|_| Scratch::default()).collect();
    let mut flying: Vec<InFlight> = Vec::new();
    let mut batches: Vec<(usize, &'static Table, RecordBatch)> = Vec::new();
    let (mut claims, mut ended) = (0, false);
    let mut ahead: VecDeque<Buffer> = VecDeque::new();
    let mut choices = choices.iter().copied().cycle();
    loop {
        let choice = usize::from(choices.next().unwrap_or(0));
        let mut waits = false;
        if !ended && flying.len() < workers && (flying.is_empty() || choice % 3 != 0) {
            while ahead.len() < choice / 16 % 4 && workers > 1 {
                let Some(next) = snapshot.ahead() else { break };
                let mut bytes = Buffer::default();
                next.read(&mut bytes);
                ahead.push_back(bytes);
            }
            let next = if choice < 224 { ahead.pop_front() } else { ahead.pop_back() };
            let mut bytes = next.unwrap_or_default();
            match snapshot.claim(&mut bytes).map_err(|e| e.to_string())? {
                Claim::Task(task, _) => {
                    let is_wanted = wanted.wants_any(&task.tables());
                    if is_wanted || task.has_side_output() {
                        flying.push(InFlight { claim: claims, task, bytes });
                        claims += 1;
                    }
                    continue;
                }
                Claim::Progress(_) | Claim::Tables(_) => {
                    unreachable!("a claim of a snapshot has rows")
                }
                Claim::Wait => waits = true,
                Claim::End => ended = true,
            }
        }
        if flying.is_empty() {
            assert!(!waits, "it waits, but nothing is in flight");
            if ended {
                break;
            }
            continue;
        }
        let InFlight { claim, task, bytes } = flying.swap_remove(choice / 3 % flying.len());
        let mut rows = Rows::new(wanted);
        snapshot.complete(task.decode(&bytes, &mut scratch[choice % workers], &mut rows));
        let rows = rows.into_batches().into_iter();
        batches.extend(rows.map(|(table, batch)| (claim, table, batch)));
    }
    batches.sort_by_key(|(claim, ..)| *claim);
    let Finished { batches: totals, documents, .. } = snapshot.finish();
    let batches = batches.into_iter().map(|(_, table, batch)| (table, batch)).chain(totals);
    Ok(Reading::new(batches.collect(), documents))
}

fn check(document: &[u8], names: Names, rows: usize, workers: usize, choices: &[u8], what: &str) {
    // Which rows are wanted must not matter for the rows of other tables.
    let all = Projection::all();
    let without = |table: &'static Table| Projection::all().without(&[table]);
    for wanted in
        [&all, &without(&JS_HEAP_NODES), &without(&JS_HEAP_STRING), &without(&JS_HEAP_TRACE_NODE)]
    {
        let alone = read_in_order(&document, names, rows, 1, &[1], wanted);
        if std::ptr::eq(wanted, &all) {
            assert_readings(&read(&document, options(names, rows, 50)), &alone, true, what);
        }
        let found = read_in_order(&document, names, rows, workers, choices, wanted);
        assert_readings(&alone, &found, true, what);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tasks_of_random_snapshots_may_end_in_any_order(
        snapshot in snapshots(),
        text in any::<bool>(),
        rows in 1..8usize,
        workers in 2..7usize,
        choices in vec(any::<u8>(), 1..200),
    ) {
        let names = if text { Names::Text } else { Names::Id };
        let document = snapshot.document();
        check(&document, names, rows, workers, &choices, &document.escape_ascii().to_string());
    }
}

#[test]
fn tasks_of_handmade_documents_may_end_in_any_order() {
    for (name, document) in handmade() {
        for names in BOTH {
            // First in, first out; last in, first out; none but the last before all are claimed.
            for (workers, choices) in [(2, &[1u8, 2, 1, 0][..]), (5, &[255, 1, 2, 4]), (1000, &[1])]
            {
                let rows = 1 + document.len() / 2000;
                check(&document, names, rows, workers, choices, &format!("{name}, {names:?}"));
            }
        }
    }
}

#[test]
fn what_cannot_be_read_ahead_is_an_error_when_it_is_claimed() {
    let document = &handmade()["v8-timeline.heaptimeline"];
    for names in BOTH {
        for bad in 0..document.len() {
            let input = Broken(document, bad);
            for choices in [&[49][..], &[1, 255, 63, 16, 230]] {
                let found = read_in_order(&input, names, 2, 3, choices, &Projection::all());
                input.assert_is(&found.expect_err("the last byte cannot be read"));
            }
        }
    }
}

/// The claim that has a long value has many bytes. No worker should read that many ahead for the next claim.
#[test]
fn a_long_value_does_not_make_the_next_claims_long() {
    const LONG: usize = 4 << 20;
    let document = String::from_utf8(handmade()["v8-timeline.heaptimeline"].clone()).expect("text");
    let start = document.find("\"nodes\":[").expect("nodes") + 9;
    let (head, rest) = document.split_at(start);
    let nodes = "1,".repeat(LONG);
    let document = format!("{head}\"{}\",{nodes}{rest}", "x".repeat(LONG));
    let options = options(Names::Id, 100, 1 << 16);
    let mut snapshot =
        Snapshot::new(&document, FileId(FILE_ID), NAME, &options).expect("it has a header");
    let mut claimed = Buffer::default();
    let mut lengths = Vec::new();
    while lengths.len() < 3 {
        let mut bytes = Buffer::default();
        if let Some(next) = snapshot.ahead() {
            next.read(&mut bytes);
            assert!(bytes.capacity() < 1 << 20, "{} bytes, {lengths:?}", bytes.capacity());
        }
        let Ok(Claim::Task(..)) = snapshot.claim(&mut claimed) else { panic!("there are nodes") };
        lengths.push(claimed.len());
    }
    assert!(lengths[0] > LONG && lengths[1..] == [lengths[1]; 2], "{lengths:?}");
}
