//! The data of the drawings: one JSON document.

use crate::model::{Block, Drawing};
use serde::Serialize;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// Writes an array of all drawings, in order.
pub(super) fn write<'a>(
    blocks: impl Iterator<Item = &'a Block>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let drawings: Vec<&Drawing> = blocks
        .filter_map(|block| match block {
            Block::Drawing { drawing, .. } => Some(drawing),
            Block::Section { .. } => None,
        })
        .collect();
    drawings
        .serialize(&mut serde_json::Serializer::with_formatter(out, WithoutMarkup))
        .map_err(io::Error::from)
}

/// Escapes in strings what HTML could take for markup.
struct WithoutMarkup;

impl Formatter for WithoutMarkup {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(['<', '>', '&']) {
            out.write_all(&rest.as_bytes()[..at])?;
            write!(out, "\\u{:04x}", rest.as_bytes()[at])?;
            rest = &rest[at + 1..];
        }
        out.write_all(rest.as_bytes())
    }
}
