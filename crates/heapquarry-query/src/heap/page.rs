//! A heap, drawn.

use super::{
    Subject,
    diff::{Comparison, First, view as diff},
    leaks::{Leak, findings},
    summary::view as summary,
};
use crate::{
    answer::issues, diff::Comparing, parts::file_name, room::Room, sections::signed, texts, view,
};
use heapquarry::{
    Result, RunOptions, Source,
    engine::{Located, check_text},
};
use heapquarry_base::Order;
use heapquarry_graph::{
    DominatedGroup, EdgeName, EdgeType, NodeIndex, NodeType, Sources, TopDominators,
};
use heapquarry_html::{Block, Drawing, model};
use heapquarry_report::{Body, Cell, Section, Unit};
use std::collections::HashMap;

/// Nodes that are drawn.
const NODES: usize = 20_000;
/// Sums of further nodes by class.
const GROUPS: usize = 40_000;
/// References of a node that are listed.
const REFERENCES: usize = 32;
/// Classes in the table.
const CLASSES: usize = 5_000;
/// Classes whose growth is drawn.
const GROWN: usize = 40;
/// Rows of other tables.
const ROWS: usize = 100;
/// Leaks that are told.
const LEAKS: usize = 20;

/// The blocks of the page of a heap, and the notes on how it was read. Earlier snapshots of its process say what grew.
pub(crate) fn page(
    source: &Source,
    located: Located,
    before: &[Source],
    room: Room,
    options: &RunOptions,
) -> Result<(Vec<String>, Vec<Block>)> {
    let (facts, by, series, output) = (None, None, 1, None);
    let how = Comparing { source, before, facts, by, series, output, options };
    let first = (!before.is_empty()).then(|| First::read(&how, 0)).transpose()?;
    let beside = first.as_ref().map_or_else(|| options.clone(), |first| first.beside(options));
    let subject = Subject::open(source, located, None, &beside)?;
    let mut notes = texts(subject.caveats());
    let compared = first.map(|first| Comparison::new(&how, first, &subject)).transpose()?;
    notes.extend(compared.iter().flat_map(|found| texts(&found.caveats)));
    let mut blocks = subject.blocks(compared.as_ref(), room);
    if let Some(found) = subject.allocations(source, options)? {
        let after = blocks.iter().position(|block| matches!(block, Block::Drawing { .. }));
        blocks.insert(after.map_or(0, |at| at + 1), found.block(room));
    }
    check_text(&source.path, &subject.heap)?;
    Ok((notes, blocks))
}

impl Subject {
    fn blocks(&self, compared: Option<&Comparison>, room: Room) -> Vec<Block> {
        let rows = room.of(ROWS);
        let kept = TopDominators::new(&self.heap, &self.analysis, room.of(NODES));
        let mut blocks = vec![Block::section(with_something(summary::totals(&self.totals())))];
        if let Some(found) = compared
            && let Some(leaks) = &found.leaks
        {
            let (first, last) = found.ends();
            let growth = signed(last.size) - signed(first.size);
            blocks.push(Block::section(findings(leaks, growth, room.of(LEAKS))));
        }
        let holders = self.memory_holders();
        let how = "Objects whose memory is spread over many others: no single one of them holds most of it. Each is \
                   counted without those listed here that it holds.";
        let map = self.map(&kept, compared, room);
        match compared {
            Some(_) => blocks.extend([map, with(holders.section(), None, how)]),
            None => {
                let verdict = format!(
                    "{} One snapshot tells what is large; what leaks is told by a report of several. {how}",
                    holders.verdict
                );
                blocks.extend([with(holders.section(), None, &verdict), map]);
            }
        }
        blocks.push(with(
            summary::statistics(&self.statistics()),
            Some(STATISTICS_SQL),
            &self.sum(),
        ));
        blocks.push(Block::Drawing {
            key: "classes",
            title: "Classes",
            note: "What would be freed with all instances of a class, and what they take themselves. Retained sizes \
                   overlap, so they do not add up."
                .into(),
            drawing: Drawing::Classes,
        });
        if let Some(found) = compared {
            blocks.push(growth(found, room));
            let engine = found.engine_classes();
            let classes = diff::classes(&found.classes(Some(rows), false), engine.as_ref(), rows);
            blocks.push(with(
                retitled(classes, "growth_by_class", "Growth by class"),
                None,
                "From the first snapshot to the last. Objects are told apart by their ids.",
            ));
            blocks.push(with(
                retitled(
                    diff::objects(&found.objects(self, rows)),
                    "grown",
                    "Objects that retain more",
                ),
                None,
                "Each below the nearest one that alone holds it.",
            ));
        }
        blocks.push(with(
            summary::duplicate_strings(&self.duplicate_strings(rows), rows),
            Some(STRINGS_SQL),
            "Waste is what one copy of each would save.",
        ));
        if !self.log.is_empty() {
            blocks.push(Block::section(view::issues(&issues(&self.log))));
        }
        let detached = summary::detached(&self.detached(Some(rows)), rows);
        if !is_empty(&detached) {
            blocks.push(Block::section(detached));
        }
        blocks
    }

    /// That statistics add up.
    fn sum(&self) -> String {
        let total = Unit::Bytes.format(signed(self.analysis.statistics.total));
        format!("Each byte is counted once: the sizes add up to {total}, the size of the heap.")
    }

    /// The map of dominators.
    fn map(&self, kept: &TopDominators, compared: Option<&Comparison>, room: Room) -> Block {
        let groups = kept.groups(&self.analysis, room.of(GROUPS));
        let own: u64 = kept.nodes.iter().map(|&node| self.shallow(node)).sum();
        let grouped: u64 = groups.iter().map(|group| group.retained).sum();
        let shown = Cell::share(own.saturating_add(grouped), self.retained(self.heap.root()));
        let shown = match shown {
            Cell::Number(share, unit) => unit.format(share).to_string(),
            _ => "0 %".into(),
        };
        let count = |n: usize| heapquarry_report::grouped(n as u64);
        let note = format!(
            "Each box is an object, as large as what it alone keeps alive. The {} of {} nodes that retain most are boxes of \
             their own, others are summed by class: together {shown} of the bytes.",
            count(kept.nodes.len()),
            count(self.heap.nodes().len()),
        );
        let heap = self.model(kept, &groups, compared, room);
        Block::Drawing {
            key: "map",
            title: "Memory map",
            note,
            drawing: Drawing::Heap(Box::new(heap)),
        }
    }

    fn model(
        &self,
        kept: &TopDominators,
        groups: &[DominatedGroup],
        compared: Option<&Comparison>,
        room: Room,
    ) -> model::Heap {
        let analysis = &self.analysis;
        let mut heap = model::Heap {
            total: self.retained(self.heap.root()),
            node_count: self.heap.nodes().len() as u64,
            ..model::Heap::default()
        };
        let mut classes = Classes::new(self, room.of(CLASSES));
        let used = kept.nodes.iter().map(|&node| analysis.classes.of[node.position()]);
        let node_classes: Vec<u32> = used.map(|class| classes.number(class)).collect();
        let group_classes: Vec<u32> = groups.iter().map(|g| classes.number(g.class)).collect();
        heap.classes = classes.model(self, &mut heap.texts);

        let sources = self.sources();
        let names: Vec<u32> = kept
            .nodes
            .iter()
            .map(|&node| self.short_name(&sources, node, &mut heap.texts))
            .collect();
        let each = || kept.nodes.iter().copied();
        let ids: Vec<i64> = each().map(|node| self.heap.nodes().id(node)).collect();
        heap.nodes = model::Nodes {
            id: ids.into(),
            parent: kept.parents.iter().copied().collect(),
            class: node_classes.into_iter().collect(),
            name: names.into_iter().collect(),
            size: each().map(|node| self.shallow(node)).collect(),
            retained: each().map(|node| self.retained(node)).collect(),
            distance: each().map(|node| steps(analysis.distances[node.position()])).collect(),
            before: compared.map_or_else(Default::default, |found| {
                each().map(|node| found.before(self, node).map_or(0, |n| n + 1)).collect()
            }),
        };
        heap.groups = model::Groups {
            parent: groups.iter().map(|group| group.parent).collect(),
            class: group_classes.into_iter().collect(),
            count: groups.iter().map(|group| group.count).collect(),
            retained: groups.iter().map(|group| group.retained).collect(),
            max: groups.iter().map(|group| group.max).collect(),
        };
        heap.edges = self.references(kept, &mut heap.texts);
        heap
    }

    /// The name of a node. Those of plain strings are not copied: they may have megabytes.
    fn short_name(&self, sources: &Sources<'_>, node: NodeIndex, texts: &mut model::Texts) -> u32 {
        match self.heap.nodes().kind(node) {
            NodeType::String | NodeType::SlicedString => texts.number(self.heap.node_name(node)),
            _ => texts.number(&sources.name(&self.analysis.detachedness, node)),
        }
    }

    fn references(&self, kept: &TopDominators, texts: &mut model::Texts) -> model::Edges {
        let (references, all) = kept.references(&self.heap, &self.analysis, REFERENCES);
        let mut counts = vec![0u64; kept.nodes.len()];
        let mut types: Vec<&'static str> = Vec::new();
        let (mut kinds, mut names): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for reference in &references {
            counts[reference.from as usize] += 1;
            let kind = self.heap.edges().kind(reference.edge).name();
            let known = types.iter().position(|known| *known == kind);
            kinds.push(known.unwrap_or_else(|| {
                types.push(kind);
                types.len() - 1
            }) as u32);
            let name = self.heap.edge_name(reference.edge);
            let is_index = matches!(name, EdgeName::Index(_))
                || self.heap.edges().kind(reference.edge) == EdgeType::Element;
            let name = name.to_string();
            names.push(texts.number(&if is_index { format!("[{name}]") } else { name }));
        }
        model::Edges {
            counts: counts.into(),
            to: references.iter().map(|reference| reference.to).collect(),
            kind: kinds.into_iter().collect(),
            name: names.into_iter().collect(),
            types,
            omitted: all - references.len() as u64,
        }
    }
}

/// Classes as the page numbers them: the table first, then those that nodes and groups have besides.
struct Classes {
    numbers: HashMap<u32, u32>,
    classes: Vec<u32>,
    listed: usize,
}

impl Classes {
    fn new(subject: &Subject, most: usize) -> Self {
        let analysis = &subject.analysis;
        let key = |class: u32| &analysis.classes.classes[class as usize].key;
        let mut listed: Vec<_> = analysis.aggregates.iter().collect();
        listed.order_by(|a, b| {
            let by_size = b.retained_size.cmp(&a.retained_size);
            by_size.then_with(|| key(a.class).cmp(key(b.class)))
        });
        let classes: Vec<u32> = listed.iter().take(most).map(|a| a.class).collect();
        let numbers = classes.iter().copied().zip(0..).collect();
        Classes { numbers, listed: classes.len(), classes }
    }

    fn number(&mut self, class: u32) -> u32 {
        *self.numbers.entry(class).or_insert_with(|| {
            self.classes.push(class);
            self.classes.len() as u32 - 1
        })
    }

    fn model(&self, subject: &Subject, texts: &mut model::Texts) -> model::Classes {
        let analysis = &subject.analysis;
        let sums: HashMap<u32, _> = analysis.aggregates.iter().map(|a| (a.class, a)).collect();
        let number = |of: fn(&heapquarry_graph::Aggregate) -> u64| {
            self.classes.iter().map(|class| sums.get(class).map_or(0, |a| of(a))).collect()
        };
        let name = |&class: &u32| texts.number(&analysis.classes.classes[class as usize].name);
        let names: Vec<u32> = self.classes.iter().map(name).collect();
        model::Classes {
            name: names.into_iter().collect(),
            count: number(|a| a.count),
            size: number(|a| a.shallow_size),
            retained: number(|a| a.retained_size),
            distance: number(|a| steps(a.distance)),
            listed: self.listed as u32,
            omitted: (analysis.aggregates.len() - self.listed) as u64,
        }
    }
}

/// The classes that grew most, in all snapshots, and what is found to grow in every step.
fn growth(found: &Comparison, room: Room) -> Block {
    let mut growth = model::Growth::default();
    let snapshots = &found.snapshots;
    let texts = &mut growth.texts;
    let names: Vec<u32> =
        snapshots.iter().map(|snapshot| texts.number(&file_name(&snapshot.name))).collect();
    // They are sorted by growth.
    let grown = found.classes.iter().take(room.of(GROWN));
    let classes: Vec<u32> = grown.clone().map(|diff| texts.number(&diff.class_name)).collect();
    let each = || {
        grown.clone().flat_map(|diff| snapshots.iter().map(|snapshot| snapshot.of(&diff.class_key)))
    };
    growth.counts = each().map(|totals| totals.count).collect();
    growth.retained = each().map(|totals| totals.retained).collect();
    growth.sizes = snapshots.iter().map(|snapshot| snapshot.size).collect();
    let told = found.leaks.iter().flatten().take(room.of(LEAKS));
    growth.findings = told.flat_map(since_the_first).collect::<Vec<i64>>().into();
    (growth.snapshots, growth.names) = (names.into_iter().collect(), classes.into_iter().collect());
    Block::Drawing {
        key: "growth",
        title: "Growth",
        note:
            "What the instances of each class retain together, from the first snapshot to the last."
                .into(),
        drawing: Drawing::Growth(growth),
    }
}

/// By how many bytes a finding has grown since the first snapshot, in each of them.
fn since_the_first(leak: &Leak) -> Vec<i64> {
    let steps = leak.steps.iter().map(|step| step.0);
    let grown = steps.scan(0i64, |sum, step| {
        *sum = sum.saturating_add(step);
        Some(*sum)
    });
    std::iter::once(0).chain(grown).collect()
}

/// A distance as the page has it: plus 5, so that none is negative.
fn steps(distance: i32) -> u64 {
    u64::try_from(i64::from(distance) + 5).unwrap_or(0)
}

fn with(section: Section, sql: Option<&'static str>, note: &str) -> Block {
    Block::Section { section, sql, note: Some(note.into()) }
}

/// Values without those of which there is nothing.
fn with_something(mut section: Section) -> Section {
    if let Body::Values(values) = &mut section.body {
        values.retain(|value| !matches!(value.cell, Cell::Number(0, _)));
    }
    section
}

/// A section with another key and title, for another place of a page.
fn retitled(section: Section, key: &'static str, title: &'static str) -> Section {
    Section { key, title: title.into(), ..section }
}

fn is_empty(section: &Section) -> bool {
    matches!(&section.body, Body::Table(table) if table.rows.is_empty())
}

const STATISTICS_SQL: &str = "SELECT category, size FROM js_heap_statistics ORDER BY size DESC";
const STRINGS_SQL: &str = "SELECT string, count, size, size - size // count AS waste FROM js_heap_duplicate_string \
                           ORDER BY waste DESC LIMIT 100";
