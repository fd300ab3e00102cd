//! Changes inputs at random: their bytes, or the values of their JSON.

use super::Seed;
use serde_json::{Map, Value, json};

/// SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>): a run depends on its number alone.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64, run: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ run.rotate_left(32));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// True in so many of 100 cases.
    pub(super) fn percent(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What is put between or over bytes.
const TOKENS: [&[u8]; 44] = [
    b"null",
    b"true",
    b"{}",
    b"[]",
    b"[[",
    b"]]",
    b"}",
    b"{",
    b"\"",
    b"\"\"",
    b",",
    b",,",
    b":",
    b"-1",
    b"0",
    b"1e999",
    b"-0",
    b"NaN",
    b"1.5",
    b"18446744073709551616",
    b"9223372036854775807",
    b"4294967296",
    b"\\u0000",
    b"\\ud800",
    b"\\",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\n",
    b"\r\n",
    b"/*",
    b"\"nodes\":",
    b"\"edges\":[",
    b"\"strings\":[\"a\"],",
    b"\"snapshot\":{}",
    b"\"traceEvents\":[",
    b"\"samples\":",
    b"\"node_fields\":[\"type\"],",
    b"\"node_count\":99999999999,",
    b"\"head\":{",
    b"\"ts\":1e300",
    b"\"ph\":\"E\"",
    b"# tracer: nop\n",
    b"<html>",
];

/// What replaces a number.
const NUMBERS: [&str; 24] = [
    "0",
    "-1",
    "1",
    "7",
    "255",
    "65535",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
    "1e18",
    "1e308",
    "1e309",
    "0.1",
    "1.0",
    "null",
    "\"5\"",
    "[]",
    "{}",
];

/// Lengths of what is copied or removed.
const LENGTHS: [usize; 9] = [1, 1, 2, 4, 8, 64, 512, 4096, 20_000];

/// Changes some bytes.
pub(super) fn bytes(data: &[u8], seeds: &[Seed], random: &mut Random) -> Vec<u8> {
    let mut data = data.to_vec();
    for _ in 0..=random.below(8) {
        if data.is_empty() {
            data = b"{\"a\":1}".to_vec();
        }
        let at = random.below(data.len());
        let end = (at + random.pick(&LENGTHS)).min(data.len());
        match random.below(11) {
            0 => data[at] ^= 1 << random.below(8),
            1 => data[at] = random.below(256) as u8,
            2 if random.percent(40) => data.truncate(at),
            3 => drop(data.splice(at..at, random.pick(&TOKENS).iter().copied())),
            4 => {
                let token = random.pick(&TOKENS);
                let end = (at + token.len()).min(data.len());
                drop(data.splice(at..end, token.iter().copied()));
            }
            5 | 6 => number(&mut data, at, random),
            7 => {
                let times = random.pick(&[1, 1, 2, 5, 50]);
                let copy = data[at..end.min(at + 4096)].repeat(times);
                drop(data.splice(at..at, copy));
            }
            8 => drop(data.drain(at..end)),
            9 => {
                let other = &seeds[random.below(seeds.len())].bytes;
                let from = random.below(other.len());
                let to = (from + random.pick(&LENGTHS)).min(other.len());
                let end = if random.percent(50) { end } else { at };
                drop(data.splice(at..end, other[from.min(to)..to].iter().copied()));
            }
            _ => {
                let open: &[u8] = random.pick(&[&b"["[..], b"{\"a\":", b"[[", b"\""]);
                let times = random.pick(&[1, 10, 200, 3000]);
                drop(data.splice(at..at, open.repeat(times)));
            }
        }
    }
    data
}

/// Replaces the first number behind a position.
fn number(data: &mut Vec<u8>, at: usize, random: &mut Random) {
    let Some(start) = data[at..].iter().position(u8::is_ascii_digit).map(|n| at + n) else {
        return;
    };
    let length = data[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let new = if random.percent(80) {
        random.pick(&NUMBERS).to_owned()
    } else {
        (random.next() >> random.below(64)).to_string()
    };
    drop(data.splice(start..start + length, new.into_bytes()));
}

/// Changes some values of JSON; `None` if it is none.
pub(super) fn values(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut whole: Value = serde_json::from_slice(data).ok()?;
    for _ in 0..=random.below(8) {
        change(place(&mut whole, random), random);
    }
    serde_json::to_vec(&whole).ok()
}

/// A container somewhere in a value.
fn place<'v>(value: &'v mut Value, random: &mut Random) -> &'v mut Value {
    let mut value = value;
    loop {
        let inner = match value {
            Value::Array(values) => values.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        if inner == 0 || random.percent(20) {
            return value;
        }
        let n = random.below(inner);
        let is_container = |v: &Value| v.is_array() || v.is_object();
        let next_is_one = match &*value {
            Value::Array(values) => is_container(&values[n]),
            Value::Object(members) => members.values().nth(n).is_some_and(is_container),
            _ => false,
        };
        if !next_is_one {
            return value;
        }
        value = match value {
            Value::Array(values) => &mut values[n],
            Value::Object(members) => members.values_mut().nth(n).expect("below its length"),
            _ => unreachable!("a container"),
        };
    }
}

fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(values) if !values.is_empty() => {
            let at = random.below(values.len());
            match random.below(6) {
                0 => drop(values.remove(at)),
                1 => {
                    let copies = random.pick(&[1, 3, 50, 700]);
                    let copy = vec![values[at].clone(); copies];
                    drop(values.splice(at..at, copy));
                }
                2 => {
                    let other = random.below(values.len());
                    values.swap(at, other);
                }
                3 => values.reverse(),
                // References within the document: another one of its numbers.
                4 => values[at] = values[random.below(values.len())].clone(),
                _ => values[at] = odd(random),
            }
        }
        Value::Object(members) if !members.is_empty() => {
            let at = random.below(members.len());
            let key = members.keys().nth(at).expect("below its length").clone();
            match random.below(5) {
                0 => drop(members.remove(&key)),
                1 => {
                    let removed = members.remove(&key);
                    let other = members.keys().next().cloned().unwrap_or_default();
                    members.insert(other, removed.unwrap_or_default());
                }
                2 => drop(members.insert(format!("{key}2"), members[&key].clone())),
                _ => drop(members.insert(key, odd(random))),
            }
        }
        value => *value = odd(random),
    }
}

/// A value that is seldom where it is put.
fn odd(random: &mut Random) -> Value {
    let numbers = [0, 1, 2, 5, 6, 7, 12, 36, 255, 1 << 31, 1 << 32, (1 << 53) + 1, u64::MAX];
    match random.below(12) {
        0 => Value::Null,
        1 => true.into(),
        2 => "".into(),
        3 => "\u{1b}[31m\n::error::x".into(),
        4 => "5".into(),
        5 => json!([]),
        6 => Value::Object(Map::new()),
        7 => json!(1e300),
        8 => json!(-1),
        9 => "a".repeat(3000).into(),
        10 => random.below(300).into(),
        _ => random.pick(&numbers).into(),
    }
}

mod tests {
    use super::*;

    #[test]
    fn a_run_depends_on_its_number_alone() {
        let seeds = [Seed { name: "a".into(), bytes: br#"{"a":[1,2,{"b":3}]}"#.to_vec() }];
        let made = |run| {
            let mut random = Random::new(7, run);
            let bytes = bytes(&seeds[0].bytes, &seeds, &mut random);
            (bytes, values(&seeds[0].bytes, &mut random))
        };
        let all: std::collections::HashSet<_> = (0..1000).map(made).collect();
        assert!(all.len() > 950, "{} different ones of 1000", all.len());
        assert!((0..1000).all(|run| all.contains(&made(run))));
    }
}
