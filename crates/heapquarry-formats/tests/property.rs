//! Random snapshots are as the oracle says; random damage leads to no panic, no endless loop, and the same result
//! whatever the window.

mod common;
mod model;
mod oracle;

use common::{
    BOTH, Cell, Reading, Watched, assert_from_end, assert_groups, assert_readings, assert_tables,
    handmade, is_misplaced, options, read, usual,
};
use heapquarry_formats::{Names, Status};
use heapquarry_tables::JS_HEAP_TABLES;
use model::snapshots;
use proptest::{collection::vec, prelude::*, sample::Index};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn names() -> impl Strategy<Value = Names> {
    any::<bool>().prop_map(|text| if text { Names::Text } else { Names::Id })
}

/// Reads in several ways, which must agree.
fn read_in_many_ways(document: &[u8], names: Names, windows: &[usize]) -> Result<Reading, String> {
    let shown = || document.escape_ascii().to_string();
    let expected = read(&Watched::new(document), usual(names));
    assert!(!is_misplaced(&expected), "{}", shown());
    assert_from_end(&Watched::new(document), usual(names), &expected, &shown());
    for rows in [1, 7] {
        let mut first = None;
        for &window in windows {
            let found = read(&Watched::new(document), options(names, rows, window));
            let what = || format!("groups of {rows}, window of {window}: {}", shown());
            if let Ok(found) = &found {
                assert_groups(found, rows, &what());
            }
            // Which of more than a hundred are listed depends on row groups.
            let long = expected
                .as_ref()
                .is_ok_and(|reading| reading.log.iter().any(|e| e.occurrences > 1));
            if !long {
                assert_readings(&expected, &found, false, &what());
            }
            assert_readings(first.get_or_insert_with(|| found.clone()), &found, true, &what());
        }
    }
    expected
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn random_snapshots_are_as_the_oracle_says(snapshot in snapshots(), window in 1..200usize) {
        let document = snapshot.document();
        for names in BOTH {
            let found = read_in_many_ways(&document, names, &[window]).expect("a whole document");
            let what = format!("{names:?}: {}", document.escape_ascii());
            assert_tables(&oracle::tables(&document, names), &found.tables, &what);
            prop_assert_ne!(found.status, Status::Truncated, "{}", what);
        }
    }

    #[test]
    fn random_damage_is_read_alike_by_all_windows(
        snapshot in snapshots(),
        damage in vec((any::<Index>(), bytes(), 0..12usize), 1..6),
        names in names(),
        window in 1..200usize,
    ) {
        let mut document = snapshot.document();
        for (at, bytes, replaced) in damage {
            let at = at.index(document.len() + 1);
            let end = (at + replaced).min(document.len());
            document.splice(at..end, bytes);
        }
        drop(read_in_many_ways(&document, names, &[1, 2, window, 64 << 10]));
    }

    #[test]
    fn random_noise_behind_the_header_is_read_alike_by_all_windows(
        noise in vec(prop_oneof![
            6 => proptest::sample::select(&b"[]{},:\"\\0123456789 \n"[..]).prop_map(|b| vec![b]),
            1 => bytes(),
            1 => proptest::sample::select(&["\"nodes\":[", "\"edges\":[", "\"strings\":[", "\"trace_tree\":[",
                "\"locations\":[", "\"strings\":[\"a\"]}"][..]).prop_map(|s| s.as_bytes().to_vec()),
        ], 0..120),
        names in names(),
        window in 1..40usize,
    ) {
        let header = "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"edge_count\"],\
            \"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"]}},";
        let document = [header.as_bytes(), &noise.concat()].concat();
        drop(read_in_many_ways(&document, names, &[1, window, 64 << 10]));
    }

    #[test]
    fn a_cut_leaves_what_is_whole_before_it(snapshot in snapshots(), at in any::<Index>(), names in names()) {
        let document = snapshot.document();
        let whole = read(&document, usual(names)).expect("a whole document");
        check_cut(&document, at.index(document.len()), &whole, names, "a random snapshot");
    }
}

/// A few bytes that matter, or any.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let matters = b"[]{},:\"\\ \n-+.eE0159xNu\x00\x1f\x7f\x80\xc3\xa9\xff";
    prop_oneof![vec(proptest::sample::select(&matters[..]), 0..6), vec(any::<u8>(), 0..6)]
}

#[test]
fn handmade_documents_cut_anywhere_leave_what_is_whole() {
    for (name, document) in handmade() {
        // Of a long document, 3,000 cuts at most.
        let step = 1 + document.len() / 3000;
        for names in BOTH {
            let whole = read(&document, usual(names)).expect("a whole document");
            for at in (0..document.len()).step_by(step) {
                check_cut(&document, at, &whole, names, &name);
            }
        }
    }
}

/// Columns that say something about other sections, which may be cut.
const ELSEWHERE: [&str; 9] = [
    "name",
    "script_name",
    "from_node_id",
    "to_node_id",
    "node_index",
    "node_id",
    "script_node_index",
    "scope_index",
    "slot_index",
];

/// A cut document is an error before the end of its header; after that each table has the first rows of the whole one.
fn check_cut(document: &[u8], at: usize, whole: &Reading, names: Names, what: &str) {
    let cut = &document[..at];
    if cut.trim_ascii_end() == document.trim_ascii_end() {
        return;
    }
    let found = read(&Watched::new(cut), usual(names));
    assert_from_end(&cut, usual(names), &found, what);
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            assert!(error.contains("(\"snapshot\")"), "{what}: {error}");
            return;
        }
    };
    let what = format!("{what}, {names:?}, cut after {at} bytes: {}", cut.escape_ascii());
    assert_eq!(found.status, Status::Truncated, "{what}");
    assert_eq!(found.codes().get("truncated"), Some(&1), "{what}");
    for table in JS_HEAP_TABLES.iter().filter(|table| table.name != "js_heap_files") {
        let (whole, found) = (&whole.tables[table.name], &found.tables[table.name]);
        assert!(found.len() <= whole.len(), "{what}: {} has more rows than before", table.name);
        for (row, (whole, found)) in whole.iter().zip(found).enumerate() {
            for ((column, whole), found) in table.columns.iter().zip(whole).zip(found) {
                let lost = *found == Cell::Null && ELSEWHERE.contains(&column.name);
                let place = format!("{}.{} of row {row}", table.name, column.name);
                assert!(whole == found || lost, "{what}: {place}: expected {whole}, found {found}");
            }
        }
    }
}
