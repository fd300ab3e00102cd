//! Assembles a profile from its parts.

use crate::{
    Distinct, Function, HashMap, Kind, Measure, Member, NO, Profile,
    part::{Frame, Id, Nodes, Part, Stack, Values},
};
use heapquarry_base::Order;
use std::{ops::Range, sync::Arc};

/// Assembles a profile. Parts of a table arrive in the order of its rows, tables in any order.
#[derive(Debug, Default)]
pub struct Assembly {
    profile: Profile,
    functions: Distinct,
    /// Documents, with their nodes.
    documents: Vec<(i32, Range<u32>)>,
    names: HashMap<i32, String>,
    ids: HashMap<(i32, i64), u32>,
    /// By part: together they may be most of the memory, which is not copied.
    samples: Vec<Vec<((i32, i64), i64)>>,
    stacks: Vec<Stack>,
    frames: HashMap<Id, Frame>,
    resources: HashMap<Id, Arc<str>>,
    /// Types of values by position, and the values of nodes.
    types: Vec<(i32, String, String)>,
    default: Option<i32>,
    values: Vec<Values>,
}

impl Assembly {
    /// Of a profile of this kind.
    pub fn new(kind: Kind) -> Self {
        Assembly { profile: Profile { kind, ..Profile::default() }, ..Assembly::default() }
    }

    /// Adds a part.
    pub fn add(&mut self, part: Part) {
        match part {
            Part::Whole { samples, whole, span, names, gaps } => {
                self.names.extend(names);
                let profile = &mut self.profile;
                profile.gaps.join(gaps);
                profile.sample_count += u64::try_from(samples).unwrap_or(0);
                profile.whole = profile.whole.saturating_add(whole);
                profile.span = match (profile.span, span) {
                    (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                    (a, b) => a.or(b),
                };
            }
            Part::Nodes(nodes) => self.add_nodes(nodes),
            Part::Samples(samples) => self.samples.push(samples),
            Part::Stacks(stacks) => self.stacks.extend(stacks),
            Part::Frames(frames) => self.frames.extend(frames),
            Part::Resources(resources) => self.resources.extend(resources),
            Part::Default { whole, value } => {
                self.default = value;
                self.add(*whole);
            }
            Part::Types(types) => self.types.extend(types),
            Part::Values(values) => self.values.extend(values),
        }
    }

    fn add_nodes(&mut self, nodes: Nodes) {
        let functions = nodes.functions.into_iter();
        let numbers: Vec<u32> = functions.map(|one| self.functions.number(one)).collect();
        let profile = &mut self.profile;
        let first = profile.of.len() as u32;
        for (row, (&file_id, parent)) in nodes.file_ids.iter().zip(nodes.parents).enumerate() {
            let node = first + row as u32;
            if self.documents.last().is_none_or(|(document, _)| *document != file_id) {
                self.documents.push((file_id, node..node));
            }
            let (_, mine) = self.documents.last_mut().expect("one was pushed");
            mine.end = node + 1;
            let base = mine.start;
            let parent = u32::try_from(parent).ok().and_then(|parent| parent.checked_add(base));
            profile.parents.push(parent.unwrap_or(NO));
            if let Some(id) = nodes.ids.get(row).copied().flatten() {
                // If nodes have the same id, samples count for the first.
                self.ids.entry((file_id, id)).or_insert(node);
            }
        }
        profile.of.extend(nodes.of.into_iter().map(|local| numbers[local as usize]));
        profile.weights.extend(nodes.weights);
        profile.gaps.unknown += nodes.unknown;
        profile.hits.extend(nodes.hits);
    }

    /// The profile, after all parts have been added.
    pub fn finish(mut self) -> Profile {
        let member = |(file_id, nodes)| {
            let name = self.names.get(&file_id).cloned().unwrap_or_default();
            Member { name, nodes, samples: Vec::new() }
        };
        let mut members: Vec<_> = self.documents.drain(..).map(member).collect();
        if let [only] = &mut members[..] {
            only.samples.reserve_exact(self.samples.iter().map(Vec::len).sum());
        }
        // A call that lasts has many samples, one after the other.
        let mut last = None;
        for (id, duration) in self.samples.drain(..).flatten() {
            let node = match last {
                Some((known, node)) if known == id => node,
                _ => self.ids.get(&id).copied(),
            };
            last = Some((id, node));
            if let Some(node) = node {
                let member = members.partition_point(|member| member.nodes.end <= node);
                members[member].samples.push((node, duration));
            }
        }
        self.profile.members = members;
        let stacks = std::mem::take(&mut self.stacks);
        let places: HashMap<Id, u32> = stacks.iter().map(|stack| stack.id).zip(0..).collect();
        let mut of_frames: HashMap<(i32, Option<i32>), u32> = HashMap::default();
        for Stack { id: (file_id, _), frame, parent, count } in stacks {
            let number = *of_frames.entry((file_id, frame)).or_insert_with(|| {
                let frame = frame.and_then(|frame| self.frames.get(&(file_id, frame)));
                let function = frame.map_or_else(Function::default, |frame| {
                    let url = frame.resource.and_then(|id| self.resources.get(&(file_id, id)));
                    frame.function(url)
                });
                self.functions.number(function)
            });
            let profile = &mut self.profile;
            profile.of.push(number);
            profile.parents.push(places.get(&(file_id, parent)).copied().unwrap_or(NO));
            profile.weights.push(count);
        }
        self.profile.functions = std::mem::take(&mut self.functions).into_all();
        match self.profile.kind {
            Kind::Pprof => self.measure(),
            _ => self.profile.without_times(),
        }
        self.profile
    }

    /// Gives the nodes of a pprof profile their values.
    fn measure(&mut self) {
        let nodes = self.profile.of.len();
        let measure = |(_, name, unit)| Measure { name, unit, weights: vec![0; nodes] };
        self.types.order_by_key(|(position, ..)| *position);
        let places: HashMap<i32, usize> = self.types.iter().map(|one| one.0).zip(0..).collect();
        let mut measures: Vec<Measure> = self.types.drain(..).map(measure).collect();
        for Values { of, values } in self.values.drain(..) {
            let Some(&place) = places.get(&of) else { continue };
            for (node, own) in values {
                let node = usize::try_from(node).ok();
                if let Some(weight) = node.and_then(|node| measures[place].weights.get_mut(node)) {
                    *weight = own;
                }
            }
        }
        self.profile.shown =
            self.default.and_then(|value| places.get(&value).copied()).unwrap_or(0);
        self.profile.measures = measures;
    }
}
