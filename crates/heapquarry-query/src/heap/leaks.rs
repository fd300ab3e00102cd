//! What a program leaks.

use super::{facts::add_constructors, lost_ids::cause};
use crate::{
    answer::Caveat,
    report,
    sections::{change, signed, table},
};
use heapquarry::{
    Entry, Error, ErrorKind, LoadedHeap, Result, RunOptions, Severity, Source, Status,
    engine::Purpose, load_heap, options,
};
use heapquarry_graph::{
    FoldedHeap, Heap, Leak, LeakKind, LeakStep, Leaks, SourcePlace, classify, detachedness,
};
use heapquarry_report::{
    Body, Cell, Column, Facts, Pattern, Quantity, Report, Rule, Scope, Section, SourceLine, Unit,
    Value, WHOLE, check, grouped, unmatched,
};

options! {
    /// How [`leaks`] works.
    #[derive(Clone, Debug)]
    pub struct LeaksOptions {
        /// What the findings are not to exceed: `any` for none at all, a number for fewer than so many, a size for none
        /// that grows by more, or an [expression](heapquarry_report::rule) about `leak`, `leaks`, `total` or `class`.
        pub fail_on: Vec<String>,
        /// [Patterns](Pattern) of owners, or of ways to them, that may grow: they are no findings.
        pub ignore: Vec<String>,
        /// Findings that people see.
        pub top: usize,
        /// Whether a snapshot of which something is lost is an error.
        pub strict: bool,
    }
}

impl Default for LeaksOptions {
    fn default() -> Self {
        LeaksOptions { fail_on: Vec::new(), ignore: Vec::new(), top: TOP, strict: false }
    }
}

/// Findings that people see.
const TOP: usize = 10;

/// What limits can be set to.
static VOCABULARY: [Scope; 4] = [
    Scope {
        name: "leaks",
        names: Some(WHOLE),
        quantities: &[
            Quantity { name: "count", unit: Unit::Count, doc: "places that grow in every step" },
            Quantity { name: "bytes", unit: Unit::Bytes, doc: "by how much they grow together" },
        ],
    },
    Scope {
        name: "leak",
        names: None,
        quantities: &[
            Quantity { name: "growth", unit: Unit::Bytes, doc: "by how much a place grows" },
            Quantity { name: "added", unit: Unit::Count, doc: "objects that were added there" },
        ],
    },
    // The last snapshot as a whole. These two are compared with the first.
    Scope {
        name: "total",
        names: Some(WHOLE),
        quantities: &[
            Quantity { name: "size", unit: Unit::Bytes, doc: "shallow size of all nodes" },
            Quantity { name: "nodes", unit: Unit::Count, doc: "nodes" },
        ],
    },
    Scope {
        name: "class",
        names: None,
        quantities: &[
            Quantity { name: "count", unit: Unit::Count, doc: "instances that have a size" },
            Quantity { name: "size", unit: Unit::Bytes, doc: "their shallow size" },
        ],
    },
];

/// A snapshot that was added.
struct Snapshot {
    name: String,
    nodes: u64,
    size: u64,
}

/// Names what a program leaks: the places that get more in every step from snapshot to snapshot of one process, in the
/// order of time. One converted directory stands for all snapshots in it.
///
/// # Errors
/// If there are less than two snapshots, one cannot be read or is no heap, or an expression is none.
pub fn leaks(sources: &[Source], leaks: &LeaksOptions, options: &RunOptions) -> Result<Report> {
    let sources = all_documents(sources)?;
    if let Some(error) = too_few_or_many(sources.len(), sources.first()) {
        return Err(error);
    }
    leaks_as_they_come(sources.into_iter().map(Ok), leaks, options)
}

/// Leaks in snapshots that are still being taken: each is read when the iterator gives it, so that only the last one is
/// left to do when it is there.
///
/// # Errors
/// Also those of the iterator.
pub fn leaks_as_they_come(
    sources: impl IntoIterator<Item = Result<Source>>,
    leaks: &LeaksOptions,
    options: &RunOptions,
) -> Result<Report> {
    let mut hunt = Hunt::new(leaks)?;
    for source in sources {
        hunt.add(source?, options)?;
    }
    hunt.report(options)
}

/// The snapshots so far.
struct Hunt<'a> {
    how: &'a LeaksOptions,
    rules: Vec<Rule>,
    leaks: Leaks,
    snapshots: Vec<Snapshot>,
    notes: Vec<String>,
    /// The first one.
    first: Option<Source>,
    /// Of the first one.
    base: Facts,
    /// The highest id so far.
    newest: i64,
    /// The newest one.
    last: Option<Last>,
}

struct Last {
    source: Source,
    heap: Heap,
    folded: FoldedHeap,
}

impl<'a> Hunt<'a> {
    fn new(how: &'a LeaksOptions) -> Result<Self> {
        Ok(Hunt {
            how,
            rules: how.fail_on.iter().map(|text| rule(text)).collect::<Result<_>>()?,
            leaks: Leaks::new(),
            snapshots: Vec::new(),
            notes: Vec::new(),
            first: None,
            base: Facts::new(&VOCABULARY),
            newest: 0,
            last: None,
        })
    }

    fn add(&mut self, source: Source, options: &RunOptions) -> Result<()> {
        if self.snapshots.len() == Leaks::MOST_SNAPSHOTS {
            let error = too_few_or_many(self.snapshots.len() + 1, Some(&source));
            return Err(error.expect("they are too many"));
        }
        // The memory of one is the next one's.
        let before = self.last.take().map(|last| last.source);
        let LoadedHeap { heap, status, log, .. } =
            load_heap(&source, &options.purpose(Purpose::Leaks))?;
        if self.how.strict || !self.rules.is_empty() {
            whole(&source, status, &log, self.how.strict)?;
        }
        self.notes
            .extend(Caveat::of_defects(&source, status, &log).map(|caveat| caveat.to_string()));
        let had_ids = self.leaks.lost_ids().is_none();
        let folded = self.leaks.add(&heap, options.thread_count());
        let newest = newest_id(&heap);
        match (self.leaks.lost_ids(), before, &self.first) {
            (Some(lost), _, Some(first)) if had_ids => {
                let cause = cause(&first.to_string(), &source.to_string(), &lost);
                self.warn(
                    &source,
                    format!(
                        "{cause}. Only the numbers at each place are compared; take all snapshots in one session to be \
                         sure"
                    ),
                )?;
            }
            (None, Some(before), _) if newest < self.newest => {
                let why = "give the snapshots in the order of time";
                self.warn(&source, format!("{source} seems to be older than {before}; {why}"))?;
            }
            _ => {}
        }
        self.newest = self.newest.max(newest);
        self.snapshots.push(Snapshot {
            name: source.to_string(),
            nodes: heap.nodes().len() as u64,
            size: self.leaks.sizes().last().unwrap_or(0),
        });
        if self.first.is_none() {
            self.first = Some(source.clone());
            self.base = self.facts(&heap, options.thread_count());
        }
        self.last = Some(Last { source, heap, folded });
        Ok(())
    }

    /// Notes what makes the answer doubtful. With limits it is an error: a doubt must not pass.
    fn warn(&mut self, source: &Source, why: String) -> Result<()> {
        if !self.rules.is_empty() {
            return Err(Error::new(ErrorKind::Snapshots { path: source.path.clone(), why }));
        }
        self.notes.push(why);
        Ok(())
    }

    /// Of the newest snapshot, whose heap this is.
    fn facts(&self, heap: &Heap, threads: usize) -> Facts {
        let mut facts = Facts::new(&VOCABULARY);
        if let Some(snapshot) = self.snapshots.last() {
            facts.add("total", "", &[signed(snapshot.size), snapshot.nodes as i64]);
        }
        if self.rules.iter().any(|rule| rule.scope() == "class") {
            add_classes(heap, threads, &mut facts);
        }
        facts
    }

    fn report(mut self, options: &RunOptions) -> Result<Report> {
        if let Some(error) = too_few_or_many(self.snapshots.len(), self.first.as_ref()) {
            return Err(error);
        }
        let Last { heap, folded, .. } = self.last.take().expect("there are two");
        let mut current = self.facts(&heap, options.thread_count());
        let Hunt { how, rules, leaks, snapshots, mut notes, base, .. } = self;
        let mut found = leaks.find(&heap, folded);
        drop(heap);
        let (ignored, note) = ignore(&mut found, &how.ignore);
        notes.extend(note);
        if found.iter().any(|leak| leak.kind == LeakKind::Unheld) {
            notes.push(
                "JavaScriptCore does not write what a Map or Set holds: who holds what hangs from nothing is a guess, by \
                 the collection whose storage grew most"
                    .into(),
            );
        }
        let growth = growth(&snapshots).saturating_sub(ignored);
        let sum: i64 = found.iter().map(|leak| signed(leak.bytes)).sum();
        if snapshots.len() == 2 {
            notes.push(
                "two snapshots only: a cache that fills once looks like a leak; take three or more after warm-up, with the same \
                 work between them"
                    .into(),
            );
        } else if growth > 0 && sum < growth / 2 {
            let rest = Unit::Bytes.format(growth - sum);
            notes.push(format!(
                "{rest} of the growth did not come in every step: warm-up, code, caches that fill"
            ));
        }
        add_leaks(&found, &mut current);
        let is_compared = |rule: &Rule| matches!(rule.scope(), "total" | "class");
        // Leaks come and go; a class must be there.
        let of_classes: Vec<Rule> =
            rules.iter().filter(|rule| is_compared(rule)).cloned().collect();
        if let Some(rule) = unmatched(&of_classes, &current, Some(&base)) {
            return Err(Error::new(ErrorKind::Unmatched(rule)));
        }
        let checks = rules.iter().flat_map(|rule| {
            let is_compared = is_compared(rule);
            check(std::slice::from_ref(rule), &current, is_compared.then_some(&base))
        });
        let checks = checks.collect();
        let sizes: Vec<String> =
            snapshots.iter().map(|s| Unit::Bytes.format(signed(s.size)).to_string()).collect();
        let subject = format!(
            "{} snapshots, {} ({})",
            snapshots.len(),
            sizes.join(" → "),
            Unit::Bytes.format_change(growth.saturating_add(ignored))
        );
        let sections = vec![table_of_snapshots(&snapshots), findings(&found, growth, how.top)];
        Ok(Report { checks, ..report("heapquarry leaks", subject, notes, sections) })
    }
}

/// The error for a number of snapshots that cannot be compared.
fn too_few_or_many(snapshots: usize, first: Option<&Source>) -> Option<Error> {
    let what = match snapshots {
        0 | 1 => "second snapshot: leaks are what grows from one to the next".into(),
        n if n > Leaks::MOST_SNAPSHOTS => {
            format!("way to compare {n} snapshots; {} can be", Leaks::MOST_SNAPSHOTS)
        }
        _ => return None,
    };
    let path = first.map(|source| source.path.clone()).unwrap_or_default();
    Some(Error::new(ErrorKind::NotFound { path, what }))
}

/// Removes findings that are expected. By how many bytes they grow, and what is said of them.
fn ignore(found: &mut Vec<Leak>, patterns: &[String]) -> (i64, Option<String>) {
    let patterns: Vec<Pattern> = patterns.iter().map(|text| Pattern::new(text)).collect();
    let is_ignored = |leak: &mut Leak| {
        patterns.iter().any(|p| [&leak.owner, &leak.via].into_iter().any(|name| p.matches(name)))
    };
    let ignored: Vec<Leak> = found.extract_if(.., is_ignored).collect();
    let bytes = ignored.iter().map(|leak| signed(leak.bytes)).fold(0, i64::saturating_add);
    let size = Unit::Bytes.format_change(bytes);
    let note = match ignored.len() {
        0 => None,
        1 => Some(format!("1 place that grows is ignored: {size}")),
        n => Some(format!("{n} places that grow are ignored: {size}")),
    };
    (bytes, note)
}

/// One directory with several documents stands for all heaps in it.
fn all_documents(sources: &[Source]) -> Result<Vec<Source>> {
    if let [source @ Source { document: None, .. }] = sources
        && let Some(dir) = source.converted()?
    {
        return Ok(dir.heaps().map(|number| source.clone().document(number)).collect());
    }
    Ok(sources.to_vec())
}

/// An error if something of a snapshot is lost.
fn whole(source: &Source, status: Status, log: &[Entry], strict: bool) -> Result<()> {
    if status == Status::Truncated {
        return Err(Error::new(ErrorKind::Truncated(source.path.clone())));
    }
    let lost: Vec<&Entry> =
        log.iter().filter(|entry| entry.code.severity() >= Severity::DataLoss).collect();
    match lost.first() {
        Some(first) if strict => Err(Error::new(ErrorKind::Strict {
            path: source.path.clone(),
            defects: lost.iter().map(|entry| entry.occurrences).sum(),
            first: (*first).clone(),
        })),
        _ => Ok(()),
    }
}

/// `any`, a number of findings, a size, or an expression.
fn rule(text: &str) -> Result<Rule> {
    let trimmed = text.trim();
    let expression = if trimmed == "any" {
        "leak.growth > 0".into()
    } else if let Ok(count) = trimmed.parse::<u64>() {
        format!("leaks.count > {}", count.saturating_sub(1))
    } else if trimmed.starts_with(|c: char| c.is_ascii_digit()) {
        format!("leak.growth > {trimmed}")
    } else {
        trimmed.into()
    };
    Rule::parse(&expression, &VOCABULARY).map_err(|error| Error::new(ErrorKind::Limit(error)))
}

/// Adds the instances of each class. Plain objects are one class, unlike in [`super::Subject`]: their classes need all
/// edges, and limits are for those with a name.
fn add_classes(heap: &Heap, threads: usize, facts: &mut Facts) {
    let classes = classify(heap, &detachedness(heap), &[], threads);
    let mut sums = vec![(0i64, 0i64); classes.classes.len()];
    for (node, &class) in heap.nodes().all().zip(&classes.of) {
        let size = signed(heap.nodes().self_size(node));
        if size > 0 {
            let (count, sum) = &mut sums[class as usize];
            *count += 1;
            *sum = sum.saturating_add(size);
        }
    }
    for (class, (count, size)) in classes.classes.iter().zip(sums) {
        facts.add("class", &class.name, &[count, size]);
    }
    add_constructors(heap, facts);
}

fn add_leaks(found: &[Leak], facts: &mut Facts) {
    let sum = found.iter().map(|leak| signed(leak.bytes)).fold(0i64, i64::saturating_add);
    facts.add("leaks", "", &[found.len() as i64, sum]);
    for leak in found {
        let name = match &leak.made_at {
            Some(place) => format!("{} ({place})", leak.owner),
            None => leak.owner.clone(),
        };
        facts.add("leak", &name, &[signed(leak.bytes), added(leak).unwrap_or(0)]);
        if let Some(place) = &leak.made_at {
            let path = place.script.strip_prefix("file://").unwrap_or(&place.script).into();
            let line = SourceLine { path, line: place.line.unsigned_abs() };
            facts.set_line("leak", &name, line);
        }
    }
}

fn growth(snapshots: &[Snapshot]) -> i64 {
    match snapshots {
        [first, .., last] => signed(last.size) - signed(first.size),
        _ => 0,
    }
}

fn added(leak: &Leak) -> Option<i64> {
    match leak.counts.as_deref()? {
        [first, .., last] => Some(signed(*last) - signed(*first)),
        _ => None,
    }
}

/// For JSON: people read the sizes in the heading.
fn table_of_snapshots(snapshots: &[Snapshot]) -> Section {
    let (size, nodes) = snapshots.first().map_or((0, 0), |base| (base.size, base.nodes));
    let rows = snapshots.iter().map(|snapshot| {
        vec![
            Cell::name(&*snapshot.name),
            Cell::bytes(snapshot.size),
            change(snapshot.size, size, Unit::Bytes),
            Cell::count(snapshot.nodes),
            change(snapshot.nodes, nodes, Unit::Count),
        ]
    });
    let columns = ["name", "size", "size_delta", "node_count", "node_count_delta"];
    let columns = columns.map(Column::hidden).into();
    table("snapshots", "", columns, rows.collect(), usize::MAX, "")
}

pub(super) fn findings(found: &[Leak], growth: i64, top: usize) -> Section {
    let sum = found.iter().map(|leak| signed(leak.bytes)).fold(0i64, i64::saturating_add);
    let mut title = match found.len() {
        0 => "Nothing grows in every step.".into(),
        1 => format!("1 place grows in every step: {}", Unit::Bytes.format(sum)),
        n => format!("{n} places grow in every step: {}", Unit::Bytes.format(sum)),
    };
    if growth > 0 && !found.is_empty() {
        let share = i128::from(sum) * 100 / i128::from(growth);
        title += &format!(", {} % of the growth", share.min(100));
    }
    if found.len() > top {
        title += &format!("; the {top} that grow most");
    }
    let items = found.iter().enumerate().map(|(at, leak)| vec![finding(at, leak, at < top)]);
    Section { key: "findings", title: title.into(), body: Body::List(items.collect()) }
}

fn kind(kind: LeakKind) -> &'static str {
    match kind {
        LeakKind::Count => "count",
        LeakKind::References => "references",
        LeakKind::Bytes => "bytes",
        LeakKind::Moving => "moving",
        LeakKind::Unheld => "unheld",
    }
}

/// A number in thousandths.
fn thousandths(n: u32) -> Cell {
    Cell::Float(f64::from(n) / 1000.0)
}

fn text(text: Option<&str>) -> Cell {
    text.map_or(Cell::Empty, Cell::name)
}

fn counts(counts: &[u64]) -> Cell {
    Cell::List(counts.iter().map(|&count| Cell::count(count)).collect())
}

fn finding(at: usize, leak: &Leak, is_shown: bool) -> Section {
    let Leak { made_at, content, groups, .. } = leak;
    let json = |key, cell| Value { key, title: "", cell };
    let mut values = vec![
        json("owner", Cell::name(&*leak.owner)),
        json("via", Cell::name(&*leak.via)),
        json("container", Cell::name(&*leak.container)),
        json("containers", Cell::count(leak.containers)),
        json("container_id", leak.container_id.map_or(Cell::Empty, Cell::id)),
        json("kind", Cell::text(kind(leak.kind))),
        json("leaked", text(leak.leaked.as_deref())),
        json(
            "content",
            content.as_ref().map_or(Cell::Empty, |content| {
                Cell::Record(vec![
                    ("cls", Cell::name(&*content.class)),
                    ("counts", counts(&content.counts)),
                ])
            }),
        ),
        json("counts", leak.counts.as_deref().map_or(Cell::Empty, counts)),
        json("added", added(leak).map_or(Cell::Empty, |added| Cell::Change(added, Unit::Count))),
        json("bytes", Cell::bytes(leak.bytes)),
        json(
            "steps",
            Cell::List(leak.steps.iter().map(|&n| Cell::Change(n, Unit::Bytes)).collect()),
        ),
        json("even", thousandths(leak.even)),
        json("kept", leak.kept.map_or(Cell::Empty, thousandths)),
        json("confidence", Cell::text(leak.confidence.name())),
        json("made_at", made_at.as_ref().map_or(Cell::Empty, |p| Cell::name(p.to_string()))),
        json("location", made_at.as_ref().map_or(Cell::Empty, location)),
        json("stored_by", leak.stored_by.as_ref().map_or(Cell::Empty, location)),
        json("held_at", leak.held_at.as_ref().map_or(Cell::Empty, location)),
        json("also_held_by", Cell::List(leak.also_held_by.iter().map(Cell::name).collect())),
        json("grows_with", Cell::List(leak.grows_with.iter().map(Cell::name).collect())),
        json(
            "groups",
            Cell::List(
                groups
                    .iter()
                    .map(|group| {
                        Cell::Record(vec![
                            ("label", Cell::name(&*group.label)),
                            ("cls", Cell::name(&*group.class)),
                            ("counts", counts(&group.counts)),
                            ("bytes", counts(&group.bytes)),
                        ])
                    })
                    .collect(),
            ),
        ),
        json("path", Cell::List(leak.path.iter().map(step).collect())),
    ];
    let mut title = String::new();
    if is_shown {
        title = format!("{}. {}", at + 1, headline(leak));
        values.extend(for_people(leak));
    }
    Section { key: "", title: title.into(), body: Body::Values(values) }
}

fn location(place: &SourcePlace) -> Cell {
    Cell::Record(vec![
        ("script", Cell::name(&*place.script)),
        ("line", Cell::Number(place.line, Unit::Plain)),
        ("column", Cell::Number(place.column, Unit::Plain)),
        ("what", Cell::name(&*place.what)),
    ])
}

fn step(step: &LeakStep) -> Cell {
    Cell::Record(vec![
        ("edge_type", Cell::text(step.edge_type.name())),
        ("edge", Cell::name(&*step.edge)),
        ("holder", Cell::name(&*step.holder)),
        ("id", step.id.map_or(Cell::Empty, Cell::id)),
    ])
}

/// The class of the container before the owner, unless it says the same.
fn subject(leak: &Leak) -> String {
    let (container, owner) = (&leak.container, &leak.owner);
    // Node's global object is called `global /` and what follows.
    let says_it = matches!(container.as_str(), "" | "scope")
        || owner.starts_with(container.as_str())
        || (owner.starts_with("globalThis") && container.starts_with("global"));
    if says_it { owner.clone() } else { format!("{container} {owner}") }
}

fn headline(leak: &Leak) -> String {
    let bytes = Unit::Bytes.format_change(signed(leak.bytes));
    let added = grouped(added(leak).unwrap_or(0).unsigned_abs());
    let what = leak.leaked.as_deref().unwrap_or("objects");
    match leak.kind {
        LeakKind::Bytes if leak.leaked.as_deref() == Some("(string)") => {
            format!("string {} grew, {bytes}", leak.owner)
        }
        LeakKind::Bytes => format!("{} grew, {bytes}", subject(leak)),
        LeakKind::References => {
            format!(
                "{} holds {added} more references to what was there already, {bytes}",
                subject(leak)
            )
        }
        LeakKind::Unheld if leak.container_id.is_none() => {
            format!("nothing is shown to hold {added} more {what}, {bytes}")
        }
        LeakKind::Unheld => {
            format!("{} probably holds {added} more {what}, {bytes}", subject(leak))
        }
        LeakKind::Count | LeakKind::Moving => {
            format!("{} holds {added} more {what}, {bytes}", subject(leak))
        }
    }
}

/// Steps of a path that people see.
const SHOWN_STEPS: usize = 6;

fn for_people(leak: &Leak) -> Vec<Value> {
    let mut values = Vec::new();
    let mut row = |title, cell| values.push(Value { key: "", title, cell });
    if let Some(counts) = &leak.counts {
        let mut text: Vec<String> = counts.iter().map(|&count| grouped(count)).collect();
        if leak.containers > 1
            && let Some(last) = text.last_mut()
        {
            *last += &format!(" in {} of them", grouped(leak.containers));
        }
        row("counts", Cell::text(text.join(" → ")));
    }
    let steps = leak.steps.iter().map(|&n| Unit::Bytes.format_change(n).to_string());
    let mut growth = steps.collect::<Vec<_>>().join(", ");
    if let Some(added @ 1..) = added(leak) {
        growth += &format!("; {} each", Unit::Bytes.format(signed(leak.bytes) / added));
    }
    row("growth", Cell::text(growth));
    if let Some(kept) = leak.kept {
        let percent = (kept + 5) / 10;
        row("kept", Cell::text(format!("{percent} % of the first snapshot's are still there")));
    }
    row("via", Cell::name(&*leak.via));
    if let Some(place) = &leak.made_at {
        row("made at", Cell::name(format!("{place}  {}", place.what)));
    }
    if let Some(place) = &leak.stored_by {
        row("stored by", Cell::name(format!("{place}  {}", place.what)));
    }
    if let Some(place) = &leak.held_at {
        row("held at", Cell::name(format!("{place}  {}", place.what)));
    }
    if !leak.also_held_by.is_empty() {
        row("also in", Cell::name(leak.also_held_by.join(", ")));
    }
    if !leak.grows_with.is_empty() {
        row("grows with", Cell::name(leak.grows_with.join(", ")));
    }
    row("confidence", Cell::text(leak.confidence.name()));
    if let Some(id) = leak.container_id {
        let name = if leak.container.is_empty() { "object" } else { &leak.container };
        let mut path = vec![format!("{name} @{id}")];
        for step in leak.path.iter().filter(|step| !step.is_storage) {
            let id = step.id.map(|id| format!(" @{id}")).unwrap_or_default();
            path.push(format!("{} of {}{id}", step.edge, step.holder));
            if path.len() > SHOWN_STEPS || step.holder == "scope" {
                break;
            }
        }
        row("path", Cell::name(path.join(" ← ")));
    }
    values
}

/// The highest id that the engine gave: it counts up.
fn newest_id(heap: &Heap) -> i64 {
    let nodes = heap.nodes();
    let ids = nodes.all().map(|node| nodes.id(node));
    ids.filter(|id| id % 2 == 1).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_graph::Confidence;

    #[test]
    fn headlines_say_what_grows() {
        let leak = |kind, leaked: Option<&str>, counts: Option<Vec<u64>>| Leak {
            kind,
            owner: "log".into(),
            via: "variable log of app.js".into(),
            container: "scope".into(),
            container_id: Some(1),
            containers: 1,
            leaked: leaked.map(Into::into),
            content: None,
            counts,
            bytes: 4000,
            steps: vec![2000, 2000],
            even: 1000,
            kept: None,
            confidence: Confidence::High,
            made_at: None,
            stored_by: None,
            held_at: None,
            also_held_by: Vec::new(),
            grows_with: Vec::new(),
            groups: Vec::new(),
            path: Vec::new(),
        };
        let counts = Some(vec![300, 600, 1400]);
        let global = Leak {
            owner: "globalThis".into(),
            container: "global / ".into(),
            ..leak(LeakKind::Count, Some("Order"), counts.clone())
        };
        assert_eq!(headline(&global), "globalThis holds 1,100 more Order, +4.0 kB");
        for (leak, expected) in [
            (leak(LeakKind::Bytes, Some("(string)"), None), "string log grew, +4.0 kB"),
            (leak(LeakKind::Bytes, None, None), "log grew, +4.0 kB"),
            (
                leak(LeakKind::Count, Some("Order"), counts.clone()),
                "log holds 1,100 more Order, +4.0 kB",
            ),
            (
                leak(LeakKind::Unheld, Some("Order"), counts.clone()),
                "log probably holds 1,100 more Order, +4.0 kB",
            ),
            (
                Leak {
                    container_id: None,
                    ..leak(LeakKind::Unheld, Some("Order"), counts.clone())
                },
                "nothing is shown to hold 1,100 more Order, +4.0 kB",
            ),
            (
                leak(LeakKind::References, None, counts),
                "log holds 1,100 more references to what was there already, +4.0 kB",
            ),
        ] {
            assert_eq!(headline(&leak), expected);
        }
    }

    #[test]
    fn limits_may_be_written_in_short() {
        for (text, expected) in [
            ("any", "leak.growth > 0 B"),
            ("1", "leaks.count > 0"),
            ("3", "leaks.count > 2"),
            ("0", "leaks.count > 0"),
            ("64 KiB", "leak.growth > 64 KiB"),
            ("1MB", "leak.growth > 1 MB"),
            ("leak[Store*].added > 10", "leak[Store*].added > 10"),
        ] {
            let rule = rule(text).unwrap();
            let expected = Rule::parse(expected, &VOCABULARY).unwrap();
            assert_eq!(rule.to_string(), expected.to_string(), "{text}");
        }
        for text in ["", "some", "-1", "1 week", "leak.size > 3"] {
            assert!(rule(text).is_err(), "{text}");
        }
    }
}
