//! The documents of an input, and the parts of a page that draw them.

use super::sections::table;
use crate::answer::Caveat;
use heapquarry::{
    Result, RunOptions, Source,
    engine::{Contained, ContainedDocument as Document, Documents, Locate, contained},
};
use heapquarry_base::Order;
use heapquarry_html::{self as html, Block};
use heapquarry_report::{Cell, Column, Unit, printable::cut};
use std::cmp::Reverse;

/// Parts of a page. Each has a share of the room, and less than this is too little to see anything.
const MOST: usize = 24;
/// Characters of a name in a title.
const LONGEST: usize = 60;

/// A part, and what it became.
pub(super) type Drawn<'a> = (&'a Part, html::Part);

/// What is in an input.
pub(super) struct Contents {
    /// Caveats: truncated or repaired input, and what else makes the numbers doubtful.
    pub(super) notes: Vec<String>,
    /// All documents are in a part.
    pub(super) parts: Vec<Part>,
    /// In their order.
    pub(super) documents: Vec<Document>,
}

/// Documents that are drawn together.
pub(super) struct Part {
    pub(super) title: String,
    /// In the order of time.
    pub(super) sources: Vec<Source>,
    /// The numbers of its documents.
    numbers: Vec<usize>,
    bytes: u64,
}

impl Contents {
    /// Inputs that are drawn together.
    pub(super) fn of(sources: &[Source]) -> Self {
        let part =
            Part { title: String::new(), sources: sources.to_vec(), numbers: Vec::new(), bytes: 0 };
        Contents { notes: Vec::new(), parts: vec![part], documents: Vec::new() }
    }

    /// Each document is a part. The snapshots of an input are one if they are of one heap at several times.
    fn of_documents(notes: Vec<String>, all: Vec<(Source, Document)>, is_one_heap: bool) -> Self {
        let mut groups: Vec<Vec<(Source, &Document)>> = Vec::new();
        let (sources, documents): (Vec<Source>, Vec<Document>) = all.into_iter().unzip();
        for (source, document) in sources.into_iter().zip(&documents) {
            let is_snapshot = ["heapsnapshot", "jscsnapshot"].contains(&&*document.format);
            let group = groups.iter_mut().find(|group| group[0].1.format == document.format);
            match group.filter(|_| is_snapshot && is_one_heap) {
                Some(group) => group.push((source, document)),
                None => groups.push(vec![(source, document)]),
            }
        }
        let parts = groups.into_iter().map(|group| Part {
            title: title(&group),
            numbers: group.iter().map(|(_, document)| document.number).collect(),
            bytes: group.iter().map(|(_, document)| document.bytes).sum(),
            sources: group.into_iter().map(|(source, _)| source).collect(),
        });
        Contents { notes, parts: parts.collect(), documents }
    }
}

/// The documents of an input. An input of one document, and a directory whose documents belong together, is one part.
pub(super) fn contents(source: &Source, all: bool, options: &RunOptions) -> Result<Contents> {
    let Contained { containers, documents } = contained(source, all, options)?;
    let caveats =
        containers.iter().filter_map(|(status, log)| Caveat::of_defects(source, *status, log));
    let notes = caveats.map(|caveat| caveat.to_string()).collect();
    match documents {
        Documents::One(source) => Ok(Contents { notes, ..Contents::of(&[*source]) }),
        Documents::Several(documents) => {
            let is_one_heap = source.isolates(options)?.is_none();
            Ok(Contents::of_documents(notes, documents, is_one_heap))
        }
    }
}

/// What a part is called.
fn title(group: &[(Source, &Document)]) -> String {
    let kind = match &*group[0].1.format {
        "heapsnapshot" | "jscsnapshot" => "Heap",
        "heaptimeline" => "Heap timeline",
        "cpuprofile" => "CPU profile",
        "heapprofile" => "Heap profile",
        "selfprofile" => "Self-profile",
        "pprof" => "Profile",
        _ => "Trace",
    };
    let name = |(_, document): &(Source, &Document)| cut(&document.name, LONGEST).into_owned();
    match group {
        [first, .., last] => format!("{kind}: {} → {}", name(first), name(last)),
        _ => format!("{kind}: {}", name(&group[0])),
    }
}

/// The parts with most bytes, in their order.
pub(super) fn largest(parts: &[Part]) -> Vec<&Part> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.order_by_key(|&at| Reverse(parts[at].bytes));
    order.truncate(MOST);
    order.sort_unstable();
    order.into_iter().map(|at| &parts[at]).collect()
}

/// The documents of an input, and which part of the page draws each.
pub(super) fn overview(source: &Source, documents: &[Document], parts: &[Drawn<'_>]) -> Block {
    let rows = documents.iter().map(|document| {
        let part = parts.iter().find(|(part, _)| part.numbers.contains(&document.number));
        vec![
            Cell::Number(document.number as i64, Unit::Plain),
            Cell::name(&*document.name),
            Cell::name(&*document.format),
            Cell::bytes(document.bytes),
            part.map_or_else(|| Cell::text("not drawn here"), |(_, part)| Cell::name(&*part.title)),
        ]
    });
    let columns = vec![
        Column::new("Document"),
        Column::new("Name"),
        Column::new("Format"),
        Column::new("Size"),
        Column::new("Part of this page"),
    ];
    let top = documents.len();
    let section = table("contents", "Contents", columns, rows.collect(), top, "");
    let name = file_name(&source.to_string());
    let note = format!(
        "The documents of {name}. `heapquarry report {name}#N` draws document N alone, with more of it."
    );
    Block::Section { section, sql: None, note: Some(note) }
}

/// The last part of a path: a page travels further than the folders of a machine should.
pub(super) fn file_name(path: &str) -> String {
    let end = path.trim_end_matches(['/', '\\']);
    end.rsplit(['/', '\\']).next().unwrap_or(end).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(documents: &[(&str, &str, u64)], is_one_heap: bool) -> Contents {
        let documents = documents.iter().zip(0..).map(|(&(name, format, bytes), number)| {
            let (name, format) = (name.into(), format.into());
            (Source::from("x").document(number), Document { number, name, format, bytes })
        });
        Contents::of_documents(Vec::new(), documents.collect(), is_one_heap)
    }

    #[test]
    fn snapshots_are_one_part_and_each_other_document_is_one() {
        let documents = [
            ("S0", "heapsnapshot", 10),
            ("T", "heaptimeline", 20),
            ("S2", "heapsnapshot", 30),
            ("J", "jscsnapshot", 1),
            ("P0", "cpuprofile", 2),
            ("P1", "cpuprofile", 3),
        ];
        let found = made(&documents, true);
        let parts: Vec<_> = found.parts.iter().map(|p| (&*p.title, &*p.numbers, p.bytes)).collect();
        assert_eq!(
            parts,
            [
                ("Heap: S0 → S2", &[0, 2][..], 40),
                ("Heap timeline: T", &[1], 20),
                ("Heap: J", &[3], 1),
                ("CPU profile: P0", &[4], 2),
                ("CPU profile: P1", &[5], 3),
            ]
        );
        // Those of several isolates are not of one heap.
        assert_eq!(made(&documents, false).parts.len(), 6);
    }

    #[test]
    fn the_largest_parts_are_drawn_in_their_order() {
        let many: Vec<_> = (0..30).map(|at| ("P", "cpuprofile", at % 29)).collect();
        let found = made(&many, true);
        let drawn: Vec<usize> = largest(&found.parts).iter().map(|part| part.numbers[0]).collect();
        // 0 and 29 have no bytes, 1 to 5 one to five.
        assert_eq!(drawn, (5..29).collect::<Vec<_>>());
    }
}
