//! Scanning strings.

use heapquarry_scan::{ScanStop, StringScanner, bench::Kernel, unescape};
use proptest::prelude::*;

use crate::{
    config, few, kernels,
    naive::{self, Strings},
    show,
};

/// What a scanner finds if the buffer grows in steps that end at `cuts`, and spans are taken at
/// most `max` at a time.
fn scan(kernel: Kernel, buf: &[u8], from: usize, cuts: &[usize], max: usize) -> Strings {
    let mut scanner = kernel.string_scanner(from);
    let mut spans = vec![];
    let mut settled = from;
    for &cut in cuts.iter().chain([&buf.len()]) {
        let cut = cut.max(from);
        loop {
            let wanted = spans.len().saturating_add(max);
            let stop = scanner.scan(&buf[..cut], wanted, &mut spans);
            assert!(spans.len() <= wanted);
            assert_eq!(stop == ScanStop::Full, spans.len() == wanted);
            assert!(settled <= scanner.settled() && scanner.settled() <= cut);
            settled = scanner.settled();
            match stop {
                ScanStop::Full => {}
                ScanStop::More => break,
                ScanStop::Close(_) | ScanStop::Odd(_) => {
                    return Strings {
                        spans,
                        stop,
                        settled,
                        open: scanner.open(),
                        stray_quotes: scanner.stray_quotes(),
                    };
                }
            }
        }
    }
    let (open, stray_quotes) = (scanner.open(), scanner.stray_quotes());
    Strings { spans, stop: ScanStop::More, settled, open, stray_quotes }
}

/// With no cut, one at each position, cuts everywhere, and one string at a time.
fn check(buf: &[u8]) {
    let want = naive::strings(buf, 0);
    let everywhere: Vec<usize> = (0..buf.len()).collect();
    for kernel in kernels() {
        let context = || format!("{} {}", kernel.name(), show(buf));
        assert_eq!(scan(kernel, buf, 0, &[], usize::MAX), want, "{}", context());
        assert_eq!(scan(kernel, buf, 0, &[], 1), want, "{}", context());
        assert_eq!(scan(kernel, buf, 0, &everywhere, usize::MAX), want, "{}", context());
        for cut in few(0..buf.len()) {
            assert_eq!(scan(kernel, buf, 0, &[cut], 2), want, "{cut} {}", context());
        }
    }
}

#[test]
fn every_split() {
    for buf in [
        "",
        "]",
        r#""a""#,
        r#""a","b"]"#,
        r#" "a" , "b" ] "#,
        r#""\"","\\","\\\"","a\"#,
        r#""a"b","c" d","e" "f"]"#,
        "\"\",\"\"\",\"\"\"\"]",
        "\"a\",\n\"b\",\n\"c\"\n]",
        "\"a\" \n\t\r  , \"b\"",
        r#""a",null,"b"]"#,
        r#""a",,"b"]"#,
        r#""a",]"#,
        r#""a]","b,",",","]"]"#,
        "\"a\"]\"b\",",
    ] {
        check(buf.as_bytes());
    }
}

#[test]
fn every_split_of_long_buffers() {
    let usual = r#""some text",
"#
    .repeat(20);
    let escapes = r#""a\"b\\","\\\\","\n\n\n\n","#.repeat(10);
    let strays = r#""say "hi" to "x"",""","#.repeat(12);
    let long = format!("\"{}\",\"b\"]", "x\\\"y \"z".repeat(40));
    let blanks = format!("{0}\"a\"{0},{0}\"b\"{0}]", " \n".repeat(50));
    for buf in [usual, escapes, strays, long, blanks] {
        check(buf.as_bytes());
    }
}

#[test]
fn every_start_and_length() {
    let text = "\"abc\",\n\"d\\\"e\",\"f\"g\",\"\",\n\"hijklmnopqrstuvw\" ,".repeat(8);
    for start in few(0..64) {
        for length in few(0..201) {
            let buf = &text.as_bytes()[..start + length];
            for kernel in kernels() {
                let got = scan(kernel, buf, start, &[], usize::MAX);
                assert_eq!(got, naive::strings(buf, start), "{start} {}", show(buf));
            }
        }
    }
}

/// A claim that begins where another has ended sees the same strings.
#[test]
fn claims() {
    let buf = br#""a" , "b\"", "c"d" ,"e","f" ] "#;
    let all = naive::strings(buf, 0).spans;
    for kernel in kernels() {
        for cut in 0..buf.len() {
            let first = scan(kernel, &buf[..cut], 0, &[], usize::MAX);
            let second = scan(kernel, buf, first.settled, &[], usize::MAX);
            assert_eq!([first.spans, second.spans].concat(), all, "{cut}");
            assert_eq!(second.stop, ScanStop::Close(28));
        }
    }
}

/// A string that comes in many pieces takes linear time: this would take hours otherwise.
#[test]
fn long_string_in_small_pieces() {
    let size = if cfg!(miri) { 2_000 } else { 16 << 20 };
    // A quote with blanks after it, that may always be the last one, and backslashes.
    for text in ["abcdefgh", "a\\\"\\\\", "\"       ", "        "] {
        let mut buf = b"\"".to_vec();
        let mut scanner = StringScanner::new(0);
        let mut spans = vec![];
        while buf.len() < size {
            buf.extend(text.repeat(10).bytes());
            assert_eq!(scanner.scan(&buf, 1, &mut spans), ScanStop::More);
            assert_eq!(scanner.open(), Some(1));
        }
        buf.extend(b"\"]");
        assert_eq!(scanner.scan(&buf, 2, &mut spans), ScanStop::Close(buf.len() - 1));
        assert_eq!((spans.len(), scanner.open()), (1, None));
    }
}

#[cfg(not(miri))]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn random(
        buf in prop::collection::vec(prop::sample::select(&b"\"\"\"\"\\,,] \nab1"[..]), 0..300),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        max in 1usize..5,
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(buf.len() + 1)).collect();
        cuts.sort_unstable();
        let want = naive::strings(&buf, 0);
        for kernel in kernels() {
            prop_assert_eq!(&scan(kernel, &buf, 0, &cuts, max), &want, "{}", kernel.name());
        }
    }

    #[test]
    fn json_strings(texts in prop::collection::vec(".*", 0..30), pretty: bool) {
        let json = if pretty {
            serde_json::to_string_pretty(&texts).unwrap()
        } else {
            serde_json::to_string(&texts).unwrap()
        };
        for kernel in kernels() {
            let found = scan(kernel, json.as_bytes(), 1, &[], usize::MAX);
            prop_assert_eq!(found.stop, ScanStop::Close(json.len() - 1));
            prop_assert_eq!(found.stray_quotes, 0);
            prop_assert_eq!(found.spans.len(), texts.len());
            for (span, text) in found.spans.iter().zip(&texts) {
                let raw = &json.as_bytes()[span.start as usize..span.end as usize];
                let mut out = vec![];
                unescape(raw, &mut out);
                prop_assert_eq!(&out, text.as_bytes());
                prop_assert_eq!(span.escaped, raw.contains(&b'\\'));
            }
        }
    }
}
