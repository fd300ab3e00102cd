//! Types of answers for the npm package.

use crate::model::{Record, Type, Verb};
use std::{collections::BTreeSet, fmt::Write};

/// The file of all types.
pub(crate) fn file(verbs: &[Verb]) -> String {
    let mut out = String::from(
        "// Generated from the answers of crates/heapquarry-query; do not edit.\n\
         // UPDATE_GOLDEN=1 cargo test --workspace --test generated\n",
    );
    let mut seen = BTreeSet::new();
    for verb in verbs {
        for record in &verb.records {
            if seen.insert(record.name.clone()) {
                interface(&mut out, record);
            }
        }
        if verb.roots.len() > 1 {
            let name = verb.roots[0].as_str();
            // The variants end in the name of the answer.
            let at = name[1..].find(char::is_uppercase).map_or(0, |at| at + 1);
            let _ = writeln!(out, "\nexport type {} = {};", &name[at..], verb.roots.join(" | "));
        }
    }
    out
}

fn interface(out: &mut String, record: &Record) {
    let _ = writeln!(out, "\n/** {} */\nexport interface {} {{", record.doc, record.name);
    for member in &record.members {
        let unit = member.unit.as_deref().map(|unit| format!(" Unit: {unit}.")).unwrap_or_default();
        let mark = if member.optional { "?" } else { "" };
        let ty = name(&member.ty);
        let _ = writeln!(out, "  /** {}{unit} */\n  {}{mark}: {ty};", member.doc, member.name);
    }
    out.push_str("}\n");
}

fn name(ty: &Type) -> String {
    match ty {
        Type::Text => "string".into(),
        Type::Integer | Type::Number => "number".into(),
        Type::Bool => "boolean".into(),
        Type::Any => "unknown".into(),
        Type::Words(words) => {
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" | ")
        }
        Type::Record(name) => name.clone(),
        Type::Array(of) => match &**of {
            Type::OneOf(_) | Type::Nullable(_) | Type::Words(_) => format!("({})[]", name(of)),
            of => format!("{}[]", name(of)),
        },
        Type::Nullable(of) => format!("{} | null", name(of)),
        Type::OneOf(all) => all.iter().map(name).collect::<Vec<_>>().join(" | "),
    }
}
