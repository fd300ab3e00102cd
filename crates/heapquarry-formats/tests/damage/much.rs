//! Much of something.

use super::*;
use heapquarry_tables::FileId;

#[test]
fn a_code_that_keeps_coming_is_listed_a_hundred_times() {
    let samples = format!("[{}]", vec!["NaN,1"; 1000].join(","));
    let document = with("samples", &samples);
    let start = document.find(&samples).expect("samples") as u64;
    for rows in [1, 7, 100_000] {
        let found = read(&document, options(Names::Text, rows, 100)).expect("repaired");
        let entries: Vec<_> =
            found.log.iter().map(|e| (e.code, e.offset.map(|at| at.0), e.occurrences)).collect();
        let expected = (0..LISTED as u64).map(|i| (Code::NotANumber, Some(start + 1 + 6 * i), 1));
        let rest = (Code::NotANumber, None, 1000 - LISTED as u64);
        assert_eq!(entries, expected.chain([rest]).collect::<Vec<_>>(), "groups of {rows}");
        let expected: Vec<_> = (0..1000).map(|_| row(vec![Cell::Null, Cell::Int(1)])).collect();
        assert_eq!(found.tables[SAMPLES], expected);
    }
}

#[test]
fn a_trace_tree_may_be_200_000_calls_deep() {
    const DEPTH: i64 = 200_000;
    let open: String = (0..DEPTH).map(|i| format!("{i},{},1,2,[", i % 2)).collect();
    let document = with("trace_tree", &format!("[{open}{}]", "]".repeat(DEPTH as usize)));
    let parent = |i: i64| Some(i - 1);
    let frames =
        (0..DEPTH).map(|i| frame([Some(i), Some(i % 2), Some(1), Some(2), parent(i), Some(i)]));
    let mut expected = read(&whole(), usual(Names::Text)).expect("nothing is wrong with it");
    expected.tables.insert(TREE, frames.collect());
    assert_readings(&Ok(expected.clone()), &read(&document, usual(Names::Text)), false, "deep");
    assert_readings(
        &Ok(expected),
        &read(&document, options(Names::Text, 999, 4096)),
        false,
        "deep",
    );

    // Cut at the bottom, all that is above is there.
    let cut = &document[..document.find("]]]").expect("the bottom")];
    let found = read(&cut, usual(Names::Text)).expect("truncated");
    assert_eq!((found.tables[TREE].len(), found.status), (DEPTH as usize, Status::Truncated));
}

#[test]
fn a_million_brackets_in_the_tree_are_a_million_rows() {
    let document = with("trace_tree", &["[".repeat(1_000_001), "]".repeat(1_000_001)].concat());
    let found = read(&document, usual(Names::Text)).expect("repaired");
    assert_eq!(found.tables[TREE].len(), 1_000_000);
    assert_eq!(found.codes(), BTreeMap::from([("bad_nesting", 1_000_000)]));
    assert_eq!(found.status, Status::Repaired);
}

#[test]
fn brackets_without_end_are_a_cut() {
    for (name, table) in [
        ("nodes", NODES),
        ("edges", EDGES),
        ("trace_function_infos", FUNCTIONS),
        ("samples", SAMPLES),
        ("locations", LOCATIONS),
        ("scopes", SCOPES),
        ("scope_context_vars", SCOPE_VARS),
        ("scope_uses", SCOPE_USES),
        ("strings", STRINGS),
    ] {
        let whole = whole();
        let (head, _) = whole.split_once(&format!("\"{name}\":")).expect("a section");
        let document = format!("{head}\"{name}\":[{}", "[".repeat(1_000_000));
        for names in BOTH {
            let found = read(&document, usual(names)).expect("truncated");
            assert_eq!(found.tables[table], no_rows()[table], "{name}");
            let mut codes = found.codes();
            let names_lost = codes.remove("string_out_of_range").is_some();
            assert_eq!(codes, BTreeMap::from([("truncated", 1)]), "{name}");
            assert_eq!(names_lost, name == "strings" && names == Names::Text);
        }
    }
}

/// A claim of strings ends after some megabytes, whatever the number of its strings.
#[test]
fn many_megabytes_of_strings_are_several_row_groups() {
    let letters = ["a", "b", "c", "d", "e", "f"];
    for separator in [",", " ,\n", "\n,"] {
        let strings = letters.map(|letter| letter.repeat(3 << 19));
        let json = format!("[{}]", strings.clone().map(|s| format!("\"{s}\"")).join(separator));
        for (names, window) in
            [(Names::Text, 128 << 10), (Names::Text, 64 << 20), (Names::Id, 1 << 20)]
        {
            let what = format!("{separator:?}, {names:?}, window of {window}");
            let found =
                read(&with("strings", &json), options(names, 1000, window)).expect("complete");
            let rows = strings.iter().zip(0..).map(|(s, i)| row(vec![Cell::Int(i), text(Some(s))]));
            assert_eq!(found.tables[STRINGS], rows.collect::<Vec<_>>(), "{what}");
            assert_eq!((found.log, found.status), (vec![], Status::Complete), "{what}");
            assert_eq!(found.groups[STRINGS], [2, 2, 2], "{what}");
            if names == Names::Text {
                assert_eq!(found.tables[EDGES][2][3], text(Some(&strings[5])), "{what}");
            }
        }
    }
}

#[test]
fn a_string_of_more_than_64_mib_is_cut() {
    const LONGEST: usize = 64 << 20;
    let fill = "x".repeat(LONGEST - 6);
    // A large window may hold the whole string before its length is looked at.
    let (small, large) = (1 << 20, 100 << 20);
    for (window, tail, kept, too_long) in [
        (small, "yyyyyy", "yyyyyy", false),
        (large, "yyyyyy", "yyyyyy", false),
        (small, "yyyyyyy", "yyyyyy", true),
        (large, "yyyyyyy", "yyyyyy", true),
        // Not within an escape, nor within a character.
        (small, r"yyyyy\nz", "yyyyy", true),
        (small, r"yyy\\\\z", "yyy", true),
        (small, r"yy\ud83d\ude00", "yy", true),
        (large, r"\ud83d\ude00z", "", true),
        (small, "yyyyyé", "yyyyy", true),
        (small, "yyy😀z", "yyy", true),
    ] {
        let strings = section("strings").replace("\"Foo\"", &format!("\"{fill}{tail}\""));
        let document = with("strings", &strings);
        let offset = document.find("\"xxx").expect("the string") as u64;
        let expected = [&fill, kept].concat();
        let what = format!("{tail}, window of {window}");
        let found = read(&document, options(Names::Text, 1000, window)).expect("repaired");
        let log: Vec<_> = found.log.iter().map(|e| (e.code, e.offset.map(|at| at.0))).collect();
        let expected_log =
            if too_long { vec![(Code::StringTooLong, Some(offset))] } else { vec![] };
        assert_eq!(log, expected_log, "{what}");
        let texts: Vec<_> = found.tables[STRINGS].iter().map(|row| row[2].clone()).collect();
        let all = ["<dummy>", "", &expected, "text", "short", "prop"].map(|s| text(Some(s)));
        assert!(
            texts == all,
            "{what}: {}",
            texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        );
    }
}

#[test]
fn a_string_of_more_than_64_mib_where_a_number_should_be_is_none() {
    let long = "x,]".repeat(22 << 20);
    let document = changed("nodes", "3,2,3,16", &format!("3,2,3,\"{long}\""));
    let found = read(&document, usual(Names::Text)).expect("repaired");
    assert_eq!(found.codes(), BTreeMap::from([("not_a_number", 1)]));
    assert_eq!(found.tables[NODES][1][6], Cell::Null);
    assert_eq!(
        found.tables[NODES][3],
        read(&whole(), usual(Names::Text)).expect("whole").tables[NODES][3]
    );
}

/// A document that goes on with one byte for more than a gigabyte.
struct GoesOn {
    head: String,
    fill: u8,
}

impl Input for GoesOn {
    fn size(&self) -> u64 {
        self.head.len() as u64 + (1200 << 20)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let head = self.head.read_at(buf, offset)?;
        let n = buf.len().min((self.size() - offset) as usize);
        buf[head..n].fill(self.fill);
        Ok(n)
    }
}

#[test]
fn a_value_without_end_is_not_kept_in_memory() {
    for (section, fill, code) in [
        ("\"nodes\":[9,1,", b' ', "malformed"),
        ("\"nodes\":[9,1,", b'7', "malformed"),
        ("\"nodes\":[9,1,", b'x', "malformed"),
        ("\"nodes\":[9,1,\"", b'x', "malformed"),
        ("\"strings\":[\"a\"", b' ', "string_too_long"),
        ("\"strings\":[\"a\",", b' ', "malformed"),
        ("\"strings\":[\"a", b'x', "string_too_long"),
        ("\"trace_tree\":[1,", b' ', "truncated"),
        ("\"trace_tree\":[1,", b'7', "malformed"),
        ("\"", b'x', "malformed"),
        ("", b' ', "truncated"),
    ] {
        let head = format!("{{\"snapshot\":{},{section}", self::section("snapshot"));
        let input = GoesOn { head, fill };
        let (mut buf, mut scratch) = (Buffer::default(), Scratch::default());
        let everything = Projection::all();
        let options = options(Names::Id, 1000, 1 << 20);
        let mut snapshot = Snapshot::new(&input, FileId(0), "", &options).expect("it can be read");
        while let Claim::Task(task, _) = snapshot.claim(&mut buf).expect("it has a header") {
            let mut rows = Rows::new(&everything);
            snapshot.complete(task.decode(&buf, &mut scratch, &mut rows));
        }
        let what = format!("{section}, then {:?}", char::from(fill));
        assert!(buf.capacity() < 600 << 20, "{what}: {} bytes kept", buf.capacity());
        let summary = snapshot.finish().documents.remove(0);
        let codes: Vec<_> = summary.log.into_entries().iter().map(|e| e.code.name()).collect();
        assert!(codes.contains(&code), "{what}: {codes:?}");
        assert_eq!(summary.status, Status::Truncated, "{what}");
    }
}
