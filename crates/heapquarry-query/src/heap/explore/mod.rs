//! Looks at all of a heap, a page of a list at a time: its classes, the objects of each, what holds an object and what
//! it holds, step by step.

mod answer;
#[cfg(test)]
mod tests;

pub use answer::{
    ClassesAnswer, DominatedAnswer, DominatorNode, DominatorsAnswer, ObjectsAnswer,
    RetainersAnswer, Retaining,
};

use super::{
    Subject,
    show::{ShowAnswer, Shown, Turned},
};
use crate::{
    Objects as Asked, Question, Session, Show,
    answer::{Answered, Bytes},
    explored::{Page, filter_of},
    kept::Kept,
};
use heapquarry::{Error, ErrorKind, Result};
use heapquarry_graph::{Aggregate, Dominated, NodeIndex, Retainers};
use serde::Deserialize;
use std::{
    cmp::{Ordering, Reverse},
    iter,
    sync::{Arc, OnceLock},
};

/// Orders of objects that are kept: the one on the page, and the one before it.
const KEPT_ORDERS: usize = 2;

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
}

/// A heap in memory, with what makes further questions quick.
pub struct HeapExplorer {
    session: Session,
    heap: Arc<Subject>,
    retainers: OnceLock<Retainers>,
    dominated: OnceLock<Dominated>,
    /// The nodes by their ids; of equal ones the first in the file comes first.
    by_id: OnceLock<Vec<NodeIndex>>,
    orders: Kept<Order, Vec<NodeIndex>>,
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
            retainers: OnceLock::new(),
            dominated: OnceLock::new(),
            by_id: OnceLock::new(),
            orders: Kept::new(KEPT_ORDERS),
        }
    }

    /// The session, for questions that verbs ask too. Its input is not read again.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Makes what the first question about an object would make otherwise.
    pub fn prepare(&self) {
        self.reversed();
        self.below();
        self.ids();
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
        let analysis = &self.heap.analysis;
        let fits = filter_of(filter);
        let class = |aggregate: &Aggregate| &analysis.classes.classes[aggregate.class as usize];
        let mut found: Vec<&Aggregate> =
            analysis.aggregates.iter().filter(|aggregate| fits(&class(aggregate).name)).collect();
        found.sort_unstable_by(|a, b| {
            let order = match by {
                ClassOrder::Name => class(a).name.cmp(&class(b).name),
                ClassOrder::Count => a.count.cmp(&b.count),
                ClassOrder::Distance => a.distance.cmp(&b.distance),
                ClassOrder::Shallow => a.shallow_size.cmp(&b.shallow_size),
                ClassOrder::Retained => a.retained_size.cmp(&b.retained_size),
            };
            let order = if ascending { order } else { order.reverse() };
            order.then_with(|| class(a).key.cmp(&class(b).key))
        });
        let classes = page.of(found, |aggregate| self.heap.class_size(aggregate));
        self.answered("classes", ClassesAnswer { classes })
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
        let order = self.orders.get(order, || self.sorted(order));
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let objects = page.of(&*order, |&node| shown.instance(node));
        let class = &classes[class];
        let (class_name, class_key) = (class.name.to_string(), class.key.to_string());
        Ok(self.answered("objects", ObjectsAnswer { class_name, class_key, objects }))
    }

    /// What is in an object, and who holds it: the answer of [`Show`], found sooner.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn object(&self, id: i64, page: Page) -> Result<Answered<ShowAnswer>> {
        let node = self.node(id)?;
        let turned = Turned { retainers: self.reversed(), dominated: self.below() };
        let shown = Shown::new(&self.heap, page.offset, page.top).with(turned);
        Ok(self.answered(Show::VERB, ShowAnswer::Object(shown.object(node).into())))
    }

    /// What holds an object.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn retainers(&self, id: i64, page: Page) -> Result<Answered<RetainersAnswer>> {
        let node = self.node(id)?;
        let (heap, retainers) = (&self.heap.heap, self.reversed());
        let distance = |node: NodeIndex| self.heap.analysis.distances[node.position()];
        let mut found: Vec<_> = retainers.view(heap, node).collect();
        found.sort_by_key(|retainer| {
            let distance = distance(retainer.node);
            // What is not reached comes last.
            (distance < 0, distance)
        });
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let rows = shown.page(found, |retainer| Retaining {
            step: self.heap.step(shown.sources(), retainer.edge, retainer.node),
            retainer_count: retainers.view(heap, retainer.node).count() as u64,
        });
        Ok(self.answered("retainers", RetainersAnswer { retainers: rows }))
    }

    /// What an object dominates directly; without an id, of the root.
    ///
    /// # Errors
    /// If there is no object of this id.
    pub fn dominated(&self, id: Option<i64>, page: Page) -> Result<Answered<DominatedAnswer>> {
        let node = match id {
            Some(id) => self.node(id)?,
            None if self.heap.heap.nodes().is_empty() => return Err(self.not_found("root".into())),
            None => self.heap.heap.root(),
        };
        let mut below = self.below().of(node).to_vec();
        below.sort_unstable_by_key(|&node| (Reverse(self.heap.retained(node)), node));
        let shown = Shown::new(&self.heap, page.offset, page.top);
        let dominated = shown.page(below, |node| self.dominator_node(&shown, node));
        let object = self.dominator_node(&shown, node);
        Ok(self.answered("dominated", DominatedAnswer { object, dominated }))
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

    fn answered<A>(&self, verb: &'static str, answer: A) -> Answered<A> {
        let caveats = self.heap.caveats().cloned().collect();
        Answered::new(verb, self.session.names(), caveats, answer, usize::MAX)
    }

    fn node(&self, id: i64) -> Result<NodeIndex> {
        let (nodes, ids) = (self.heap.heap.nodes(), self.ids());
        let at = ids.partition_point(|&node| nodes.id(node) < id);
        let Some(&node) = ids.get(at).filter(|&&node| nodes.id(node) == id) else {
            return Err(self.heap.not_found(self.session.source()?, &Asked::Id(id)));
        };
        Ok(node)
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

    fn reversed(&self) -> &Retainers {
        self.retainers.get_or_init(|| Retainers::new(&self.heap.heap))
    }

    fn below(&self) -> &Dominated {
        self.dominated.get_or_init(|| Dominated::new(&self.heap.analysis.dominators))
    }

    fn dominator_node(&self, shown: &Shown<'_>, node: NodeIndex) -> DominatorNode {
        DominatorNode {
            target: shown.target(node),
            shallow_size: Bytes(self.heap.shallow(node)),
            dominated_count: self.below().of(node).len() as u64,
        }
    }

    fn sorted(&self, Order { class, by, ascending }: Order) -> Vec<NodeIndex> {
        let heap = &self.heap;
        let of = &heap.analysis.classes.of;
        let mut nodes: Vec<NodeIndex> =
            heap.nodes().filter(|node| of[node.position()] == class).collect();
        let compare = |a: NodeIndex, b: NodeIndex| -> Ordering {
            let order = match by {
                ObjectOrder::Id => heap.heap.nodes().id(a).cmp(&heap.heap.nodes().id(b)),
                ObjectOrder::Distance => heap.distance(a).cmp(&heap.distance(b)),
                ObjectOrder::Shallow => heap.shallow(a).cmp(&heap.shallow(b)),
                ObjectOrder::Retained => heap.retained(a).cmp(&heap.retained(b)),
            };
            if ascending { order } else { order.reverse() }
        };
        nodes.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
        nodes
    }
}
