//! The command `query`.

mod arrow;
mod csv;
mod form;

use crate::{
    args::{self, QueryFormat},
    exit::ExitCode,
    failure::Failure,
    print, progress,
};
use heapquarry::{
    ConvertOptions, ErrorKind, Place, Source,
    views::{Views, mention_analysis},
};
use heapquarry_store::{
    cache::{Cache, Tables, temporary},
    duckdb::{Engine, Run, Setup, keep, pass_on},
};
use std::{
    ffi::OsString,
    fs,
    io::{self, IsTerminal, Read, Write},
    path::Path,
    sync::Arc,
};

/// How CSV is written: NULL is nothing, an empty text is `""`.
pub(crate) const CSV: &str = "FORMAT csv, HEADER true";

/// Where the SQL comes from.
enum Question {
    Sql(String),
    Prompt,
}

pub(crate) fn run(args: args::Query) -> Result<ExitCode, Failure> {
    let engine = Engine::find()?;
    let (sources, last) = split(args.inputs, args.file.is_some());
    let format = format(args.format, args.output.as_deref())?;
    let inputs: Vec<&Path> = sources.iter().filter_map(heapquarry::Source::on_disk).collect();
    // Before the work instead of after it.
    if let Some(path) = &args.output {
        Place::of(path, args.force, &inputs).map_err(heapquarry::Error::from)?;
    }
    let question = match (last, &args.file) {
        (Some(sql), _) => Question::Sql(sql),
        (None, Some(path)) => Question::Sql(text(fs::read(path), path)?),
        (None, None) if io::stdin().is_terminal() => {
            engine.require_prompt()?;
            Question::Prompt
        }
        (None, None) => {
            let mut sql = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut sql).map(|_| sql);
            Question::Sql(text(read, Path::new("-"))?)
        }
    };
    let analyze = match &question {
        Question::Sql(sql) => args.analyze || mention_analysis(sql),
        Question::Prompt => args.analyze,
    };
    let bar = progress::Bar::new(args.work.quiet);
    let run = crate::options::work_options(&args.work)?.progress(Arc::new(bar.clone()));
    let cancel = run.cancel.clone();
    let threads = args.work.reading.resources.threads.map(|_| run.thread_count());
    let options = ConvertOptions::default().analyze(analyze).run(run);
    let tables = tables(&sources, &options, args.work.no_cache);
    bar.finish();
    let tables = tables?;
    let is_prompt = matches!(question, Question::Prompt);
    let views =
        Views::of_inputs(sources.iter().zip(&tables).map(|(source, tables)| tables.of(source)))?
            .comments(is_prompt);
    let is_shown = args.output.is_none() && io::stdout().is_terminal();
    let form = form::table(is_shown.then_some(args.limit));
    let setup = Setup { views, threads, form };
    let sql = match question {
        Question::Sql(sql) => sql,
        Question::Prompt => {
            engine.prompt(setup, &cancel)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let run = Run { engine: &engine, setup: &setup, cancel: &cancel, ready: None };
    let Some(path) = args.output else {
        let mut out = io::BufWriter::new(io::stdout().lock());
        answer(&run, &sql, format, is_shown, &mut out)?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    };
    // The result is complete before the file is begun.
    let mut result = tempfile::tempfile()?;
    answer(&run, &sql, format, is_shown, &mut result)?;
    io::Seek::rewind(&mut result)?;
    keep(&mut result, &path, args.force, &inputs)?;
    Ok(ExitCode::SUCCESS)
}

fn answer(
    run: &Run<'_>,
    sql: &str,
    format: QueryFormat,
    is_shown: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match format {
        QueryFormat::Table => Ok(run.print(sql, &mut |line| form::printed(line, out))?),
        QueryFormat::Json => run.copy(sql, "FORMAT json, ARRAY true", |file| {
            Ok(pass_on(file, &mut |line| form::json(line, out))?)
        }),
        QueryFormat::Markdown => run.copy(sql, CSV, |file| Ok(csv::markdown(file, out)?)),
        QueryFormat::Csv if is_shown => {
            run.copy(sql, CSV, |file| Ok(pass_on(file, &mut |line| form::printed(line, out))?))
        }
        QueryFormat::Csv => run.copy(sql, CSV, |mut file| Ok(io::copy(&mut file, out).map(drop)?)),
        QueryFormat::Parquet => {
            run.copy(sql, "FORMAT parquet", |mut file| Ok(io::copy(&mut file, out).map(drop)?))
        }
        QueryFormat::Arrow => run.copy(sql, "FORMAT parquet", |file| arrow::write(file, out)),
    }
}

/// The inputs, and the query if it is the last argument: one with a blank in it that names no file.
fn split(mut args: Vec<OsString>, has_file: bool) -> (Vec<Source>, Option<String>) {
    let is_sql = |arg: &OsString| {
        let text = arg.to_str().unwrap_or_default();
        text.contains(char::is_whitespace) && !Source::from(arg.clone()).path.exists()
    };
    let sql = match args.last() {
        Some(last) if !has_file && args.len() > 1 && is_sql(last) => args.pop(),
        _ => None,
    };
    let sql = sql.map(|sql| sql.to_string_lossy().into_owned());
    (args.into_iter().map(Source::from).collect(), sql)
}

/// The format: as given, or by the name of the output.
fn format(given: Option<QueryFormat>, output: Option<&Path>) -> Result<QueryFormat, Failure> {
    let extension = output.and_then(Path::extension).and_then(|e| e.to_str());
    let by_name = match extension {
        Some("csv") => Some(QueryFormat::Csv),
        Some("json") => Some(QueryFormat::Json),
        Some("md") => Some(QueryFormat::Markdown),
        Some("parquet") => Some(QueryFormat::Parquet),
        Some("arrow" | "feather") => Some(QueryFormat::Arrow),
        _ => None,
    };
    let format = given.or(by_name).unwrap_or(QueryFormat::Table);
    let is_binary = matches!(format, QueryFormat::Parquet | QueryFormat::Arrow);
    if is_binary && output.is_none() && io::stdout().is_terminal() {
        let what = "a terminal cannot show this format; name a file with --output";
        return Err(Failure::Database(what.into()));
    }
    Ok(format)
}

fn text(read: io::Result<Vec<u8>>, path: &Path) -> Result<String, Failure> {
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    text.map_err(|error| {
        Failure::Database(format!("cannot read the query ({}): {error}", path.display()))
    })
}

/// The tables of all inputs. Where the cache cannot be used, it is done without.
pub(crate) fn tables(
    sources: &[Source],
    options: &ConvertOptions,
    no_cache: bool,
) -> Result<Vec<Tables>, Failure> {
    let mut cache = if no_cache { None } else { usable(Cache::of_user())? };
    let mut all = Vec::new();
    for source in sources {
        let stored = match &cache {
            Some(cache) => usable(cache.tables(source, options))?,
            None => None,
        };
        if stored.is_none() {
            cache = None;
        }
        all.push(match stored {
            Some(tables) => tables,
            None => temporary(source, options)?,
        });
    }
    Ok(all)
}

/// `None`, and a warning, if the cache cannot be used.
fn usable<T>(result: heapquarry::Result<T>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::Cache { .. }) => {
            print::message("warning", &format!("{error}; what is converted is not kept"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_argument_is_the_query_if_it_has_a_blank_and_is_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let spaced = dir.path().join("a file.heapsnapshot");
        fs::write(&spaced, "").unwrap();
        let spaced = spaced.to_str().unwrap();
        for (args, has_file, inputs, sql) in [
            (&["a"][..], false, 1, None),
            (&["a", "FROM x"], false, 1, Some("FROM x")),
            (&["a", "b", "FROM\nx"], false, 2, Some("FROM\nx")),
            (&["a", "b"], false, 2, None),
            (&["a", spaced], false, 2, None),
            (&["a", &format!("{spaced}#1")], false, 2, None),
            (&["FROM x"], false, 1, None),
            (&["a", "FROM x"], true, 2, None),
        ] {
            let (found, text) = split(args.iter().map(OsString::from).collect(), has_file);
            assert_eq!((found.len(), text.as_deref()), (inputs, sql), "{args:?}");
        }
    }
}
