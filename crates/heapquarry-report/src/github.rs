//! Checks as annotations of GitHub Actions: workflow commands on standard output that GitHub shows next to the code.

use crate::{Check, Finding, Origin, Outcome, Report, SourceLine, printable, verdict};
use std::io::{self, Write};

/// Maximum number of annotations: GitHub shows no more for a step.
const MAX_ANNOTATIONS: usize = 10;

/// Writes a warning for each note, an annotation for each finding that exceeds its limit (the first ten; the last says
/// how many more there are), and one line of text about all checks.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let findings: Vec<(&Check, &Finding)> = report
        .exceeded()
        .flat_map(|check| check.findings.iter().map(move |f| (check, f)))
        .collect();
    for note in &report.notes {
        let title = format!("{}: {}", report.command, report.subject);
        writeln!(out, "::warning title={}::{}", property(&title), data(note))?;
    }
    for (i, (check, finding)) in findings.iter().take(MAX_ANNOTATIONS).enumerate() {
        let limit = verdict::sentence(check, finding);
        let mut message = match &finding.text {
            Some(text) => format!("{text} ({limit})"),
            None => limit,
        };
        if i + 1 == MAX_ANNOTATIONS && findings.len() > MAX_ANNOTATIONS {
            message += &format!(" (and {} more)", findings.len() - MAX_ANNOTATIONS);
        }
        command("error", report, check, finding.line.as_ref(), &message, out)?;
    }
    for check in report.checks.iter().filter(|check| check.outcome == Outcome::Skipped) {
        let message = format!("{} was not checked: growth needs a baseline", check.rule);
        command("notice", report, check, None, &message, out)?;
    }
    if report.checks.is_empty() {
        let title = format!("{}: {}", report.command, report.subject);
        return writeln!(out, "::notice title={}::{}", property(&title), verdict::NO_LIMITS);
    }
    verdict::kept(report).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "{}", verdict::line(&report.checks))
}

/// `::error file=heap.toml,line=3,title=heapquarry check::message`: at the responsible line of the program, otherwise
/// at the line of the rule.
fn command(
    kind: &str,
    report: &Report,
    check: &Check,
    found_at: Option<&SourceLine>,
    message: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "::{kind} ")?;
    if let Some(SourceLine { path, line }) = found_at {
        write!(out, "file={},line={line},", property(path))?;
    } else if let Origin::File { path, line } = &check.rule.origin {
        write!(out, "file={},line={line},", property(path))?;
    }
    let title = format!("{}: {}", report.command, report.subject);
    writeln!(out, "title={}::{}", property(&title), data(message))
}

/// Escapes a message as the runner expects it.
fn data(text: &str) -> String {
    printable(text).replace('%', "%25")
}

/// Escapes a property, where colon and comma also have a meaning.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
