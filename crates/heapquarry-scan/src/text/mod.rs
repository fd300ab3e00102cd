//! Arrays of strings.

mod marks;
mod scan;

use crate::kernel::Kernel;

/// One string: the positions of the text between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Position after the opening quote.
    pub start: u32,
    /// Position of the closing quote.
    pub end: u32,
    /// Whether it has a backslash or a stray quote. Without these, the bytes are the text;
    /// otherwise [`unescape`](crate::unescape) makes the text.
    pub escaped: bool,
}

/// Why [`StringScanner::scan`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanStop {
    /// The buffer ends: call again when it has grown.
    More,
    /// There are as many spans as requested. Takes precedence over the others.
    Full,
    /// The `]` of the array is at this position.
    Close(usize),
    /// A non-string element begins at this position; for an empty element, the position of its
    /// comma. The caller finds its end and calls [`StringScanner::resume`].
    Odd(usize),
}

/// Finds the strings of an array of strings in a buffer that grows.
///
/// A quote ends a string only if the next non-blank byte is `,` or `]`. Any other quote is content,
/// because some writers do not escape quotes; it counts as [stray](Self::stray_quotes).
///
/// Nothing is scanned twice, however the buffer grows: a string of any length takes linear time.
///
/// ```
/// use heapquarry_scan::{ScanStop, Span, StringScanner};
///
/// let mut buf = br#""some", "str"#.to_vec();
/// let (mut scanner, mut spans) = (StringScanner::new(0), Vec::new());
/// assert_eq!(scanner.scan(&buf, 10, &mut spans), ScanStop::More);
/// assert_eq!(spans, [Span { start: 1, end: 5, escaped: false }]);
/// assert_eq!((scanner.settled(), scanner.open()), (7, Some(9)));
///
/// buf.extend(br#"in\ngs"]"#);
/// assert_eq!(scanner.scan(&buf, 10, &mut spans), ScanStop::Close(19));
/// assert_eq!(spans[1], Span { start: 9, end: 18, escaped: true });
/// ```
#[derive(Clone, Debug)]
pub struct StringScanner {
    kernel: Kernel,
    state: State,
    /// The next byte to scan; one beyond the buffer if that ends with a backslash.
    at: usize,
    settled: usize,
    stray_quotes: u64,
}

/// Context of the byte at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before an element.
    Before,
    /// After an element that the caller has read, before its comma.
    After,
    /// In a string.
    Inside(Open),
    /// In a string or after it: there was a quote at this position, followed by blanks.
    Quote(Open, usize),
}

/// A string that is not closed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    start: usize,
    escaped: bool,
}

impl Open {
    /// The span up to the quote at `end`.
    #[inline(always)]
    fn close(self, end: usize) -> Span {
        // `scan` has checked that positions fit.
        Span { start: self.start as u32, end: end as u32, escaped: self.escaped }
    }
}

impl StringScanner {
    /// A scanner positioned at `from`, before an element, its blanks or the `]`.
    pub fn new(from: usize) -> Self {
        Self::with(Kernel::chosen(), from)
    }

    /// A scanner that uses this kernel.
    pub(crate) fn with(kernel: Kernel, from: usize) -> Self {
        Self { kernel, state: State::Before, at: from, settled: from, stray_quotes: 0 }
    }

    /// Continues in `buf` and appends the spans of complete strings, until `spans` has `max` of
    /// them or something else [stops](ScanStop) it.
    ///
    /// `buf` is the whole buffer so far. It may have grown since the last call, but its earlier
    /// bytes must not have changed or moved.
    ///
    /// # Panics
    ///
    /// If the buffer is longer than `u32::MAX`, because positions must fit.
    pub fn scan(&mut self, buf: &[u8], max: usize, spans: &mut Vec<Span>) -> ScanStop {
        assert!(u32::try_from(buf.len()).is_ok(), "a buffer of strings must be less than 4 GiB");
        self.kernel.run(scan::Scan { scanner: self, buf, max, spans })
    }

    /// The position up to which everything is final, where the next claim would begin: after the
    /// last complete string and its comma; before the `]` if that has been found; after the quote
    /// if [the input ended](Self::finish) there.
    pub fn settled(&self) -> usize {
        self.settled
    }

    /// The start of the string that is open at the end of the buffer, if any: the position after
    /// its opening quote. A string whose closing quote may have been seen stays open until the byte
    /// that decides.
    pub fn open(&self) -> Option<usize> {
        match self.state {
            State::Inside(open) | State::Quote(open, _) => Some(open.start),
            State::Before | State::After => None,
        }
    }

    /// Ends the input. If the last non-blank byte was a quote in a string, that quote closed the
    /// string, and its span is appended.
    pub fn finish(&mut self, spans: &mut Vec<Span>) {
        if let State::Quote(open, quote) = self.state {
            spans.push(open.close(quote));
            self.settled = quote + 1;
            self.state = State::After;
        }
    }

    /// Continues at `at`, directly after an odd element that the caller has handled. If a comma
    /// follows, or blanks and a comma, it is the comma of that element.
    pub fn resume(&mut self, at: usize) {
        self.at = at;
        self.settled = at;
        self.state = State::After;
    }

    /// Quotes so far that were in a string without a backslash and did not close it.
    pub fn stray_quotes(&self) -> u64 {
        self.stray_quotes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(buf: &'a str, spans: &[Span]) -> Vec<&'a str> {
        spans.iter().map(|span| &buf[span.start as usize..span.end as usize]).collect()
    }

    #[test]
    fn scans() {
        let buf = r#" "a" ,"b\"c", "d"e" , null , "" ]x"#;
        let (mut scanner, mut spans) = (StringScanner::new(0), Vec::new());
        assert_eq!(scanner.scan(buf.as_bytes(), 1, &mut spans), ScanStop::Full);
        assert_eq!(scanner.settled(), 6);
        assert_eq!(scanner.scan(buf.as_bytes(), 9, &mut spans), ScanStop::Odd(22));
        assert_eq!(scanner.settled(), 21);
        scanner.resume(26);
        assert_eq!(scanner.scan(buf.as_bytes(), 9, &mut spans), ScanStop::Close(buf.len() - 2));
        assert_eq!(scanner.settled(), buf.len() - 2);
        assert_eq!(texts(buf, &spans), ["a", r#"b\"c"#, r#"d"e"#, ""]);
        let escaped: Vec<_> = spans.iter().map(|span| span.escaped).collect();
        assert_eq!(escaped, [false, true, true, false]);
        assert_eq!(scanner.stray_quotes(), 1);
    }

    #[test]
    fn stops() {
        for (buf, stop, want, settled, open) in [
            ("", ScanStop::More, &[][..], 0, None),
            (" ]", ScanStop::Close(1), &[], 1, None),
            (" ,", ScanStop::Odd(1), &[], 0, None),
            ("x", ScanStop::Odd(0), &[], 0, None),
            ("\"", ScanStop::More, &[], 0, Some(1)),
            ("\"a\\", ScanStop::More, &[], 0, Some(1)),
            ("\"a\" ", ScanStop::More, &[], 0, Some(1)),
            ("\"a\" ]", ScanStop::Close(4), &["a"], 4, None),
            ("\"a\",", ScanStop::More, &["a"], 4, None),
            ("\"a\", ]", ScanStop::Close(5), &["a"], 5, None),
            ("\"a\",\"\"\",\"b\"", ScanStop::More, &["a", "\""], 8, Some(9)),
        ] {
            let (mut scanner, mut spans) = (StringScanner::new(0), Vec::new());
            assert_eq!(scanner.scan(buf.as_bytes(), 9, &mut spans), stop, "{buf}");
            assert_eq!(texts(buf, &spans), want, "{buf}");
            assert_eq!((scanner.settled(), scanner.open()), (settled, open), "{buf}");
        }
    }

    #[test]
    fn finishes() {
        for (buf, want, settled) in [
            ("\"a\",\"b\" ", &["a", "b"][..], 7),
            ("\"a\",\"b", &["a"], 4),
            ("\"a\",\"b\\\"", &["a"], 4),
            ("\"a\",", &["a"], 4),
        ] {
            let (mut scanner, mut spans) = (StringScanner::new(0), Vec::new());
            assert_eq!(scanner.scan(buf.as_bytes(), 9, &mut spans), ScanStop::More, "{buf}");
            scanner.finish(&mut spans);
            scanner.finish(&mut spans);
            assert_eq!(texts(buf, &spans), want, "{buf}");
            assert_eq!(scanner.settled(), settled, "{buf}");
        }
    }

    #[test]
    fn resumes() {
        // After the element, after its blanks, or after its comma: the same result.
        let buf = b"\"a\",1 ,\"b\"]";
        for at in 5..=7 {
            let (mut scanner, mut spans) = (StringScanner::new(0), Vec::new());
            assert_eq!(scanner.scan(buf, 9, &mut spans), ScanStop::Odd(4));
            assert_eq!(scanner.scan(buf, 9, &mut spans), ScanStop::Odd(4));
            scanner.resume(at);
            assert_eq!(scanner.scan(buf, 9, &mut spans), ScanStop::Close(10));
            assert_eq!(spans.len(), 2);
        }
    }

    #[test]
    fn empty_elements() {
        let buf = b"\"a\",,,\"b\"]";
        let (mut scanner, mut spans) = (StringScanner::new(0), Vec::new());
        for at in [4, 5] {
            assert_eq!(scanner.scan(buf, 9, &mut spans), ScanStop::Odd(at));
            scanner.resume(at);
        }
        assert_eq!(scanner.scan(buf, 9, &mut spans), ScanStop::Close(9));
        assert_eq!(spans.len(), 2);
    }
}
