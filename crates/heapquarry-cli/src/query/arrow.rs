//! Parquet to an Arrow file. DuckDB writes Arrow only with an extension that it would have to fetch.

use crate::failure::Failure;
use arrow_ipc::writer::FileWriter;
use heapquarry::arrow_schema::ArrowError;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::{fs::File, io::Write};

/// Writes the rows of a Parquet file in the format of Arrow files.
pub(super) fn write(file: File, out: &mut dyn Write) -> Result<(), Failure> {
    let fail =
        |error: &dyn std::fmt::Display| Failure::Database(format!("cannot write Arrow: {error}"));
    let written = |error| match error {
        ArrowError::IoError(_, error) => Failure::Stdout(error),
        error => fail(&error),
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| fail(&e))?;
    let mut writer = FileWriter::try_new(out, builder.schema()).map_err(written)?;
    for batch in builder.build().map_err(|e| fail(&e))? {
        writer.write(&batch.map_err(|e| fail(&e))?).map_err(written)?;
    }
    writer.finish().map_err(written)
}
