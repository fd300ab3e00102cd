//! The order of statistics that a footer declares.
//!
//! For floating-point columns the parquet crate declares the order `IEEE754TotalOrder`. Readers that do not know it and
//! parse Thrift strictly refuse the whole file: Polars 1.0 to 1.30 do. The bounds that [`crate::encode`] writes for
//! such columns follow the type-defined order (no NaN, a zero of either sign for both), which all readers know. So the
//! footer is changed to declare that order.

use std::io;

/// The length of the footer and the magic number, after the footer.
const TRAILER: usize = 8;
/// A `ColumnOrder` in Thrift's compact protocol: number and type of the field that is set, an empty structure, and the
/// end of the union.
const ORDER: usize = 3;
const TYPE_DEFINED: [u8; ORDER] = [0x1c, 0, 0];
const TOTAL: [u8; ORDER] = [0x2c, 0, 0];

/// Declares the type-defined order for all columns of a file; `file` is its last bytes.
///
/// `column_orders` is the last field of the footer: one entry per column, then the end of the structure.
///
/// # Errors
///
/// `InvalidData` if the last entries are not orders: then the parquet crate writes something else.
pub(super) fn declare_type_defined(file: &mut [u8], columns: usize) -> io::Result<()> {
    let unknown = || io::Error::new(io::ErrorKind::InvalidData, "the footer ends otherwise");
    let from = file.len().checked_sub(columns * ORDER + 1 + TRAILER).ok_or_else(unknown)?;
    let (orders, rest) = file[from..].split_at_mut(columns * ORDER);
    let known = |order: &[u8]| order == TYPE_DEFINED || order == TOTAL;
    if rest[0] != 0 || !orders.chunks_exact(ORDER).all(known) {
        return Err(unknown());
    }
    orders.chunks_exact_mut(ORDER).for_each(|order| order.copy_from_slice(&TYPE_DEFINED));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_a_list_of_orders_is_replaced() {
        let trailer = *b"\x07\0\0\0PAR1";
        let whole = [&b"data"[..], &TOTAL, &TYPE_DEFINED, &[0], &trailer].concat();
        let mut unended = whole.clone();
        unended[10] = 1;
        let mut unknown = whole.clone();
        unknown[4] = 0x3c;
        let plain = [&b"data"[..], &TYPE_DEFINED, &TYPE_DEFINED, &[0], &trailer].concat();
        for (before, after) in [
            (whole, Some(plain)),
            (unended, None),
            (unknown, None),
            (b"PAR1".to_vec(), None),
            (Vec::new(), None),
        ] {
            let mut file = before.clone();
            assert_eq!(declare_type_defined(&mut file, 2).is_ok(), after.is_some(), "{before:?}");
            // After an error the bytes are unchanged.
            assert_eq!(file, after.unwrap_or(before));
        }
    }
}
