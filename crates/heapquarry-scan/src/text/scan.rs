//! The scanner's loop.

use super::{Open, ScanStop, Span, State, StringScanner, marks::Marks};
use crate::{
    blank::skip_blanks,
    simd::{Algorithm, Isa},
};

/// [`StringScanner::scan`].
pub(super) struct Scan<'a> {
    pub(super) scanner: &'a mut StringScanner,
    pub(super) buf: &'a [u8],
    pub(super) max: usize,
    pub(super) spans: &'a mut Vec<Span>,
}

impl Algorithm for Scan<'_> {
    type Output = ScanStop;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> ScanStop {
        let Self { scanner, buf, max, spans } = self;
        // Copies, so that the compiler can keep them in registers.
        let (mut state, mut at, mut settled) = (scanner.state, scanner.at, scanner.settled);
        let mut marks = Marks::new(isa, buf, at);
        let stop = loop {
            if spans.len() >= max {
                break ScanStop::Full;
            }
            if state == State::Before {
                match usual(&mut marks, buf, at) {
                    Ok((span, next)) => {
                        spans.push(span);
                        (at, settled) = (next, next);
                        continue;
                    }
                    Err(stand) => (state, at) = stand,
                }
            }
            match state {
                State::Before | State::After => {
                    at = skip_blanks(buf, at);
                    match buf.get(at) {
                        None => break ScanStop::More,
                        Some(b'"') => {
                            at += 1;
                            state = State::Inside(Open { start: at, escaped: false });
                        }
                        Some(b']') => {
                            settled = at;
                            break ScanStop::Close(at);
                        }
                        Some(b',') if state == State::After => {
                            at += 1;
                            settled = at;
                            state = State::Before;
                        }
                        Some(_) => break ScanStop::Odd(at),
                    }
                }
                State::Inside(open) => match marks.next(at) {
                    None => {
                        at = at.max(buf.len());
                        break ScanStop::More;
                    }
                    Some(mark) if buf[mark] == b'"' => {
                        at = mark + 1;
                        state = State::Quote(open, mark);
                    }
                    Some(mark) => {
                        at = mark + 2;
                        state = State::Inside(Open { escaped: true, ..open });
                    }
                },
                State::Quote(open, quote) => {
                    at = skip_blanks(buf, at);
                    match buf.get(at) {
                        None => break ScanStop::More,
                        Some(&next @ (b',' | b']')) => {
                            spans.push(open.close(quote));
                            at += usize::from(next == b',');
                            settled = at;
                            state = State::Before;
                        }
                        Some(_) => {
                            scanner.stray_quotes += 1;
                            state = State::Inside(Open { escaped: true, ..open });
                        }
                    }
                }
            }
        };
        (scanner.state, scanner.at, scanner.settled) = (state, at, settled);
        stop
    }
}

/// The next element and its end, comma included, if it is a common string: at most a line break
/// before it, and the comma directly after it. Otherwise the position that was reached, from where
/// the states continue: nothing is lost, it is only slower.
#[inline(always)]
fn usual<I: Isa>(
    marks: &mut Marks<'_, I>,
    buf: &[u8],
    mut at: usize,
) -> Result<(Span, usize), (State, usize)> {
    // V8 begins a line for each string.
    at += usize::from(buf.get(at) == Some(&b'\n'));
    if buf.get(at) != Some(&b'"') {
        return Err((State::Before, at));
    }
    at += 1;
    let mut open = Open { start: at, escaped: false };
    loop {
        let Some(mark) = marks.next(at) else {
            return Err((State::Inside(open), at.max(buf.len())));
        };
        if buf[mark] == b'"' {
            return if buf.get(mark + 1) == Some(&b',') {
                Ok((open.close(mark), mark + 2))
            } else {
                Err((State::Quote(open, mark), mark + 1))
            };
        }
        open.escaped = true;
        at = mark + 2;
    }
}
