//! Summary of a heap.

use super::{
    Subject, distance,
    facts::{Category, waste},
    highest,
};
use crate::sections::{omitting, signed, table, values};
use heapquarry_graph::{Attribution, Bits, Keeper, NodeIndex, Realm, Sources, captured_variables};
use heapquarry_report::{Cell, Column, Section, Unit};

impl Subject {
    pub(crate) fn summary(&self, top: usize) -> Vec<Section> {
        // It looks for the owners of contexts only once.
        let sources = Sources::new(&self.heap).with_threads(self.threads);
        let mut sections = vec![
            self.totals(),
            self.statistics(),
            self.classes(top),
            self.retainers(&sources, top),
            self.duplicate_strings(top),
            self.detached(top),
        ];
        if let Some(attribution) = &self.analysis.attribution {
            sections.push(self.kept(attribution));
        }
        sections.push(self.unread_variables(&sources, top));
        if let Some(attribution) = &self.analysis.attribution {
            sections.push(self.native_contexts(attribution, top));
        }
        sections
    }

    pub(super) fn totals(&self) -> Section {
        let analysis = &self.analysis;
        let wrappers = self.nodes().filter(|&node| self.is_detached_wrapper(node)).count();
        let detached = self.nodes().filter(|&node| self.is_detached(node));
        let (count, size) = detached.fold((0, 0u64), |(count, size), node| {
            (count + 1, size.saturating_add(self.shallow(node)))
        });
        let unreached = analysis.distances.iter().filter(|d| **d == heapquarry_graph::UNREACHED);
        let heap = [
            ("size", "Size", Cell::bytes(analysis.statistics.total)),
            ("node_count", "Nodes", Cell::count(self.heap.nodes().len() as u64)),
            ("edge_count", "Edges", Cell::count(self.heap.edges().len() as u64)),
            ("class_count", "Classes", Cell::count(analysis.aggregates.len() as u64)),
            ("unreached_count", "Unreachable nodes", Cell::count(unreached.count() as u64)),
            ("detached_count", "Detached DOM nodes", Cell::count(count)),
            ("detached_size", "Detached size", Cell::bytes(size)),
            ("detached_wrapper_count", "Detached C++ objects", Cell::count(wrappers as u64)),
        ];
        values("totals", "Heap", heap)
    }

    pub(super) fn statistics(&self) -> Section {
        let total = self.analysis.statistics.total;
        let mut categories = self.categories();
        // Typed arrays are native memory: each byte is to be counted once.
        let typed = categories[Category::TypedArrays as usize];
        let native = &mut categories[Category::Native as usize];
        native.1 = native.1.saturating_sub(typed.1);
        native.2 = native.2.saturating_sub(typed.2);
        categories.sort_by_key(|(_, size, _)| std::cmp::Reverse(*size));
        let rows = categories.map(|(category, size, count)| {
            vec![
                Cell::text(category.name()),
                Cell::text(meaning(category)),
                Cell::bytes(size),
                Cell::share(size, total),
                Cell::count(count),
            ]
        });
        table(
            "statistics",
            "Statistics",
            vec![
                Column::new("category", "Category"),
                Column::hidden("meaning"),
                Column::new("size", "Size"),
                Column::new("share_percent", "Share"),
                Column::new("count", "Nodes"),
            ],
            rows.into(),
            usize::MAX,
            "",
        )
    }

    fn classes(&self, top: usize) -> Section {
        let analysis = &self.analysis;
        let class = |class: u32| &analysis.classes.classes[class as usize];
        let mut aggregates: Vec<_> = analysis.aggregates.iter().collect();
        aggregates.sort_unstable_by(|a, b| {
            let by_size = b.retained_size.cmp(&a.retained_size);
            by_size.then_with(|| class(a.class).key.cmp(&class(b.class).key))
        });
        let rows = aggregates.into_iter().map(|a| {
            vec![
                Cell::name(&*class(a.class).name),
                Cell::name(&*class(a.class).key),
                Cell::count(a.count),
                distance(a.distance),
                Cell::bytes(a.shallow_size),
                Cell::bytes(a.retained_size),
                Cell::share(a.retained_size, analysis.statistics.total),
            ]
        });
        table(
            "classes",
            "Classes by retained size",
            vec![
                Column::new("class_name", "Class"),
                Column::hidden("class_key"),
                Column::new("count", "Count"),
                Column::optional("distance", "Distance"),
                Column::new("shallow_size", "Shallow"),
                Column::new("retained_size", "Retained"),
                Column::optional("retained_percent", "Share"),
            ],
            rows.collect(),
            top,
            "",
        )
    }

    fn retainers(&self, sources: &Sources<'_>, top: usize) -> Section {
        let nodes = self.nodes().filter(|&node| self.is_of_the_program(node));
        let biggest = highest(nodes.map(|node| (node, self.retained(node))), top);
        let rows = biggest.into_iter().map(|(node, retained)| {
            vec![
                self.class_name(node),
                self.id(node),
                self.name(sources, node),
                distance(self.analysis.distances[node.position()]),
                Cell::bytes(self.shallow(node)),
                Cell::bytes(retained),
                Cell::share(retained, self.analysis.statistics.total),
            ]
        });
        table(
            "retainers",
            "Objects by retained size",
            vec![
                Column::new("class_name", "Class"),
                Column::new("id", "Id"),
                Column::optional("name", "Name"),
                Column::optional("distance", "Distance"),
                Column::optional("shallow_size", "Shallow"),
                Column::new("retained_size", "Retained"),
                Column::optional("retained_percent", "Share"),
            ],
            rows.collect(),
            top,
            "",
        )
    }

    pub(super) fn duplicate_strings(&self, top: usize) -> Section {
        // Sorted by the size of all copies; sort by what one copy would save instead.
        let duplicates = self.analysis.duplicate_strings.iter();
        let mut duplicates: Vec<_> = duplicates.filter(|d| waste(d) > 0).collect();
        duplicates.sort_by_key(|d| std::cmp::Reverse(waste(d)));
        let omitted = duplicates.len().saturating_sub(top) as u64;
        duplicates.truncate(top);
        let rows = duplicates.into_iter().map(|d| {
            vec![
                Cell::name(&*d.string),
                Cell::count(d.count),
                Cell::bytes(d.size),
                Cell::bytes(waste(d)),
            ]
        });
        let section = table(
            "duplicate_strings",
            "Duplicate strings",
            vec![
                Column::new("string", "String"),
                Column::new("count", "Count"),
                Column::new("size", "Size"),
                Column::new("waste", "Waste"),
            ],
            rows.collect(),
            top,
            "",
        );
        omitting(section, omitted)
    }

    /// What nothing but detached nodes, the console, event handlers or variables of functions keep alive, and what
    /// nothing does.
    fn kept(&self, attribution: &Attribution) -> Section {
        let analysis = &self.analysis;
        let row = |by: &'static str, nodes: &Bits| {
            let sizes = nodes.nodes().map(|node| self.shallow(node));
            let size = sizes.fold(0, u64::saturating_add);
            vec![
                Cell::text(by),
                Cell::count(nodes.count() as u64),
                Cell::bytes(size),
                Cell::share(size, analysis.statistics.total),
            ]
        };
        let by = |name, keeper| row(name, attribution.retained_by.nodes(keeper));
        let is_any = |is_it: fn(&Self, NodeIndex) -> bool| self.nodes().any(|at| is_it(self, at));
        // Node marks objects of C++ as detached too. They are no DOM nodes.
        let detached = match (is_any(Self::is_detached), is_any(Self::is_detached_wrapper)) {
            (false, true) => "detached C++ objects",
            (true, true) => "detached DOM nodes and C++ objects",
            (_, false) => "detached DOM nodes",
        };
        let rows = vec![
            by(detached, Keeper::DetachedNodes),
            by("the DevTools console", Keeper::Console),
            by("event handlers", Keeper::EventHandlers),
            by("variables of functions", Keeper::Contexts),
            row("nothing (unreachable)", &attribution.unreachable),
        ];
        table(
            "kept",
            "Kept alive only by",
            vec![
                Column::new("by", "By"),
                Column::new("count", "Count"),
                Column::new("size", "Size"),
                Column::optional("share_percent", "Share"),
            ],
            rows,
            usize::MAX,
            "",
        )
    }

    /// Variables that functions captured and that no function can read any more, by what their values retain.
    fn unread_variables(&self, sources: &Sources<'_>, top: usize) -> Section {
        let mut variables = captured_variables(&self.heap, self.threads);
        let omitted = variables.len().saturating_sub(top) as u64;
        variables.sort_by_key(|variable| std::cmp::Reverse(self.retained(variable.value)));
        variables.truncate(top);
        let rows = variables.into_iter().map(|variable| {
            vec![
                Cell::name(self.heap.strings().get(variable.name)),
                self.name(sources, variable.context),
                self.id(variable.context),
                self.class_name(variable.value),
                self.id(variable.value),
                Cell::bytes(self.retained(variable.value)),
            ]
        });
        let section = table(
            "unread_variables",
            "Captured variables that no function reads",
            vec![
                Column::new("name", "Variable"),
                Column::optional("context_name", "Of"),
                Column::hidden("context_id"),
                Column::new("value_class", "Value"),
                Column::new("value_id", "Id"),
                Column::new("retained_size", "Retained"),
            ],
            rows.collect(),
            top,
            "",
        );
        omitting(section, omitted)
    }

    /// Native contexts by size, if there are several.
    fn native_contexts(&self, attribution: &Attribution, top: usize) -> Section {
        let analysis = &self.analysis;
        let contexts = attribution.native_contexts.as_ref();
        let sums = contexts.map(|contexts| contexts.sums(&analysis.shallow_sizes));
        let mut sums = sums.unwrap_or_default();
        sums.sort_by_key(|sum| std::cmp::Reverse(sum.shallow_size));
        let rows = sums.into_iter().map(|sum| {
            let (name, id, retained) = match sum.realm {
                Realm::Context(node) => (
                    Cell::name(self.heap.node_name(node)),
                    self.id(node),
                    Cell::bytes(self.retained(node)),
                ),
                Realm::Shared => (Cell::text("(shared by several)"), Cell::Empty, Cell::Empty),
                Realm::None => (Cell::text("(none)"), Cell::Empty, Cell::Empty),
            };
            vec![
                name,
                id,
                Cell::count(sum.count),
                Cell::bytes(sum.shallow_size),
                Cell::share(sum.shallow_size, analysis.statistics.total),
                retained,
            ]
        });
        table(
            "native_contexts",
            "Native contexts",
            vec![
                Column::new("name", "Native context"),
                Column::new("id", "Id"),
                Column::new("count", "Nodes"),
                Column::new("shallow_size", "Size"),
                Column::optional("share_percent", "Share"),
                Column::new("retained_size", "Retained"),
            ],
            rows.collect(),
            top,
            "",
        )
    }

    /// Detached nodes by class, with the node of each class that retains most, for `why`.
    pub(super) fn detached(&self, top: usize) -> Section {
        let classes = &self.analysis.classes;
        let mut found: Vec<(u32, u64, u64, NodeIndex)> = Vec::new();
        let mut place = vec![usize::MAX; classes.classes.len()];
        for node in self.nodes().filter(|&node| self.is_detached(node)) {
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
        found.sort_by_key(|&(_, count, _, biggest)| {
            (std::cmp::Reverse(self.retained(biggest)), std::cmp::Reverse(count))
        });
        let rows = found.into_iter().map(|(_, count, size, biggest)| {
            vec![
                self.class_name(biggest),
                Cell::count(count),
                Cell::Number(signed(size), Unit::Bytes),
                self.id(biggest),
                Cell::bytes(self.retained(biggest)),
            ]
        });
        table(
            "detached",
            "Detached DOM nodes",
            vec![
                Column::new("class_name", "Class"),
                Column::new("count", "Count"),
                Column::new("shallow_size", "Shallow"),
                Column::new("id", "Largest"),
                Column::new("retained_size", "Retained"),
            ],
            rows.collect(),
            top,
            "",
        )
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
