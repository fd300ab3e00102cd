//! Summary of a heap.

mod answer;
mod isolates;
pub(crate) mod view;

pub use answer::{
    CategorySize, ClassSize, DetachedClass, DuplicateString, HeapSummary, KeptOnlyBy,
    NativeContext, ObjectSize, Totals, UnreadVariable,
};
pub(crate) use isolates::isolates;
pub use isolates::{IsolateHeap, IsolateTotals, IsolatesSummary};

use super::{
    Subject,
    facts::{Category, DetachedNodes, waste},
    owners::Owners,
};
use crate::{
    By,
    answer::{Bytes, Distance, List, Original, Share},
    process::ProcessMemory,
};
use heapquarry_base::Order;
use heapquarry_base::threads::join;
use heapquarry_graph::{
    Aggregate, Attribution, FixedBits, Keeper, NodeIndex, NodeType, Realm, Sources,
    captured_variables, highest,
};
use std::{cmp::Reverse, collections::HashMap, sync::Arc};

/// Rows of lists of single objects, unless another number is asked for.
const OBJECTS: usize = 20;

impl Subject {
    /// What is in the heap; of each list at most `top` rows. What belongs to whom only if asked for. With a limit it is
    /// kept for the next question.
    pub(crate) fn summary(&self, top: Option<usize>, by: Option<By>) -> HeapSummary {
        match top {
            Some(rows) => {
                let owners = || Some(self.owners(by?, top));
                self.summary_with(by, rows, owners).as_ref().clone()
            }
            None => HeapSummary { owners: by.map(|by| self.owners(by, None)), ..self.sum_up(None) },
        }
    }

    /// A summary with so many rows, for which `owners` says what belongs to whom unless it is known.
    fn summary_with(
        &self,
        by: Option<By>,
        rows: usize,
        owners: impl FnOnce() -> Option<Owners>,
    ) -> Arc<HeapSummary> {
        self.summaries.get((by, rows), || match by {
            Some(_) => HeapSummary { owners: owners(), ..self.summary(Some(rows), None) },
            None => self.sum_up(Some(rows)),
        })
    }

    /// Makes those summaries with this number of rows that are asked for most often. Returns `false` if they are there.
    pub(super) fn prepare_summaries(&self, rows: usize) -> bool {
        if !self.summaries.has(&(None, rows)) {
            self.summary_with(None, rows, || None);
        } else if !self.summaries.has(&(Some(By::Script), rows)) {
            let of = self.code_owners();
            for by in [By::Package, By::Script] {
                self.summary_with(Some(by), rows, || Some(self.owners_of(&of, by, Some(rows))));
            }
        } else {
            return false;
        }
        true
    }

    /// What is in the heap, without what belongs to whom.
    fn sum_up(&self, top: Option<usize>) -> HeapSummary {
        let objects = top.unwrap_or(OBJECTS);
        let attribution = self.analysis.attribution.as_ref();
        // Each half reads all nodes some times.
        let ((totals, statistics, detached, kept), (retainers, unread_variables)) = join(
            self.threads,
            || {
                let kept = attribution.map(|attribution| self.kept(attribution));
                let (totals, statistics) = (self.totals(), self.statistics());
                (totals, statistics, self.detached(top), kept.unwrap_or_default())
            },
            || {
                let sources = self.sources();
                (self.retainers(&sources, objects), self.unread_variables(&sources, objects))
            },
        );
        HeapSummary {
            totals,
            process: self.process.as_deref().and_then(ProcessMemory::of),
            statistics,
            off_heap: self.off_heap(top),
            classes: self.classes(top),
            retainers,
            duplicate_strings: self.duplicate_strings(objects),
            detached,
            kept,
            unread_variables,
            native_contexts: self.native_contexts(attribution, top),
            owners: None,
        }
    }

    pub(super) fn share(&self, size: u64) -> Option<Share> {
        Share::of(size, self.analysis.statistics.total)
    }

    pub(super) fn totals(&self) -> Totals {
        let analysis = &self.analysis;
        let DetachedNodes { dom, wrappers } = self.detached_nodes();
        let size = dom.iter().fold(0u64, |size, &node| size.saturating_add(self.shallow(node)));
        let unreached = analysis.distances.iter().filter(|d| **d == heapquarry_graph::UNREACHED);
        Totals {
            size: Bytes(analysis.statistics.total),
            node_count: self.heap.nodes().len() as u64,
            edge_count: self.heap.edges().len() as u64,
            class_count: analysis.aggregates.len() as u64,
            unreached_count: unreached.count() as u64,
            detached_count: dom.len() as u64,
            detached_size: Bytes(size),
            detached_wrapper_count: wrappers.len() as u64,
        }
    }

    pub(super) fn statistics(&self) -> Vec<CategorySize> {
        let mut categories = self.categories();
        // Typed arrays are native memory: each byte is to be counted once.
        let typed = categories[Category::TypedArrays as usize];
        let native = &mut categories[Category::Native as usize];
        native.1 = native.1.saturating_sub(typed.1);
        native.2 = native.2.saturating_sub(typed.2);
        categories.order_by_key(|(_, size, _)| Reverse(*size));
        let row = |(category, size, count): (Category, u64, u64)| CategorySize {
            category: category.name(),
            meaning: meaning(category),
            size: Bytes(size),
            share_percent: self.share(size),
            count,
        };
        categories.map(row).into()
    }

    fn classes(&self, top: Option<usize>) -> List<ClassSize> {
        let analysis = &self.analysis;
        let class = |class: u32| &analysis.classes.classes[class as usize];
        let mut aggregates: Vec<_> = analysis.aggregates.iter().collect();
        aggregates.order_by(|a, b| {
            let by_size = b.retained_size.cmp(&a.retained_size);
            by_size.then_with(|| class(a.class).key.cmp(&class(b.class).key))
        });
        List::of(aggregates, top, |aggregate| self.class_size(aggregate))
    }

    pub(super) fn class_size(&self, aggregate: &Aggregate) -> ClassSize {
        let class = &self.analysis.classes.classes[aggregate.class as usize];
        ClassSize {
            class_name: class.name.to_string(),
            class_key: class.key.to_string(),
            original: self.class_original(aggregate.class),
            count: aggregate.count,
            distance: Distance(aggregate.distance),
            shallow_size: Bytes(aggregate.shallow_size),
            retained_size: Bytes(aggregate.retained_size),
            retained_percent: self.share(aggregate.retained_size),
        }
    }

    /// What a source map tells of a class.
    fn class_original(&self, class: u32) -> Option<Original> {
        self.original(*self.classes_with_original().get(&class)?)
    }

    /// What a source map tells of classes, by their keys.
    pub(crate) fn class_originals(&self) -> HashMap<String, Original> {
        let of = |(&class, &node): (&u32, &NodeIndex)| {
            let key = self.analysis.classes.classes[class as usize].key.to_string();
            self.original(node).map(|original| (key, original))
        };
        self.classes_with_original().iter().filter_map(of).collect()
    }

    /// An object of each class that a source map knows.
    pub(super) fn classes_with_original(&self) -> &HashMap<u32, NodeIndex> {
        self.examples.get_or_init(|| {
            if !self.heap.has_originals() {
                return HashMap::new();
            }
            let is_known = |&node: &NodeIndex| {
                self.heap.nodes().kind(node) == NodeType::Object
                    && self.heap.original(node).is_some()
            };
            if let Some(by_class) = self.by_class() {
                // All objects of a class that have a place have the same one.
                let first = |class| Some((class, *by_class.members().of(class).first()?));
                let classes = 0..self.analysis.classes.classes.len() as u32;
                return classes.filter_map(first).filter(|(_, node)| is_known(node)).collect();
            }
            let mut found = HashMap::new();
            for node in self.nodes().filter(is_known) {
                found.entry(self.analysis.classes.of[node.position()]).or_insert(node);
            }
            found
        })
    }

    fn retainers(&self, sources: &Sources<'_>, top: usize) -> List<ObjectSize> {
        let nodes = self.nodes().filter(|&node| self.is_of_the_program(node));
        let total = nodes.clone().filter(|&node| self.retained(node) > 0).count() as u64;
        let biggest = highest(nodes.map(|node| (node, self.retained(node))), top);
        let row = |(node, retained): (NodeIndex, u64)| ObjectSize {
            class_name: self.class_of(node),
            id: self.node_id(node),
            name: sources.name(&self.analysis.detachedness, node),
            original: self.original(node),
            distance: self.distance(node),
            shallow_size: Bytes(self.shallow(node)),
            retained_size: Bytes(retained),
            retained_percent: self.share(retained),
        };
        List { total, offset: 0, rows: biggest.into_iter().map(row).collect() }
    }

    pub(super) fn duplicate_strings(&self, top: usize) -> List<DuplicateString> {
        // Sorted by the size of all copies; sort by what one copy would save instead.
        let duplicates = self.analysis.duplicate_strings.iter();
        let mut duplicates: Vec<_> = duplicates.filter(|d| waste(d) > 0).collect();
        duplicates.sort_by_key(|d| Reverse(waste(d)));
        List::of(duplicates, Some(top), |d| DuplicateString {
            string: d.string.to_string(),
            count: d.count,
            size: Bytes(d.size),
            waste: Bytes(waste(d)),
        })
    }

    /// What nothing but detached nodes, the console, event handlers or variables of functions keep alive, and what
    /// nothing does.
    fn kept(&self, attribution: &Attribution) -> Vec<KeptOnlyBy> {
        let row = |by: &'static str, nodes: &FixedBits| {
            let sizes = nodes.nodes().map(|node| self.shallow(node));
            let size = sizes.fold(0, u64::saturating_add);
            KeptOnlyBy {
                by,
                count: nodes.count() as u64,
                size: Bytes(size),
                share_percent: self.share(size),
            }
        };
        let by = |name, keeper| row(name, attribution.retained_by.nodes(keeper));
        let DetachedNodes { dom, wrappers } = self.detached_nodes();
        // Node marks objects of C++ as detached too. They are no DOM nodes.
        let detached = match (dom.is_empty(), wrappers.is_empty()) {
            (true, false) => "detached C++ objects",
            (false, false) => "detached DOM nodes and C++ objects",
            (_, true) => "detached DOM nodes",
        };
        vec![
            by(detached, Keeper::DetachedNodes),
            by("the DevTools console", Keeper::Console),
            by("event handlers", Keeper::EventHandlers),
            by("variables of functions", Keeper::Contexts),
            row("nothing (unreachable)", &attribution.unreachable),
        ]
    }

    /// Variables that functions captured and that no function can read any more, by what their values retain.
    fn unread_variables(&self, sources: &Sources<'_>, top: usize) -> List<UnreadVariable> {
        let mut variables = captured_variables(&self.heap, self.threads);
        variables.order_by_key(|variable| Reverse(self.retained(variable.value)));
        List::of(variables, Some(top), |variable| UnreadVariable {
            name: self.heap.strings().get(variable.name).into(),
            context_name: sources.name(&self.analysis.detachedness, variable.context),
            context_id: self.node_id(variable.context),
            value_class: self.class_of(variable.value),
            value_id: self.node_id(variable.value),
            retained_size: Bytes(self.retained(variable.value)),
        })
    }

    /// Native contexts by size, if there are several.
    fn native_contexts(
        &self,
        attribution: Option<&Attribution>,
        top: Option<usize>,
    ) -> List<NativeContext> {
        let contexts = attribution.and_then(|attribution| attribution.native_contexts.as_ref());
        let sums = contexts.map(|contexts| contexts.sums(&self.analysis.shallow_sizes));
        let mut sums = sums.unwrap_or_default();
        sums.order_by_key(|sum| Reverse(sum.shallow_size));
        List::of(sums, top, |sum| {
            let (name, node) = match sum.realm {
                Realm::Context(node) => (self.heap.node_name(node), Some(node)),
                Realm::Shared => ("(shared by several)", None),
                Realm::None => ("(none)", None),
            };
            NativeContext {
                name: name.into(),
                id: node.map(|node| self.node_id(node)),
                count: sum.count,
                shallow_size: Bytes(sum.shallow_size),
                share_percent: self.share(sum.shallow_size),
                retained_size: node.map(|node| Bytes(self.retained(node))),
            }
        })
    }

    /// Detached nodes by class, with the node of each class that retains most, for `why`.
    pub(super) fn detached(&self, top: Option<usize>) -> List<DetachedClass> {
        let classes = &self.analysis.classes;
        let mut found: Vec<(u32, u64, u64, NodeIndex)> = Vec::new();
        let mut place = vec![usize::MAX; classes.classes.len()];
        for &node in &self.detached_nodes().dom {
            let class = classes.of[node.position()];
            let place = &mut place[class as usize];
            if *place == usize::MAX {
                *place = found.len();
                found.push((class, 0, 0, node));
            }
            let (_, count, size, biggest) = &mut found[*place];
            *count += 1;
            *size = size.saturating_add(self.shallow(node));
            if self.retained(node) > self.retained(*biggest) {
                *biggest = node;
            }
        }
        found.order_by_key(|&(_, count, _, biggest)| {
            (Reverse(self.retained(biggest)), Reverse(count))
        });
        List::of(found, top, |(_, count, size, biggest)| DetachedClass {
            class_name: self.class_of(biggest),
            count,
            shallow_size: Bytes(size),
            id: self.node_id(biggest),
            retained_size: Bytes(self.retained(biggest)),
        })
    }
}

fn meaning(category: Category) -> &'static str {
    match category {
        Category::Code => "compiled code",
        Category::Strings => "strings",
        Category::JsArrays => "arrays with their elements",
        Category::TypedArrays => "contents of typed arrays",
        Category::Native => "memory of the embedder, without typed arrays",
        Category::System => "what the engine needs for itself",
        Category::Other => "objects, closures and all else",
    }
}
