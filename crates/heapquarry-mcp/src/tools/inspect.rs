//! What an object or a class is: what is in it, and what holds it. What a function or a slice is.

use super::{
    Ask, Context, args, bytes, caveats, class_unless_id, count, id, name, next, only, parts::Part,
    paths::Paths, with_input,
};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::RunOptions;
use heapquarry_query::{Question, Show, Why, heap::show::ShowAnswer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

args! {
    /// An object or a class of a heap, a function of a profile, a slice of a trace.
    struct InspectArgs {
        /// An object: @123
        #[serde(default, deserialize_with = "id")]
        #[schemars(with = "Option<String>")]
        id: Option<i64>,
        /// Or a class; * matches any text
        #[serde(default)]
        class: Option<String>,
        /// Or a function of a profile, a slice of a trace
        #[serde(default)]
        name: Option<String>,
        /// Only what holds objects that this earlier snapshot lacks
        #[serde(default)]
        new_since: Option<String>,
    }
}

/// What it is.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Inspected {
    #[serde(flatten)]
    shown: Option<ShowAnswer>,
    #[serde(flatten)]
    paths: Option<Paths>,
    #[serde(flatten)]
    #[schemars(skip)]
    part: Option<Part>,
}

pub(crate) struct Inspect;

impl Ask for Inspect {
    const NAME: &'static str = "inspect";
    const WHAT: &'static str = "An object of a heap: the paths that keep it alive (held), what else holds it (retainers); \
                                its fields, elements, entries, captured variables; what it alone holds (dominated); where \
                                it was made. Of a class: its objects, by path, and their fields. A function: callers and \
                                callees. A slice: its arguments, what is around and in it. Absent lists are empty.";
    const IS_OVERVIEW: bool = true;
    type Args = InspectArgs;
    type Answer = Inspected;

    fn ask(
        args: &InspectArgs,
        page: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        if let Some(text) = &args.name {
            return of_part(text, args, page, context, run);
        }
        let class = class_unless_id(args.id, args.class.as_ref())?;
        let base =
            args.new_since.as_deref().map(|base| context.sessions.source(base)).transpose()?;
        // The rest of a list is asked for alone. Content is that of all objects, also of those that are not new.
        let is_of_paths = page.list.as_deref().map(|list| Paths::LISTS.contains(&list));
        let (with_paths, with_content) =
            (is_of_paths != Some(false), is_of_paths != Some(true) && base.is_none());
        let opened = only(&args.input, context, run)?;
        let shown = with_content.then(|| {
            let show = Show::default().node(args.id).class(class.clone());
            show.offset(page.offset).top(page.rows).ask(&opened.session)
        });
        let why = with_paths.then(|| {
            let why = Why::default().node(args.id).class(class.clone()).new_since(base.clone());
            why.ask(&opened.session)
        });
        let (shown, why) = (shown.transpose()?, why.transpose()?);
        let mut known = shown.as_ref().map_or(Vec::new(), |shown| shown.caveats.clone());
        for caveat in why.iter().flat_map(|why| &why.caveats) {
            if !known.contains(caveat) {
                known.push(caveat.clone());
            }
        }
        let paths = why.map(|why| Paths::new(why.answer, page));
        let shown = shown.map(|shown| shown.answer);
        let summary = summary(args, shown.as_ref(), paths.as_ref());
        let id = paths.as_ref().and_then(Paths::next).map(|id| format!("@{}", id.0));
        let call = id.map(|id| next("inspect", with_input(&args.input, json!({ "id": id }))));
        Ok(Found {
            summary,
            caveats: caveats(opened.has_changed, &known),
            members: Found::members(&Inspected { shown, paths, part: None })?,
            next: call.into_iter().collect(),
        })
    }
}

/// The function or slice of a name.
fn of_part(
    text: &str,
    args: &InspectArgs,
    page: &Page,
    context: &Context,
    run: &RunOptions,
) -> Result<Found, Failure> {
    if args.id.is_some() || args.class.is_some() || args.new_since.is_some() {
        return Err(Failure::new(
            "a name is that of a function or slice: ids and classes are of heaps",
        ));
    }
    let opened = only(&args.input, context, run)?;
    let (part, known) = Part::named(text, page, &opened.session)?;
    let summary = part.told();
    let found = Inspected { part: Some(part), ..Inspected::default() };
    Ok(Found {
        summary,
        caveats: caveats(opened.has_changed, &known),
        members: Found::members(&found)?,
        next: Vec::new(),
    })
}

fn summary(args: &InspectArgs, shown: Option<&ShowAnswer>, paths: Option<&Paths>) -> String {
    let held = paths.map(Paths::told);
    let shown = shown.and_then(|shown| match shown {
        // Paths begin with the same words.
        ShowAnswer::Object(_) if held.is_some() => None,
        ShowAnswer::Object(shown) => {
            let object = &shown.object;
            let size = bytes(object.retained_size.0);
            Some(format!("{} @{} retains {size}", name(&object.class_name), object.id.0))
        }
        ShowAnswer::Class(shown) => {
            let class = name(args.class.as_deref().unwrap_or_default());
            let (number, size) = (count(shown.class.count), bytes(shown.class.retained_size.0));
            Some(format!("{number} objects of {class} retain {size}"))
        }
    });
    shown.into_iter().chain(held).collect::<Vec<_>>().join("; ")
}
