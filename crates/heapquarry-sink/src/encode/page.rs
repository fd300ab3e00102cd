//! Writes page headers, in Thrift's compact protocol.
//!
//! The parquet crate writes them only for its own column writers, so they are written here; each has a few fields. A
//! field is identified by the difference to the previous field number.

use super::varint;
use parquet::basic::Encoding;

/// Upper bound of the size of a header.
pub(super) const MAX_HEADER: usize = 64;

/// Content of a page.
#[derive(Clone, Copy)]
pub(super) enum Page {
    /// Rows, including nulls, with values in that encoding.
    Data { rows: usize, encoding: Encoding },
    /// The values of a dictionary, in plain encoding.
    Dictionary { values: usize },
}

/// Appends the header of a page whose body has these sizes in bytes.
pub(super) fn header(out: &mut Vec<u8>, page: Page, uncompressed: usize, compressed: usize) {
    let mut fields = Fields(out);
    let page_type = match page {
        Page::Data { .. } => 0,
        Page::Dictionary { .. } => 2,
    };
    fields.int(1, page_type); // 1: type
    fields.int(1, uncompressed); // 2: uncompressed_page_size
    fields.int(1, compressed); // 3: compressed_page_size
    match page {
        Page::Data { rows, encoding } => {
            fields.begin(2); // 5: data_page_header
            fields.int(1, rows); // 1: num_values
            fields.int(1, number(encoding)); // 2: encoding
            fields.int(1, number(Encoding::RLE)); // 3: definition_level_encoding
            fields.int(1, number(Encoding::RLE)); // 4: repetition_level_encoding
        }
        Page::Dictionary { values } => {
            fields.begin(4); // 7: dictionary_page_header
            fields.int(1, values); // 1: num_values
            fields.int(1, number(Encoding::PLAIN)); // 2: encoding
        }
    }
    fields.end();
    fields.end();
}

/// The fields of a struct. Each is identified by the difference to the previous field number.
struct Fields<'a>(&'a mut Vec<u8>);

impl Fields<'_> {
    fn int(&mut self, delta: u8, value: usize) {
        self.0.push(delta << 4 | 5);
        varint::write(self.0, varint::zigzag(value as i64));
    }

    fn begin(&mut self, delta: u8) {
        self.0.push(delta << 4 | 12);
    }

    fn end(&mut self) {
        self.0.push(0);
    }
}

/// The number of an encoding in `parquet.thrift`.
fn number(encoding: Encoding) -> usize {
    match encoding {
        Encoding::PLAIN => 0,
        Encoding::RLE => 3,
        Encoding::DELTA_BINARY_PACKED => 5,
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 6,
        Encoding::RLE_DICTIONARY => 8,
        Encoding::BYTE_STREAM_SPLIT => 9,
        other => unreachable!("{other} is never written"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_fit_the_room_made_for_them() {
        let max = i32::MAX as usize;
        for page in [
            Page::Data { rows: max, encoding: Encoding::BYTE_STREAM_SPLIT },
            Page::Dictionary { values: max },
        ] {
            let mut out = Vec::new();
            header(&mut out, page, max, max);
            assert!(out.len() <= MAX_HEADER, "{}", out.len());
        }
    }
}
