//! Files that are made from the types of questions and answers: JSON Schema, the types of the npm and Python packages,
//! and the page of the docs. `UPDATE_GOLDEN=1 cargo test --workspace --test generated` writes them again.

mod markdown;
mod model;
mod python;
mod typescript;

use heapquarry_query::{
    Answered, Check, CheckAnswer, Diff, DiffAnswer, Find, FindAnswer, Leaks, Show, Summary,
    SummaryAnswer, Watch, Why,
    heap::{leaks::LeaksAnswer, show::ShowAnswer, why::WhyAnswer},
    process::watch::WatchAnswer,
};
use model::Verb;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use std::{env, fs, path::Path};

/// The verbs whose answers have types.
fn verbs() -> Vec<Verb> {
    let verb = |name, question: Schema, answer: Schema| Verb::new(name, &question, &answer);
    vec![
        verb("summary", read::<Summary>(), written::<Answered<SummaryAnswer>>()),
        verb("why", read::<Why>(), written::<Answered<WhyAnswer>>()),
        verb("show", read::<Show>(), written::<Answered<ShowAnswer>>()),
        verb("find", read::<Find>(), written::<Answered<FindAnswer>>()),
        verb("leaks", read::<Leaks>(), written::<Answered<LeaksAnswer>>()),
        verb("diff", read::<Diff>(), written::<Answered<DiffAnswer>>()),
        verb("check", read::<Check>(), written::<Answered<CheckAnswer>>()),
        verb("watch", read::<Watch>(), written::<Answered<WatchAnswer>>()),
    ]
}

/// The schema of what is read.
fn read<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}

/// The schema of what is written: only members that may be left out are optional.
fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

#[test]
fn files_are_current() {
    let verbs = verbs();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![
        ("npm/heapquarry/lib/answers.d.ts".to_string(), typescript::file(&verbs)),
        ("crates/heapquarry-py/python/heapquarry/answers.py".to_string(), python::file(&verbs)),
        ("docs/answers.md".to_string(), markdown::file(&verbs)),
    ];
    files.extend(verbs.iter().flat_map(|verb| {
        [("answer", &verb.answer_schema), ("question", &verb.question_schema)].map(
            |(kind, schema)| {
                (format!("docs/schema/{}.{kind}.json", verb.name), format!("{schema:#}\n"))
            },
        )
    }));
    for (name, expected) in files {
        let path = root.join(&name);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &expected).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == expected,
            "{name} is stale: UPDATE_GOLDEN=1 cargo test --workspace --test generated"
        );
    }
}

/// Each member says what it is.
#[test]
fn members_are_described() {
    for verb in verbs() {
        for record in &verb.records {
            for member in &record.members {
                let what = format!("{}: {}.{}", verb.name, record.name, member.name);
                assert!(!member.doc.is_empty(), "{what}");
            }
        }
    }
}
