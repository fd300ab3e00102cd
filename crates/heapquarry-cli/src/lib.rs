//! The `heapquarry` command: flags, exit codes and the progress bar around the library. A library of its own, because
//! the Python package has the command too: its interface is [`command`], and may change with any version.
#![deny(unsafe_code)]

mod advice;
#[allow(unsafe_code)]
#[doc(hidden)]
pub mod allocator;
mod args;
mod ask;
mod batch;
mod cache;
mod capture;
mod convert;
mod exit;
mod export;
mod extract;
mod failure;
mod form;
mod index;
mod info;
mod interrupt;
mod mcp;
mod open;
mod options;
mod page;
mod print;
mod progress;
mod query;
mod redact;
mod schema;
mod sql;
mod target;
mod verbs;
mod watch;

use args::ErrorForm;
use clap::{CommandFactory, Parser};
use exit::ExitCode;
use failure::Failure;
use heapquarry::report::printable;
use std::{ffi::OsString, panic::resume_unwind, thread};
use verbs::Cli;

/// Bytes: what the first thread of a program has on most systems.
const STACK: usize = 8 << 20;

/// [`command`] on a thread whose stack is there from the beginning. The first thread's grows, and where the system
/// refuses that, it ends the process with a signal. Where no thread can be started, the first one runs the command.
pub fn command_on_own_stack(args: Vec<OsString>) -> u8 {
    let form = begin(&args);
    let thread = thread::Builder::new().name("main".into()).stack_size(STACK);
    let given = args.clone();
    match thread.spawn(move || run(given, form)) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) if allocator::has_room(STACK) => run(args, form),
        Err(_) => allocator::end(&"the stack of a thread"),
    }
}

/// Runs the command with these arguments, of which the first is its name. Returns the exit code, or ends the process:
/// after wrong usage, after `--help`, and after the second interrupt.
pub fn command(args: Vec<OsString>) -> u8 {
    let form = begin(&args);
    run(args, form)
}

/// Prepares for errors, and returns their form.
fn begin(args: &[OsString]) -> ErrorForm {
    write_errors_instead_of_signals();
    let form = failure::form(args);
    allocator::prepare();
    allocator::set_form(form == ErrorForm::Json);
    form
}

fn run(args: Vec<OsString>, form: ErrorForm) -> u8 {
    if let Some((first, verb)) = verbs::meant(&args) {
        let what = format!("no command and no file of this name ({first}): did you mean {verb}?");
        return Failure::Wrong(what).report(form).number();
    }
    let args = verbs::with_verb(args);
    let code =
        parse(args, form).run().unwrap_or_else(|failure| match interrupt::is_interrupted() {
            // Whatever failed then is a consequence.
            true => Failure::Library(heapquarry::ErrorKind::Cancelled.into()).report(form),
            false => failure.report(form),
        });
    redact::conclude(code).number()
}

/// The verbs and their options, for what is made from them.
#[doc(hidden)]
pub fn definition() -> clap::Command {
    Cli::command()
}

/// Parses the command line, or ends the process. The message of an error quotes arguments, and these may be names of
/// files that a stranger chose.
fn parse(args: Vec<OsString>, form: ErrorForm) -> Cli {
    Cli::try_parse_from(&args).unwrap_or_else(|error| {
        let safe = args.iter().map(|arg| printable(&arg.to_string_lossy()).into_owned());
        // Where only characters that do not print were wrong, nothing is wrong with the printable arguments.
        let unprintable = || {
            let text = error.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let message = text.split("\n\nFor more information").next().unwrap_or_default();
            Cli::command().error(error.kind(), printable(message))
        };
        let error = Cli::try_parse_from(safe).err().unwrap_or_else(unprintable);
        if form == ErrorForm::Json && error.use_stderr() {
            failure::usage(&error);
            std::process::exit(ExitCode::FAILURE.number().into());
        }
        error.exit()
    })
}

/// Has writing beyond the limit for the size of files (`ulimit -f`) fail instead of ending the process: SIGXFSZ is
/// blocked, in all threads that are started later too.
fn write_errors_instead_of_signals() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGXFSZ);
        let _ = signals.thread_block();
    }
}
