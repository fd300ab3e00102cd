//! Figures of a heap that can be limited.

use super::{
    Subject,
    diff::is_of_the_engine,
    owners::{Owned, UNKNOWN},
};
use crate::{By, PACKAGE, Wanted, sections::signed};
use heapquarry::{Error, ErrorKind, Result, Severity, Source};
use heapquarry_graph::{CodeOwner, DETACHED, Duplicate, Heap, NodeIndex, NodeType};
use heapquarry_report::{
    Facts, Quantity, Scope, Unit, WHOLE,
    starter::{ANY, Limited, Starter},
};
use std::collections::{BTreeMap, HashSet};

const fn bytes(name: &'static str, doc: &'static str) -> Quantity {
    Quantity::new(name, Unit::Bytes, doc)
}

const fn count(name: &'static str, doc: &'static str) -> Quantity {
    Quantity::new(name, Unit::Count, doc)
}

/// Sizes are shallow sizes as DevTools attributes them, unless they are retained sizes.
pub(crate) static VOCABULARY: [Scope; 5] = [
    Scope {
        name: "total",
        names: Some(WHOLE),
        quantities: &[
            bytes("size", "shallow size of all nodes"),
            bytes("retained", "the same with native memory outside the heap: DevTools' total"),
            count("count", "nodes"),
            count("edges", "edges"),
            count("detached_count", "detached DOM nodes"),
            bytes("detached_size", "shallow size of detached DOM nodes"),
            bytes("duplicate_size", "memory that one copy of each duplicate string would save"),
        ],
    },
    Scope {
        name: "class",
        names: None,
        quantities: &[
            count("count", "instances that have a size"),
            bytes("size", "their shallow size"),
            bytes("retained", "retained size of all instances together"),
        ],
    },
    Scope {
        name: "type",
        names: None,
        quantities: &[count("count", "nodes"), bytes("size", "their shallow size")],
    },
    Scope {
        name: "category",
        names: Some(&Category::NAMES),
        quantities: &[bytes("size", "as in DevTools' statistics"), count("count", "nodes")],
    },
    Scope {
        name: PACKAGE,
        names: None,
        quantities: &[
            count("count", "nodes that belong to the package"),
            bytes("size", "what they take themselves"),
            bytes("retained", "what would be freed if all of them went"),
        ],
    },
];

/// Classes of the program: those of the engine come and go with its code.
pub(crate) static STARTER: Starter = Starter {
    scopes: &[
        Limited {
            scope: "total",
            quantities: &["size", "retained", "count", "detached_count", "duplicate_size"],
            most: 1,
            fits: ANY,
            optional: false,
        },
        Limited {
            scope: "class",
            quantities: &["retained", "count"],
            most: 5,
            fits: |name| !is_of_the_engine(name),
            optional: false,
        },
    ],
    growth: "[class.\"*\"]\nretained = \"+10% and +100 kB\"",
};

/// The categories of DevTools' statistics.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Category {
    Code,
    Strings,
    JsArrays,
    TypedArrays,
    Native,
    System,
    Other,
}

impl Category {
    pub(super) const ALL: [Category; 7] = [
        Category::Code,
        Category::Strings,
        Category::JsArrays,
        Category::TypedArrays,
        Category::Native,
        Category::System,
        Category::Other,
    ];
    pub(super) const NAMES: [&'static str; 7] =
        ["code", "strings", "js_arrays", "typed_arrays", "native", "system", "other"];

    pub(super) fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl Subject {
    /// The figures of a complete heap.
    pub(crate) fn facts(&self, source: &Source, wanted: Wanted) -> Result<Facts> {
        let mut facts = self.facts_without_classes(source, wanted)?;
        for aggregate in &self.analysis.aggregates {
            let name = &self.analysis.classes.classes[aggregate.class as usize].name;
            let numbers = [aggregate.count, aggregate.shallow_size, aggregate.retained_size];
            facts.add("class", name, &numbers.map(signed));
        }
        Ok(facts)
    }

    /// Without those of the classes.
    pub(super) fn facts_without_classes(&self, source: &Source, wanted: Wanted) -> Result<Facts> {
        if self.is_partial {
            return Err(Error::new(ErrorKind::Truncated(source.path.clone())));
        }
        if let Some(lost) = self.log.iter().find(|entry| entry.code.severity() == Severity::Error) {
            let (path, found) = (source.path.clone(), lost.message.clone());
            return Err(Error::new(ErrorKind::Damaged { path, found }));
        }
        let (heap, analysis) = (&self.heap, &self.analysis);
        let nodes = heap.nodes();
        let mut facts = Facts::new(&VOCABULARY);
        let mut types: BTreeMap<&str, (i64, u64)> = BTreeMap::new();
        let mut size = 0u64;
        for node in nodes.all() {
            let shallow = analysis.shallow_sizes.get(node.position());
            size = size.saturating_add(shallow);
            let (count, sum) = types.entry(nodes.type_name(node)).or_default();
            *count += 1;
            *sum = sum.saturating_add(shallow);
        }
        let detached = &self.detached_nodes().dom;
        let detached_size =
            detached.iter().fold(0u64, |sum, &node| sum.saturating_add(self.shallow(node)));
        let duplicates = analysis.duplicate_strings.iter();
        let duplicates: u64 = duplicates.map(waste).sum();
        facts.add(
            "total",
            "",
            &[
                size,
                analysis.statistics.total,
                nodes.len() as u64,
                heap.edges().len() as u64,
                detached.len() as u64,
                detached_size,
                duplicates,
            ]
            .map(signed),
        );
        add_constructors(heap, &mut facts);
        for (name, (count, size)) in types {
            facts.add("type", name, &[count, signed(size)]);
        }
        for (category, size, count) in self.categories() {
            facts.add("category", category.name(), &[size, count].map(signed));
        }
        if wanted.packages {
            self.add_packages(&mut facts);
        }
        Ok(facts)
    }

    /// Packages; not what belongs to none.
    fn add_packages(&self, facts: &mut Facts) {
        let Owned { sums, is_known } = self.owned(By::Package, usize::MAX);
        for quantity in ["count", "size", "retained"].iter().filter(|_| !is_known) {
            facts.set_unknown(PACKAGE, quantity, UNKNOWN);
        }
        for sum in sums {
            let CodeOwner::Package(name) = &sum.owner else { continue };
            if sum.retained_size.is_none() {
                let why = "there are too many packages to tell of each what it retains";
                facts.set_unknown(PACKAGE, "retained", why);
            }
            let retained = sum.retained_size.unwrap_or(0);
            facts.add(PACKAGE, name, &[sum.count, sum.size, retained].map(signed));
        }
    }

    /// Size and number of nodes of each category.
    pub(super) fn categories(&self) -> [(Category, u64, u64); 7] {
        let statistics = &self.analysis.statistics;
        let (heap, nodes) = (&self.heap, self.heap.nodes());
        let mut counts = [0u64; 7];
        for node in nodes.all() {
            let category = match nodes.kind(node) {
                NodeType::Hidden => Category::System,
                NodeType::Native => {
                    if heap.node_name(node) == "system / JSArrayBufferData" {
                        counts[Category::TypedArrays as usize] += 1;
                    }
                    Category::Native
                }
                NodeType::Code => Category::Code,
                NodeType::String | NodeType::ConsString | NodeType::SlicedString => {
                    Category::Strings
                }
                _ if heap.node_name(node) == "Array" => Category::JsArrays,
                _ => Category::Other,
            };
            counts[category as usize] += 1;
        }
        let s = statistics;
        let known = [s.code, s.strings, s.js_arrays, s.native, s.system];
        let other = known.into_iter().fold(s.total, u64::saturating_sub);
        // Typed arrays are part of native memory.
        let sizes = [s.code, s.strings, s.js_arrays, s.typed_arrays, s.native, s.system, other];
        Category::ALL.map(|c| (c, sizes[c as usize], counts[c as usize]))
    }

    /// The nodes of the embedder that belong to no document, in file order: there are few.
    pub(super) fn detached_nodes(&self) -> &DetachedNodes {
        self.detached_nodes.get_or_init(|| DetachedNodes::new(self))
    }

    /// Whether the node is a DOM node outside of any document.
    pub(super) fn is_detached(&self, node: NodeIndex) -> bool {
        self.is_detached_native(node) && !is_cpp(self.heap.node_name(node))
    }

    fn is_detached_native(&self, node: NodeIndex) -> bool {
        let nodes = self.heap.nodes();
        nodes.kind(node) == NodeType::Native
            && (self.analysis.detachedness[node.position()] == DETACHED
                // DevTools' criterion for files without states.
                || (!nodes.have_states() && self.heap.node_name(node).starts_with("Detached ")))
    }
}

/// Parts of the embedder that belong to no document.
pub(super) struct DetachedNodes {
    /// DOM nodes outside of any document.
    pub(super) dom: Vec<NodeIndex>,
    /// What is no DOM node: Node marks weakly held wrappers like that, and Chromium what detached nodes own.
    pub(super) wrappers: Vec<NodeIndex>,
}

impl DetachedNodes {
    fn new(of: &Subject) -> Self {
        let all = of.nodes().filter(|&node| of.is_detached_native(node));
        let (wrappers, dom) = all.partition(|&node| is_cpp(of.heap.node_name(node)));
        DetachedNodes { dom, wrappers }
    }
}

/// A class without instances is known by its constructor: `class.Session` may be at most 0.
pub(super) fn add_constructors(heap: &Heap, facts: &mut Facts) {
    let nodes = heap.nodes();
    let mut seen = HashSet::new();
    for node in nodes.all().filter(|&node| nodes.kind(node) == NodeType::Closure) {
        if seen.insert(nodes.name_id(node)) {
            facts.add_known("class", heap.node_name(node));
        }
    }
}

/// Whether that is the name of an object of C++: `Node / BindingData`, `blink::EventTargetData`.
fn is_cpp(name: &str) -> bool {
    let name = name.strip_prefix("Detached ").unwrap_or(name);
    name.starts_with("Node / ") || (!name.starts_with('<') && name.contains("::"))
}

/// Bytes that one copy of each string would save.
pub(super) fn waste(duplicate: &Duplicate) -> u64 {
    duplicate.size - duplicate.size / duplicate.count.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_lists_what_can_be_limited() {
        let page = include_str!("../../../../docs/ci.md");
        for scope in &VOCABULARY {
            for quantity in scope.quantities {
                let row = format!("| `{}` | `{}` | {} |", scope.name, quantity.name, quantity.doc);
                assert!(page.contains(&row), "{row}");
            }
        }
    }

    #[test]
    fn objects_of_cpp_are_no_dom_nodes() {
        for (name, expected) in [
            ("Detached <div>", false),
            ("<div id=\"a::b\">", false),
            ("Detached Text node", false),
            ("Detached Node / BindingData", true),
            ("Node / BindingData", true),
            ("Detached blink::EventTargetData", true),
            ("blink::HeapVectorBacking<blink::Member<X>>", true),
        ] {
            assert_eq!(is_cpp(name), expected, "{name}");
        }
    }

    #[test]
    fn categories_have_their_names() {
        for (category, name) in Category::ALL.into_iter().zip(Category::NAMES) {
            assert_eq!(category.name(), name);
        }
        assert_eq!(Category::JsArrays.name(), "js_arrays");
    }
}
