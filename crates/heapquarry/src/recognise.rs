//! What an input is, without decoding it.

use crate::{Result, RunOptions, Source, located::Locate};
use heapquarry_input::{self as input, Contents, Spooling, sniff};
use heapquarry_tables::{IMPORT_LOG, SOURCE, Table};
use std::borrow::Cow;

/// What an input is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recognised {
    /// Name of its format, as `info` prints it: `heapsnapshot`, `trace`, `zip`, …; `tables` for a converted directory.
    pub format: Cow<'static, str>,
    /// The tables that can be read from it, even if they have no rows. Those of the heap analysis are among them. What
    /// follows a heap or a profile in the same file is not looked at.
    pub tables: Vec<&'static Table>,
}

/// Recognises an input. Decompresses it, and reads no more of it than its format shows in.
///
/// # Errors
///
/// If the input cannot be read, or is of no known format.
pub fn recognise(source: &Source, run: &RunOptions) -> Result<Recognised> {
    let mut tables = vec![&SOURCE, &IMPORT_LOG];
    if let (None, Some(dir)) = (source.document, source.converted()?) {
        // The directory lists the two as well.
        tables = dir.rows()?.into_iter().map(|(table, _)| table).collect();
        return Ok(Recognised { format: "tables".into(), tables });
    }
    if source.document.is_some() {
        let format = source.locate(run)?.format();
        tables.extend(format.tables());
        return Ok(Recognised { format: format.name().into(), tables });
    }
    let Contents { documents, containers } = input::open(source, &Spooling::of(run))?;
    // The outermost comes last.
    let mut format = containers.last().map(|container| container.format.into());
    tables.extend(containers.iter().flat_map(|c| &c.rows).flat_map(|rows| rows.tables()));
    for document in &documents {
        // Documents of a container that cannot be read are left out when it is converted, too.
        let found = match document.is_part {
            true => sniff::format(document)?.map(|found| found.format),
            false => Some(sniff::sniff(document)?.format),
        };
        if let Some(found) = found {
            format.get_or_insert(found.name().into());
            tables.extend(found.tables());
        }
    }
    let mut seen = std::collections::HashSet::new();
    tables.retain(|table| seen.insert(table.name));
    let format = format.unwrap_or_default();
    Ok(Recognised { format, tables })
}

/// The number of documents of an input that can be [selected](Source::document). Of JSON it reads all, at the speed of
/// reading, because a heap or a profile may have others behind it.
///
/// # Errors
///
/// If the input cannot be read, or is of no known format.
pub fn document_count(source: &Source, run: &RunOptions) -> Result<usize> {
    if source.document.is_some() {
        return Ok(1);
    }
    match source.converted()? {
        Some(dir) => Ok(dir.documents(run)?.len()),
        None => Ok(input::open_all(source, &Spooling::of(run))?.documents.len()),
    }
}
