//! `_manifest.json`: the contents of the directory.

use crate::{ConvertOptions, Document, Names};
use heapquarry_sink::WrittenTable;
use heapquarry_tables::SCHEMA_VERSION;
use serde::{Serialize, Serializer};
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// Contains no time, and paths only as given, so the same inputs give the same bytes.
///
/// # Errors
///
/// Those of `out`.
pub(crate) fn write(
    documents: &[Document],
    tables: &[WrittenTable],
    options: &ConvertOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let manifest = Manifest {
        heapquarry_version: env!("CARGO_PKG_VERSION"),
        inputs: Inputs(documents),
        options: Options {
            analyze: options.analyze,
            compression: options.compression.to_string(),
            encodings: options.encodings.to_string(),
            layout: options.layout.to_string(),
            names: if options.names == Names::Text { "text" } else { "id" },
        },
        schema_version: SCHEMA_VERSION,
        tables: Tables(tables),
    };
    serde_json::to_writer_pretty(&mut *out, &manifest)?;
    out.write_all(b"\n")
}

// Fields are in alphabetical order.

#[derive(Serialize)]
struct Manifest<'a> {
    heapquarry_version: &'a str,
    inputs: Inputs<'a>,
    options: Options,
    schema_version: u32,
    tables: Tables<'a>,
}

#[derive(Serialize)]
struct Options {
    analyze: bool,
    compression: String,
    encodings: String,
    layout: String,
    names: &'static str,
}

/// Written one by one: there can be a hundred thousand.
struct Inputs<'a>(&'a [Document]);

impl Serialize for Inputs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().enumerate().map(|(file_id, document)| Input {
            bytes: document.bytes,
            defects: document.defects,
            digest: &document.digest,
            file_id,
            format: &document.format,
            name: &document.name,
            path: document.path.to_string_lossy(),
            producer: document.producer.as_deref(),
            status: document.status.name(),
        }))
    }
}

#[derive(Serialize)]
struct Input<'a> {
    bytes: u64,
    defects: u64,
    digest: &'a str,
    file_id: usize,
    format: &'a str,
    name: &'a str,
    path: Cow<'a, str>,
    producer: Option<&'a str>,
    status: &'a str,
}

/// Written one by one, as in the hive layout each input has its own files.
struct Tables<'a>(&'a [WrittenTable]);

impl Serialize for Tables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|written| Table {
            bytes: written.bytes,
            file: &written.file,
            row_groups: written.row_groups,
            rows: written.rows,
            table: written.table.name,
            xxh3: format!("{:016x}", written.xxh3),
        }))
    }
}

#[derive(Serialize)]
struct Table<'a> {
    bytes: u64,
    file: &'a str,
    row_groups: u64,
    rows: u64,
    table: &'a str,
    /// Checksum of the file's bytes, in 16 hexadecimal digits.
    xxh3: String,
}
