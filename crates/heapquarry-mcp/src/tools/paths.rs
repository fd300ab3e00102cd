//! What keeps objects alive, as `inspect` tells it.

use super::{bytes, count, name};
use crate::answer::Page;
use heapquarry::report::printable::cut;
use heapquarry_query::{
    answer::{Bytes, List, NodeId},
    heap::why::{ObjectPaths, PathGroup, PathStep, WhyAnswer},
};
use schemars::JsonSchema;
use serde::Serialize;

/// What keeps objects alive.
#[derive(Serialize, JsonSchema)]
pub(super) struct Paths {
    /// Objects of a class by the path to them
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<List<PathGroup>>,
    /// The object, or the first of each of the first groups
    held: Vec<Held>,
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
    /// What has the first reference to it.
    #[serde(skip)]
    holder: Option<NodeId>,
}

/// Columns of a name within a step of a path: the id behind it must not be cut.
const NAME: usize = 40;

impl Paths {
    /// Names of the lists that go on.
    pub(super) const LISTS: [&str; 2] = ["groups", "held"];

    /// What a page shows of an answer.
    pub(super) fn new(answer: WhyAnswer, page: &Page) -> Self {
        let mut groups = answer.groups;
        if let Some(list) = &mut groups {
            let offset = page.offset_of("groups").min(list.rows.len());
            list.rows.drain(..offset);
            list.rows.truncate(page.rows);
            list.offset = offset as u64;
        }
        Paths { groups, held: answer.objects.into_iter().map(held).collect() }
    }

    /// In words.
    pub(super) fn told(&self) -> String {
        let Some(first) = self.held.first() else {
            return "nothing is known of what holds them".into();
        };
        let class = name(&first.class_name);
        let way = match first.way.is_empty() {
            true => "nothing is known to hold it".into(),
            false => format!("held by {}", name(&first.way)),
        };
        match &self.groups {
            None => {
                format!("{class} @{} retains {}; {way}", first.id.0, bytes(first.retained_size.0))
            }
            Some(groups) => {
                let s = if groups.total == 1 { "" } else { "s" };
                let (paths, objects) = (count(groups.total), count(first.count));
                format!("{paths} path{s}; first {objects} {class}, {way}")
            }
        }
    }

    /// The object to look at next: what holds the object, or the first of a class.
    pub(super) fn next(&self) -> Option<NodeId> {
        let first = self.held.first()?;
        if self.groups.is_some() { Some(first.id) } else { first.holder }
    }
}

fn held(of: ObjectPaths) -> Held {
    let object = of.object;
    let nearest = of.paths.first().and_then(|path| path.steps.first());
    Held {
        way: object.held_by(),
        id: object.id,
        class_name: object.class_name,
        name: object.name,
        count: object.count,
        shallow_size: object.shallow_size,
        retained_size: object.retained_size,
        retainer_count: object.retainer_count,
        holder: nearest.map(|step| step.id),
        paths: of.paths.iter().map(|path| path.steps.iter().map(step).collect()).collect(),
    }
}

/// A reference and the object that has it: `sessions of SessionStore @51709`.
fn step(step: &PathStep) -> String {
    let name = if step.name.is_empty() { &step.class_name } else { &step.name };
    format!("{} of {} @{}", cut(&step.edge, NAME), cut(name, NAME), step.id.0)
}
