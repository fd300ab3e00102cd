//! What the footer says of the order that statistics follow.
//!
//! The parquet crate declares for floating-point columns the order that parquet-format 2.12 calls `IEEE754TotalOrder`.
//! Readers that know nothing of it and take their Thrift at its word refuse the whole file: Polars before 2.0 does. The
//! bounds that [`crate::encode`] makes of such columns are those of the order that all readers know, the type's own
//! (no NaN, a zero of either sign for both), so this is what the footer is made to say.

use std::{
    fs::OpenOptions,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// The footer's length and the magic number, behind the footer.
const TRAILER: usize = 8;
/// A `ColumnOrder` in Thrift's compact protocol: the number and type of the field that is set, a structure without
/// fields, and the end of the union.
const ORDER: usize = 3;
const TYPE_DEFINED: [u8; ORDER] = [0x1c, 0, 0];
const TOTAL: [u8; ORDER] = [0x2c, 0, 0];

/// Declares the order of their type for all columns of a finished file.
///
/// `column_orders` is the footer's last field: one entry a column, then the end of the structure.
///
/// # Errors
/// Those of the file, and `InvalidData` if its last entries are no orders: the parquet crate writes something else.
pub(super) fn declare_type_defined(path: &Path, columns: usize) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut end = vec![0; columns * ORDER + 1 + TRAILER];
    let from = -(end.len() as i64);
    file.seek(SeekFrom::End(from))?;
    file.read_exact(&mut end)?;
    let (orders, rest) = end.split_at_mut(columns * ORDER);
    for order in orders.chunks_exact_mut(ORDER) {
        if order != TYPE_DEFINED && order != TOTAL {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the footer ends otherwise"));
        }
        order.copy_from_slice(&TYPE_DEFINED);
    }
    if rest[0] != 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the footer ends otherwise"));
    }
    file.seek(SeekFrom::End(from))?;
    file.write_all(&end)
}
