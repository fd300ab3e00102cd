//! Files that are made from the types of questions and answers, and from the definition of the command: JSON Schema,
//! the npm package's questions, the types of the npm and Python packages, and the page of the docs.
//! `UPDATE_GOLDEN=1 cargo test --workspace --test generated` writes them again.

mod faces;
mod markdown;
mod model;
mod npm;
mod options;
mod python;
mod typescript;

use heapquarry_query::VerbSchemas;
use model::Verb;
use std::{env, fs, path::Path};

/// The verbs whose answers have types.
fn verbs() -> Vec<Verb> {
    let verb = |VerbSchemas { verb, question, answer }| Verb::new(verb, &question, &answer);
    heapquarry_query::schemas().into_iter().map(verb).collect()
}

#[test]
fn files_are_current() {
    let verbs = verbs();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![
        ("npm/heapquarry/lib/answers.d.ts".to_string(), typescript::file(&verbs)),
        ("npm/heapquarry/lib/questions.d.ts".to_string(), npm::types(&verbs)),
        ("npm/heapquarry/lib/questions.js".to_string(), npm::module()),
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

/// Arguments that are put together from several structs have the help of the question.
#[test]
fn the_help_of_a_verb_is_that_of_its_question() {
    let command = heapquarry_cli::definition();
    for VerbSchemas { verb, question, .. } in heapquarry_query::schemas() {
        let command = command.find_subcommand(verb).expect("a question is a verb");
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let says = question.as_value()["description"].as_str().unwrap_or_default();
        let says = says.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        assert_eq!(about, says, "{verb}");
    }
}
