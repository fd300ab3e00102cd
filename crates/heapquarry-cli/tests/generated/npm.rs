//! The questions as functions of the npm package, which runs the command: their options are those of the command.

use crate::{
    faces::{NPM, is_lacking},
    model,
};
use clap::{Arg, ArgAction, Command};
use heapquarry_query::VERBS;
use std::fmt::Write;

const HEAD: &str = "// Generated from the definition of the command; do not edit.\n\
                    // UPDATE_GOLDEN=1 cargo test --workspace --test generated\n";

/// Values that can be given as a number, too, by the name of the value.
const NUMBERS_OR_TEXTS: [&str; 3] = ["SIZE", "WHEN", "ID"];

/// A question that the package asks.
struct Question {
    name: String,
    doc: String,
    inputs: Inputs,
    options: Vec<Arg>,
}

/// How inputs are given.
#[derive(PartialEq)]
enum Inputs {
    /// One.
    One,
    /// One, or several as an array.
    Any,
    /// At least two, as an array.
    Several,
}

/// The options of a verb that the package takes.
fn options(verb: &Command) -> impl Iterator<Item = &Arg> {
    let is_one = |arg: &&Arg| {
        let name = arg.get_long().unwrap_or_default();
        !["", "help", "version", "error-format"].contains(&name)
            && !is_lacking(verb.get_name(), name, NPM)
    };
    verb.get_arguments().filter(is_one)
}

fn questions() -> Vec<Question> {
    let command = heapquarry_cli::definition();
    let question = |&name: &&str| {
        let verb = command.find_subcommand(name).expect("a question is a verb");
        let positional: Vec<&Arg> = verb.get_positionals().collect();
        let inputs = match positional[..] {
            [input] if matches!(input.get_action(), ArgAction::Set) => Inputs::One,
            [_] => Inputs::Any,
            _ => Inputs::Several,
        };
        let doc = verb.get_about().map(ToString::to_string).unwrap_or_default();
        Question { name: name.into(), doc, inputs, options: options(verb).cloned().collect() }
    };
    VERBS.iter().map(question).collect()
}

/// The module.
pub(crate) fn module() -> String {
    let mut out = format!("'use strict';\n{HEAD}const {{ ask }} = require('./run.js');\n\n");
    for Question { name, options, .. } in questions() {
        // A flag is on or not given; these are off, too.
        let valued = options.iter().filter(|arg| ty(arg) == "boolean" && !is_flag(arg));
        let valued: Vec<String> = valued.map(|arg| format!("'{}'", name_of(arg))).collect();
        let valued = match &valued[..] {
            [] => String::new(),
            names => format!(", [{}]", names.join(", ")),
        };
        let _ = writeln!(
            out,
            "exports.{name} = (inputs, options) => ask('{name}', inputs, options{valued});"
        );
    }
    out
}

/// The types.
pub(crate) fn types(verbs: &[model::Verb]) -> String {
    let questions = questions();
    let mut out = format!(
        "{HEAD}import type * as Answers from './answers.js';\nimport type {{ RunOptions }} from './index.js';\n"
    );
    let is_common = |arg: &Arg| {
        let has = |question: &Question| question.options.iter().any(|o| o.get_id() == arg.get_id());
        questions.iter().all(has)
    };
    let of_all: Vec<&Arg> = questions[0].options.iter().filter(|arg| is_common(arg)).collect();
    interface(&mut out, "Options of every question.", "WorkOptions", "RunOptions", &of_all);
    for question in &questions {
        let own: Vec<&Arg> = question.options.iter().filter(|arg| !is_common(arg)).collect();
        let name = format!("{}Options", capital(&question.name));
        let doc = format!("Options of `{}`.", question.name);
        interface(&mut out, &doc, &name, "WorkOptions", &own);
    }
    out.push('\n');
    for question in &questions {
        let inputs = match question.inputs {
            Inputs::One => "path: string",
            Inputs::Any => "paths: string | string[]",
            Inputs::Several => "paths: string[]",
        };
        let signature = signature(question, verbs, &format!("{inputs}, "));
        let _ = writeln!(out, "/** {} */\nexport function {signature}", question.doc);
    }
    out.push_str("\n/** The questions about one input. */\nexport interface Questions {\n");
    for question in questions.iter().filter(|question| question.inputs != Inputs::Several) {
        let _ = writeln!(out, "  /** {} */\n  {}", question.doc, signature(question, verbs, ""));
    }
    out.push_str("}\n");
    out
}

/// `summary<T extends …>(path: string, options?: SummaryOptions): Promise<T>;`.
fn signature(question: &Question, verbs: &[model::Verb], inputs: &str) -> String {
    let Question { name, .. } = question;
    let title = capital(name);
    let verb = verbs.iter().find(|verb| verb.name == name).expect("a question has a schema");
    let (generic, answer) = match &verb.roots[..] {
        [root] => (String::new(), format!("Answers.{root}")),
        [first, ..] => {
            let generic = format!("<T extends Answers.{title}Answer = Answers.{first}>");
            (generic, "T".into())
        }
        [] => unreachable!("an answer has a record"),
    };
    format!("{name}{generic}({inputs}options?: {title}Options): Promise<{answer}>;")
}

fn interface(out: &mut String, doc: &str, name: &str, base: &str, options: &[&Arg]) {
    let _ = writeln!(out, "\n/** {doc} */\nexport interface {name} extends {base} {{");
    for arg in options {
        let doc = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(out, "  /** {} */\n  {}?: {};", plain(&doc), name_of(arg), ty(arg));
    }
    out.push_str("}\n");
}

/// Whether it takes no value.
fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Its type in TypeScript.
fn ty(arg: &Arg) -> String {
    let value = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name);
    let words: Vec<String> =
        arg.get_possible_values().iter().map(|value| format!("'{}'", value.get_name())).collect();
    let one = match value {
        _ if is_flag(arg) || value == "BOOL" => "boolean".to_owned(),
        _ if !words.is_empty() => words.join(" | "),
        "N" => "number".into(),
        value if NUMBERS_OR_TEXTS.contains(&value) => "number | string".into(),
        _ => "string".into(),
    };
    match arg.get_action() {
        ArgAction::Append if one.contains('|') => format!("{one} | ({one})[]"),
        ArgAction::Append => format!("{one} | {one}[]"),
        _ => one,
    }
}

/// Help without the ways of a command line: options have the names that they have here. Code stays as it is.
fn plain(help: &str) -> String {
    let help = help.replace("; can be repeated", "").replace('\n', " ");
    let part = |(at, part): (usize, &str)| if at % 2 == 0 { renamed(part) } else { part.into() };
    let parts: Vec<String> = help.split('`').enumerate().map(part).collect();
    // The end of a comment.
    parts.join("`").replace("*/", "*\\/")
}

/// Text with `saveBaseline` in place of `--save-baseline`.
fn renamed(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, from) = rest.split_at(at);
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
        let end = from[2..].find(|c| !is_name(c)).map_or(from.len(), |end| end + 2);
        let _ = write!(out, "{before}{}", camel(&from[2..end]));
        rest = &from[end..];
    }
    out + rest
}

fn name_of(arg: &Arg) -> String {
    camel(arg.get_long().expect("an option has a name"))
}

fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &capital(word))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
