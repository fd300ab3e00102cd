//! A JSON Schema as records and their members: what is common to the languages that types are written in.

use schemars::Schema;
use serde_json::{Map, Value};

/// A verb with the records of its answer.
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    pub(crate) question_schema: Value,
    pub(crate) answer_schema: Value,
    /// The options of the question.
    pub(crate) options: Record,
    /// The records of the answer: first the answer itself, or its variants.
    pub(crate) records: Vec<Record>,
    /// Names of the records that the answer can be.
    pub(crate) roots: Vec<String>,
}

/// A record: an object of JSON.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) members: Vec<Member>,
}

/// A member of a record.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) unit: Option<String>,
    pub(crate) ty: Type,
    /// Whether it may be missing.
    pub(crate) optional: bool,
}

/// A type of a member.
#[derive(Clone, PartialEq)]
pub(crate) enum Type {
    Text,
    Integer,
    Number,
    Bool,
    Any,
    /// One of these texts.
    Words(Vec<String>),
    Record(String),
    Array(Box<Type>),
    /// `null`, too.
    Nullable(Box<Type>),
    OneOf(Vec<Type>),
}

impl Verb {
    pub(crate) fn new(name: &'static str, question: &Schema, answer: &Schema) -> Self {
        let (question, answer) = (question.as_value().clone(), answer.as_value().clone());
        let title: String = [name[..1].to_uppercase(), name[1..].into()].concat();
        let options = record(&title, as_object(&question), &question);
        let root = as_object(&answer);
        let mut records = Vec::new();
        let common = record(&format!("{title}Answer"), root, &answer);
        // Variants have the members of the envelope, too.
        let variants = root.get("oneOf").and_then(Value::as_array);
        let mut roots = Vec::new();
        for variant in variants.into_iter().flatten().map(as_object) {
            let tag = members(variant, &answer).into_iter().find_map(|member| match member.ty {
                Type::Words(words) if words.len() == 1 => Some(words[0].clone()),
                _ => None,
            });
            let tag = tag.expect("a variant has a tag");
            let name =
                format!("{}{title}Answer", [tag[..1].to_uppercase(), tag[1..].into()].concat());
            let mut all = common.members.clone();
            all.extend(members(variant, &answer));
            let refers = variant.get("$ref").and_then(Value::as_str).map(reference);
            if let Some(name) = refers {
                all.extend(members(as_object(&answer["$defs"][name]), &answer));
            }
            roots.push(name.clone());
            records.push(Record { name, doc: text(variant, "description"), members: all });
        }
        if roots.is_empty() {
            roots.push(common.name.clone());
            records.push(common);
        }
        // Those that members refer to, in the order in which they are met.
        let mut at = 0;
        while at < records.len() {
            let members = records[at].members.clone();
            for name in members.iter().flat_map(|member| member.ty.records()) {
                let schema = as_object(&answer["$defs"][&name]);
                let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
                if is_object && records.iter().all(|record| record.name != name) {
                    records.push(record(&name, schema, &answer));
                }
            }
            at += 1;
        }
        Verb { name, question_schema: question, answer_schema: answer, options, records, roots }
    }
}

impl Type {
    /// The records that it is made of.
    fn records(&self) -> Vec<String> {
        match self {
            Type::Record(name) => vec![name.clone()],
            Type::Array(of) | Type::Nullable(of) => of.records(),
            Type::OneOf(all) => all.iter().flat_map(Type::records).collect(),
            Type::Text | Type::Integer | Type::Number | Type::Bool | Type::Any | Type::Words(_) => {
                Vec::new()
            }
        }
    }
}

fn as_object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("a schema is an object")
}

fn text(schema: &Map<String, Value>, key: &str) -> String {
    schema
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .replace("\n\n", ". ")
        .replace('\n', " ")
}

fn reference(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn record(name: &str, schema: &Map<String, Value>, all: &Value) -> Record {
    Record { name: name.into(), doc: text(schema, "description"), members: members(schema, all) }
}

/// The members of an object; `all` is the whole schema, whose definitions they refer to.
fn members(schema: &Map<String, Value>, all: &Value) -> Vec<Member> {
    let required: Vec<&str> = match schema.get("required").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let member = |(name, schema): (&String, &Value)| {
        let text = |key| schema.as_object().map(|schema| text(schema, key)).unwrap_or_default();
        let ty = ty(schema, all);
        // The tag of a variant has no text of its own.
        let doc = match &ty {
            Type::Words(words) if words.len() == 1 => format!("Always `{}`.", words[0]),
            _ => text("description"),
        };
        let optional = !required.contains(&name.as_str());
        let unit = Some(text("unit")).filter(|unit| !unit.is_empty());
        Member { name: name.clone(), doc, unit, ty, optional }
    };
    properties.into_iter().flatten().map(member).collect()
}

fn ty(schema: &Value, all: &Value) -> Type {
    let Some(schema) = schema.as_object() else { return Type::Any };
    if let Some(path) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference(path);
        let definition = &all["$defs"][name];
        // Words, and what is one of several types, have no name in other languages.
        let is_object = definition.get("type").and_then(Value::as_str) == Some("object");
        return if is_object { Type::Record(name.into()) } else { ty(definition, all) };
    }
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        return Type::Words(vec![word.into()]);
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words = words.iter().filter_map(Value::as_str).map(String::from);
        return Type::Words(words.collect());
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(types) = schema.get(key).and_then(Value::as_array) {
            let found = types.iter().map(|schema| ty(schema, all)).collect();
            return one_of(found, types.iter().any(is_null));
        }
    }
    match schema.get("type") {
        Some(Value::String(name)) => simple(name, schema, all),
        Some(Value::Array(names)) => {
            let names = || names.iter().filter_map(Value::as_str);
            let types =
                names().filter(|name| *name != "null").map(|name| simple(name, schema, all));
            one_of(types.collect(), names().any(|name| name == "null"))
        }
        _ => Type::Any,
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn one_of(types: Vec<Type>, is_nullable: bool) -> Type {
    let mut kept: Vec<Type> = Vec::new();
    for ty in types.into_iter().filter(|ty| *ty != Type::Any) {
        match (ty, kept.last_mut()) {
            // A list of words, each with a text of its own.
            (Type::Words(more), Some(Type::Words(words))) => words.extend(more),
            (ty, _) => kept.push(ty),
        }
    }
    let ty = match kept.len() {
        1 => kept.remove(0),
        _ => Type::OneOf(kept),
    };
    if is_nullable { Type::Nullable(Box::new(ty)) } else { ty }
}

fn simple(name: &str, schema: &Map<String, Value>, all: &Value) -> Type {
    match name {
        "string" => Type::Text,
        "integer" => Type::Integer,
        "number" => Type::Number,
        "boolean" => Type::Bool,
        "array" => {
            Type::Array(Box::new(schema.get("items").map_or(Type::Any, |items| ty(items, all))))
        }
        _ => Type::Any,
    }
}
