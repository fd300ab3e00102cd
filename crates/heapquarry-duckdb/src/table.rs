//! A table function of DuckDB that reads a table of a file.

use crate::rows::{Rows, flat_field};
use arrow_schema::ArrowError;
use duckdb::{
    core::{DataChunkHandle, LogicalTypeHandle, LogicalTypeId},
    vtab::{
        BindInfo, InitInfo, TableFunctionInfo, VTab, record_batch_to_duckdb_data_chunk,
        to_duckdb_logical_type_for_field,
    },
};
use heapquarry::{Remedy, RunOptions, Source, recognise, schema};
use heapquarry_report::printable;
use std::{
    error::Error,
    sync::{Mutex, PoisonError},
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The parameter with the name of a table.
const TABLE_NAME: &str = "table_name";

/// The parameter that asks for what can be read of a damaged file.
const ALLOW_LOSSES: &str = "allow_losses";

/// `read_…(file)` and `read_…(file, table_name := …)`.
pub(crate) struct Reading;

/// What a query reads.
pub(crate) struct Bound {
    source: Source,
    table: String,
    allows_losses: bool,
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
        let allowed = bind.get_named_parameter(ALLOW_LOSSES);
        let allows_losses = allowed.is_some_and(|value| !value.is_null() && value.to_bool());
        Ok(Bound { source, table, allows_losses })
    }
}

/// An error in the words of the command. Names of files and what stands in them can have any character.
fn told(error: heapquarry::Error) -> Box<dyn Error> {
    let advice = match error.remedy() {
        Some(Remedy::AllowLosses) => format!("; {ALLOW_LOSSES} := true reads the rest"),
        _ => String::new(),
    };
    printable(&format!("{error}{advice}")).into()
}

fn told_by_arrow(error: ArrowError) -> Box<dyn Error> {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<heapquarry::Error>() {
            Ok(error) => told(*error),
            Err(other) => other,
        },
        other => other.into(),
    }
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
        let Bound { source, table, allows_losses } = unsafe { &*init.get_bind_data::<Bound>() };
        let rows = Rows::new(source, table, *allows_losses, &init.get_column_indices());
        rows.map(Mutex::new).map_err(told)
    }

    fn func(info: &TableFunctionInfo<Self>, chunk: &mut DataChunkHandle) -> Result<()> {
        let mut rows = info.get_init_data().lock().unwrap_or_else(PoisonError::into_inner);
        match rows.next().map_err(told_by_arrow)? {
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
        let (text, flag) = (LogicalTypeId::Varchar.into(), LogicalTypeId::Boolean.into());
        Some(vec![(TABLE_NAME.into(), text), (ALLOW_LOSSES.into(), flag)])
    }
}
