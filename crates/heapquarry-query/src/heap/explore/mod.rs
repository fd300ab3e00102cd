//! Looks at all of a heap, a page of a list at a time: its classes, the objects of each, what holds an object and what
//! it holds, step by step.

mod answer;
mod series;
#[cfg(test)]
mod tests;

pub use answer::{
    AllocatedAnswer, ClassGrowth, ClassesAnswer, Contained, ContainedAnswer, DominatedAnswer,
    DominatorNode, DominatorsAnswer, Growth, GrowthAnswer, ListedClass, ListedObject, MapAnswer,
    MapBox, MapGroup, ObjectsAnswer, RetainersAnswer, Retaining,
};

use super::{
    Allocations, HoldersAnswer, Subject,
    owners::Owners,
    show::{HolderGroup, ShowAnswer, Shown},
    summary::ClassSize,
    why::WhyAnswer,
};
use crate::{
    By, Objects as Asked, ProfileExplorer, Question, Session, Show, Why,
    answer::{Answered, Bytes, Distance, List},
    kept::Kept,
    listing::{Page, filter_of},
};
use heapquarry::{Error, ErrorKind, Result, engine::check_text};
use heapquarry_base::Order as _;
use heapquarry_graph::{
    Aggregate, CodeOwners, Dominated, EdgeName, EdgeType, NodeIndex, Retainer, UNREACHED,
};
use heapquarry_profile::NO;
use serde::Deserialize;
use series::Series;
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
    iter,
    sync::{Arc, OnceLock},
};

/// Orders of objects that are kept: the one on the page, and the one before it.
const KEPT_ORDERS: usize = 2;
/// Objects of which it is kept who holds them.
const KEPT_HOLDERS: usize = 2;
/// Packages, scripts and functions: of each kind that is asked for, what belongs to them is kept.
const KEPT_OWNERS: usize = 3;
/// Owners of which it is told what they retain.
const MOST_OWNERS: usize = 64;

/// What classes are sorted by; of equal ones the first name comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassOrder {
    /// Their names.
    Name,
    /// Their number of objects.
    Count,
    /// The least distance of an object.
    Distance,
    /// What their objects take themselves.
    Shallow,
    /// What would be freed with all objects.
    #[default]
    Retained,
    /// By how much the number of objects grew since the first snapshot of a series.
    CountDelta,
    /// By how much grew what would be freed with all objects.
    RetainedDelta,
}

/// What objects are sorted by; of equal ones the first in the file comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectOrder {
    /// Their ids: in V8 the older ones come first.
    Id,
    /// Their distances.
    Distance,
    /// What they take themselves.
    Shallow,
    /// What would be freed with them.
    #[default]
    Retained,
    /// By how much this grew since the first snapshot of a series; of new ones all of it.
    RetainedDelta,
}

/// A heap in memory, with what makes further questions quick.
pub struct HeapExplorer {
    session: Session,
    heap: Arc<Subject>,
    /// The nodes by their ids; of equal ones the first in the file comes first.
    by_id: OnceLock<Vec<NodeIndex>>,
    orders: Kept<Order, Vec<NodeIndex>>,
    holders: Kept<NodeIndex, Vec<HolderGroup>>,
    owners: Kept<By, Owners>,
    /// The owner of each node, for all three of these.
    code_owners: OnceLock<CodeOwners>,
    /// What holds most, once it is asked for.
    most: OnceLock<HoldersAnswer>,
    /// Of a series, what became of it.
    series: Option<Series>,
    /// Of a timeline, what was allocated, and the call that each node was allocated in.
    allocations: Option<(ProfileExplorer, Vec<u32>)>,
}

/// A class of the heap, or one that only the first snapshot of a series has.
struct Class<'a> {
    name: &'a str,
    key: &'a str,
    aggregate: Option<&'a Aggregate>,
    /// Growth of the number of objects, and of what they retain.
    deltas: (i64, i64),
}

/// An order of the objects of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Order {
    class: u32,
    by: ObjectOrder,
    ascending: bool,
}

impl HeapExplorer {
    /// Looks at a heap, whose nodes are attributed.
    pub(crate) fn new(session: &Session, heap: Arc<Subject>) -> Self {
        HeapExplorer {
            session: session.clone(),
            heap,
            by_id: OnceLock::new(),
            orders: Kept::new(KEPT_ORDERS),
            holders: Kept::new(KEPT_HOLDERS),
            owners: Kept::new(KEPT_OWNERS),
            code_owners: OnceLock::new(),
            most: OnceLock::new(),
            series: None,
            allocations: None,
        }
    }

    /// Looks at the last of several heaps of one process, in the order of time, and compares it with the others.
    pub(crate) fn of_series(session: &Session) -> Result<Self> {
        let (series, heap) = Series::new(session)?;
        Ok(HeapExplorer { series: Some(series), ..Self::new(&session.last(), heap) })
    }

    /// Whether it is the last of several.
    pub fn is_series(&self) -> bool {
        self.series.is_some()
    }

    /// The session, for questions that verbs ask too; of a series that of the last heap. Its input is not read again.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Reads the stacks of a timeline.
    ///
    /// # Errors
    /// If it can no longer be read.
    pub(crate) fn with_allocations(self) -> Result<Self> {
        let found = self.heap.allocations(self.session.source()?, self.session.options())?;
        let explored = |Allocations { profile, made }| {
            (ProfileExplorer::new(&self.session, profile.into()), made)
        };
        Ok(HeapExplorer { allocations: found.map(explored), ..self })
    }

    /// What was allocated while a timeline was recorded, objects that are gone included, by call; `None` if that is not
    /// known.
    pub fn allocations(&self) -> Option<&ProfileExplorer> {
        self.allocations.as_ref().map(|(profile, _)| profile)
    }

    /// The calls that an object was allocated in, of a timeline that has stacks.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn allocated(&self, id: i64, page: Page) -> Result<Answered<AllocatedAnswer>> {
        let node = self.node(id)?;
        let made = self.allocations.as_ref().map(|(profile, made)| {
            profile.stack(made.get(node.position()).copied().unwrap_or(NO), page)
        });
        let stack = made.unwrap_or_else(|| page.of(Vec::new(), |frame| frame));
        Ok(self.answered("allocated", AllocatedAnswer { stack }))
    }

    /// Makes what the first question about an object would make otherwise.
    pub fn prepare(&self) {
        self.heap.prepare();
        self.ids();
    }

    /// Searches for the ways to all objects, unless that is done. Takes about as long as the analysis, and may be done
    /// while other questions are asked; those about ways wait for it.
    pub fn find_ways(&self) {
        self.heap.prepare().find_ways(&self.heap.heap, self.heap.threads);
    }

    /// Classes whose names contain a text, whatever the case of its letters; with `*`, which stands for anything, those
    /// that fit as a whole.
    pub fn classes(
        &self,
        filter: &str,
        by: ClassOrder,
        ascending: bool,
        page: Page,
    ) -> Answered<ClassesAnswer> {
        let fits = filter_of(filter);
        let mut found = self.all_classes();
        found.retain(|class| fits(class.name));
        let number = |class: &Class<'_>, of: fn(&Aggregate) -> u64| class.aggregate.map_or(0, of);
        found.order_by(|a, b| {
            let by_number = |of| number(a, of).cmp(&number(b, of));
            let distance = |class: &Class<'_>| class.aggregate.map_or(UNREACHED, |of| of.distance);
            let order = match by {
                ClassOrder::Name => a.name.cmp(b.name),
                ClassOrder::Count => by_number(|of| of.count),
                ClassOrder::Distance => distance(a).cmp(&distance(b)),
                ClassOrder::Shallow => by_number(|of| of.shallow_size),
                ClassOrder::Retained => by_number(|of| of.retained_size),
                ClassOrder::CountDelta => a.deltas.0.cmp(&b.deltas.0),
                ClassOrder::RetainedDelta => a.deltas.1.cmp(&b.deltas.1),
            };
            let order = if ascending { order } else { order.reverse() };
            order.then_with(|| a.key.cmp(b.key))
        });
        let classes = page.of(found, |class| self.listed(&class));
        self.of_all("classes", ClassesAnswer { classes })
    }

    fn all_classes(&self) -> Vec<Class<'_>> {
        let deltas = |key| self.series.as_ref().map_or((0, 0), |series| series.deltas(key));
        let class = |name, key, aggregate| Class { name, key, aggregate, deltas: deltas(key) };
        let own = self.heap.analysis.aggregates.iter().map(|aggregate| {
            let of = &self.heap.analysis.classes.classes[aggregate.class as usize];
            class(&*of.name, &*of.key, Some(aggregate))
        });
        let gone = self.series.iter().flat_map(Series::gone);
        own.chain(gone.map(|diff| class(&*diff.class_name, &*diff.class_key, None))).collect()
    }

    fn listed(&self, class: &Class<'_>) -> ListedClass {
        ListedClass {
            class: match class.aggregate {
                Some(aggregate) => self.heap.class_size(aggregate),
                None => ClassSize {
                    class_name: class.name.into(),
                    class_key: class.key.into(),
                    original: None,
                    count: 0,
                    distance: Distance(UNREACHED),
                    shallow_size: Bytes(0),
                    retained_size: Bytes(0),
                    retained_percent: self.heap.share(0),
                },
            },
            growth: self.series.as_ref().map(|series| series.of_class(class.name, class.key)),
        }
    }

    /// What grew in a series.
    ///
    /// # Errors
    /// If there is one heap only.
    pub fn growth(&self, page: Page) -> Result<Answered<GrowthAnswer>> {
        let Some(series) = &self.series else {
            return Err(self.not_found("second snapshot: growth is from one to the next".into()));
        };
        Ok(self.of_all("growth", series.growth(page)))
    }

    /// The objects of the class with a key.
    ///
    /// # Errors
    /// If there is no such class.
    pub fn objects(
        &self,
        class_key: &str,
        by: ObjectOrder,
        ascending: bool,
        page: Page,
    ) -> Result<Answered<ObjectsAnswer>> {
        let classes = &self.heap.analysis.classes.classes;
        let Some(class) = classes.iter().position(|class| class.key == class_key) else {
            return Err(self.not_found(format!("class {class_key:?}")));
        };
        let order = Order { class: class as u32, by, ascending };
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let growth = |node| self.series.as_ref()?.of_object(&self.heap, node);
        let listed = |node| ListedObject { object: shown.instance(node), growth: growth(node) };
        // The first rows need no order of all objects: that is made for those after them.
        let objects = match page.offset {
            0 if !self.orders.has(&order) => {
                page.in_order(self.ranked(order), |&ranked| ranked, |(_, node)| listed(node))
            }
            _ => page.of(&*self.orders.get(order, || self.sorted(order)), |&node| listed(node)),
        };
        let class = &classes[class];
        let (class_name, class_key) = (class.name.to_string(), class.key.to_string());
        Ok(self.of_all("objects", ObjectsAnswer { class_name, class_key, objects }))
    }

    /// What is in an object, and who holds it: the answer of [`Show`], found sooner.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn object(&self, id: i64, page: Page) -> Result<Answered<ShowAnswer>> {
        let node = self.node(id)?;
        self.heap.prepare();
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let holders = self.holders.get(node, || shown.holders(node));
        let object = shown.object_held_by(node, &holders);
        Ok(self.answered(Show::VERB, ShowAnswer::Object(object.into())))
    }

    /// What holds the memory, and what of it to look at first: the same as in a report of this snapshot.
    pub fn holders(&self) -> Answered<HoldersAnswer> {
        // The ways to a few objects take as much memory as those to all.
        self.find_ways();
        self.answered("holders", self.most.get_or_init(|| self.heap.memory_holders()).clone())
    }

    /// What belongs to each package, script or function: the first 64, as `summary --by` has them.
    ///
    /// # Errors
    /// None but those of an input that is gone.
    pub fn owners(&self, by: By) -> Result<Answered<Owners>> {
        let owners = self.owners.get(by, || {
            let of = self.code_owners.get_or_init(|| self.heap.code_owners());
            self.heap.owners_of(of, by, Some(MOST_OWNERS))
        });
        let mut answered = self.answered("owners", (*owners).clone());
        answered.caveats.extend(owners.caveat(self.session.source()?));
        Ok(answered)
    }

    /// What holds an object.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn retainers(&self, id: i64, page: Page) -> Result<Answered<RetainersAnswer>> {
        let node = self.node(id)?;
        let (heap, retainers) = (&self.heap.heap, self.heap.prepare().retainers());
        let distance = |node: NodeIndex| self.heap.analysis.distances[node.position()];
        let key = |retainer: &Retainer| {
            let distance = distance(retainer.node);
            // What is not reached comes last.
            (distance < 0, distance, retainer.edge)
        };
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let rows = match page.top {
            // Each view of an object says how many there are, which can be millions.
            0 => List {
                total: retainers.view_count(heap, node) as u64,
                offset: page.offset as u64,
                rows: Vec::new(),
            },
            _ => page.in_order(retainers.view(heap, node).collect(), key, |retainer| Retaining {
                step: self.heap.step(shown.sources(), retainer.edge, retainer.node),
                retainer_count: retainers.view_count(heap, retainer.node) as u64,
            }),
        };
        Ok(self.answered("retainers", RetainersAnswer { retainers: rows }))
    }

    /// What an object dominates directly; without an id, of the root.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn dominated(&self, id: Option<i64>, page: Page) -> Result<Answered<DominatedAnswer>> {
        let node = self.node_or_root(id)?;
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let key = |&node: &NodeIndex| (Reverse(self.heap.retained(node)), node);
        let below = self.below().of(node).to_vec();
        let dominated = page.in_order(below, key, |node| self.dominator_node(&shown, node));
        let object = self.dominator_node(&shown, node);
        Ok(self.answered("dominated", DominatedAnswer { object, dominated }))
    }

    /// What an object refers to, weakly too, as in DevTools' containment view; without an id, the root.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn contained(&self, id: Option<i64>, page: Page) -> Result<Answered<ContainedAnswer>> {
        let node = self.node_or_root(id)?;
        let (heap, edges) = (&self.heap.heap, self.heap.heap.edges());
        let is_shown =
            |edge: &usize| !matches!(edges.kind(*edge), EdgeType::Invisible | EdgeType::Missing);
        let contained = |node| edges.of(node).filter(is_shown);
        let key = |&edge: &usize| (Reverse(self.heap.retained(edges.target(edge))), edge);
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let rows = page.in_order(contained(node).collect(), key, |edge| Contained {
            edge: match heap.edge_name(edge) {
                EdgeName::Text(_) => heap.edge_title(edge).into_owned(),
                EdgeName::Index(index) => format!("[{index}]"),
            },
            edge_type: edges.kind(edge).name(),
            object: shown.instance(edges.target(edge)),
            reference_count: contained(edges.target(edge)).count() as u64,
        });
        let object = shown.instance(node);
        Ok(self.answered("contained", ContainedAnswer { object, contained: rows }))
    }

    /// What an object dominates, directly and further down, as far as it can be drawn: of all objects the largest ones,
    /// at most `most`. Without an id, of the root.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn map(&self, id: Option<i64>, most: usize) -> Result<Answered<MapAnswer>> {
        let root = self.node_or_root(id)?;
        let retained = |node| self.heap.retained(node);
        let least = retained(root) / (most.max(1) as u64).saturating_mul(4);
        let mut drawn: Vec<(Option<u32>, NodeIndex)> = vec![(None, root)];
        // The largest of those whose own are not drawn yet comes first, of equal ones the first that was drawn.
        let mut next = BinaryHeap::from([(retained(root), Reverse(0u32))]);
        while let Some((_, Reverse(at))) = next.pop() {
            let free = Page { offset: 0, top: most.saturating_sub(drawn.len()) };
            if free.top == 0 {
                break;
            }
            let (_, node) = drawn[at as usize];
            let seen = |node: &NodeIndex| retained(*node) > least;
            let below = self.below().of(node).iter().copied().filter(seen).collect();
            let key = |&node: &NodeIndex| (Reverse(retained(node)), node);
            for below in free.in_order(below, key, |node| node).rows {
                next.push((retained(below), Reverse(drawn.len() as u32)));
                drawn.push((Some(at), below));
            }
        }
        let groups = self.not_drawn(&drawn, least);
        let shown = Shown::new(&self.heap, 0, 0);
        let draw = |(above, node)| MapBox { above, object: self.dominator_node(&shown, node) };
        let boxes = drawn.into_iter().map(draw).collect();
        Ok(self.answered("map", MapAnswer { boxes, groups }))
    }

    /// The objects that some dominate directly and that are not among them, by class, as far as they retain more than
    /// `least` together; of each the largest classes first.
    fn not_drawn(&self, drawn: &[(Option<u32>, NodeIndex)], least: u64) -> Vec<MapGroup> {
        let (analysis, mut groups) = (&self.heap.analysis, Vec::new());
        let is_drawn: HashSet<NodeIndex> = drawn.iter().map(|&(_, node)| node).collect();
        for (above, &(_, node)) in (0..).zip(drawn) {
            let mut sums: HashMap<u32, (u64, u64)> = HashMap::new();
            // Neighbours are mostly of one class.
            let below = self.below().of(node);
            let class = |node: &NodeIndex| analysis.classes.of[node.position()];
            for alike in below.chunk_by(|a, b| class(a) == class(b)) {
                // What is drawn retains more than that, and is one of few.
                let rest = alike.iter().filter(|&&node| {
                    self.heap.retained(node) <= least || !is_drawn.contains(&node)
                });
                let (count, size) = rest.fold((0, 0u64), |(count, size), &node| {
                    (count + 1, size.saturating_add(self.heap.retained(node)))
                });
                let sum = sums.entry(class(&alike[0])).or_default();
                *sum = (sum.0 + count, sum.1.saturating_add(size));
            }
            let mut sums: Vec<_> =
                sums.into_iter().filter(|(_, (_, size))| *size > least).collect();
            sums.order_by_key(|&(class, (count, size))| (Reverse((size, count)), class));
            groups.extend(sums.into_iter().map(|(class, (count, size))| MapGroup {
                above,
                class_name: analysis.classes.classes[class as usize].name.to_string(),
                count,
                retained_size: Bytes(size),
            }));
        }
        groups
    }

    /// The dominators of an object, the nearest first.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn dominators(&self, id: i64, page: Page) -> Result<Answered<DominatorsAnswer>> {
        let dominators = &self.heap.analysis.dominators;
        let above = |&node: &NodeIndex| {
            Some(dominators[node.position()]).filter(|&dominator| dominator != node)
        };
        let chain: Vec<NodeIndex> = iter::successors(Some(self.node(id)?), above).skip(1).collect();
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let dominators = shown.page(chain, |node| self.dominator_node(&shown, node));
        Ok(self.answered("dominators", DominatorsAnswer { dominators }))
    }

    /// What keeps an object alive: the answer of [`Why`], found sooner.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn why(&self, id: i64, shortest: bool, top: usize) -> Result<Answered<WhyAnswer>> {
        let node = self.node(id)?;
        self.find_ways();
        let answer = self.heap.why_node(node, &Why::default().shortest(shortest).top(top));
        let shared = self.heap.shared_id(self.session.source()?, &Asked::Id(id));
        let caveats = self.heap.caveats().cloned().chain(shared).collect();
        Ok(Answered::new(Why::VERB, self.session.names(), caveats, answer, top))
    }

    /// Fails if text of the heap could not be read: then answers may have something else in its place.
    ///
    /// # Errors
    /// Why it could not be read.
    pub fn check_text(&self) -> Result<()> {
        check_text(&self.session.source()?.path, &self.heap.heap)
    }

    fn answered<A>(&self, verb: &'static str, answer: A) -> Answered<A> {
        let caveats = self.heap.caveats().cloned().collect();
        Answered::new(verb, self.session.names(), caveats, answer, usize::MAX)
    }

    /// An answer about all heaps of a series.
    fn of_all<A>(&self, verb: &'static str, answer: A) -> Answered<A> {
        let Some(series) = &self.series else { return self.answered(verb, answer) };
        let of_series = series.found.caveats.iter();
        let caveats = of_series.chain(self.heap.caveats()).cloned().collect();
        Answered::new(verb, series.session.names(), caveats, answer, usize::MAX)
    }

    fn node(&self, id: i64) -> Result<NodeIndex> {
        let (nodes, ids) = (self.heap.heap.nodes(), self.ids());
        let at = ids.partition_point(|&node| nodes.id(node) < id);
        let Some(&node) = ids.get(at).filter(|&&node| nodes.id(node) == id) else {
            return Err(self.heap.not_found(self.session.source()?, &Asked::Id(id)));
        };
        Ok(node)
    }

    fn node_or_root(&self, id: Option<i64>) -> Result<NodeIndex> {
        match id {
            Some(id) => self.node(id),
            None if self.heap.heap.nodes().is_empty() => Err(self.not_found("root".into())),
            None => Ok(self.heap.heap.root()),
        }
    }

    fn not_found(&self, what: String) -> Error {
        let path = self.session.source().map(|source| source.path.clone()).unwrap_or_default();
        Error::new(ErrorKind::NotFound { path, what })
    }

    fn ids(&self) -> &[NodeIndex] {
        self.by_id.get_or_init(|| {
            let nodes = self.heap.heap.nodes();
            let mut ids: Vec<NodeIndex> = nodes.all().collect();
            ids.sort_unstable_by_key(|&node| (nodes.id(node), node));
            ids
        })
    }

    fn below(&self) -> &Dominated {
        self.heap.prepare().dominated()
    }

    fn dominator_node(&self, shown: &Shown<'_>, node: NodeIndex) -> DominatorNode {
        DominatorNode {
            target: shown.target(node),
            shallow_size: Bytes(self.heap.shallow(node)),
            dominated_count: self.below().of(node).len() as u64,
        }
    }

    /// The objects of a class, each with what puts them into an order: of equal ones the first in the file comes first.
    fn ranked(&self, Order { class, by, ascending }: Order) -> Vec<(u64, NodeIndex)> {
        let Subject { heap, analysis, .. } = &*self.heap;
        // In the order of the numbers with a sign.
        let unsigned = |number: i64| number.cast_unsigned() ^ 1 << 63;
        let delta = |node| self.series.as_ref().and_then(|series| series.delta(&self.heap, node));
        let rank = |node: NodeIndex| match by {
            ObjectOrder::Id => unsigned(heap.nodes().id(node)),
            ObjectOrder::Distance => unsigned(analysis.distances[node.position()].into()),
            ObjectOrder::Shallow => self.heap.shallow(node),
            ObjectOrder::Retained => self.heap.retained(node),
            // Of all objects it is known, or of none.
            ObjectOrder::RetainedDelta => unsigned(delta(node).unwrap_or(0)),
        };
        let of_class = |node: &NodeIndex| analysis.classes.of[node.position()] == class;
        let ranked = |node| (if ascending { rank(node) } else { !rank(node) }, node);
        heap.nodes().all().filter(of_class).map(ranked).collect()
    }

    fn sorted(&self, order: Order) -> Vec<NodeIndex> {
        let mut ranked = self.ranked(order);
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, node)| node).collect()
    }
}
