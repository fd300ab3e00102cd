//! The verbs: their arguments, and what runs each. Help, completions and the man page all come from here.

use crate::{
    args::{self, About, AboutAll, DiffArgs, ErrorForm, LeaksArgs, Measured, Only, WatchArgs},
    ask, batch, cache, capture, convert,
    exit::ExitCode,
    export, extract,
    failure::Failure,
    index, info, mcp, open, page, query, redact, schema, watch,
};
use clap::{CommandFactory, Parser, Subcommand, builder::styling};
use heapquarry_query::{Check, Find, Show, Summary, Why};
use std::io::{self, Write};

const STYLES: styling::Styles = styling::Styles::styled()
    .header(styling::Style::new().bold())
    .usage(styling::Style::new().bold())
    .literal(styling::Style::new().bold());

const EXAMPLES: &str = "\
Examples:
  heapquarry app.heapsnapshot                  write app.tables/, one Parquet file per table
  heapquarry convert *.heapsnapshot -o all     many snapshots in one set of tables
  heapquarry convert --batch heaps/ -o all --keep summary   a folder of thousands; run it again to go on
  heapquarry trace.json.gz                     events, slices, counters and threads of a trace
  curl URL | heapquarry convert - -o heap      from standard input; compression is detected automatically
  heapquarry info app.heapsnapshot             inspect it without converting
  heapquarry extract app.htrace -o heaps       extract its heaps and profiles as plain files
  heapquarry summary app.heapsnapshot          summarise a heap, profile or trace
  heapquarry diff before.heapsnapshot after.heapsnapshot   what grew; for profiles and traces, what got slower
  heapquarry leaks 1.heapsnapshot 2.heapsnapshot 3.heapsnapshot   what leaks: owner, size, script and line
  heapquarry why app.heapsnapshot --class Session          what keeps these objects alive
  heapquarry find app.heapsnapshot --text token            which objects have this text
  heapquarry show app.heapsnapshot --node @1234            what is in an object, and who holds it
  heapquarry check app.heapsnapshot --budget heap.toml     fail a CI run that exceeds limits
  heapquarry report app.heapsnapshot           draw it as one HTML file
  heapquarry open app.heapsnapshot             look at all of it in the browser
  heapquarry index app.heapsnapshot            read and analyse it once, for all further questions
  heapquarry query app.heapsnapshot \"SELECT type, sum(self_size) FROM js_heap_nodes GROUP BY 1\"   ask in SQL
  heapquarry capture localhost:9229 -o heap    take a heap snapshot of a running process, as tables
  heapquarry watch 9229 --for 2min             what grows in a running process: heap, buffers, native memory
  heapquarry mcp --root heaps                  answer a coding agent, which starts it itself (docs/agents.md)
  heapquarry redact app.heapsnapshot shared.heapsnapshot --level names   take out what is private
  heapquarry schema js_heap_nodes              describe the columns of a table

Exit codes:
  0    success; repaired damage is listed in the table import_log
  1    a limit was exceeded (check, diff --fail-on, leaks --fail-on), or there are secrets (redact)
  2    failure: wrong usage, bad input, or an input or output error; no output directory is left
  3    some inputs of a batch failed; the others are done, and DIR/_log lists all
  130  interrupted; no output directory is left";

/// Convert heap snapshots, profiles and traces to Parquet; find leaks from the terminal or CI.
///
/// Inputs: .heapsnapshot and .heaptimeline files of V8 (Chrome, Node, Deno, Electron), Hermes, Bun, Julia and ArkTS;
/// heap snapshots of JavaScriptCore (Safari, Bun); .cpuprofile and .heapprofile files in old and current formats;
/// traces of the JS Self-Profiling API; pprof profiles of Go, Node and Rust; traces in the Trace Event Format; ftrace
/// text; OpenHarmony .htrace containers; files of DevTools messages. The format and the compression (gzip, zstd,
/// zlib, zip, tar) are detected by content. The command `convert` may be omitted.
#[derive(Parser, Debug)]
#[command(name = "heapquarry", version, after_help = EXAMPLES, styles = STYLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,

    /// Errors as text, or as one line of JSON with path, offset, expected and found
    // It is looked up before the arguments are parsed, because it also applies to errors of the command line.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORM",
        hide_possible_values = true
    )]
    pub(crate) error_format: ErrorForm,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    Convert(args::Convert),
    Info(args::Info),
    Summary(AboutAll<Summary>),
    Show(About<Show>),
    Why(About<Why>),
    Find(Box<About<Find, Only>>),
    Diff(DiffArgs),
    Leaks(LeaksArgs),
    Check(AboutAll<Check, Measured>),
    Report(args::Report),
    Open(args::Open),
    Export(args::Export),
    Extract(args::Extract),
    Query(args::Query),
    Views(args::Views),
    Capture(args::Capture),
    Watch(WatchArgs),
    Redact(args::Redact),
    Mcp(args::Mcp),
    Index(args::Index),
    Cache(args::Cache),
    Schema(args::Schema),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man,
}

impl Cli {
    /// Does what is asked.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::Convert(args) if args.batch.batch.is_some() => {
                batch::run(args, self.error_format)
            }
            Verb::Convert(args) => convert::run(args),
            Verb::Info(args) => printing(|out| info::run(&args, out)),
            Verb::Summary(args) => ask::summary(args),
            Verb::Show(args) => ask::about(&args),
            Verb::Why(args) => ask::about(&args),
            Verb::Find(args) => ask::about(&args),
            Verb::Diff(args) => ask::diff(args),
            Verb::Leaks(args) => ask::leaks(&args),
            Verb::Check(args) => ask::check(args),
            Verb::Report(args) => page::report(&args).map(|()| ExitCode::SUCCESS),
            Verb::Open(args) => open::run(&args).map(|()| ExitCode::SUCCESS),
            Verb::Export(args) => printing(|out| export::run(&args, out)),
            Verb::Extract(args) => printing(|out| extract::run(args, out)),
            Verb::Query(args) => query::run(args),
            Verb::Views(args) => printing(|out| schema::views(&args, out)),
            Verb::Capture(args) => capture::run(&args),
            Verb::Watch(args) => watch::run(&args),
            Verb::Redact(args) => redact::run(args),
            Verb::Mcp(args) => mcp::run(args),
            Verb::Index(args) => printing(|out| index::run(&args, out)),
            Verb::Cache(args) => printing(|out| cache::run(&args.action, out)),
            Verb::Schema(args) => printing(|out| schema::describe(&args, out)),
            Verb::Completions { shell } => printing(|out| {
                // It panics where it cannot write.
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Cli::command(), "heapquarry", &mut script);
                Ok(out.write_all(&script)?)
            }),
            Verb::Man => printing(|out| Ok(clap_mangen::Man::new(Cli::command()).render(out)?)),
        }
    }
}

/// Runs what prints, and has nothing else to say.
fn printing(
    write: impl FnOnce(&mut io::StdoutLock<'static>) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    write(&mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The verb that was perhaps meant by the first argument, if that is neither a verb nor the name of a file.
pub(crate) fn meant(args: &[std::ffi::OsString]) -> Option<(String, String)> {
    let first = args.get(1)?.to_str()?;
    let is_word = !first.is_empty() && first.chars().all(|c| c.is_ascii_lowercase());
    if !is_word || std::path::Path::new(first).exists() {
        return None;
    }
    let command = Cli::command();
    let verbs = command.get_subcommands().map(clap::Command::get_name).chain(["help"]);
    let verbs: Vec<&str> = verbs.collect();
    let near = heapquarry::report::near(first, verbs.iter().copied());
    let is_verb = verbs.contains(&first);
    near.first().filter(|_| !is_verb).map(|verb| (first.into(), (*verb).into()))
}

/// The arguments, with `convert` inserted if the verb is omitted.
pub(crate) fn with_verb(mut args: Vec<std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let Some(first) = args.get(1).and_then(|a| a.to_str().map(str::to_owned)) else {
        if args.len() > 1 {
            args.insert(1, "convert".into());
        }
        return args;
    };
    let command = Cli::command();
    let is_verb = first == "help" || command.get_subcommands().any(|c| c.get_name() == first);
    let is_global = ["-h", "--help", "-V", "--version"].contains(&first.as_str());
    if !is_verb && !is_global {
        args.insert(1, "convert".into());
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn misspelt_verbs_are_known() {
        let meant = |first: &str| meant(&["hq".into(), first.into()]).map(|(_, verb)| verb);
        for (first, verb) in [
            ("sumary", Some("summary")),
            ("covnert", Some("convert")),
            ("summary", None),
            ("help", None),
            ("a.json", None),
            ("-", None),
            ("--version", None),
            ("zzzzzzzzzz", None),
        ] {
            assert_eq!(meant(first).as_deref(), verb, "{first}");
        }
    }

    #[test]
    fn the_verb_may_be_omitted() {
        for (args, expected) in [
            (&["hq", "a.heapsnapshot"][..], &["hq", "convert", "a.heapsnapshot"][..]),
            (&["hq", "-"], &["hq", "convert", "-"]),
            (&["hq", "--names", "id", "a"], &["hq", "convert", "--names", "id", "a"]),
            (&["hq", "info", "a"], &["hq", "info", "a"]),
            (&["hq", "help"], &["hq", "help"]),
            (&["hq", "--version"], &["hq", "--version"]),
            (&["hq"], &["hq"]),
        ] {
            assert_eq!(with_verb(args.iter().map(Into::into).collect()), expected);
        }
    }
}
