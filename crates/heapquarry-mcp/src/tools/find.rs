//! Objects, functions and slices by what is known of them.

use super::{Ask, Context, args, bytes, caveats, count, name, next, only, with_input};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::RunOptions;
use heapquarry_query::{Find, FindAnswer, Question};
use serde_json::json;

args! {
    /// What is looked for. All that is given must fit.
    struct FindArgs {
        /// Name or class; * matches any text
        #[serde(default)]
        name: Option<String>,
        /// Part of a string, or of a name of a function or slice
        #[serde(default)]
        text: Option<String>,
        /// Like text: a regular expression
        #[serde(default)]
        regex: Option<String>,
        /// Class of objects
        #[serde(default)]
        class: Option<String>,
        /// Bytes retained at least
        #[serde(default)]
        min_size: Option<u64>,
        /// Only objects that this earlier snapshot lacks
        #[serde(default)]
        new_since: Option<String>,
        /// Texts of strings, each once
        #[serde(default)]
        strings: bool,
    }
}

pub(crate) struct FindBy;

impl Ask for FindBy {
    const NAME: &'static str = "find";
    const WHAT: &'static str = "Objects or strings of a heap, functions of a profile, slices of a trace, the largest \
                                first; of objects the path that holds them, and the owner.";
    type Args = FindArgs;
    type Answer = FindAnswer;

    fn ask(
        args: &FindArgs,
        page: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let base =
            args.new_since.as_deref().map(|base| context.sessions.source(base)).transpose()?;
        let find = Find::default()
            .name(args.name.clone().into_iter().collect::<Vec<_>>())
            .text(args.text.clone())
            .regex(args.regex.clone())
            .class(args.class.clone().into_iter().collect::<Vec<_>>())
            .min_size(args.min_size)
            .new_since(base)
            .strings(args.strings)
            .offset(page.offset)
            .top(page.rows);
        let opened = only(&args.input, context, run)?;
        let answered = find.ask(&opened.session)?;
        let (summary, id) = told(&answered.answer);
        let call = id
            .map(|id| next("inspect", with_input(&args.input, json!({ "id": format!("@{id}") }))));
        Ok(Found {
            summary,
            caveats: caveats(opened.has_changed, &answered.caveats),
            members: Found::members(&answered.answer)?,
            next: call.into_iter().collect(),
        })
    }
}

/// How much was found, and the first of it, with its id in a heap.
fn told(answer: &FindAnswer) -> (String, Option<i64>) {
    let held = |way: &str| match way.is_empty() {
        true => String::new(),
        false => format!(", held by {}", name(way)),
    };
    match answer {
        FindAnswer::Objects(found) => {
            let first = found.objects.rows.first();
            let all = number(found.objects.total, "object");
            let most = first.map_or(String::new(), |row| {
                let object = &row.object.target;
                let class = name(object.class_name.as_deref().unwrap_or(&object.value));
                let id = object.id.map_or(String::new(), |id| format!(" @{}", id.0));
                let size = object.retained_size;
                let size = size.map_or(String::new(), |size| format!(" retains {}", bytes(size.0)));
                format!("; first: {class}{id}{size}{}", held(&row.way))
            });
            let size = bytes(found.shallow_size.0);
            let id = first.and_then(|row| row.object.target.id);
            (format!("{all} of {size}{most}"), id.map(|id| id.0))
        }
        FindAnswer::Strings(found) => {
            let first = found.strings.rows.first();
            let all = number(found.strings.total, "text");
            let most = first.map_or(String::new(), |row| {
                let (text, copies) = (name(&row.string), number(row.count, "string"));
                format!("; first: {text}, {copies}{}", held(&row.way))
            });
            let size = bytes(found.shallow_size.0);
            (format!("{all} of {size}{most}"), first.map(|row| row.id.0))
        }
        FindAnswer::Functions(found) => {
            let first = found.functions.rows.first().map(|row| name(&row.function_name));
            let first = first.map_or(String::new(), |first| format!("; first: {first}"));
            let all = number(found.functions.total, "function");
            (format!("{all}, values in {}{first}", found.unit), None)
        }
        FindAnswer::Slices(found) => {
            let first = found.slices.rows.first().and_then(|row| row.name.as_deref());
            let first = first.map(name).map_or(String::new(), |first| format!("; first: {first}"));
            (format!("{}{first}", number(found.slices.total, "name of slices")), None)
        }
    }
}

/// A number of things.
fn number(of: u64, what: &str) -> String {
    match (of, what.split_once(' ')) {
        (1, _) => format!("1 {what}"),
        (_, None) => format!("{} {what}s", count(of)),
        (_, Some((what, rest))) => format!("{} {what}s {rest}", count(of)),
    }
}
