//! Bytes like those of a heap snapshot and of a trace, for the scanners.

use crate::random::Random;
use heapquarry_scan::{Number, Stop, bench::Kernel};
use std::fmt::Write;

/// Bytes of each input: more than a first cache holds, like the buffer of a claim.
pub const SIZE: usize = 1 << 20;

/// Records of seven fields, each on its line with the comma on the next, as V8 writes them.
pub fn nodes() -> Vec<u8> {
    let mut random = Random(1);
    let mut text = String::new();
    for id in (1..).step_by(2) {
        if text.len() >= SIZE {
            break;
        }
        let (kind, name) = (random.below(14), random.digits(1, 6));
        let (size, edges) = (random.digits(2, 4), random.below(30));
        let _ = write!(text, "{kind},{name},{},{size},{edges},0,0\n,", 1_000_000 + id);
    }
    text.into_bytes()
}

/// Records of three fields: the last is the position of a node.
pub fn edges() -> Vec<u8> {
    let mut random = Random(2);
    let mut text = String::new();
    while text.len() < SIZE {
        let (kind, name) = (random.below(7), random.digits(1, 5));
        let _ = write!(text, "{kind},{name},{}\n,", random.digits(5, 8));
    }
    text.into_bytes()
}

/// Numbers of `least` to `most` digits and nothing else.
pub fn plain(least: u32, most: u32) -> Vec<u8> {
    let mut random = Random(3);
    let mut text = String::new();
    while text.len() < SIZE {
        let _ = write!(text, "{},", random.digits(least, most));
    }
    text.into_bytes()
}

/// A tree of calls, as timelines have it: records whose last field is the array of their children.
pub fn calls() -> Vec<u8> {
    let mut random = Random(6);
    let mut text = String::new();
    let mut depth = 0;
    for id in 1.. {
        let (function, size) = (random.digits(1, 4), random.digits(2, 6));
        let _ = write!(text, "{id},{function},{},{size},[", random.below(100));
        depth += 1;
        if text.len() >= SIZE {
            break;
        }
        let ends = random.below(3).min(depth);
        depth -= ends;
        text.push_str(&"]".repeat(ends as usize));
        if ends > 0 {
            text.push(',');
        }
    }
    text.push_str(&"]".repeat(depth as usize));
    text.into_bytes()
}

/// Strings of 10 to 50 letters, some with escapes, and the end of the array.
pub fn strings(percent_escaped: u64) -> Vec<u8> {
    let mut random = Random(4);
    let mut text = String::from("\"<dummy>\"");
    while text.len() < SIZE {
        text.push_str(",\n\"");
        for _ in 0..10 + random.below(41) {
            text.push(char::from(b'a' + random.below(26) as u8));
        }
        if random.below(100) < percent_escaped {
            text.push_str("\\n\\\"x\\\" \\u00e9");
        }
        text.push('"');
    }
    text.push(']');
    text.into_bytes()
}

/// Lines of a heap as they stand in a message: with an escape for each line break.
pub fn message() -> Vec<u8> {
    String::from_utf8(nodes()).expect("digits").replace('\n', "\\n").into_bytes()
}

/// Small objects with strings, like a trace.
pub fn objects() -> Vec<u8> {
    let mut random = Random(5);
    let mut text = String::from("[");
    while text.len() < SIZE {
        let (pid, ts) = (random.digits(1, 5), random.digits(9, 12));
        let _ =
            write!(text, r#"{{"name":"Task \"{pid}\"","ph":"X","ts":{ts},"args":{{"a":[1,2]}}}},"#);
    }
    text.push_str("0]");
    text.into_bytes()
}

/// Reads integers as decoders do it: a piece at a time, which stays in the first cache.
pub fn read<T: Number>(kernel: Kernel, bytes: &[u8]) -> usize {
    let mut out = [T::default(); 4096];
    let (mut read, mut numbers) = (0, 0);
    loop {
        let tokens = kernel.read_integers(&bytes[read..], &mut out);
        read += tokens.read;
        numbers += tokens.numbers;
        match tokens.stop {
            Stop::End => return numbers,
            Stop::Full => {}
            Stop::Odd => panic!("an odd value at {read}"),
        }
    }
}
