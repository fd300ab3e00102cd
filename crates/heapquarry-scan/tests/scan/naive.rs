//! What the scanners do, one byte after the other and as simple as possible.

use std::str::FromStr;

use heapquarry_scan::{
    Counted, Extent, Nesting, NestingStop, ObjectStop, Odd, ScanStop, Skipped, Span, Stop, Tokens,
    Unescaped,
};

fn blank(byte: u8) -> bool {
    b" \t\r\n".contains(&byte)
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&byte| blank(byte)).count()
}

pub(crate) fn count_commas(bytes: &[u8]) -> Counted {
    let stop = bytes.iter().position(|&byte| byte > b'9' || byte == b'"');
    let run = &bytes[..stop.unwrap_or(bytes.len())];
    Counted { commas: run.iter().filter(|&&byte| byte == b',').count() as u64, stop }
}

pub(crate) fn after_comma(bytes: &[u8], n: u64) -> Option<usize> {
    let commas = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b',');
    commas.map(|(at, _)| at + 1).nth(n as usize - 1)
}

/// Looks for the first of each thing that may end it, then counts in what comes before the nearest.
pub(crate) fn scan_nesting(bytes: &[u8], depth: u64, most: u64) -> Nesting {
    let count =
        |len: usize, wanted: u8| bytes[..len].iter().filter(|&&b| b == wanted).count() as u64;
    let first = |ends: &dyn Fn(usize) -> bool| (0..bytes.len()).find(|&at| ends(at));
    let odd = first(&|at| !b"0123456789,[]".contains(&bytes[at]));
    let full = first(&|at| count(at + 1, b'[') == most);
    let closed = first(&|at| count(at + 1, b']') > depth + count(at + 1, b'['));
    let ends = [
        (odd, NestingStop::Odd),
        (full.map(|at| at + 1), NestingStop::Full),
        (closed.map(|at| at + 1), NestingStop::Closed),
    ];
    // Before a byte comes before behind it.
    let (read, stop) = ends
        .into_iter()
        .filter_map(|(at, stop)| Some((at?, stop)))
        .min_by_key(|&(at, stop)| (at, stop == NestingStop::Odd))
        .unwrap_or((bytes.len(), NestingStop::End));
    let (opens, closes) = (count(read, b'['), count(read, b']'));
    Nesting { read, opens, depth: (depth + opens).saturating_sub(closes), stop }
}

/// Cuts at every comma and lets the standard library read what is between.
pub(crate) fn read_integers<T: FromStr>(bytes: &[u8], out: &mut [T]) -> Tokens {
    let (mut read, mut numbers) = (0, 0);
    loop {
        if skip_blanks(bytes, read) == bytes.len() {
            return Tokens { read: bytes.len(), numbers, stop: Stop::End };
        }
        if numbers == out.len() {
            return Tokens { read, numbers, stop: Stop::Full };
        }
        let rest = &bytes[read..];
        let comma = rest.iter().position(|&byte| byte == b',');
        let value = String::from_utf8_lossy(&rest[..comma.unwrap_or(rest.len())]).into_owned();
        // The standard library accepts a plus sign; its own blanks are not those of JSON.
        let value = value.trim_matches([' ', '\t', '\r', '\n']);
        let plain = value.parse().ok().filter(|_| !value.starts_with('+'));
        match plain {
            Some(number) => out[numbers] = number,
            None => return Tokens { read, numbers, stop: Stop::Odd },
        }
        numbers += 1;
        read = comma.map_or(bytes.len(), |comma| read + comma + 1);
    }
}

/// What a number is, by moving the decimal point in its text.
pub(crate) fn classify(text: &str) -> Odd {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let negative = unsigned.len() < text.len();
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.parse::<i32>().expect("a small exponent"))
        }
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let zeros = "0".repeat(exponent.unsigned_abs() as usize);
    let text = format!("{zeros}{whole}{fraction}{zeros}");
    let point = (zeros.len() + whole.len()).checked_add_signed(exponent as isize).unwrap();
    let (whole, fraction) = text.split_at(point);
    if fraction.contains(|digit| digit != '0') {
        return Odd::Fraction;
    }
    let plain = unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let whole = whole.trim_start_matches('0');
    let sign = if negative { "-" } else { "" };
    match format!("{sign}0{whole}").parse() {
        Ok(value) if plain && negative => Odd::Negative(value),
        Ok(value) => Odd::Form(value),
        Err(_) => Odd::TooLarge,
    }
}

/// The state of a [`heapquarry_scan::Skipper`].
#[derive(Default)]
pub(crate) struct Skipper {
    begun: bool,
    scalar: bool,
    depth: u64,
    in_string: bool,
    escape: bool,
    done: bool,
}

impl Skipper {
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Skipped {
        if self.done {
            return Skipped::Done(0);
        }
        for (at, &byte) in bytes.iter().enumerate() {
            if !self.begun {
                if blank(byte) {
                    continue;
                }
                self.begun = true;
                self.scalar = !b"\"[{".contains(&byte);
            }
            if self.scalar {
                if blank(byte) || b",:]}".contains(&byte) {
                    self.done = true;
                    return Skipped::Done(at);
                }
                continue;
            }
            match byte {
                _ if self.escape => self.escape = false,
                b'\\' if self.in_string => self.escape = true,
                b'"' => self.in_string = !self.in_string,
                b'[' | b'{' if !self.in_string => self.depth += 1,
                b']' | b'}' if !self.in_string => self.depth -= 1,
                _ => {}
            }
            if self.depth == 0 && !self.in_string {
                self.done = true;
                return Skipped::Done(at + 1);
            }
        }
        Skipped::More
    }
}

/// What is in an array of strings.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Strings {
    pub(crate) spans: Vec<Span>,
    pub(crate) stop: ScanStop,
    pub(crate) settled: usize,
    pub(crate) open: Option<usize>,
    pub(crate) stray_quotes: u64,
}

/// Scans the whole buffer at once.
pub(crate) fn strings(buf: &[u8], from: usize) -> Strings {
    let mut found =
        Strings { spans: vec![], stop: ScanStop::More, settled: from, open: None, stray_quotes: 0 };
    loop {
        let mut at = skip_blanks(buf, found.settled.min(buf.len()));
        match buf.get(at) {
            None => return found,
            Some(b']') => {
                found.settled = at;
                found.stop = ScanStop::Close(at);
                return found;
            }
            Some(b'"') => at += 1,
            Some(_) => {
                found.stop = ScanStop::Odd(at);
                return found;
            }
        }
        let start = at;
        let mut escaped = false;
        loop {
            match buf.get(at) {
                None => {
                    found.open = Some(start);
                    return found;
                }
                Some(b'\\') => {
                    escaped = true;
                    at += 2;
                }
                Some(b'"') => {
                    let next = skip_blanks(buf, at + 1);
                    match buf.get(next) {
                        None => {
                            found.open = Some(start);
                            return found;
                        }
                        Some(&byte) if b",]".contains(&byte) => {
                            found.spans.push(Span { start: start as u32, end: at as u32, escaped });
                            found.settled = next + usize::from(byte == b',');
                            break;
                        }
                        Some(_) => {
                            found.stray_quotes += 1;
                            escaped = true;
                            at += 1;
                        }
                    }
                }
                Some(_) => at += 1,
            }
        }
    }
}

pub(crate) fn unescape(mut raw: &[u8]) -> (Vec<u8>, Unescaped) {
    let (mut out, mut report) = (vec![], Unescaped::default());
    // A surrogate that waits for its other half.
    let mut high = None;
    loop {
        let unit = match raw {
            [b'\\', b'u', a, b, c, d, ..]
                if [a, b, c, d].into_iter().all(|byte| byte.is_ascii_hexdigit()) =>
            {
                let digits = std::str::from_utf8(&raw[2..6]).unwrap();
                Some(u16::from_str_radix(digits, 16).unwrap())
            }
            _ => None,
        };
        if let (Some(first), Some(second @ 0xDC00..=0xDFFF)) = (high, unit) {
            let pair = char::decode_utf16([first, second]).next().unwrap().unwrap();
            out.extend(pair.to_string().bytes());
            high = None;
            raw = &raw[6..];
            continue;
        }
        if high.take().is_some() {
            report.lone_surrogates += 1;
            out.extend("\u{FFFD}".bytes());
        }
        match unit {
            Some(unit @ 0xD800..=0xDBFF) => high = Some(unit),
            Some(0xDC00..=0xDFFF) => {
                report.lone_surrogates += 1;
                out.extend("\u{FFFD}".bytes());
            }
            Some(unit) => out.extend(char::from_u32(unit.into()).unwrap().to_string().bytes()),
            None => {}
        }
        raw = match raw {
            [] => return (out, report),
            _ if unit.is_some() => &raw[6..],
            [b'\\'] => {
                report.bad_escapes += 1;
                &[]
            }
            [b'\\', b'u', rest @ ..] => {
                report.bad_escapes += 1;
                out.extend("\u{FFFD}".bytes());
                &rest[rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count()..]
            }
            [b'\\', kind, rest @ ..] => {
                match b"\"\\/bfnrt".iter().position(|known| known == kind) {
                    Some(known) => out.push(b"\"\\/\x08\x0C\n\r\t"[known]),
                    None => {
                        report.bad_escapes += 1;
                        out.push(*kind);
                    }
                }
                rest
            }
            [byte, rest @ ..] => {
                out.push(*byte);
                rest
            }
        };
    }
}

/// With a stack of what is open, and a look ahead at each quote.
pub(crate) fn scan_objects(
    bytes: &[u8],
    from: usize,
    max: usize,
    out: &mut Vec<Extent>,
) -> ObjectStop {
    let (mut depth, mut start, mut at) = (0, 0, from);
    // The last byte that is no blank, outside of strings.
    let mut before = b',';
    while out.len() < max {
        let Some(&byte) = bytes.get(at) else { return ObjectStop::More };
        match byte {
            _ if blank(byte) => {}
            b'"' if depth == 0 => return odd_gap(&bytes[at..]),
            b'"' => {
                let Some(length) = string(&bytes[at..]) else { return ObjectStop::More };
                at += length - 1;
                match bytes.get(skip_blanks(bytes, at + 1)) {
                    None => return ObjectStop::More,
                    Some(b',' | b':' | b'}' | b']') => {}
                    Some(_) => return ObjectStop::Odd,
                }
            }
            b'\\' => return ObjectStop::Odd,
            b'{' | b'[' => {
                match depth {
                    0 if byte == b'[' => return ObjectStop::Odd,
                    0 => start = at,
                    1 if before != b':' => return ObjectStop::Odd,
                    _ => {}
                }
                depth += 1;
            }
            b'}' | b']' if depth == 0 => {
                return if byte == b']' { ObjectStop::Close(at) } else { ObjectStop::Odd };
            }
            b'}' | b']' => {
                if depth == 1 && byte == b']' {
                    return ObjectStop::Odd;
                }
                depth -= 1;
                if depth == 0 {
                    out.push(Extent { start: start as u32, end: at as u32 + 1 });
                }
            }
            b',' => {}
            _ if depth == 0 => return odd_gap(&bytes[at..]),
            _ => {}
        }
        if !blank(byte) {
            before = byte;
        }
        at += 1;
    }
    ObjectStop::Full
}

/// Between objects stands something else: that is noticed at the next bracket, or before it at whatever is odd.
fn odd_gap(bytes: &[u8]) -> ObjectStop {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let Some(length) = string(&bytes[at..]) else { return ObjectStop::More };
                at += length - 1;
                match bytes.get(skip_blanks(bytes, at + 1)) {
                    None => return ObjectStop::More,
                    Some(b',' | b':' | b'}' | b']') => {}
                    Some(_) => return ObjectStop::Odd,
                }
            }
            b'\\' | b'{' | b'[' | b'}' | b']' => return ObjectStop::Odd,
            _ => {}
        }
        at += 1;
    }
    ObjectStop::More
}

/// Length of the string at the front.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}
