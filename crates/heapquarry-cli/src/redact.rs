//! The command `redact`, and the option of that name of other commands.

use crate::{
    args::{Private, Redact, RedactLevel},
    exit::ExitCode,
    failure::Failure,
    interrupt::catch_interrupts,
    options::with_resources,
    print,
};
use heapquarry::{Hits, Level, RedactOptions, Redaction, RunOptions, Source, report::printable};
use std::{
    io::{self, Write},
    sync::{Mutex, MutexGuard, PoisonError},
};

pub(crate) fn run(args: Redact) -> Result<ExitCode, Failure> {
    let run = RunOptions::default().cancel(catch_interrupts());
    let options = RedactOptions::default()
        .level(level(args.level))
        .keep(args.keep)
        .deny(args.deny)
        .key(args.key)
        .map(args.map)
        .force(args.force)
        .run(with_resources(run, &args.resources));
    let name = args.input.to_string();
    let (hits, cut, losses) = match args.output {
        None => return audit(&args.input, &options),
        Some(output) => {
            let done = heapquarry::redact(&args.input, output, &options)?;
            if !args.quiet {
                let path = done.path.display();
                print::message("wrote", &format!("{path} ({} strings replaced)", done.replaced));
            }
            (done.hits, done.cut, done.losses)
        }
    };
    if let Some(at) = cut {
        let what = "is truncated or damaged; what follows is left out";
        print::message("warning", &format!("{name} {what} (byte {at})"));
    }
    losses.iter().for_each(|loss| print::loss(&name, loss));
    show(&hits)?;
    Ok(if hits.is_empty() { ExitCode::SUCCESS } else { ExitCode::EXCEEDED })
}

/// Only looks. What was not read is never clean: then it fails, whatever was found before.
fn audit(input: &Source, options: &RedactOptions) -> Result<ExitCode, Failure> {
    let done = heapquarry::audit(input, options)?;
    done.losses.iter().for_each(|loss| print::loss(&input.to_string(), loss));
    show(&done.hits)?;
    done.require_whole(input)?;
    Ok(if done.hits.is_empty() { ExitCode::SUCCESS } else { ExitCode::EXCEEDED })
}

fn level(level: RedactLevel) -> Level {
    match level {
        RedactLevel::Values => Level::Values,
        RedactLevel::Names => Level::Names,
        RedactLevel::Full => Level::Full,
    }
}

/// What redacts the inputs of the command that runs. There is one, so that equal strings have equal tokens in all
/// inputs.
static INPUTS: Mutex<Option<Redaction>> = Mutex::new(None);

fn inputs() -> MutexGuard<'static, Option<Redaction>> {
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to redact the inputs, if that is asked for: all that are read from now on.
pub(crate) fn begin(private: &Private) -> heapquarry::Result<()> {
    let Private { redact, redact_key, redact_keep, redact_deny } = private;
    let mut inputs = inputs();
    if let (Some(wanted), None) = (*redact, &*inputs) {
        let options = RedactOptions::default()
            .level(level(wanted))
            .keep(redact_keep.clone())
            .deny(redact_deny.clone())
            .key(redact_key.clone());
        *inputs = Some(Redaction::new(&options)?);
    }
    Ok(())
}

/// What redacts the inputs, if that was begun.
pub(crate) fn begun() -> Option<Redaction> {
    inputs().clone()
}

/// Says what still looks like a secret in redacted inputs, after the command. That is worth an exit code.
pub(crate) fn conclude(code: ExitCode) -> ExitCode {
    let hits = inputs().take().map(|redaction| redaction.hits()).unwrap_or_default();
    for (name, hits) in &hits {
        let kinds = hits.iter().map(|(kind, hit)| format!("{}: {}", kind.name(), hit.count));
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        print::message("warning", &format!("what looks like secrets is left ({name}): {kinds}"));
    }
    match hits.is_empty() || code != ExitCode::SUCCESS {
        true => code,
        false => ExitCode::EXCEEDED,
    }
}

/// Kinds, counts and places: never the secrets themselves.
fn show(hits: &Hits) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (secret, hit) in hits {
        let place = |(at, member): &(u64, String)| match member.as_str() {
            "" => format!("byte {at}"),
            member => format!("byte {at} ({})", printable(member)),
        };
        let mut places: Vec<_> = hit.places.iter().map(place).collect();
        if hit.count > places.len() as u64 {
            places.push("…".into());
        }
        writeln!(out, "{}: {} ({})", secret.name(), hit.count, places.join(", "))?;
    }
    Ok(())
}
