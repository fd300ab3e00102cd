//! The command `mcp`.

use crate::{args, exit::ExitCode, failure::Failure};

/// Serves a client until it goes.
#[cfg(feature = "mcp")]
pub(crate) fn run(args: args::Mcp) -> Result<ExitCode, Failure> {
    use heapquarry_mcp::{ToolOptions, serve};
    crate::redact::begin(&args.private)?;
    let run = crate::options::with_indices(crate::options::reading_options(&args.reading)?);
    let options = ToolOptions::new(std::sync::Arc::new(sql::Database))
        .roots(args.root)
        .memory(args.memory)
        .run(run);
    serve(options).map_err(|error| Failure::Wrong(format!("the server ends: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

/// It takes a minute to build, so it is not in every command.
#[cfg(not(feature = "mcp"))]
pub(crate) fn run(_: args::Mcp) -> Result<ExitCode, Failure> {
    let why = "this heapquarry was built without the server: install it from npm or PyPI, or build it with \
               `--features mcp`";
    Err(Failure::Usage(why))
}

/// SQL for the server, by the DuckDB of the command `query`.
#[cfg(feature = "mcp")]
mod sql {
    use crate::{failure, query::tables};
    use heapquarry::{
        ConvertOptions, ErrorKind, RunOptions, Source,
        views::{Views, mention_analysis},
    };
    use heapquarry_mcp::{Failure, Sql};
    use heapquarry_store::duckdb::{Engine, Run, Setup, pass_on};

    /// DuckDB, over the tables of inputs in the cache.
    pub(super) struct Database;

    impl Sql for Database {
        fn rows(
            &self,
            sources: &[Source],
            sql: &str,
            most: usize,
            run: &RunOptions,
        ) -> Result<Vec<String>, Failure> {
            rows(sources, sql, most, run).map_err(|failure| match failure {
                failure::Failure::Library(error)
                    if matches!(error.kind(), ErrorKind::Cancelled) =>
                {
                    Failure::Cancelled
                }
                failure => Failure::new(failure.text()),
            })
        }
    }

    fn rows(
        sources: &[Source],
        sql: &str,
        most: usize,
        run: &RunOptions,
    ) -> Result<Vec<String>, failure::Failure> {
        let engine = Engine::find()?;
        let options = ConvertOptions::default().analyze(mention_analysis(sql)).run(run.clone());
        let tables = tables(sources, &options, false)?;
        let views = Views::of_inputs(
            sources.iter().zip(&tables).map(|(source, tables)| tables.of(source)),
        )?;
        let threads = run.threads.map(|_| run.thread_count());
        let setup = Setup { views, threads, form: String::new() };
        let run = Run { engine: &engine, setup: &setup, cancel: &run.cancel };
        let mut rows = Vec::new();
        run.copy_first(sql, most, "FORMAT json", |file| -> Result<(), failure::Failure> {
            Ok(pass_on(file, &mut |line| {
                rows.push(String::from_utf8_lossy(line).trim_end().to_string());
                Ok(())
            })?)
        })?;
        Ok(rows)
    }
}
