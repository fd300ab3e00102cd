//! What a program leaks.

mod answer;
mod cure;
mod limits;
mod paragraph;
mod suspicion;
mod told;
mod view;

pub use answer::{
    Confidence, Container, Cure, CureKind, HoldingStep, Leak, LeakContent, LeakGroup, LeakKind,
    LeaksAnswer, SnapshotSize, Suspicion, SuspicionKind,
};
pub(crate) use view::{findings, verdict};

use super::{
    lost_ids::cause,
    owners::{Owned, OwnerChanges},
};
use crate::{
    By, Session,
    answer::{Answered, Bytes, BytesChange, Caveat, CaveatKind, Limits},
    process::memory,
    question::{Question, question},
    sections::signed,
};
use heapquarry::{
    Entry, Error, ErrorKind, LoadedHeap, Result, RunOptions, Severity, Source, Status,
    engine::{Locate, Purpose, check_text},
    load_heap,
};
use heapquarry_graph::{self as graph, FoldedHeap, Heap};
use heapquarry_process::Sample;
use heapquarry_report::{Facts, Pattern, Rule, Unit};
use std::sync::Arc;

question! {
    /// Name what leaks: the places that grow in every step between heap snapshots of one process
    ///
    /// Each finding names the owner (class and field, variable or global), the objects that it holds more of, their
    /// size, and where they are made. Take three snapshots or more, after warm-up, with the same work between them.
    /// With two, a cache that fills once looks like a leak. For one or two snapshots, suspects are listed too: owners,
    /// collections, listeners and timers that hold much.
    pub struct Leaks {
        /// Exit with 1 if something leaks: `any` for any finding, `3` for three findings or more, `100kB` for one that
        /// grows by more, or a limit such as `leak[SessionStore*].growth > 1 MB` or `leaks.count > 2`; can be repeated
        #[arg(long, value_name = "LIMIT")]
        pub fail_on: Vec<String> = Vec::new(),

        /// Leave out places that may grow, by owner or path, such as `Cache.entries`; * matches any text; can be
        /// repeated
        #[arg(long, value_name = "OWNER")]
        pub ignore: Vec<String> = Vec::new(),

        /// Findings to show; JSON has all
        #[arg(long, value_name = "N", default_value_t = 10)]
        pub top: usize = 10,

        /// Also list what grew from the first to the last snapshot by package, script or function
        #[arg(long, value_enum, value_name = "WHAT")]
        pub by: Option<By> = None,

        /// Fail if a snapshot is damaged
        #[arg(long)]
        pub strict: bool = false,
    }
}

impl Question for Leaks {
    const VERB: &'static str = "leaks";
    type Answer = LeaksAnswer;

    /// The inputs are snapshots in the order of time. One converted directory stands for all snapshots in it, unless
    /// they are of several isolates: of these one is to be chosen (`DIR#N`).
    fn ask(&self, session: &Session) -> Result<Answered<LeaksAnswer>> {
        let sources = all_documents(session.sources(), session.options())?;
        // That is said before gigabytes are read.
        self.refuse(sources.len(), sources.first())?;
        let answered = self.ask_as_they_come(sources.into_iter().map(Ok), session.options())?;
        Ok(Answered { inputs: session.names(), ..answered })
    }
}

impl Leaks {
    /// Asks about snapshots that are still being taken: each is read when the iterator gives it, so that only the last
    /// one is left to do when it is there.
    ///
    /// # Errors
    /// If there is no snapshot, or one alone and a limit, one cannot be read or is no heap, a limit is none, or the
    /// iterator has an error.
    pub fn ask_as_they_come(
        &self,
        sources: impl IntoIterator<Item = Result<Source>>,
        options: &RunOptions,
    ) -> Result<Answered<LeaksAnswer>> {
        let mut hunt = Hunt::new(self)?;
        for source in sources {
            hunt.add(source?, options)?;
        }
        hunt.answer(options)
    }

    /// An error for a number of snapshots that cannot be compared. One alone can be told about, but keeps no limit.
    fn refuse(&self, snapshots: usize, first: Option<&Source>) -> Result<()> {
        const MOST: usize = graph::Leaks::MOST_SNAPSHOTS;
        let what = match snapshots {
            0 => "snapshot".into(),
            1 if !self.fail_on.is_empty() => {
                "second snapshot: leaks are what grows from one to the next".into()
            }
            n if n > MOST => format!("way to compare {n} snapshots; {MOST} can be"),
            _ => return Ok(()),
        };
        let path = first.map(|source| source.path.clone()).unwrap_or_default();
        Err(Error::new(ErrorKind::NotFound { path, what }))
    }
}

/// With so many snapshots, or fewer, suspicions are told besides: growth says little or nothing.
const FEW: usize = 2;

/// A snapshot that was added.
struct Snapshot {
    name: String,
    nodes: u64,
    size: u64,
    /// The memory of its process, if it is stored.
    process: Option<Arc<Sample>>,
}

/// The snapshots so far.
struct Hunt<'a> {
    how: &'a Leaks,
    rules: Vec<Rule>,
    leaks: graph::Leaks,
    snapshots: Vec<Snapshot>,
    caveats: Vec<Caveat>,
    /// What is to be said of source maps.
    map_caveats: Vec<Caveat>,
    /// The first one.
    first: Option<Source>,
    /// Of the first one.
    base: Facts,
    /// What belonged to each owner in the first one, if requested.
    owned: Option<Owned>,
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
    fn new(how: &'a Leaks) -> Result<Self> {
        Ok(Hunt {
            how,
            rules: how.fail_on.iter().map(|text| limits::rule(text)).collect::<Result<_>>()?,
            leaks: graph::Leaks::new(),
            snapshots: Vec::new(),
            caveats: Vec::new(),
            map_caveats: Vec::new(),
            first: None,
            base: Facts::new(&limits::VOCABULARY),
            owned: None,
            newest: 0,
            last: None,
        })
    }

    fn add(&mut self, source: Source, options: &RunOptions) -> Result<()> {
        if self.snapshots.len() == graph::Leaks::MOST_SNAPSHOTS {
            self.how.refuse(self.snapshots.len() + 1, Some(&source))?;
        }
        // The memory of one is the next one's.
        let before = self.last.take().map(|last| last.source);
        let LoadedHeap { heap, status, log, source_map_notes, .. } =
            load_heap(&source, &options.purpose(Purpose::Leaks))?;
        if self.how.strict || !self.rules.is_empty() {
            whole(&source, status, &log, self.how.strict)?;
        }
        self.caveats.extend(Caveat::of_defects(&source, status, &log));
        // Those of the last snapshot are told: its names are.
        self.map_caveats = Caveat::of_source_maps(&source, source_map_notes);
        let had_ids = self.leaks.lost_ids().is_none();
        let folded = self.leaks.add(&heap, options.thread_count());
        check_text(&source.path, &heap)?;
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
            process: source.process_memory(options)?,
        });
        if self.first.is_none() {
            self.first = Some(source.clone());
            self.base = self.facts(&heap, options.thread_count());
            let owned = |by| Owned::of_heap(&heap, by, options.thread_count());
            self.owned = self.how.by.map(owned);
        }
        self.last = Some(Last { source, heap, folded });
        Ok(())
    }

    /// Says what makes the answer doubtful. With limits it is an error: a doubt must not pass.
    fn warn(&mut self, source: &Source, why: String) -> Result<()> {
        if !self.rules.is_empty() {
            return Err(Error::new(ErrorKind::Snapshots { path: source.path.clone(), why }));
        }
        self.caveats.push(Caveat { kind: CaveatKind::Mismatch, input: None, text: why });
        Ok(())
    }

    fn remark(&mut self, kind: CaveatKind, text: impl Into<String>) {
        self.caveats.push(Caveat { kind, input: None, text: text.into() });
    }

    /// Of the newest snapshot, whose heap this is.
    fn facts(&self, heap: &Heap, threads: usize) -> Facts {
        let mut facts = Facts::new(&limits::VOCABULARY);
        if let Some(snapshot) = self.snapshots.last() {
            facts.add("total", "", &[signed(snapshot.size), snapshot.nodes as i64]);
        }
        if self.rules.iter().any(|rule| rule.scope() == "class") {
            limits::add_classes(heap, threads, &mut facts);
        }
        facts
    }

    fn answer(mut self, options: &RunOptions) -> Result<Answered<LeaksAnswer>> {
        self.how.refuse(self.snapshots.len(), self.first.as_ref())?;
        let Last { heap, folded, source } = self.last.take().expect("there is one");
        let mut current = self.facts(&heap, options.thread_count());
        let leaks = std::mem::take(&mut self.leaks);
        // One snapshot shows no growth.
        let is_one = self.snapshots.len() == 1;
        let found = if is_one { Vec::new() } else { leaks.find(&heap, folded) };
        let is_few = self.snapshots.len() <= FEW;
        let suspicions =
            if is_few { suspicion::suspicions(&heap, options.thread_count()) } else { Vec::new() };
        let owners =
            self.how.by.zip(self.owned.as_ref()).filter(|_| !is_one).map(|(by, before)| {
                let after = Owned::of_heap(&heap, by, options.thread_count());
                OwnerChanges::new(by, before, &after, None)
            });
        check_text(&source.path, &heap)?;
        drop(heap);
        self.caveats.extend(owners.as_ref().and_then(|owners| owners.caveat(&source)));
        let mut findings: Vec<Leak> = found.iter().map(Leak::from).collect();
        let ignored = ignore(&mut findings, &self.how.ignore);
        let snapshots = sizes(&self.snapshots);
        let growth = snapshots.last().map_or(0, |last| last.size_delta.0);
        self.caveats.append(&mut self.map_caveats);
        self.say(&findings, &ignored, growth);
        let processes: Option<Vec<&Sample>> =
            self.snapshots.iter().map(|snapshot| snapshot.process.as_deref()).collect();
        self.caveats.extend(processes.and_then(|processes| memory::growth(&processes)));
        limits::add_leaks(&findings, &mut current);
        let checks = limits::hold(&self.rules, &current, &self.base)?;
        let inputs = snapshots.iter().map(|snapshot| snapshot.name.clone()).collect();
        let answer = LeaksAnswer {
            snapshots,
            growth: BytesChange(growth),
            explained: view::sum(&findings),
            ignored_count: ignored.len() as u64,
            ignored: view::sum(&ignored),
            findings,
            suspicions,
            owners,
            limits: Limits::of(&checks),
        };
        let answered = Answered::new(Leaks::VERB, inputs, self.caveats, answer, self.how.top);
        Ok(Answered { checks, ..answered })
    }

    /// Says what is to be known of the findings.
    fn say(&mut self, findings: &[Leak], ignored: &[Leak], growth: i64) {
        let left_out = signed(view::sum(ignored).0);
        let size = Unit::Bytes.format_change(left_out);
        match ignored.len() {
            0 => {}
            1 => self.remark(CaveatKind::Remark, format!("1 place that grows is ignored: {size}")),
            n => {
                self.remark(CaveatKind::Remark, format!("{n} places that grow are ignored: {size}"))
            }
        }
        if findings.iter().any(|leak| leak.kind == LeakKind::Unheld) {
            self.remark(
                CaveatKind::Values,
                "JavaScriptCore does not write what a Map or Set holds: who holds what hangs from nothing is a guess, by \
                 the collection whose storage fits best",
            );
        }
        let growth = growth.saturating_sub(left_out);
        let sum = signed(view::sum(findings).0);
        if self.snapshots.len() == 1 {
            self.remark(
                CaveatKind::Remark,
                "one snapshot shows no growth, so nothing here is a finding; take three or more after warm-up, with the same \
                 work between them",
            );
            if self.how.by.is_some() {
                self.remark(
                    CaveatKind::Remark,
                    "whose growth it is cannot be told of one snapshot; a summary tells whose its bytes are",
                );
            }
        } else if self.snapshots.len() == FEW {
            self.remark(
                CaveatKind::Remark,
                "two snapshots only: a cache that fills once looks like a leak; take three or more after warm-up, with the \
                 same work between them",
            );
        } else if growth > 0 && sum < growth / 2 {
            let rest = Unit::Bytes.format(growth - sum);
            self.remark(
                CaveatKind::Remark,
                format!(
                    "{rest} of the growth did not come in every step: warm-up, code, caches that fill"
                ),
            );
        }
    }
}

/// The snapshots, with what changed since the first.
fn sizes(snapshots: &[Snapshot]) -> Vec<SnapshotSize> {
    let (size, nodes) = snapshots.first().map_or((0, 0), |base| (base.size, base.nodes));
    let row = |snapshot: &Snapshot| SnapshotSize {
        name: snapshot.name.clone(),
        size: Bytes(snapshot.size),
        size_delta: BytesChange(signed(snapshot.size) - signed(size)),
        node_count: snapshot.nodes,
        node_count_delta: signed(snapshot.nodes) - signed(nodes),
        rss: snapshot.process.as_deref().and_then(memory::rss),
    };
    snapshots.iter().map(row).collect()
}

/// Takes out the findings that are expected.
fn ignore(findings: &mut Vec<Leak>, patterns: &[String]) -> Vec<Leak> {
    let patterns: Vec<Pattern> = patterns.iter().map(|text| Pattern::new(text)).collect();
    let is_ignored = |leak: &mut Leak| {
        patterns.iter().any(|p| [&leak.owner, &leak.way].into_iter().any(|name| p.matches(name)))
    };
    findings.extract_if(.., is_ignored).collect()
}

/// One directory with several documents stands for all heaps in it, unless they are of several isolates.
fn all_documents(sources: Vec<Source>, options: &RunOptions) -> Result<Vec<Source>> {
    if let [source @ Source { document: None, .. }] = &sources[..]
        && let Some(dir) = source.converted()?
        && dir.isolates(options)?.is_none()
    {
        return Ok(dir.heaps().map(|number| source.clone().document(number)).collect());
    }
    Ok(sources)
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

/// The highest id that the engine gave: it counts up.
fn newest_id(heap: &Heap) -> i64 {
    let nodes = heap.nodes();
    let ids = nodes.all().map(|node| nodes.id(node));
    ids.filter(|id| id % 2 == 1).max().unwrap_or(0)
}
