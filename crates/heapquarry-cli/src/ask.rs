//! The commands that print a report.

use crate::{
    Failure,
    args::{About, AboutAll, DiffArgs, LeaksArgs, Measured, Select, Work},
    exit::ExitCode,
    form::Form,
    progress,
};
use heapquarry::{Cancel, ErrorKind, RunOptions, Source};
use heapquarry_query::{Answer, Check, Question, Session, Summary};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    iter,
    path::Path,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// How often a wait for other programs looks for an interrupt.
const POLL: Duration = Duration::from_millis(20);

/// Asks a question about one input.
pub(crate) fn about<Q, P>(args: &About<Q, P>) -> Result<ExitCode, Failure>
where
    Q: Question<Answer: Send + Sync> + clap::Args,
    P: Select,
{
    answer(&args.work, args.print.form(), |options| {
        args.question.ask(&Session::new([args.part.of(&args.input)], options))
    })
}

pub(crate) fn summary(args: AboutAll<Summary>) -> Result<ExitCode, Failure> {
    let AboutAll { inputs, question, only, print, work } = args;
    let inputs: Vec<_> = inputs.iter().map(|source| only.of(source)).collect();
    answer(&work, print.form(), |options| question.ask(&Session::new(inputs, options)))
}

pub(crate) fn diff(args: DiffArgs) -> Result<ExitCode, Failure> {
    let DiffArgs { base, current, before, after, mut question, only, print, work } = args;
    question.runs = !before.is_empty();
    question.base_runs = before.len().max(1);
    question.figures = print.form().has_figures();
    let sources = base.into_iter().chain(current).chain(before).chain(after);
    let sources: Vec<_> = sources.map(|source| only.of(&source)).collect();
    answer(&work, print.form(), |options| question.ask(&Session::new(sources, options)))
}

pub(crate) fn leaks(args: &LeaksArgs) -> Result<ExitCode, Failure> {
    let form = args.print.form();
    let mut leaks = args.question.clone();
    // These forms have nothing but limits: without one they tell all findings, which then decide nothing.
    let is_implied = leaks.fail_on.is_empty() && form.has_only_limits();
    if is_implied {
        leaks.fail_on.push("any".into());
    }
    let code = answer(&args.work, form, |options| match &args.files_from {
        None => leaks.ask(&Session::new(args.inputs.clone(), options)),
        Some(file) => leaks.ask_as_they_come(named_in(file, &options.cancel)?, options),
    })?;
    Ok(if is_implied { ExitCode::SUCCESS } else { code })
}

/// The inputs that a file names, one in a line, as they are read. An interrupt ends the wait for the next one: it is
/// another thread that reads.
fn named_in(
    file: &Path,
    cancel: &Cancel,
) -> heapquarry::Result<impl Iterator<Item = heapquarry::Result<Source>> + use<>> {
    let path = file.to_owned();
    let failed = move |source| {
        heapquarry::Error::from(ErrorKind::Input { path: path.clone(), doing: "read", source })
    };
    // One name is read ahead.
    let (send, names) = mpsc::sync_channel(1);
    let file = file.to_owned();
    let read = move || match lines(&file) {
        Ok(lines) => lines
            .filter(|line| !line.as_ref().is_ok_and(String::is_empty))
            .try_for_each(|line| send.send(line)),
        Err(error) => send.send(Err(error)),
    };
    thread::Builder::new().name("names".into()).spawn(read).map_err(&failed)?;
    let cancel = cancel.clone();
    Ok(iter::from_fn(move || {
        loop {
            if cancel.is_cancelled() {
                return Some(Err(ErrorKind::Cancelled.into()));
            }
            match names.recv_timeout(POLL) {
                Ok(name) => return Some(name.map(Source::from).map_err(&failed)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }))
}

fn lines(file: &Path) -> io::Result<io::Lines<impl BufRead>> {
    let input: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(file)?),
    };
    Ok(BufReader::new(input).lines())
}

pub(crate) fn check(args: AboutAll<Check, Measured>) -> Result<ExitCode, Failure> {
    let AboutAll { inputs, mut question, only, print, work } = args;
    for source in question.other_sources() {
        *source = only.of(source);
    }
    let inputs: Vec<_> = inputs.iter().map(|source| only.of(source)).collect();
    answer(&work, print.form(), |options| question.ask(&Session::new(inputs, options)))
}

pub(crate) fn answer<A: Answer>(
    work: &Work,
    form: Form,
    ask: impl FnOnce(&RunOptions) -> heapquarry::Result<A>,
) -> Result<ExitCode, Failure> {
    print(&with_progress(work, ask)?, form)
}

/// Prints an answer. Returns whether all its limits are kept.
pub(crate) fn print<A: Answer>(answer: &A, form: Form) -> Result<ExitCode, Failure> {
    let report = answer.report();
    let code = match report.exceeded().next() {
        Some(_) => ExitCode::EXCEEDED,
        None => ExitCode::SUCCESS,
    };
    match form.print(answer, &report) {
        // A reader that stops early does not change the outcome.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(code),
        result => Ok(result.map(|()| code)?),
    }
}

/// Runs with the options of the command line and a progress bar.
pub(crate) fn with_progress<T>(
    work: &Work,
    run: impl FnOnce(&RunOptions) -> heapquarry::Result<T>,
) -> heapquarry::Result<T> {
    let bar = progress::Bar::new(work.quiet);
    let options = crate::options::work_options(work)?.progress(Arc::new(bar.clone()));
    let result = run(&options);
    bar.finish();
    result
}
