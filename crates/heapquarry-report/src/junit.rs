//! Checks as JUnit XML, one test case for each rule, for CI systems.

use crate::{
    Check, Origin, Outcome, Report, printable,
    verdict::{NO_LIMITS, sentence},
};
use std::io::{self, Write};

/// Writes the checks of a report. The report itself, as text, is the output of the test suite.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let count = |outcome| report.checks.iter().filter(|c| c.outcome == outcome).count();
    // An empty suite looks like a run that went wrong.
    let nothing = usize::from(report.checks.is_empty());
    let counts = format!(
        r#"tests="{}" failures="{}" errors="0""#,
        report.checks.len() + nothing,
        count(Outcome::Exceeded)
    );
    let skipped = count(Outcome::Skipped) + nothing;
    let suite = escape(&printable(&format!("{}: {}", report.command, report.subject)));
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="{}" {counts}>"#, escape(&report.command))?;
    writeln!(out, r#"  <testsuite name="{suite}" {counts} skipped="{skipped}">"#)?;
    if report.checks.is_empty() {
        let class = report.command.replace(' ', ".");
        writeln!(out, r#"    <testcase classname="{class}" name="limits">"#)?;
        writeln!(out, "      <skipped message=\"{NO_LIMITS}\"/>\n    </testcase>")?;
    }
    report.checks.iter().try_for_each(|check| write_case(report, check, out))?;
    let mut text = Vec::new();
    crate::text::write(report, crate::text::Style::default(), &mut text)?;
    writeln!(out, "    <system-out>{}</system-out>", escape(&String::from_utf8_lossy(&text)))?;
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn write_case(report: &Report, check: &Check, out: &mut dyn Write) -> io::Result<()> {
    let class = report.command.replace(' ', ".");
    write!(
        out,
        r#"    <testcase classname="{class}" name="{}""#,
        escape(&printable(&check.rule.requirement()))
    )?;
    match check.outcome {
        Outcome::Passed => writeln!(out, "/>"),
        Outcome::Skipped => {
            writeln!(
                out,
                ">\n      <skipped message=\"growth needs a baseline\"/>\n    </testcase>"
            )
        }
        Outcome::Exceeded => {
            let mut lines: Vec<_> = check.findings.iter().map(|f| sentence(check, f)).collect();
            let message = match &lines[..] {
                [only] => only.clone(),
                all => format!("{} (and {} more)", all[0], all.len() - 1),
            };
            let texts = check.findings.iter().filter_map(|finding| finding.text.as_deref());
            lines.extend(texts.map(|text| printable(text).into_owned()));
            if let Origin::File { path, line } = &check.rule.origin {
                lines.push(format!("{}:{line}", printable(path)));
            }
            writeln!(out, ">")?;
            writeln!(
                out,
                r#"      <failure type="limit exceeded" message="{}">{}</failure>"#,
                escape(&message),
                escape(&lines.join("\n"))
            )?;
            writeln!(out, "    </testcase>")
        }
    }
}

/// Escapes text and attributes in double quotes. Characters that XML 1.0 does not allow become U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            '\r' => out.push_str("&#13;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
