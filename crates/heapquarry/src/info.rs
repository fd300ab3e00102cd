//! The contents of an input, without converting it.

use crate::{
    Document, Error, ErrorKind, Result, RunOptions, Sink, Source, Status,
    converted::ConvertedDir,
    located::Locate,
    read::{Job, read_first},
    sink::{Handler, NoRows},
};
use arrow_array::RecordBatch;
use heapquarry_formats::{ByteOffset, Code, Format, Gather, Input, ReadOptions, Severity, heap};
use heapquarry_input::{self as input, Container, Contents, Opened, Sequence, Spooling, sniff};
use heapquarry_report::{grouped, printable};
use heapquarry_tables::{FileId, Projection, Table};
use serde_json::{Value, json};
use std::{borrow::Cow, collections::BTreeMap, fmt, path::PathBuf};

/// The contents of an input.
#[derive(Debug)]
pub struct Info {
    /// The input as given.
    pub path: PathBuf,
    /// Number of the document that was selected, from 0.
    pub document: Option<usize>,
    /// File name, or the name that a container gives the document.
    pub name: String,
    /// `heapsnapshot`, `heaptimeline`, `cpuprofile`, ….
    pub format: Cow<'static, str>,
    /// The program that wrote it, as far as its content tells.
    pub producer: Option<Cow<'static, str>>,
    /// Size in bytes, decompressed.
    pub bytes: u64,
    /// Whether it has its end, and all that it declares.
    pub complete: bool,
    /// Further facts of its format by name: counts, fields, times.
    pub facts: BTreeMap<String, Fact>,
    /// Its sections, in file order, if its format has sections.
    pub sections: Vec<SectionInfo>,
    /// The documents in it, if it is a container.
    pub documents: Vec<Info>,
}

/// A fact about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fact {
    /// A number; `None` if the input does not have it.
    Count(Option<u64>),
    /// Names or messages.
    Texts(Vec<String>),
    /// Several named numbers for each of several things, by the name of the thing.
    Counts(BTreeMap<String, BTreeMap<&'static str, u64>>),
}

/// A section of an input.
#[derive(Debug)]
pub struct SectionInfo {
    /// Its name.
    pub name: String,
    /// Offset of its value in bytes.
    pub offset: ByteOffset,
    /// Length of its value in bytes.
    pub bytes: u64,
    /// Number of its records, if it is a section of records.
    pub records: Option<u64>,
}

/// Inspects an input in one pass, at the speed of reading. Writes nothing.
///
/// # Errors
///
/// The errors of [`crate::convert()`] about its inputs.
pub fn info(source: &Source, run: &RunOptions) -> Result<Info> {
    if let Some(dir) = source.converted()? {
        return of_directory(source, &dir, run);
    }
    let sources = std::slice::from_ref(source);
    let (contents, _) = input::open_first(sources, &Spooling::of(run), true)?;
    if source.document.is_some() {
        let opened = input::choose(contents.documents, &source.path, source.document)?;
        return Ok(Info { document: source.document, ..of_document(&opened, run)?.0 });
    }
    let Contents { documents, mut containers } = contents;
    let mut infos = Vec::new();
    for opened in &documents {
        let (info, sequence) = of_document(opened, run)?;
        infos.push(info);
        if let Some(Sequence { documents, container }) = sequence {
            for document in &documents[1..] {
                infos.push(of_document(document, run)?.0);
            }
            // The outermost is the last.
            containers.insert(0, container);
        }
    }
    Ok(match containers.pop() {
        Some(container) => of_container(container, infos),
        None => infos.swap_remove(0),
    })
}

/// A converted directory: its documents and the rows of its tables.
fn of_directory(source: &Source, dir: &ConvertedDir, run: &RunOptions) -> Result<Info> {
    let name = source.path.file_name().unwrap_or_default().to_string_lossy();
    let of = |document: Document| Info {
        path: document.path,
        document: None,
        name: document.name,
        format: document.format,
        producer: document.producer,
        bytes: document.bytes,
        complete: document.status != Status::Truncated,
        facts: BTreeMap::new(),
        sections: Vec::new(),
        documents: Vec::new(),
    };
    let mut documents: Vec<Info> = dir.documents(run)?.into_iter().map(of).collect();
    if let Some(number) = source.document {
        if number >= documents.len() {
            let names = documents.into_iter().map(|document| document.name).enumerate().collect();
            let (path, document) = (source.path.clone(), source.document);
            return Err(Error::new(ErrorKind::Document { path, document, names }));
        }
        let document = documents.swap_remove(number);
        return Ok(Info { path: source.path.clone(), document: source.document, ..document });
    }
    let rows = dir.rows()?.into_iter();
    let rows = rows.map(|(table, rows)| (table.name.into(), [("rows", rows)].into()));
    Ok(Info {
        path: source.path.clone(),
        document: None,
        name: name.into(),
        format: "tables".into(),
        producer: Some("heapquarry".into()),
        bytes: documents.iter().map(|document| document.bytes).sum(),
        complete: documents.iter().all(|document| document.complete),
        facts: [("tables".into(), Fact::Counts(rows.collect()))].into(),
        sections: Vec::new(),
        documents,
    })
}

fn of_container(container: Container, documents: Vec<Info>) -> Info {
    let complete = documents.iter().all(|document| document.complete);
    // That a container has other data does not make it less of one.
    let other_data = u64::from(container.log.has(Code::NothingToRead));
    let mut facts = vec![("documents", Fact::of(documents.len()))];
    if let Some(rows) = container.rows.filter(|rows| !rows.sections.is_empty()) {
        facts.push(("sections_found", Fact::of(rows.sections.len())));
        let plugins = rows.plugins.iter();
        let counts = plugins.map(|(name, (records, bytes))| {
            (name.clone(), [("records", *records), ("bytes", *bytes)].into())
        });
        facts.push(("plugins", Fact::Counts(counts.collect())));
    }
    if container.log.count(Severity::Info) > 0 {
        let log = container.log.clone().into_entries();
        facts.push((
            "log",
            Fact::Texts(
                log.iter()
                    .map(|entry| format!("{}: {}", entry.code.name(), entry.message))
                    .collect(),
            ),
        ));
    }
    Info {
        format: container.format.into(),
        producer: None,
        bytes: container.input.size(),
        complete: complete && container.log.count(Severity::DataLoss) == other_data,
        facts: facts.into_iter().map(|(name, fact)| (name.into(), fact)).collect(),
        sections: Vec::new(),
        documents,
        path: container.path,
        document: None,
        name: container.name,
    }
}

/// A document, and those that follow it in its input.
fn of_document(opened: &Opened, run: &RunOptions) -> Result<(Info, Option<Sequence>)> {
    let found = sniff::sniff(opened)?;
    let Opened { path, input, .. } = opened;
    let fail = |source| Error::new(ErrorKind::Format { path: path.clone(), source });
    if found.format == Format::Heap {
        let survey = heap::survey(input, 1 << 20).map_err(fail)?;
        let sequence = match survey.next {
            Some(next) => Sequence::of(opened, next, &Spooling::of(run))?,
            None => None,
        };
        let opened = sequence.as_ref().map_or(opened, |sequence| &sequence.documents[0]);
        return Ok((of_heap(opened, survey), sequence));
    }
    // Other formats must be decoded to count their contents.
    let mut counter = Counter(Projection::none());
    let job = Job::new(ReadOptions::default(), run);
    let (documents, sequence) = read_first(opened, FileId(0), &job, &mut counter)?;
    let opened = sequence.as_ref().map_or(opened, |sequence| &sequence.documents[0]);
    Ok((of_counts(opened, &documents), sequence))
}

/// Decodes documents only to count their contents: no rows are wanted.
struct Counter(Projection);

impl Sink for Counter {
    fn projection(&self) -> &Projection {
        &self.0
    }

    fn gather(&self) -> Gather {
        Gather::Never
    }

    fn number(&self, _: &'static Table) -> u64 {
        0
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        Box::new(NoRows)
    }

    fn rows(&mut self, _: &'static Table, _: RecordBatch) -> Result<()> {
        Ok(())
    }
}

/// What was lost on the way to a document: of an archive with one file that can be read, the others.
fn lost(opened: &Opened) -> Option<(&'static str, Fact)> {
    let mut log = opened.log.clone();
    opened.input.log_change(&mut log);
    let lost: Vec<_> = log.into_losses().into_iter().map(|entry| entry.message).collect();
    (!lost.is_empty()).then_some(("lost", Fact::Texts(lost)))
}

fn of_heap(opened: &Opened, survey: heap::Survey) -> Info {
    let lost = lost(opened);
    let is_timeline = survey.is_timeline();
    let section = |s: heap::SurveySection| SectionInfo {
        name: s.name,
        offset: s.offset,
        bytes: s.bytes,
        records: s.records,
    };
    let mut missing = survey.missing();
    // Others would have been cut off.
    if let Some(rest) = survey.next.and_then(|next| opened.input.size().checked_sub(next.0))
        && rest > 0
    {
        missing.push(format!("{rest} bytes of a document of no known format follow"));
    }
    let mut facts = vec![
        ("node_fields", Fact::Texts(survey.node_fields)),
        ("declared_nodes", Fact::Count(survey.declared_nodes)),
        ("declared_edges", Fact::Count(survey.declared_edges)),
    ];
    let is_whole = missing.is_empty();
    if !is_whole {
        facts.push(("missing", Fact::Texts(missing)));
    }
    Info {
        path: opened.path.clone(),
        document: None,
        name: opened.name.clone(),
        format: if is_timeline { "heaptimeline" } else { "heapsnapshot" }.into(),
        producer: survey.producer.map(Into::into),
        bytes: opened.input.size(),
        complete: survey.complete && is_whole && lost.is_none(),
        facts: facts.into_iter().chain(lost).map(|(name, value)| (name.into(), value)).collect(),
        sections: survey.sections.into_iter().map(section).collect(),
        documents: Vec::new(),
    }
}

fn of_counts(opened: &Opened, documents: &[Document]) -> Info {
    let first = documents.first();
    let mut sums = BTreeMap::<String, u64>::new();
    if documents.len() != 1 {
        sums.insert("documents".into(), documents.len() as u64);
    }
    for (what, count) in documents.iter().flat_map(|document| &document.counts) {
        *sums.entry((*what).into()).or_default() += count;
    }
    let lost = lost(opened);
    let is_whole = lost.is_none();
    let facts = sums.into_iter().map(|(what, sum)| (what, Fact::Count(Some(sum))));
    let facts = facts.chain(lost.map(|(name, fact)| (name.into(), fact))).collect();
    Info {
        path: opened.path.clone(),
        document: None,
        name: opened.name.clone(),
        format: first.map_or("".into(), |document| document.format.clone()),
        producer: first.and_then(|document| document.producer.clone()),
        bytes: opened.input.size(),
        complete: is_whole && documents.iter().all(|document| document.status != Status::Truncated),
        facts,
        sections: Vec::new(),
        documents: Vec::new(),
    }
}

impl Fact {
    fn of(count: usize) -> Self {
        Fact::Count(Some(count as u64))
    }

    fn json(&self) -> Value {
        match self {
            Fact::Count(count) => json!(count),
            Fact::Texts(texts) => json!(texts),
            Fact::Counts(counts) => json!(counts),
        }
    }
}

impl Info {
    /// The contents of inputs as a JSON array. Future versions add members, but do not remove or rename any.
    pub fn json(infos: &[Info]) -> String {
        let mut json = Vec::new();
        let infos: Vec<_> = infos.iter().map(Info::value).collect();
        printable::json(&infos, true, &mut json).expect("memory can be written to");
        String::from_utf8(json).expect("JSON is text")
    }

    fn value(&self) -> Value {
        let sections: Vec<_> = self
            .sections
            .iter()
            .map(|s| json!({"name": s.name, "offset": s.offset.0, "bytes": s.bytes, "records": s.records}))
            .collect();
        let mut json = json!({
            "path": self.path.to_string_lossy(),
            "format": self.format,
            "producer": self.producer,
            "bytes": self.bytes,
            "complete": self.complete,
            "sections": sections,
        });
        if let Value::Object(members) = &mut json {
            if let Some(document) = self.document {
                members.insert("document".into(), document.into());
            }
            members.extend(self.facts.iter().map(|(name, fact)| (name.clone(), fact.json())));
            if !self.documents.is_empty() {
                let each = |document: &Info| {
                    let mut json = document.value();
                    json["name"] = document.name.clone().into();
                    json
                };
                members.insert("contents".into(), self.documents.iter().map(each).collect());
            }
        }
        json
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        let path = printable(&path);
        match self.document {
            Some(n) => writeln!(f, "{path}#{n}, {}", printable(&self.name))?,
            None => writeln!(f, "{path}")?,
        }
        self.describe(f)?;
        for (n, document) in self.documents.iter().enumerate() {
            let is_other = |other: &Info| other.name != document.name;
            let is_only = self.documents.iter().filter(|other| !is_other(other)).count() == 1;
            let name = document.path.to_string_lossy();
            // The paths tell documents of one name apart.
            let name = if is_only || document.path == self.path { &document.name } else { &*name };
            writeln!(f, "{path}#{n}, {}", printable(name))?;
            document.describe(f)?;
        }
        Ok(())
    }
}

impl Info {
    /// Writes everything except the name of the input and its documents.
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.complete {
            true => "complete",
            false if ["missing", "lost"].iter().any(|fact| self.facts.contains_key(*fact)) => {
                "incomplete"
            }
            false => "truncated",
        };
        let producer = printable(self.producer.as_deref().unwrap_or("unknown producer"));
        let (format, bytes) = (printable(&self.format), grouped(self.bytes));
        writeln!(f, "  {format}, {producer}, {bytes} bytes, {state}")?;
        for (name, fact) in &self.facts {
            let name = printable(name).replace('_', " ");
            match fact {
                Fact::Texts(texts) => writeln!(f, "  {name}: {}", printable(&texts.join(", ")))?,
                Fact::Count(Some(count)) => writeln!(f, "  {name}: {}", grouped(*count))?,
                Fact::Count(None) => writeln!(f, "  {name}: nothing")?,
                Fact::Counts(things) => {
                    writeln!(f, "  {name}:")?;
                    for (name, counts) in things {
                        write!(f, "    {:30}", printable(name))?;
                        // The largest unit comes last.
                        for (unit, count) in counts.iter().rev() {
                            let width = if *unit == "bytes" { 16 } else { 12 };
                            write!(f, " {:>width$} {unit}", grouped(*count))?;
                        }
                        writeln!(f)?;
                    }
                }
            }
        }
        if self.sections.is_empty() {
            return Ok(());
        }
        writeln!(f, "  {:24} {:>16} {:>16} {:>16}", "section", "offset", "bytes", "records")?;
        for s in &self.sections {
            let records = s.records.map(grouped).unwrap_or_default();
            let (offset, bytes) = (grouped(s.offset.0), grouped(s.bytes));
            writeln!(f, "  {:24} {offset:>16} {bytes:>16} {records:>16}", printable(&s.name))?;
        }
        Ok(())
    }
}
