//! Writes the result of a comparison as Parquet tables.

use arrow_array::RecordBatch;
use heapquarry::{Result, Source, require_local};
use heapquarry_sink::{Encoder, Layout, ParquetDir, WriteOptions};
use heapquarry_tables::{Projection, SCHEMA_VERSION, Table};
use serde_json::json;
use std::{collections::HashMap, path::Path};

/// Rows of a row group.
pub(super) const ROWS: usize = 128 << 10;

/// A directory of tables that appears only when it is finished.
pub(super) struct Output {
    dir: ParquetDir,
    encoder: Encoder,
}

impl Output {
    /// Creates the directory, which must not replace any of `inputs`.
    pub(super) fn create(path: &Path, force: bool, inputs: &[Source]) -> Result<Self> {
        require_local(path)?;
        let options = WriteOptions::default();
        let dir = ParquetDir::create(path, force, Layout::Flat, Projection::all(), options)?;
        let inputs: Vec<_> = inputs.iter().filter_map(Source::on_disk).collect();
        dir.check_inputs(&inputs)?;
        Ok(Output { dir, encoder: Encoder::new(&options) })
    }

    /// Writes the rows of the tables, and the compared inputs into the manifest.
    pub(super) fn write<'a>(
        mut self,
        compared: impl Iterator<Item = &'a Source>,
        tables: impl Iterator<Item = (&'static Table, RecordBatch)>,
    ) -> Result<Option<heapquarry_sink::Error>> {
        let mut next: HashMap<&str, u64> = HashMap::new();
        for (table, batch) in tables {
            self.dir.declare(table, "")?;
            for from in (0..batch.num_rows()).step_by(ROWS) {
                let rows = batch.slice(from, ROWS.min(batch.num_rows() - from));
                let group = self.encoder.encode(table, &rows)?;
                let seq = next.entry(table.name).or_default();
                self.dir.append(table, "", *seq, group)?;
                *seq += 1;
            }
        }
        let metadata = |table: &Table, _: &str| {
            let pairs = [
                ("heapquarry.version", env!("CARGO_PKG_VERSION").to_string()),
                ("heapquarry.schema_version", SCHEMA_VERSION.to_string()),
                ("heapquarry.table", table.name.to_string()),
            ];
            pairs.map(|(key, value)| (key.to_string(), value)).to_vec()
        };
        let tables = self.dir.close_tables(&metadata)?;
        let compared = compared.zip(0..);
        let manifest = json!({
            "heapquarry_version": env!("CARGO_PKG_VERSION"),
            "schema_version": SCHEMA_VERSION,
            "compared": compared
                .map(|(source, id)| json!({"file_id": id, "path": source.to_string()}))
                .collect::<Vec<_>>(),
            "tables": tables
                .iter()
                .map(|t| json!({
                    "table": t.table.name,
                    "file": t.file,
                    "rows": t.rows,
                    "row_groups": t.row_groups,
                    "bytes": t.bytes,
                    "xxh3": format!("{:016x}", t.xxh3),
                }))
                .collect::<Vec<_>>(),
        });
        self.dir.write_file("_manifest.json", format!("{manifest:#}\n").as_bytes())?;
        Ok(self.dir.commit()?.warning)
    }
}
