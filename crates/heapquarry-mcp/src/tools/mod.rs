//! What can be asked: the tools in their order. Each says what it takes, what it answers with, and finds that.

mod arguments;
mod compare;
mod find;
mod inspect;
mod leaks;
mod open;
mod parts;
mod paths;
mod query;
mod top;

use crate::{
    Answer, Failure, Sql,
    answer::{Found, Page, output_schema},
    fit::fit,
    remarks::Remarks,
    sessions::{Opened, Sessions},
};
use heapquarry::{RunOptions, Source};
use heapquarry_query::answer::Caveat;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What tools ask.
pub(crate) struct Context {
    pub(crate) sessions: Sessions,
    pub(crate) sql: Arc<dyn Sql>,
    /// Whether processes may be captured.
    pub(crate) captures: bool,
}

/// Members that depend on what the input is, or on what was asked for: docs/answers.md has them. A schema with all of
/// them would be as long as those of all other tools.
#[derive(JsonSchema)]
pub(crate) struct Varied {}

/// A tool: what it is called, what it is for, and how it answers.
pub(crate) trait Ask {
    const NAME: &'static str;
    /// For a model, which chooses by it.
    const WHAT: &'static str;
    /// Whether it can capture processes, which writes files.
    const CAPTURES: bool = false;
    /// Whether its answers have several lists, which share the room for rows until one of them is asked for.
    const IS_OVERVIEW: bool = false;
    type Args: Asked + DeserializeOwned + JsonSchema;
    /// The members of its answer.
    type Answer: JsonSchema;

    /// Everything that is to be said, of which `page` tells what will be shown.
    fn ask(
        args: &Self::Args,
        page: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure>;
}

/// What all tools take.
pub(crate) trait Asked {
    fn input(&self) -> &[String];
    fn page(&self) -> Result<Page, Failure>;
}

/// Declares the arguments of a tool: those of all tools, and some of its own.
macro_rules! args {
    ($(#[doc = $doc:literal])+ struct $name:ident {
        $($(#[$meta:meta])+ $field:ident: $ty:ty,)*
    }) => {
        $(#[doc = $doc])+
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// Files; `#N` selects a document
            #[serde(deserialize_with = "crate::tools::one_or_several")]
            input: Vec<String>,
            $($(#[$meta])+ $field: $ty,)*
            /// One of `more`
            #[serde(default)]
            cursor: Option<String>,
            /// Answer size (2000)
            #[serde(default)]
            max_tokens: Option<u64>,
        }

        impl crate::tools::Asked for $name {
            fn input(&self) -> &[String] {
                &self.input
            }

            fn page(&self) -> Result<crate::answer::Page, crate::Failure> {
                crate::answer::Page::new(self.cursor.as_deref(), self.max_tokens)
            }
        }
    };
}
pub(crate) use args;

/// A tool: what it is called, what it is for, and what it takes and answers with.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it is for; a model chooses by it.
    pub what: &'static str,
    /// JSON Schema of its arguments.
    pub input: Map<String, Value>,
    /// JSON Schema of its answer: the members and their types.
    pub output: Map<String, Value>,
    /// Whether it writes no file.
    pub is_read_only: bool,
    pub(crate) call: fn(Value, &Context, &RunOptions) -> Result<Answer, Failure>,
}

/// All tools, in the order in which clients see them. `captures` tells whether processes may be captured.
pub(crate) fn all(captures: bool) -> Vec<Tool> {
    vec![
        tool::<open::Open>(captures),
        tool::<leaks::LeaksOf>(captures),
        tool::<compare::Compare>(captures),
        tool::<find::FindBy>(captures),
        tool::<inspect::Inspect>(captures),
        tool::<top::Top>(captures),
        tool::<query::Query>(captures),
    ]
}

fn tool<A: Ask>(captures: bool) -> Tool {
    Tool {
        is_read_only: !(A::CAPTURES && captures),
        name: A::NAME,
        what: A::WHAT,
        input: input_schema::<A::Args>(),
        output: output_schema::<A::Answer>(),
        call: call::<A>,
    }
}

fn call<A: Ask>(args: Value, context: &Context, run: &RunOptions) -> Result<Answer, Failure> {
    let args: A::Args = serde_json::from_value(args)
        .map_err(|error| Failure::new(format!("arguments of {}: {error}", A::NAME)))?;
    if args.input().is_empty() {
        return Err(Failure::new("input is empty: name a file"));
    }
    let mut page = args.page()?;
    if A::IS_OVERVIEW && page.list.is_none() {
        page.rows = page.rows.div_ceil(2);
    }
    let remarks = Arc::new(Remarks::of(run.progress.clone()));
    let run = run.clone().progress(remarks.clone());
    let mut found = A::ask(&args, &page, context, &run)?;
    found.caveats.extend(remarks.said());
    fit(found, args.input().to_vec(), &page)
}

/// The schema of arguments, without what says nothing to a model.
fn input_schema<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(root) = schema.as_object_mut() {
        // Arguments that are unknown are refused in words.
        for key in ["$schema", "title", "description", "additionalProperties"] {
            root.remove(key);
        }
    }
    strip(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Leaves out that something may be `null`, its default and its width in bits.
fn strip(schema: &mut Value) {
    let Value::Object(members) = schema else {
        if let Value::Array(parts) = schema {
            parts.iter_mut().for_each(strip);
        }
        return;
    };
    // Names of properties are no keywords.
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.values_mut().for_each(strip);
    }
    for key in ["format", "minimum", "maximum", "default"] {
        members.remove(key);
    }
    if let Some(Value::Array(types)) = members.get("type") {
        let types: Vec<Value> = types.iter().filter(|ty| *ty != "null").cloned().collect();
        if let [ty] = &types[..] {
            members.insert("type".into(), ty.clone());
        }
    }
    for (name, member) in members.iter_mut().filter(|(name, _)| *name != "properties") {
        if name != "enum" && name != "required" {
            strip(member);
        }
    }
}

/// Several texts; models give one as it is.
pub(crate) fn one_or_several<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Texts::deserialize(from)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    })
}

/// An id of a heap: `@123`, or a number.
pub(crate) fn id<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Number(i64),
        Text(String),
        None,
    }
    match Id::deserialize(from)? {
        Id::Number(id) => Ok(Some(id)),
        Id::None => Ok(None),
        Id::Text(text) => {
            let id = text.trim().trim_start_matches('@').parse().ok();
            let wrong = || serde::de::Error::custom(format!("{text:?} is no id such as @123"));
            id.map(Some).ok_or_else(wrong)
        }
    }
}

/// The only input of a question, in memory.
pub(crate) fn only(
    input: &[String],
    context: &Context,
    run: &RunOptions,
) -> Result<Opened, Failure> {
    match input {
        [input] => context.sessions.open(input, run),
        _ => Err(Failure::new("this tool is about one input: name one of them")),
    }
}

/// The class that is asked for, if there is no id.
///
/// # Errors
/// If there are both, or neither.
pub(crate) fn class_unless_id(
    id: Option<i64>,
    class: Option<&String>,
) -> Result<Vec<String>, Failure> {
    match id.is_some() == class.is_some() {
        true => Err(Failure::new("name either an id or a class")),
        false => Ok(class.cloned().into_iter().collect()),
    }
}

/// The inputs of a question, unread, and whether one has changed since it was asked about.
pub(crate) fn sources(input: &[String], context: &Context) -> Result<(Vec<Source>, bool), Failure> {
    let looked = input.iter().map(|input| context.sessions.look(input));
    let (sources, changed): (_, Vec<bool>) =
        looked.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    Ok((sources, changed.contains(&true)))
}

/// Caveats in words, and whether an input is another one than before.
pub(crate) fn caveats(has_changed: bool, caveats: &[Caveat]) -> Vec<String> {
    let changed = "the input has changed since it was asked about, and was read again: ids and numbers of earlier \
                   answers may be wrong";
    let changed = has_changed.then(|| changed.to_string());
    changed.into_iter().chain(caveats.iter().map(ToString::to_string)).collect()
}

/// A call as a model makes it: the tool and its arguments.
pub(crate) fn next(tool: &str, args: Value) -> String {
    format!("{tool} {args}")
}

/// A name of an input within a sentence.
pub(crate) fn name(text: &str) -> String {
    // Nothing ends the quotation but its end.
    let text = heapquarry::report::printable(text).replace('`', "'");
    format!("`{}`", heapquarry::report::printable::cut(&text, 60))
}

/// Bytes for people.
pub(crate) fn bytes(bytes: u64) -> String {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    heapquarry::report::Unit::Bytes.format(bytes).to_string()
}

/// A count for people.
pub(crate) fn count(count: u64) -> String {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    heapquarry::report::Unit::Count.format(count).to_string()
}

/// `{"input": […]}` with further arguments.
pub(crate) fn with_input(input: &[String], more: Value) -> Value {
    let mut args = json!({ "input": input });
    if let (Some(args), Value::Object(more)) = (args.as_object_mut(), more) {
        args.extend(more);
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a model reads before it asks anything.
    #[test]
    fn descriptions_and_schemas_are_small() {
        let tools = all(false);
        let listed = tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.what,
                "inputSchema": tool.input,
                "outputSchema": tool.output,
                "annotations": { "readOnlyHint": true, "openWorldHint": false },
            })
        });
        let text = Value::Array(listed.collect()).to_string();
        assert!(tools.len() <= 7 && text.len() <= 8000, "{} bytes: {text}", text.len());
        for Tool { name, input, output, .. } in &tools {
            let schemas = format!("{} {}", json!(input), json!(output));
            // Some clients read no references and no alternatives.
            for word in ["$ref", "anyOf", "oneOf", "null", "$schema"] {
                assert!(!schemas.contains(word), "{name}: {word}: {schemas}");
            }
            assert!(input["required"].as_array().unwrap().contains(&json!("input")), "{name}");
            for (argument, property) in input["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{name}: {argument}");
            }
        }
    }

    #[test]
    fn arguments_are_read_as_models_write_them() {
        #[derive(Deserialize, Debug)]
        struct Args {
            #[serde(deserialize_with = "one_or_several")]
            input: Vec<String>,
            #[serde(default, deserialize_with = "id")]
            id: Option<i64>,
        }
        for (args, expected) in [
            (json!({ "input": ["a", "b"], "id": "@12" }), Some((2, Some(12)))),
            (json!({ "input": "a", "id": 12 }), Some((1, Some(12)))),
            (json!({ "input": "a", "id": "12" }), Some((1, Some(12)))),
            (json!({ "input": "a", "id": null }), Some((1, None))),
            (json!({ "input": "a" }), Some((1, None))),
            (json!({ "input": "a", "id": "x" }), None),
            (json!({ "input": 1 }), None),
        ] {
            let found = serde_json::from_value::<Args>(args.clone()).ok();
            assert_eq!(found.map(|found| (found.input.len(), found.id)), expected, "{args}");
        }
    }

    #[test]
    fn a_name_does_not_leave_its_quotation() {
        assert_eq!(name("a`b\u{202e}"), "`a'b\\u{202e}`");
        assert_eq!(name(&"x".repeat(100)).chars().count(), 62);
    }
}
