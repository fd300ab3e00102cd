//! The command `mcp`.

use crate::{args, exit::ExitCode, failure::Failure};

/// Serves a client until it goes.
#[cfg(feature = "mcp")]
pub(crate) fn run(args: args::Mcp) -> Result<ExitCode, Failure> {
    use heapquarry_mcp::{ToolOptions, serve};
    use heapquarry_store::duckdb::Ready;
    use std::sync::Arc;
    crate::redact::begin(&args.private)?;
    let run = crate::options::with_indices(crate::options::reading_options(&args.reading)?);
    let ready = Arc::<Ready>::default();
    let options = ToolOptions::new(Arc::new(sql::Database(ready.clone())))
        .roots(args.root)
        .captures(args.allow_capture)
        .memory(args.memory)
        .run(run);
    let served = serve(options);
    ready.end();
    served.map_err(|error| Failure::Wrong(format!("the server ends: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

/// It takes a minute to build, so it is not in every command.
#[cfg(not(feature = "mcp"))]
pub(crate) fn run(_: args::Mcp) -> Result<ExitCode, Failure> {
    without()
}

/// What is said of a build without the server.
#[cfg(any(test, not(feature = "mcp")))]
fn without() -> Result<ExitCode, Failure> {
    let why = "this heapquarry was built without the server: install it from npm or PyPI, or build it with \
               `--features mcp`";
    Err(Failure::Usage(why))
}

/// SQL for the server, by the DuckDB of the command `query`.
#[cfg(feature = "mcp")]
mod sql {
    use crate::{failure, query::tables, sql::asked};
    use heapquarry::{ConvertOptions, RunOptions, Source, views::mention_analysis};
    use heapquarry_mcp::{Failure, Sql};
    use heapquarry_store::{
        cache::Tables,
        duckdb::{Engine, Ready, pass_on},
    };
    use std::sync::Arc;

    /// DuckDB, over the tables of inputs in the cache.
    pub(super) struct Database(pub(super) Arc<Ready>);

    impl Sql for Database {
        fn rows(
            &self,
            sources: &[Source],
            sql: &str,
            most: usize,
            run: &RunOptions,
        ) -> Result<Vec<String>, Failure> {
            self.rows_of(sources, sql, most, run).map_err(|failure| match failure {
                failure::Failure::Library(error) => error.into(),
                failure => Failure::new(failure.text()),
            })
        }
    }

    impl Database {
        fn rows_of(
            &self,
            sources: &[Source],
            sql: &str,
            most: usize,
            run: &RunOptions,
        ) -> Result<Vec<String>, failure::Failure> {
            // Without a database nothing needs to be converted.
            Engine::find()?;
            let options = ConvertOptions::default().analyze(mention_analysis(sql)).run(run.clone());
            let tables = tables(sources, &options, false)?;
            // Those of the next question would be others.
            let ready = tables.iter().all(Tables::stays).then_some(&*self.0);
            asked(sources, &tables, run, ready, |run| {
                run.copy_first(sql, most, "FORMAT json", |file| {
                    let mut rows = Vec::new();
                    pass_on(file, &mut |line| {
                        rows.push(String::from_utf8_lossy(line).trim_end().to_string());
                        Ok(())
                    })?;
                    Ok(rows)
                })
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_the_server_says_so() {
        let failure = without().err();
        assert!(
            matches!(failure, Some(Failure::Usage(why)) if why.contains("built without the server"))
        );
    }
}
