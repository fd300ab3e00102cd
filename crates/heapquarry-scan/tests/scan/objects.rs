//! The objects of an array.

use heapquarry_scan::{Extent, ObjectStop};
use proptest::prelude::*;

use crate::{config, few, kernels, naive, show};

fn check(bytes: &[u8]) {
    for max in [1, 2, usize::MAX] {
        let mut want = Vec::new();
        let stop = naive::scan_objects(bytes, 0, max, &mut want);
        for kernel in kernels() {
            let mut found = Vec::new();
            let context = || format!("{} {}", kernel.name(), show(bytes));
            assert_eq!(kernel.scan_objects(bytes, 0, max, &mut found), stop, "{}", context());
            assert_eq!(found, want, "{}", context());
        }
    }
}

#[test]
fn objects_and_stops() {
    use ObjectStop::{Close, Full, More, Odd};
    for (text, stop, objects) in [
        ("", More, 0),
        ("]", Close(0), 0),
        (" , ,, ] ", Close(6), 0),
        ("{}", More, 1),
        ("{} {},{}", More, 3),
        (r#"{"a":"}]{[\\\"}"},"#, More, 1),
        (r#"{"a":[[1],{"b":[]}]}]"#, Close(20), 1),
        ("{},{", More, 1),
        (r#"{"a"#, More, 0),
        ("{},null", More, 1),
        ("{},null,{}", Odd, 1),
        ("{},\"x\"", More, 1),
        ("{},\"x\"]", Odd, 1),
        ("{}}", Odd, 1),
        ("{},[{}]", Odd, 1),
        (r#"{},{"a":"say "hi"."},{}"#, Odd, 1),
        (r#"{},{"a":"say "  hi"},{}"#, Odd, 1),
        (r#"{},{"a" : "x"  } , {}"#, More, 3),
        ("{\"a\"\r:\"b\"\n,\"c\"\t:\"d\"\r\n}\r,{}", More, 2),
        ("{},{\\},{}", Odd, 1),
        (r#"{},{"a":1,{"a":2}"#, Odd, 1),
        (r#"{},{"a":1],{}"#, Odd, 1),
    ] {
        let mut found = Vec::new();
        assert_eq!(naive::scan_objects(text.as_bytes(), 0, 9, &mut found), stop, "{text}");
        assert_eq!(found.len(), objects, "{text}");
        check(text.as_bytes());
        // At all places of a block.
        for shift in few(0..70) {
            check(format!("{}{text}", " ".repeat(shift)).as_bytes());
            check(format!("{{\"{}\":0}},{text}", "x".repeat(shift)).as_bytes());
        }
    }
    let mut found = vec![Extent::default()];
    assert_eq!(heapquarry_scan::scan_objects(b"{}", 0, 1, &mut found), Full);
    assert_eq!(heapquarry_scan::scan_objects(b"null,{}", 5, 2, &mut found), Full);
    assert_eq!(found[1], Extent { start: 5, end: 7 });
}

/// Whole blocks within nested arrays, where no object can end.
#[test]
fn objects_with_much_in_them() {
    // The last one is deeper than a block can close.
    for depth in few(1..9).chain([80]) {
        for within in ["[],", "[[]],{},", "{\"a\":[{}]},", "1,", "\"]}\",", "[", "]", "}{"] {
            for times in few(0..70) {
                let (open, close) = ("[".repeat(depth), "]".repeat(depth));
                let within = within.repeat(times);
                check(format!("{{\"a\":{open}{within}0{close}}},{{}},null").as_bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    #[cfg_attr(miri, ignore)]
    fn any_tokens(tokens in prop::collection::vec(
        prop::sample::select(vec![
            "{", "}", "[", "]", "\"", "\"", ",", ":", " ", "   ", "\\", "\\\"", "a", "1", "{\"a\":", "\"b\"",
            "{}", "{\"a\":{\"b\":[\"]\"]}},", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
        ]),
        0..120,
    )) {
        check(tokens.concat().as_bytes());
    }
}
