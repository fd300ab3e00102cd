//! The page of the docs about JSON.

use crate::model::{Record, Type, Verb};
use std::{collections::BTreeSet, fmt::Write};

/// Columns of a line, without the full stop at its end.
const WIDTH: usize = 119;

/// The page.
pub(crate) fn file(verbs: &[Verb]) -> String {
    let mut out = String::from(
        "# Answers as JSON\n\n\
         What the commands print with `--json`, and what the Python and npm packages return. This page is made from the\n\
         types in `crates/heapquarry-query`; [docs/schema](schema/) has the same as JSON Schema.\n\n\
         * Numbers are not rounded. Sizes are bytes; times have their unit in the name, or in `unit`. Shares are percent.\n\
         * `null` is unknown, or does not apply. Members that may be missing are marked with `?`.\n\
         * A list that may be cut has `total`, the number of all rows, and `rows`; `offset` if rows before them are left out.\n\
         * Members are added at any time. `version` rises when one changes its meaning or goes away.\n",
    );
    let mut seen = BTreeSet::new();
    for verb in verbs {
        let _ = writeln!(out, "\n## {}\n\n{}\n", verb.name, paragraph(&verb.options.doc));
        out.push_str("| option | type | meaning |\n| --- | --- | --- |\n");
        for option in &verb.options.members {
            let ty = match &option.ty {
                Type::Nullable(ty) => ty,
                ty => ty,
            };
            let _ = writeln!(out, "| `{}` | {} | {} |", option.name, name(ty), cell(&option.doc));
        }
        for record in &verb.records {
            if seen.insert(record.name.clone()) {
                table(&mut out, record);
            }
        }
    }
    out
}

fn table(out: &mut String, record: &Record) {
    let doc = paragraph(&record.doc);
    let _ = writeln!(
        out,
        "\n### {}\n\n{doc}\n\n| member | type | meaning |\n| --- | --- | --- |",
        record.name
    );
    for member in &record.members {
        let mark = if member.optional { "?" } else { "" };
        let unit = member.unit.as_deref().map(|unit| format!(", {unit}")).unwrap_or_default();
        let ty = name(&member.ty);
        let _ = writeln!(out, "| `{}`{mark} | {ty}{unit} | {} |", member.name, cell(&member.doc));
    }
}

/// A text in lines that fit, with a full stop.
fn paragraph(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.trim_end_matches('.').split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(word.into());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n") + "."
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn name(ty: &Type) -> String {
    match ty {
        Type::Text => "text".into(),
        Type::Integer => "integer".into(),
        Type::Number => "number".into(),
        Type::Bool => "true or false".into(),
        Type::Any => "any".into(),
        Type::Words(words) => {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        }
        Type::Record(name) => format!("[{name}](#{})", name.to_lowercase()),
        Type::Array(of) => format!("array of {}", name(of)),
        Type::Nullable(of) => format!("{} or `null`", name(of)),
        Type::OneOf(all) => all.iter().map(name).collect::<Vec<_>>().join(" or "),
    }
}
