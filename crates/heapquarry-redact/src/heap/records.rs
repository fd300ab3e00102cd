//! Arrays of records of numbers.

use super::layout::Record;
use crate::{bytes::Bytes, json::Out, outcome::Step};
use heapquarry_scan::is_blank;

/// Most fields of a record. V8 has 8.
const WIDEST: usize = 64;

/// Longest record in bytes.
const LONGEST: usize = 1 << 16;

/// Where reading ended.
enum End {
    /// Within a record, or before one.
    More,
    /// Before the bracket.
    Closed,
    /// Before a record that is none.
    Damaged,
}

/// Copies an array. `each` gets the numbers of a record, and says what one of them becomes. What is no number of 64 bits
/// is `u64::MAX`.
pub(super) fn records(
    bytes: &mut Bytes<'_>,
    out: &mut Out<'_>,
    record: &Record,
    mut each: impl FnMut(&[u64]) -> Option<u64>,
) -> Step<()> {
    if record.width == 0 || record.width > WIDEST {
        return bytes.cut();
    }
    bytes.copy(&mut out.buf);
    loop {
        let (read, end) = some(bytes.rest(), &mut out.buf, record, &mut each);
        bytes.skip(read);
        out.write()?;
        match end {
            End::More if bytes.rest().len() <= LONGEST && bytes.fill()? => {}
            End::More | End::Damaged => return bytes.cut(),
            End::Closed => {
                bytes.copy(&mut out.buf);
                return Ok(());
            }
        }
    }
}

/// Copies the records that are complete, and says how many bytes they have.
fn some(
    buf: &[u8],
    out: &mut Vec<u8>,
    record: &Record,
    each: &mut impl FnMut(&[u64]) -> Option<u64>,
) -> (usize, End) {
    let mut values = [0; WIDEST];
    let values = &mut values[..record.width];
    // What is copied, and what is read.
    let (mut copied, mut read) = (0, 0);
    let end = 'records: loop {
        let mut at = read;
        let mut replaced = 0..0;
        for (column, value) in values.iter_mut().enumerate() {
            loop {
                match buf.get(at) {
                    Some(b'0'..=b'9' | b'-') => break,
                    Some(&byte) if byte == b',' || is_blank(byte) => at += 1,
                    Some(b']') if column == 0 => {
                        read = at;
                        break 'records End::Closed;
                    }
                    Some(_) => break 'records End::Damaged,
                    None => break 'records End::More,
                }
            }
            let start = at;
            let (mut number, mut is_odd) = (0_u64, false);
            loop {
                match buf.get(at) {
                    Some(byte @ b'0'..=b'9') => {
                        let next = number.checked_mul(10);
                        let next = next.and_then(|n| n.checked_add(u64::from(byte - b'0')));
                        is_odd |= next.is_none();
                        number = next.unwrap_or(0);
                    }
                    Some(b'-' | b'+' | b'.' | b'e' | b'E') => is_odd = true,
                    Some(&byte) if byte == b',' || byte == b']' || is_blank(byte) => break,
                    Some(_) => break 'records End::Damaged,
                    None => break 'records End::More,
                }
                at += 1;
            }
            *value = if is_odd { u64::MAX } else { number };
            if column == record.replaced {
                replaced = start..at;
            }
        }
        if let Some(number) = each(values) {
            out.extend(&buf[copied..replaced.start]);
            out.extend(number.to_string().as_bytes());
            copied = replaced.end;
        }
        read = at;
    };
    out.extend(&buf[copied..read]);
    (read, end)
}
