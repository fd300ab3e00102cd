//! SQL for the page of `open` and for the server: one query at a time, over the tables that `query` has.

use crate::{
    failure::Failure,
    query::{CSV, tables},
};
use heapquarry::{
    Cancel, ConvertOptions, RunOptions, Source,
    views::{Views, mention_analysis},
};
use heapquarry_explore::{Form, Query, Sql};
use heapquarry_store::{
    cache::Tables,
    duckdb::{Engine, Ready, Run, Setup},
};
use std::{
    io::Read,
    sync::{Arc, Mutex, PoisonError},
};

/// Asks DuckDB over tables of inputs.
pub(crate) fn asked<T>(
    sources: &[Source],
    tables: &[Tables],
    run: &RunOptions,
    ready: Option<&Ready>,
    ask: impl FnOnce(&Run<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let engine = Engine::find()?;
    let inputs = sources.iter().zip(tables).map(|(source, tables)| tables.of(source));
    let views = Views::of_inputs(inputs)?;
    let threads = run.threads.map(|_| run.thread_count());
    let setup = Setup { views, threads, form: String::new() };
    ask(&Run { engine: &engine, setup: &setup, cancel: &run.cancel, ready })
}

/// DuckDB over the inputs of a page, whose tables are made with the first query.
pub(crate) struct Database {
    sources: Vec<Source>,
    run: RunOptions,
    no_cache: bool,
    ready: Arc<Ready>,
    kept: Mutex<Option<Kept>>,
}

/// Tables, and whether those of the analysis are among them.
#[derive(Clone)]
struct Kept {
    tables: Arc<[Tables]>,
    is_analyzed: bool,
}

impl Database {
    /// `ready` is ended by whoever made it.
    pub(crate) fn new(
        sources: &[Source],
        run: &RunOptions,
        no_cache: bool,
        ready: Arc<Ready>,
    ) -> Self {
        // The progress that people see is that of the page.
        let run = run.clone().progress(Arc::new(()));
        Database { sources: sources.to_vec(), run, no_cache, ready, kept: Mutex::default() }
    }

    /// The tables that a query needs.
    fn tables(&self, sql: &str, run: &RunOptions) -> Result<Arc<[Tables]>, Failure> {
        let is_analyzed = mention_analysis(sql);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_analyzed || !is_analyzed) {
            return Ok(kept.tables.clone());
        }
        let is_gone = |source: &&Source| !source.is_directory() && !source.is_repeatable();
        if let Some(source) = self.sources.iter().find(is_gone) {
            let why = "it cannot be read a second time, so there are no tables of it: open a file";
            return Err(Failure::Database(format!("{source}: {why}")));
        }
        let options = ConvertOptions::default().analyze(is_analyzed).run(run.clone());
        let tables: Arc<[Tables]> = tables(&self.sources, &options, self.no_cache)?.into();
        *kept = Some(Kept { tables: tables.clone(), is_analyzed });
        Ok(tables)
    }

    fn ask(&self, query: &Query<'_>, cancel: &Cancel) -> Result<Vec<u8>, Failure> {
        // Without a database nothing needs to be converted.
        Engine::find()?;
        let run = self.run.clone().cancel(cancel.clone());
        let tables = self.tables(query.sql, &run)?;
        let take = |file| -> Result<Vec<u8>, Failure> {
            let mut bytes = Vec::new();
            std::fs::File::take(file, query.most_bytes.saturating_add(1))
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        asked(&self.sources, &tables, &run, Some(&self.ready), |run| match query.form {
            Form::Rows { most } => run.copy_text(query.sql, most, "FORMAT json", take),
            // A row takes a byte at least: more rows are of no use, and would fill the disk.
            Form::Csv => {
                let most = usize::try_from(query.most_bytes).unwrap_or(usize::MAX);
                run.copy_first(query.sql, most, CSV, take)
            }
        })
    }
}

impl Sql for Database {
    fn result(&self, query: &Query<'_>, cancel: &Cancel) -> Result<Vec<u8>, String> {
        self.ask(query, cancel).map_err(|failure| failure.text())
    }
}
