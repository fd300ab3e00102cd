//! Types for the Python package.

use crate::model::{Member, Record, Type, Verb};
use std::{collections::BTreeSet, fmt::Write};

/// The module of all types.
pub(crate) fn file(verbs: &[Verb]) -> String {
    let mut out = String::from(
        "\"\"\"The answers of questions, as the command prints them with ``--json``.\"\"\"\n\n\
         # Generated from the answers of crates/heapquarry-query; do not edit.\n\
         # UPDATE_GOLDEN=1 cargo test --workspace --test generated\n\n\
         from __future__ import annotations\n\n\
         from typing import List, Literal, Optional, TypedDict, Union\n\n\
         from typing_extensions import NotRequired\n",
    );
    out = out.replace(
        "from typing_extensions import NotRequired\n",
        "import sys\n\nif sys.version_info >= (3, 11):\n    from typing import NotRequired\nelse:\n    \
         from typing_extensions import NotRequired\n",
    );
    let mut seen = BTreeSet::new();
    for verb in verbs {
        for record in &verb.records {
            if seen.insert(record.name.clone()) {
                class(&mut out, record);
            }
        }
        if verb.roots.len() > 1 {
            let name = verb.roots[0].as_str();
            let at = name[1..].find(char::is_uppercase).map_or(0, |at| at + 1);
            let _ = writeln!(out, "\n\n{} = Union[{}]", &name[at..], verb.roots.join(", "));
        }
    }
    out
}

/// Words of Python that no member of a class can have as its name: a base has it.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

fn class(out: &mut String, record: &Record) {
    let (keywords, members): (Vec<_>, Vec<_>) =
        record.members.iter().partition(|member| KEYWORDS.contains(&member.name.as_str()));
    let mut base = String::from("TypedDict");
    if !keywords.is_empty() {
        base = format!("_{}", record.name);
        let typed = |member: &&Member| format!("\"{}\": \"{}\"", member.name, annotation(member));
        let typed: Vec<String> = keywords.iter().map(typed).collect();
        let _ = writeln!(out, "\n\n{base} = TypedDict(\"{base}\", {{{}}})", typed.join(", "));
    }
    let _ = writeln!(out, "\n\nclass {}({base}):\n    \"\"\"{}\"\"\"\n", record.name, record.doc);
    for member in members {
        let unit = member.unit.as_deref().map(|unit| format!(" Unit: {unit}.")).unwrap_or_default();
        let ty = annotation(member);
        let _ = writeln!(out, "    {}: {ty}\n    \"\"\"{}{unit}\"\"\"", member.name, member.doc);
    }
}

fn annotation(member: &Member) -> String {
    let ty = name(&member.ty);
    if member.optional { format!("NotRequired[{ty}]") } else { ty }
}

fn name(ty: &Type) -> String {
    match ty {
        Type::Text => "str".into(),
        Type::Integer => "int".into(),
        Type::Number => "float".into(),
        Type::Bool => "bool".into(),
        Type::Any => "object".into(),
        Type::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("Literal[{}]", words.join(", "))
        }
        Type::Record(name) => name.clone(),
        Type::Array(of) => format!("List[{}]", name(of)),
        Type::Nullable(of) => format!("Optional[{}]", name(of)),
        Type::OneOf(all) => {
            format!("Union[{}]", all.iter().map(name).collect::<Vec<_>>().join(", "))
        }
    }
}
