//! The array of strings.

use super::uses::Uses;
use crate::{
    bytes::Bytes,
    json::text,
    outcome::Step,
    rules::{Policy, Tally},
    workers::Pieces,
};
use std::{io, ops::Range};

/// Bytes of a piece.
const PIECE: usize = if cfg!(test) { 1 << 12 } else { 1 << 18 };

/// Passes all strings to the closing bracket, and counts them, also up to damage. `each` gets the index of one and how
/// it is written.
pub(super) fn read(
    bytes: &mut Bytes<'_>,
    blanks: &mut Vec<u8>,
    count: &mut u64,
    mut each: impl FnMut(u64, &[u8]),
) -> Step<()> {
    *count = 0;
    loop {
        blanks.clear();
        match bytes.next(blanks)? {
            b',' => bytes.copy(blanks),
            b']' => return Ok(()),
            byte => {
                match byte {
                    b'"' => each(*count, bytes.string()?),
                    _ => bytes.scalar(blanks)?,
                }
                *count += 1;
            }
        }
    }
}

/// A part of the array.
#[derive(Default)]
pub(super) struct Piece {
    bytes: Vec<u8>,
    /// The index of the first value.
    first: u64,
    /// Where its values are; what is no string has no bytes.
    values: Vec<Range<usize>>,
}

/// A part of the copy.
pub(super) struct Copied {
    pub(super) out: Vec<u8>,
    /// Further strings, for the end of the array.
    pub(super) appended: Vec<u8>,
    pub(super) tally: Tally,
}

impl Piece {
    /// Copies it with what strings become.
    pub(super) fn copy(&self, policy: &Policy, uses: &Uses, mut tally: Tally) -> Copied {
        let (mut out, mut appended) =
            (Vec::with_capacity(2 * self.bytes.len().min(PIECE)), Vec::new());
        let mut copied = 0;
        for (value, index) in self.values.iter().zip(self.first..) {
            out.extend(&self.bytes[copied..value.start]);
            copied = value.end;
            let raw = &self.bytes[value.clone()];
            if raw.is_empty() {
                continue;
            }
            let text = text(raw);
            let (first, further) = uses.roles(index);
            policy.write(first, &text, Some(raw), &mut out, &mut tally);
            for role in further.into_iter().flatten() {
                appended.extend(b",\n");
                policy.write(role, &text, None, &mut appended, &mut tally);
            }
        }
        out.extend(&self.bytes[copied..]);
        Copied { out, appended, tally }
    }
}

/// Hands in the array, piece by piece, to the closing bracket, and tells how many strings there are. What is before
/// damage is handed in too.
pub(super) fn copy(
    bytes: &mut Bytes<'_>,
    pieces: &mut Pieces<'_, Piece, Copied>,
    mut take: impl FnMut(Copied) -> io::Result<()>,
) -> Step<u64> {
    let mut piece = Piece::default();
    let end = loop {
        match add(bytes, &mut piece) {
            Ok(true) if piece.bytes.len() < PIECE => {}
            Ok(true) => {
                let first = piece.first + piece.values.len() as u64;
                pieces.give(std::mem::replace(&mut piece, Piece { first, ..Piece::default() }));
                while let Some(copied) = pieces.ready() {
                    take(copied)?;
                }
            }
            Ok(false) => break Ok(piece.first + piece.values.len() as u64),
            Err(stop) => break Err(stop),
        }
    };
    pieces.give(piece);
    while let Some(copied) = pieces.next() {
        take(copied)?;
    }
    end
}

/// Adds the next value, or a comma, to a piece. `false` at the closing bracket.
fn add(bytes: &mut Bytes<'_>, piece: &mut Piece) -> Step<bool> {
    match bytes.next(&mut piece.bytes)? {
        b',' => bytes.copy(&mut piece.bytes),
        b']' => return Ok(false),
        b'"' => {
            let raw = bytes.string()?;
            let start = piece.bytes.len();
            piece.bytes.extend(raw);
            piece.values.push(start..piece.bytes.len());
        }
        _ => {
            bytes.scalar(&mut piece.bytes)?;
            piece.values.push(piece.bytes.len()..piece.bytes.len());
        }
    }
    Ok(true)
}
