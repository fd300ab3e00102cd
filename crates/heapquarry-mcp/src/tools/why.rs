//! What keeps objects alive.

use super::{
    Ask, Context, args, bytes, caveats, class_unless_id, count, id, name, next, only, with_input,
};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::{RunOptions, report::printable::cut};
use heapquarry_query::{
    Question, Why,
    answer::{Bytes, List, NodeId},
    heap::why::{ObjectPaths, PathGroup, PathStep},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

args! {
    /// Objects of one heap.
    struct WhyArgs {
        /// An object: @123
        #[serde(default, deserialize_with = "id")]
        #[schemars(with = "Option<String>")]
        id: Option<i64>,
        /// Or objects of a class; * matches any text
        #[serde(default)]
        class: Option<String>,
        /// Only those that this earlier snapshot does not have
        #[serde(default)]
        new_since: Option<String>,
    }
}

/// What keeps objects alive.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WhyFound {
    /// Objects of a class by the path to them
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<List<PathGroup>>,
    /// The object, or the first of each of the first groups
    objects: Vec<Held>,
}

/// An object and what holds it.
#[derive(Serialize, JsonSchema)]
struct Held {
    id: NodeId,
    class_name: String,
    name: String,
    count: u64,
    way: String,
    shallow_size: Bytes,
    retained_size: Bytes,
    retainer_count: u64,
    /// From the object up to a root.
    paths: Vec<Vec<String>>,
}

/// Columns of a name within a step of a path: the id behind it must not be cut.
const NAME: usize = 40;

pub(crate) struct WhyHeld;

impl Ask for WhyHeld {
    const NAME: &'static str = "why";
    const WHAT: &'static str = "Why objects of a heap are alive: the paths of references from a root, as a program would \
                                write them. Objects of a class are grouped by path.";
    type Args = WhyArgs;
    type Answer = WhyFound;

    fn ask(
        args: &WhyArgs,
        page: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let class = class_unless_id(args.id, args.class.as_ref())?;
        let base =
            args.new_since.as_deref().map(|base| context.sessions.source(base)).transpose()?;
        let opened = only(&args.input, context, run)?;
        let why = Why::default().node(args.id).class(class).new_since(base);
        let answered = why.ask(&opened.session)?;
        let (caveats, answer) = (caveats(opened.has_changed, &answered.caveats), answered.answer);
        let mut groups = answer.groups;
        if let Some(list) = &mut groups {
            let offset = page.offset_of("groups").min(list.rows.len());
            list.rows.drain(..offset);
            list.rows.truncate(page.rows);
            list.offset = offset as u64;
        }
        let summary = summary(groups.as_ref(), &answer.objects);
        let mut calls = Vec::new();
        if let Some(object) = answer.objects.first() {
            let id = format!("@{}", object.object.id.0);
            calls.push(next("inspect", with_input(&args.input, json!({ "id": id }))));
        }
        let answer = WhyFound { groups, objects: answer.objects.into_iter().map(held).collect() };
        Ok(Found { summary, caveats, members: Found::members(&answer)?, next: calls })
    }
}

fn summary(groups: Option<&List<PathGroup>>, objects: &[ObjectPaths]) -> String {
    let Some(first) = objects.first().map(|object| &object.object) else {
        return "nothing is known of what holds them".into();
    };
    let (class, way) = (name(&first.class_name), name(&first.way));
    let held = match first.way.is_empty() {
        true => "nothing is known to hold it".into(),
        false => format!("held by {way}"),
    };
    match groups {
        None => format!("{class} @{} retains {}; {held}", first.id.0, bytes(first.retained_size.0)),
        Some(groups) => {
            let s = if groups.total == 1 { "" } else { "s" };
            let (paths, objects) = (count(groups.total), count(first.count));
            format!("{paths} path{s}; first {objects} {class}, {held}")
        }
    }
}

fn held(of: ObjectPaths) -> Held {
    let object = of.object;
    Held {
        id: object.id,
        class_name: object.class_name,
        name: object.name,
        count: object.count,
        way: object.way,
        shallow_size: object.shallow_size,
        retained_size: object.retained_size,
        retainer_count: object.retainer_count,
        paths: of.paths.iter().map(|path| path.steps.iter().map(step).collect()).collect(),
    }
}

/// A reference and the object that has it: `sessions of SessionStore @51709`.
fn step(step: &PathStep) -> String {
    let name = if step.name.is_empty() { &step.class_name } else { &step.name };
    format!("{} of {} @{}", cut(&step.edge, NAME), cut(name, NAME), step.id.0)
}
