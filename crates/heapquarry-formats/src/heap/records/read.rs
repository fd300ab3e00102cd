//! Decodes claimed records into columns.

use super::{
    claim::Records,
    column::{Column, OddValue},
    locator::{ValueLocator, blanks, trim},
    value::Value,
};
use crate::{
    Log,
    heap::fields::{Field, Fields},
};
use heapquarry_scan::{Odd, Stop, read_integers, read_odd};
use heapquarry_tables::pool::Pool;

/// Tokens per step: they and their bytes fit the first levels of cache.
const TOKENS_AT_ONCE: usize = 8 << 10;

/// Reads the given fields of all records in `bytes`. `None` if a value is unusual or does not fit a `T`; then nothing
/// has been logged.
pub(crate) fn read<T: Value, const N: usize>(
    bytes: &[u8],
    records: Records,
    fields: &Fields,
    wanted: &[Field; N],
    pool: &Pool<u32>,
    log: &mut Log,
) -> Option<[Column<T>; N]> {
    let positions = wanted.map(|field| fields.position(field.name));
    let mut columns: [Column<T>; N] = std::array::from_fn(|i| {
        let rows = positions[i].map(|_| records.rows);
        Column::new(wanted[i], rows.map_or(Vec::new(), |rows| T::take(pool, rows)))
    });
    // In file order, since only the first ones of each kind are listed.
    for odd in fill(&mut columns, positions, bytes, records)? {
        let is_lost = records.lost.has(records.first + u64::from(odd.row));
        for (column, field) in columns.iter_mut().zip(positions) {
            match is_lost {
                _ if field != Some(odd.field) => {}
                true => column.set_null(odd.row),
                false => column.set_odd(&odd, log),
            }
        }
    }
    for (column, field) in columns.iter_mut().zip(positions) {
        if let Some(field) = field {
            column.limit(i64::MIN..=i64::MAX, ValueLocator { bytes, records, field }, log);
        }
    }
    Some(columns)
}

/// Appends the values of the fields at `positions` to their columns. Unusual values become 0 and are returned.
fn fill<'a, T: Value, const N: usize>(
    columns: &mut [Column<T>; N],
    positions: [Option<usize>; N],
    bytes: &'a [u8],
    records: Records,
) -> Option<Vec<OddValue<'a>>> {
    // Only a signed type can represent unusual values.
    let takes_odd = T::from_wide(-1).is_some();
    let mut odd = Vec::new();
    let width = records.width;
    let mut tokens = vec![T::Token::default(); TOKENS_AT_ONCE.max(width)];
    let total = records.rows * width;
    // Tokens processed, tokens kept because their record is incomplete, bytes read.
    let (mut done, mut kept, mut at) = (0, 0, 0);
    while done < total {
        let room = tokens.len().min(kept + total - done);
        let read = read_integers(&bytes[at..], &mut tokens[kept..room]);
        let mut have = kept + read.numbers;
        done += read.numbers;
        at += read.read;
        let is_odd = read.stop == Stop::Odd && have < room;
        if !takes_odd && (read.stop == Stop::Odd || have == kept) {
            return None;
        }
        if is_odd || have == kept {
            let (row, field) = ((done / width) as u32, done % width);
            let (value, len) = match is_odd {
                true => read_odd(&bytes[at..]),
                // The claim counted more values in damaged bytes than the tokenizer finds: the rest is missing.
                false => (Odd::NotANumber, bytes.len() - at),
            };
            let raw = &bytes[at..at + len];
            let offset = records.offset + (at + blanks(raw)) as u64;
            odd.push(OddValue { row, field, value, offset, raw: trim(raw) });
            tokens[have] = T::Token::default();
            have += 1;
            done += 1;
            at += len;
        }
        let whole = have - have % width;
        for (column, field) in columns.iter_mut().zip(positions) {
            if let Some(field) = field {
                column.extend(&tokens[..whole], width, field);
            }
        }
        tokens.copy_within(whole..have, 0);
        kept = have - whole;
    }
    Some(odd)
}
