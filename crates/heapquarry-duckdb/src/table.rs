//! A table function of DuckDB that reads a table of a file.

use crate::rows::{Rows, flat_field};
use duckdb::{
    core::{DataChunkHandle, LogicalTypeHandle, LogicalTypeId},
    vtab::{
        BindInfo, InitInfo, TableFunctionInfo, VTab, record_batch_to_duckdb_data_chunk,
        to_duckdb_logical_type_for_field,
    },
};
use heapquarry::{RunOptions, Source, recognise, schema};
use heapquarry_report::printable;
use std::{
    error::Error,
    sync::{Mutex, PoisonError},
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The parameter with the name of a table.
const TABLE_NAME: &str = "table_name";

/// `read_…(file)` and `read_…(file, table_name := …)`.
pub(crate) struct Reading;

/// What a query reads.
pub(crate) struct Bound {
    source: Source,
    table: String,
}

impl Bound {
    /// Names the columns of a table of a file.
    fn of(bind: &BindInfo, table: String) -> Result<Self> {
        let path = bind.get_parameter(0);
        if path.is_null() {
            return Err("the first argument is the path of a file, not NULL".into());
        }
        let source = Source::from(path.to_string());
        let found = recognise(&source, &RunOptions::default()).map_err(told)?;
        if !found.tables.iter().any(|one| one.name == table) {
            let all: Vec<_> = found.tables.iter().map(|one| one.name).collect();
            let file = format!("{source} ({})", found.format);
            let error = format!("{file} has no table {table}; it has {}", all.join(", "));
            return Err(printable(&error).into());
        }
        for field in schema(&table, &[]).map_err(told)?.fields() {
            let kind = to_duckdb_logical_type_for_field(&flat_field(field))?;
            bind.add_result_column(field.name(), kind);
        }
        Ok(Bound { source, table })
    }
}

/// An error in the words of the command. Names of files and what stands in them can have any character.
fn told(error: heapquarry::Error) -> Box<dyn Error> {
    printable(&error.to_string()).into()
}

impl VTab for Reading {
    type BindData = Bound;
    type InitData = Mutex<Rows>;

    fn bind(bind: &BindInfo) -> Result<Bound> {
        match bind.get_named_parameter(TABLE_NAME) {
            Some(table) if !table.is_null() => Bound::of(bind, table.to_string()),
            // SAFETY: each function is registered with a `&'static str`, which DuckDB keeps.
            _ => Bound::of(bind, unsafe { *bind.get_extra_info::<&str>() }.to_owned()),
        }
    }

    fn init(init: &InitInfo) -> Result<Mutex<Rows>> {
        // SAFETY: DuckDB keeps what `bind` returned for as long as the query runs.
        let Bound { source, table } = unsafe { &*init.get_bind_data::<Bound>() };
        let rows = Rows::new(source, table, &init.get_column_indices());
        rows.map(Mutex::new).map_err(told)
    }

    fn func(info: &TableFunctionInfo<Self>, chunk: &mut DataChunkHandle) -> Result<()> {
        let mut rows = info.get_init_data().lock().unwrap_or_else(PoisonError::into_inner);
        match rows.next()? {
            Some(batch) => record_batch_to_duckdb_data_chunk(&batch, chunk)?,
            None => chunk.set_len(0),
        }
        Ok(())
    }

    fn supports_pushdown() -> bool {
        true
    }

    fn parameters() -> Option<Vec<LogicalTypeHandle>> {
        Some(vec![LogicalTypeId::Varchar.into()])
    }

    fn named_parameters() -> Option<Vec<(String, LogicalTypeHandle)>> {
        Some(vec![(TABLE_NAME.into(), LogicalTypeId::Varchar.into())])
    }
}
