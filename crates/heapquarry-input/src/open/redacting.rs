//! Redaction on the way in: documents are replaced by copies without what is private, so nothing else sees the
//! originals.

use super::spool::Spool;
use crate::{Error, ErrorKind, Opened, Redaction, Result, sniff};
use std::io::{self, BufWriter, Write};

/// Size of a write to the temporary file.
const CHUNK: usize = 1 << 20;

/// Replaces a document by a redacted copy in a temporary file.
pub(super) fn redact(
    document: &mut Opened,
    redaction: &Redaction,
    spool: &Spool<'_>,
) -> Result<()> {
    let found = match document.is_part {
        true => sniff::format(document)?,
        false => Some(sniff::unquoted(document)?),
    };
    let input = spool.spooling().guard(&document.input);
    let write = |copy: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>| {
        let mut out = BufWriter::with_capacity(CHUNK, spool.piece());
        copy(&mut out)?;
        out.into_inner()?.finish()
    };
    let copied = match found {
        Some(found) => {
            let threads = spool.spooling().threads;
            redaction.copy(&document.name, found.format, &input, threads, write)
        }
        // A part of unknown content: nobody reads more of it than its first bytes, to say what it is.
        None => write(&mut |_| Ok(())),
    };
    let copy = copied.map_err(|source| {
        Error::new(ErrorKind::Input { path: document.path.clone(), doing: "redact", source })
    })?;
    document.input.log_change(&mut document.log);
    document.input = copy;
    Ok(())
}
