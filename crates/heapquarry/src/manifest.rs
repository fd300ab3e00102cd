//! `_manifest.json`: the contents of the directory.

use crate::{ConvertOptions, Document};
use heapquarry_sink::WrittenTable;
use heapquarry_tables::SCHEMA_VERSION;
use serde_json::json;

/// Contains no time, and paths only as given, so the same inputs give the same bytes.
pub(crate) fn json(
    documents: &[Document],
    tables: &[WrittenTable],
    options: &ConvertOptions,
) -> String {
    let inputs: Vec<_> = documents
        .iter()
        .enumerate()
        .map(|(file_id, d)| {
            json!({
                "file_id": file_id,
                "path": d.path.to_string_lossy(),
                "name": d.name,
                "format": d.format,
                "producer": d.producer,
                "bytes": d.bytes,
                "digest": d.digest,
                "status": d.status.name(),
                "defects": d.defects,
            })
        })
        .collect();
    let tables: Vec<_> = tables
        .iter()
        .map(|t| {
            json!({
                "table": t.table.name,
                "file": t.file,
                "rows": t.rows,
                "row_groups": t.row_groups,
                "bytes": t.bytes,
            })
        })
        .collect();
    let manifest = json!({
        "heapquarry_version": env!("CARGO_PKG_VERSION"),
        "schema_version": SCHEMA_VERSION,
        "options": {
            "names": if options.names == crate::Names::Text { "text" } else { "id" },
            "analyze": options.analyze,
            "layout": options.layout.to_string(),
            "compression": options.compression.to_string(),
            "encodings": options.encodings.to_string(),
        },
        "inputs": inputs,
        "tables": tables,
    });
    let mut text = serde_json::to_string_pretty(&manifest).expect("plain values");
    text.push('\n');
    text
}
