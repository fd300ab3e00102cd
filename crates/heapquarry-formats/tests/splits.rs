//! Neither the size of the window, nor how much a read gives, nor the size of row groups changes rows or log.

mod common;

use common::{
    BOTH, Broken, Watched, assert_from_end, assert_groups, assert_readings, handmade, options,
    read, usual,
};
use heapquarry_formats::Locate;

/// Every window up to 64 bytes, then larger ones, those around powers of two and around the length of the document.
fn windows(len: usize) -> impl Iterator<Item = usize> {
    let larger = [65, 100, 127, 128, 129, 191, 192, 193, 1000, 4095, 4096, 4097];
    // Documents of many thousand bytes take as many reads with a window of one; a few such windows are enough.
    let small = (1..=64).filter(move |window| len < 5000 || window % 13 < 3);
    small.chain(larger).chain([len - 1, len, len + 1])
}

fn check(name: &str, document: &[u8]) {
    for names in BOTH {
        let expected = read(&document, usual(names));
        for rows in [1, 2, 3, 100_000] {
            for window in windows(document.len()) {
                let what = format!("{name}, {names:?}, groups of {rows}, window of {window}");
                let found = read(&document, options(names, rows, window));
                assert_readings(&expected, &found, false, &what);
                assert_groups(found.as_ref().expect("compared"), rows, &what);
            }
            let what = format!("{name}, {names:?}, groups of {rows}");
            let found = read(&document, options(names, rows, 64));
            assert_from_end(&document, options(names, rows, 64), &found, &what);
        }
    }
}

#[test]
fn rows_do_not_depend_on_windows_and_row_groups() {
    handmade().iter().for_each(|(name, document)| check(name, document));
}

#[test]
fn rows_do_not_depend_on_how_much_a_read_gives() {
    for (name, document) in handmade() {
        for names in BOTH {
            let expected = read(&document, usual(names));
            for (at_once, window) in [(1, 7), (3, 64), (3, 100_000), (1000, 4096)] {
                let what =
                    format!("{name}, {names:?}, {at_once} bytes at once, window of {window}");
                let input = Watched::reluctant(&document, at_once);
                let found = read(&input, options(names, 1 + document.len() / 1000, window));
                assert_readings(&expected, &found, false, &what);
            }
        }
    }
}

/// The string section can be looked for from the end so that nothing has to be read twice but the strings themselves.
#[test]
fn a_document_is_read_once() {
    for (name, document) in common::documents(&common::corpus(), false) {
        let strings = document.windows(11).rposition(|w| w == b"\"strings\":[").expect("strings");
        for (names, again) in BOTH.into_iter().zip([2 * (document.len() - strings), 0]) {
            let input = Watched::new(&document);
            let from_end = usual(names).locate(Locate::FromEnd);
            read(&input, from_end).expect("a recording");
            let read = input.bytes_read();
            // A few windows are read twice, one at each end of a section and of a row group.
            let most = (document.len() + again + 40 * usual(names).window) as u64;
            assert!(read <= most, "{name}, {names:?}: {read} bytes read of {}", document.len());
        }
    }
}

#[test]
fn an_unreadable_input_is_an_error_with_its_offset() {
    let document = &handmade()["v8-timeline.heaptimeline"];
    for names in BOTH {
        for bad in 0..document.len() {
            let input = Broken(document, bad);
            let found = read(&input, options(names, 2, 16));
            input.assert_is(&found.expect_err("the last byte cannot be read"));
        }
    }
}
