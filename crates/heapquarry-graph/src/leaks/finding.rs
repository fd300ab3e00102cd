//! What is told of a leak.

use super::{
    candidates::{
        Candidate, LeakKind, Rules, growth,
        mixture::{self, Mixture},
    },
    counts::Held,
    cut::{Confidence, Ranked},
    last::Last,
    made::made_at,
    names::{Namer, Owner, part, push_part},
    places::{Label, ROOT},
};
use crate::{EdgeType, HashMap, NodeIndex, SourcePlace};

/// A place that leaks.
#[derive(Clone, Debug)]
pub struct Leak {
    /// What grows.
    pub kind: LeakKind,
    /// Who holds it, as `Class.field`, a variable or a global.
    pub owner: String,
    /// The way there from a variable, the global object or a function.
    pub via: String,
    /// Class of the container.
    pub container: String,
    /// The container in the last snapshot; of several the one that holds most.
    pub container_id: Option<i64>,
    /// How many containers there are.
    pub containers: u64,
    /// Class or function of what is leaked; `None` where no objects are counted.
    pub leaked: Option<String>,
    /// How many of those that were added are of that class, in thousandths; `None` if all are.
    pub leaked_share: Option<u32>,
    /// What is in containers that are leaked.
    pub content: Option<Content>,
    /// How many there are in each snapshot; `None` where bytes grow.
    pub counts: Option<Vec<u64>>,
    /// Bytes by which it grew.
    pub bytes: u64,
    /// Bytes by which it grew in each step, without the room of the container, which grows in leaps.
    pub steps: Vec<i64>,
    /// The least step in thousandths of the greatest.
    pub even: u32,
    /// How many of the first snapshot's are in the last, in thousandths.
    pub kept: Option<u32>,
    /// How sure it is.
    pub confidence: Confidence,
    /// Where it is made.
    pub made_at: Option<SourcePlace>,
    /// Where a package makes it, if [`made_at`](Self::made_at) is a part of it that says more: the program's callback
    /// in a package's listener, or the function that a task of a package is to run.
    pub stored_by: Option<SourcePlace>,
    /// The code of who holds it: the constructor of the object that has the container, or a function that sees the
    /// variable.
    pub held_at: Option<SourcePlace>,
    /// Owners that hold most of the same objects too.
    pub also_held_by: Vec<String>,
    /// Other fields of the same object, of numbers or strings, that grow with it.
    pub grows_with: Vec<String>,
    /// The places that grow.
    pub groups: Vec<LeakGroup>,
    /// Who holds the container, who holds that one, and so on.
    pub path: Vec<LeakStep>,
}

/// What is in containers that are leaked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Class or function.
    pub class: String,
    /// How many there are in each snapshot.
    pub counts: Vec<u64>,
}

/// A place that grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeakGroup {
    /// What leads to it: a name, or `[]` for an element of a collection, `~` for what several hold.
    pub label: String,
    /// Class of what is there.
    pub class: String,
    /// How many there are in each snapshot.
    pub counts: Vec<u64>,
    /// Bytes in each snapshot, with all below.
    pub bytes: Vec<u64>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeakStep {
    /// Type of the edge.
    pub edge_type: EdgeType,
    /// Name or index of the edge.
    pub edge: String,
    /// Class of the node that holds.
    pub holder: String,
    /// Its id.
    pub id: Option<i64>,
    /// Whether it is mere storage.
    pub is_storage: bool,
}

/// Steps of a path that are told.
const MOST_STEPS: usize = 14;
/// Steps up from the container in which it is looked for who made it.
const NEAR: usize = 6;

/// Before the name of a function that sees a variable.
const SEEN_BY: &str = "seen by ";

/// Where an EventTarget of Node has its listeners: a Map by event, of the first of each list.
const LISTENERS: &str = "[Symbol(kEvents)]";

impl Owner {
    /// Whether listeners of an EventTarget of Node are in it.
    fn is_event_target(&self) -> bool {
        let rest = self.name.split_once(LISTENERS).map(|(_, rest)| rest);
        rest.is_some_and(|rest| ["", "[]", "[].next"].contains(&rest))
    }

    /// Calls listeners what they are, not where the runtime has them.
    fn be_listeners(&mut self) {
        if let Some((target, rest)) =
            self.via.split_once(LISTENERS).filter(|_| self.is_event_target())
        {
            let rest = rest.strip_prefix("[]").unwrap_or(rest);
            self.via = format!("{target}{}", rest.strip_prefix(".next").unwrap_or(rest));
        }
        if let Some((target, _)) = self.name.split_once(LISTENERS) {
            self.name.truncate(target.len());
        }
        self.name += " event listeners";
    }
}

/// Some nodes of a place.
#[derive(Clone, Copy, Debug)]
struct Sample {
    first: NodeIndex,
    last: NodeIndex,
    last_new: Option<NodeIndex>,
}

/// What the findings need of the last snapshot.
struct Samples {
    of: HashMap<u32, Sample>,
    /// For each finding, the container that is named, and how many there are.
    containers: Vec<(Option<NodeIndex>, u64)>,
    /// For each finding, what holds most of what is new in a tree of one place: its root's own children.
    parents: Vec<Option<NodeIndex>>,
}

/// Tells all findings.
pub(super) fn tell(rules: &Rules<'_>, last: &Last<'_>, ranked: &[Ranked]) -> Vec<Leak> {
    if ranked.is_empty() {
        return Vec::new();
    }
    let contents: Vec<Option<u32>> = ranked.iter().map(|ranked| content(rules, ranked)).collect();
    let samples = Samples::new(rules, last, ranked, &contents);
    let mut wanted: Vec<NodeIndex> =
        samples.containers.iter().filter_map(|(node, _)| *node).collect();
    let others = ranked.iter().flat_map(|ranked| ranked.candidate.others());
    wanted.extend(others.filter_map(|place| Some(samples.of.get(place)?.first)));
    wanted.extend(samples.parents.iter().flatten());
    let shared = ranked.iter().filter_map(|ranked| shared_lead(rules, ranked));
    wanted.extend(shared.filter_map(|lead| samples.of.get(&lead)?.last_new));
    let namer = Namer::new(last, &wanted);
    let telling = Telling { rules, last, samples: &samples, namer: &namer };
    let all = ranked.iter().zip(&contents).enumerate();
    all.map(|(at, (ranked, content))| telling.tell(at, ranked, *content)).collect()
}

/// What leads, if several ways lead to it from its owner.
fn shared_lead(rules: &Rules<'_>, ranked: &Ranked) -> Option<u32> {
    let Candidate { kind: LeakKind::Count, lead: Some(lead), owner, .. } = ranked.candidate else {
        return None;
    };
    let place = rules.places().get(lead);
    (place.label == Label::SHARED && place.parent == owner).then_some(lead)
}

/// The place of what is in leaked containers, if these are generic.
fn content(rules: &Rules<'_>, ranked: &Ranked) -> Option<u32> {
    let lead = ranked.candidate.lead?;
    if !rules.classes.is_generic(rules.places().get(lead).class) {
        return None;
    }
    let below = rules
        .places()
        .iter()
        .skip(1)
        .filter(|(_, place)| place.parent == lead && place.label.is_one_of_many());
    let grown = below.map(|(place, _)| (growth(&rules.sums(&[place])), place));
    let most = grown.filter(|(growth, _)| *growth > 0);
    most.max_by_key(|&(growth, place)| (growth, std::cmp::Reverse(place))).map(|(_, place)| place)
}

impl Samples {
    fn new(
        rules: &Rules<'_>,
        last: &Last<'_>,
        ranked: &[Ranked],
        contents: &[Option<u32>],
    ) -> Self {
        let places = rules.places();
        let mut is_wanted = vec![false; places.len()];
        // The finding whose containers are found by the members of a place, by the holders of what several hold, by
        // their own bytes.
        let mut by_member: Vec<Option<usize>> = vec![None; places.len()];
        let mut by_holder: HashMap<(u32, u32), usize> = HashMap::default();
        let mut by_bytes: Vec<Option<usize>> = vec![None; places.len()];
        for (at, (ranked, content)) in ranked.iter().zip(contents).enumerate() {
            let candidate = &ranked.candidate;
            let of = candidate.others().chain(content).chain(&candidate.lead);
            let of = of.chain(&candidate.groups);
            of.for_each(|&place| is_wanted[place as usize] = true);
            if candidate.kind == LeakKind::Unheld {
                is_wanted[candidate.owner as usize] = true;
                continue;
            }
            match candidate.lead {
                None => by_bytes[candidate.owner as usize] = Some(at),
                Some(lead) if candidate.kind == LeakKind::Moving => {
                    candidate.groups.iter().for_each(|&g| by_member[g as usize] = Some(at));
                    by_member[lead as usize] = Some(at);
                }
                Some(lead) if places.get(lead).parent != candidate.owner => {
                    by_holder.insert((candidate.owner, lead), at);
                }
                Some(lead) => by_member[lead as usize] = Some(at),
            }
        }
        let mut is_held = last.heap.no_nodes();
        if !by_holder.is_empty() {
            let leads: crate::HashSet<u32> = by_holder.keys().map(|&(_, lead)| lead).collect();
            last.visible().filter(|&n| leads.contains(&last.place(n))).for_each(|n| is_held.set(n));
        }
        let mut of: HashMap<u32, Sample> = HashMap::default();
        let mut containers: Vec<Vec<NodeIndex>> = vec![Vec::new(); ranked.len()];
        let mut sizes: HashMap<NodeIndex, u64> = HashMap::default();
        let mut parents: Vec<Parents> = ranked.iter().map(|_| Parents::default()).collect();
        for node in last.nodes() {
            let Some(holder) = last.edge_holder(node) else { continue };
            let place = last.place(holder);
            if by_bytes[place as usize].is_some() {
                let size = sizes.entry(holder).or_default();
                *size = size.saturating_add(last.heap.nodes().self_size(node));
            }
            if !by_holder.is_empty() {
                for edge in last.heap.edges().of(node) {
                    let target = last.heap.edges().target(edge);
                    if is_held.get(target)
                        && super::labels::counts(last.heap.edges().kinds[edge])
                        && let Some(&at) = by_holder.get(&(place, last.place(target)))
                    {
                        containers[at].push(holder);
                    }
                }
            }
            if holder != node {
                continue;
            }
            if is_wanted[place as usize] {
                let sample =
                    of.entry(place).or_insert(Sample { first: node, last: node, last_new: None });
                sample.last = node;
                if !last.is_old(node) {
                    sample.last_new = Some(node);
                }
            }
            if let Some(at) = by_member[place as usize] {
                let owner = ranked[at].candidate.owner;
                let up = std::iter::successors(last.container(node), |&at| last.container(at));
                containers[at].extend(up.take(64).find(|&node| last.place(node) == owner));
                if ranked[at].candidate.kind == LeakKind::Count && !last.is_old(node) {
                    parents[at].add(last, node);
                }
            }
        }
        let mut found: Vec<(Option<NodeIndex>, u64)> = containers.into_iter().map(most).collect();
        let mut largest: Vec<(u64, std::cmp::Reverse<NodeIndex>)> =
            vec![(0, std::cmp::Reverse(NodeIndex(0))); found.len()];
        for (&node, &size) in &sizes {
            if let Some(at) = by_bytes[last.place(node) as usize] {
                let rank = (size, std::cmp::Reverse(node));
                found[at].1 += 1;
                if found[at].0.is_none() || rank > largest[at] {
                    largest[at] = rank;
                    found[at].0 = Some(node);
                }
            }
        }
        for ((container, count), ranked) in found.iter_mut().zip(ranked) {
            let owner = ranked.candidate.owner;
            if ranked.candidate.kind == LeakKind::Unheld && owner != ROOT {
                *container = of.get(&owner).map(|sample| sample.first);
                *count = rules.members(owner).last().copied().unwrap_or(0);
            }
        }
        let parents = parents.into_iter().map(Parents::majority).collect();
        Samples { of, containers: found, parents }
    }
}

/// What holds the new parts of a tree of one place.
#[derive(Default)]
struct Parents {
    /// New parts.
    new: usize,
    /// Those that are in no other part: they did not come with it.
    alone: usize,
    /// What holds those, if they joined the place of something above them.
    of: Vec<NodeIndex>,
}

impl Parents {
    /// One in so many of the new parts, at least, is the holder's.
    const ONE_IN: usize = 4;

    fn add(&mut self, last: &Last<'_>, part: NodeIndex) {
        self.new += 1;
        let parent = last.parent_of_folded(part);
        if parent.is_none_or(|parent| last.place(parent) != last.place(part)) {
            self.alone += 1;
            self.of.extend(parent);
        }
    }

    /// What holds more than half of those that came alone; nothing in a list, where each is in the one before.
    fn majority(mut self) -> Option<NodeIndex> {
        self.of.sort_unstable();
        let mut runs = self.of.chunk_by(|a, b| a == b);
        let is_most = |n: usize| n * 2 > self.alone && n.saturating_mul(Self::ONE_IN) >= self.new;
        runs.find(|run| is_most(run.len())).map(|run| run[0])
    }
}

/// The node that comes most often, of several the first, and how many different there are.
fn most(mut nodes: Vec<NodeIndex>) -> (Option<NodeIndex>, u64) {
    nodes.sort_unstable();
    let runs = nodes.chunk_by(|a, b| a == b);
    let most = runs.clone().max_by_key(|run| (run.len(), std::cmp::Reverse(run[0])));
    (most.map(|run| run[0]), runs.count() as u64)
}

/// What is counted.
struct Numbers {
    counts: Option<Vec<u64>>,
    kept: Option<u32>,
    share: Option<u32>,
}

struct Telling<'a> {
    rules: &'a Rules<'a>,
    last: &'a Last<'a>,
    samples: &'a Samples,
    namer: &'a Namer<'a>,
}

impl Telling<'_> {
    fn tell(&self, at: usize, ranked: &Ranked, content: Option<u32>) -> Leak {
        let (rules, last, candidate) = (self.rules, self.last, &ranked.candidate);
        let mixture = candidate.lead.map(|lead| Mixture::new(rules, lead, &candidate.groups));
        let parent = self.samples.parents[at];
        let (container, containers) = match parent {
            Some(parent) => (Some(parent), 1),
            None => self.samples.containers[at],
        };
        let sample = candidate.lead.and_then(|lead| self.samples.of.get(&lead));
        let member = sample.map(|sample| sample.last_new.unwrap_or(sample.last));
        // Of keys and values one may have a place, and the other none.
        let is_beside = |group: &u32| mixture.iter().any(|mixture| mixture.all.contains(group));
        let others = candidate.groups.iter().filter(|group| !is_beside(group));
        let others = others.filter_map(|group| self.samples.of.get(group)?.last_new);
        let made = member.into_iter().chain(others);
        let made = made.filter_map(|member| made_at(last, &self.namer.scripts, member)).next();
        let content = content.and_then(|place| {
            let class = last.class_name(self.samples.of.get(&place)?.last);
            Some(Content { class, counts: rules.members(place) })
        });
        let record = mixture.as_ref().and_then(|mixture| mixture.record(rules));
        let mut leaked = record.or_else(|| member.map(|member| last.class_name(member)));
        if let (Some(leaked), Some(content)) = (&mut leaked, &content) {
            *leaked = format!("{leaked} of {}", content.class);
        }
        let Numbers { counts, kept, share } = self.numbers(ranked, mixture.as_ref());
        let mut owner = match (container, member) {
            (Some(node), _) => self.namer.owner(node),
            (None, Some(node)) => Owner { name: last.class_name(node), ..Owner::default() },
            (None, None) => Owner::default(),
        };
        if let (Some(lead), Some(node), None) = (candidate.lead, container, parent)
            && !matches!(candidate.kind, LeakKind::Moving | LeakKind::Unheld)
        {
            let slot = match rules.label(lead) {
                label if !label.is_one_of_many() => Some(part(label.text(last.texts))),
                _ => shared_lead(rules, ranked)
                    .and_then(|lead| self.slot(node, self.samples.of.get(&lead)?.last_new?)),
            };
            if let Some(slot) = slot {
                self.name_slot(&mut owner, node, slot);
            }
        }
        let mut container_class = container.map_or("(roots)".into(), |node| last.class_name(node));
        if candidate.kind == LeakKind::Moving {
            let class = container.filter(|&node| self.namer.has_class(node));
            let name = class.map_or(owner.name.clone(), |node| last.class_name(node));
            owner.name = format!("{name}.{{{}}}", self.slots(candidate));
        }
        let is_of_page = leaked.as_deref().is_some_and(|leaked| leaked.ends_with("EventListener"));
        if is_of_page || owner.is_event_target() {
            let function = made.as_ref().map(|made| made.node);
            let function = function.filter(|&node| last.kinds.is_function(node));
            let name = function.map(|node| last.class_name(node));
            let name = name.filter(|name| *name != "(anonymous)()");
            let class =
                if is_of_page { "EventListener" } else { leaked.as_deref().unwrap_or("Listener") };
            leaked = Some(name.map_or(class.into(), |name| format!("{class} {name}")));
            owner.be_listeners();
            container_class = String::new();
        }
        let held_at = container.and_then(|container| self.maker(container, &owner));
        let (made_at, stored_by) = match made {
            Some(made) => (Some(made.place), made.in_package),
            None => (held_at.clone(), None),
        };
        let owner_of = |place: &u32| {
            let owner = self.namer.owner(self.samples.of.get(place)?.first);
            Some(owner.name)
        };
        Leak {
            kind: candidate.kind,
            container: container_class,
            container_id: container.and_then(|node| last.id(node)),
            containers,
            leaked,
            leaked_share: share,
            content,
            counts,
            bytes: candidate.bytes.unsigned_abs(),
            steps: candidate.steps.clone(),
            even: ranked.even,
            kept,
            confidence: ranked.confidence,
            // What is told already, and a function beside it that sees the variable, say nothing new.
            held_at: held_at.filter(|place| {
                let says_it = |other: &SourcePlace| {
                    other.source() == place.source()
                        && (other.written().0 == place.written().0
                            || place.what.starts_with(SEEN_BY))
                };
                !made_at.iter().chain(&stored_by).any(says_it)
            }),
            made_at,
            stored_by,
            also_held_by: candidate.also.iter().filter_map(owner_of).collect(),
            grows_with: candidate.grows_with.iter().filter_map(owner_of).collect(),
            groups: candidate.groups.iter().map(|&place| self.group(place)).collect(),
            path: self.path(&owner),
            owner: owner.name,
            via: owner.via,
        }
    }

    /// By what name the best way from a container to a member begins.
    fn slot(&self, container: NodeIndex, member: NodeIndex) -> Option<String> {
        let last = self.last;
        let steps = self.namer.steps(member);
        let end = steps.iter().position(|up| up.holder == container)?;
        let mut parts = Vec::new();
        steps[..=end]
            .iter()
            .for_each(|up| push_part(last.heap, last.words, last.kinds, up, &mut parts));
        parts.pop().filter(|part| !part.starts_with(['[', '(']))
    }

    /// What hangs by a name from the container: the head of a list, a string.
    fn name_slot(&self, owner: &mut Owner, container: NodeIndex, slot: String) {
        let last = self.last;
        let behind = |name: &str| match slot.starts_with('[') {
            true => format!("{name}{slot}"),
            false => format!("{name}.{slot}"),
        };
        if last.kinds.is_scope(container) {
            owner.via = self.namer.variable(&slot, container);
            owner.name = slot;
            return;
        }
        owner.via = match owner.via.split_once(" of ") {
            Some((name, of)) if ["variable ", "exports"].iter().any(|it| name.starts_with(it)) => {
                format!("{} of {of}", behind(name))
            }
            _ => behind(&owner.via),
        };
        owner.name = match self.namer.has_class(container) {
            true => behind(&last.class_name(container)),
            false => behind(&owner.name),
        };
    }

    /// The fields between which objects move.
    fn slots(&self, candidate: &Candidate) -> String {
        let places = self.rules.places();
        let holders = candidate.groups.iter().map(|&place| places.get(place).parent);
        let mut slots: Vec<&str> = holders
            .filter(|&holder| holder != candidate.owner)
            .map(|holder| self.rules.label(holder).text(self.last.texts))
            .collect();
        if slots.is_empty() {
            let groups = candidate.groups.iter();
            slots = groups.map(|&g| self.rules.label(g).text(self.last.texts)).collect();
        }
        slots.sort_unstable();
        slots.dedup();
        slots.join(", ")
    }

    fn group(&self, place: u32) -> LeakGroup {
        let (rules, last) = (self.rules, self.last);
        let class = match (rules.class_name(place), self.samples.of.get(&place)) {
            (Some(name), _) => name.into(),
            (None, Some(sample)) => last.class_name(sample.last),
            (None, None) => "function or scope".into(),
        };
        LeakGroup {
            label: rules.label(place).text(last.texts).into(),
            class,
            counts: rules.members(place),
            bytes: rules.sums(&[place]),
        }
    }

    /// How many there are, and how many of the first are left. A place alone misses what something else holds too, like
    /// a cache beside it, and the ends of a list.
    fn numbers(&self, ranked: &Ranked, mixture: Option<&Mixture>) -> Numbers {
        let (rules, candidate) = (self.rules, &ranked.candidate);
        let plain =
            Numbers { counts: Some(candidate.counts.clone()), kept: ranked.kept, share: None };
        let (LeakKind::Count, Some(lead), Some(mixture)) =
            (candidate.kind, candidate.lead, mixture)
        else {
            return match candidate.kind {
                LeakKind::Bytes => Numbers { counts: None, kept: None, share: None },
                _ => plain,
            };
        };
        let place = rules.places().get(lead);
        let is_one_of_many = place.label.is_one_of_many();
        let held: Vec<Held> = if is_one_of_many {
            self.held(candidate.owner, &mixture.all)
        } else {
            let alike: Vec<u32> = rules
                .places()
                .iter()
                .filter(|(_, other)| {
                    other.parent == place.parent
                        && other.class == place.class
                        && !other.label.is_keyed()
                })
                .map(|(place, _)| place)
                .collect();
            let sum = |counts: &Vec<super::counts::Count>| {
                alike.iter().fold(Held::default(), |mut sum, &place| {
                    let count = &counts[place as usize];
                    sum.add(Held { all: count.members.into(), old: count.old.into() });
                    sum
                })
            };
            rules.grown.counts.iter().map(sum).collect()
        };
        let is_mixed = is_one_of_many && mixture.alike.len() < mixture.all.len();
        let share = |alike: &[u64], all: &[u64]| {
            let [alike, all] = [alike, all].map(|n| u64::try_from(growth(n)).unwrap_or(0));
            (alike.saturating_mul(1000) / all.max(1)).min(1000) as u32
        };
        if held.iter().zip(&candidate.counts).any(|(held, &members)| held.all < members) {
            let alike = || mixture::counts(rules, &mixture.alike);
            let share = is_mixed.then(|| share(&alike(), &candidate.counts));
            return Numbers { share, ..plain };
        }
        let all_of = |held: &[Held]| held.iter().map(|held| held.all).collect::<Vec<u64>>();
        let share = is_mixed
            .then(|| share(&all_of(&self.held(candidate.owner, &mixture.alike)), &all_of(&held)));
        let (first, left) = (held.first().map_or(0, |h| h.all), held.last().map_or(0, |h| h.old));
        let kept = (first > 0 && rules.has_births).then(|| (left.min(first) * 1000 / first) as u32);
        Numbers { counts: Some(held.iter().map(|held| held.all).collect()), kept, share }
    }

    /// References from the containers of a place to objects of the classes of others, by snapshot.
    fn held(&self, owner: u32, places: &[u32]) -> Vec<Held> {
        let class = |&place: &u32| self.rules.places().get(place).class;
        let sum = |held: &HashMap<(u32, u32), Held>| {
            places.iter().map(class).fold(Held::default(), |mut sum, class| {
                sum.add(held.get(&(owner, class)).copied().unwrap_or_default());
                sum
            })
        };
        self.rules.grown.held.iter().map(sum).collect()
    }

    /// Without a place of its own: the constructor of the object that has the container as a field, or a function that
    /// sees the variable.
    fn maker(&self, container: NodeIndex, owner: &Owner) -> Option<SourcePlace> {
        let up = owner.steps.iter().map(|up| up.holder);
        for node in std::iter::once(container).chain(up).take(NEAR) {
            if let Some(place) = self.namer.scripts.own_place(self.last, node) {
                return Some(place);
            }
            if self.last.kinds.is_scope(node)
                && let Some(place) = self.namer.function(node)
            {
                return Some(SourcePlace { what: format!("{SEEN_BY}{}", place.what), ..place });
            }
        }
        None
    }

    fn path(&self, owner: &Owner) -> Vec<LeakStep> {
        let heap = self.last.heap;
        let steps = owner.steps.iter().take(MOST_STEPS).map(|up| {
            let is_visible = self.last.kinds.is_visible(up.holder);
            LeakStep {
                edge_type: heap.edges().kind(up.edge),
                edge: heap.edge_title(up.edge).into_owned(),
                holder: match is_visible {
                    true => self.last.class_name(up.holder),
                    false => heap.node_name(up.holder).into(),
                },
                id: self.last.id(up.holder),
                is_storage: !is_visible,
            }
        });
        steps.collect()
    }
}
