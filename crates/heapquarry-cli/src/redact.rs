//! The command `redact`.

use crate::{
    args::{Redact, RedactLevel},
    ask::EXIT_EXCEEDED,
    exit::ExitCode,
    failure::Failure,
    print, run_options,
};
use heapquarry::{Hits, Level, RedactOptions, report::printable};
use std::io::{self, Write};

pub(crate) fn run(args: Redact) -> Result<ExitCode, Failure> {
    let options = RedactOptions::default()
        .level(match args.level {
            RedactLevel::Values => Level::Values,
            RedactLevel::Names => Level::Names,
            RedactLevel::Full => Level::Full,
        })
        .keep(args.keep)
        .deny(args.deny)
        .key(args.key)
        .map(args.map)
        .force(args.force)
        .run(run_options(None, &args.unpack));
    let name = args.input.to_string();
    let (hits, cut) = match args.output {
        None => heapquarry::audit(&args.input, &options)?,
        Some(output) => {
            let done = heapquarry::redact(&args.input, output, &options)?;
            if !args.quiet {
                let path = done.path.display();
                print::message("wrote", &format!("{path} ({} strings replaced)", done.replaced));
            }
            (done.hits, done.cut)
        }
    };
    if let Some(at) = cut {
        let what = "is truncated or damaged; what follows is left out";
        print::message("warning", &format!("{name} {what} (byte {at})"));
    }
    show(&hits)?;
    Ok(if hits.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_EXCEEDED) })
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
