//! Pages: what is in an input, drawn.

use super::{
    heap, other_format,
    parts::{self, Contents, Drawn, Part, file_name},
    process, profile, report,
    room::Room,
    too_few, trace,
};
use heapquarry::{Error, ErrorKind, Result, RunOptions, Source, engine::Locate};
use heapquarry_formats::Kind;
use heapquarry_html::{self as html, Block, Page};
use heapquarry_report::Report;

/// A page that shows what is in an input, or in several of one process in the order of time: what they hold, and what
/// grew. An input of several documents is drawn in parts: its snapshots as one, unless they are of several isolates,
/// and each other document as one of its own. [`Page::write`] writes it as one HTML file, whose size does not depend on
/// that of the input: it has what weighs most, and sums of the rest.
///
/// # Errors
/// If an input cannot be read, or is of a kind that is not drawn.
pub fn page(sources: &[Source], title: Option<&str>, options: &RunOptions) -> Result<Page> {
    let Some(source) = sources.last() else { return Err(too_few(sources)) };
    source.refuse_part("a page shows all of it")?;
    if let Some(watch) = process::Subject::open(source, options)? {
        if sources.len() > 1 {
            let wanted = "heaps or profiles (several watches are not drawn together)";
            let (path, found) = (source.path.clone(), process::WATCH);
            return Err(Error::new(ErrorKind::OtherFormat { path, wanted, found }));
        }
        let (notes, blocks) = process::page(&watch);
        let subject = title.map_or_else(|| names(sources), Into::into);
        return Ok(whole(subject, notes, blocks, Vec::new()));
    }
    let is_whole = sources.len() == 1 && source.document.is_none();
    let contents = |all| match is_whole {
        true => parts::contents(source, all, options),
        false => Ok(Contents::of(sources)),
    };
    match page_of(sources, contents(false)?, title, options) {
        // That others follow the first document shows only when that has been read.
        Err(error) if is_whole && source.is_repeatable() && is_of_several(&error) => {
            page_of(sources, contents(true)?, title, options)
        }
        page => page,
    }
}

fn is_of_several(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Document { document: None, .. })
}

fn page_of(
    sources: &[Source],
    contents: Contents,
    title: Option<&str>,
    options: &RunOptions,
) -> Result<Page> {
    let Contents { mut notes, parts, documents } = contents;
    let (found, blocks, parts) = match parts.as_slice() {
        [Part { sources, .. }] => {
            let (more, blocks) = drawn(sources, Room::new(1), options)?;
            notes.extend(more);
            (names(sources), blocks, Vec::new())
        }
        _ => {
            let (more, parts) = all_drawn(&parts, options)?;
            notes.extend(more);
            let input = &sources[sources.len() - 1];
            let blocks = vec![parts::overview(input, &documents, &parts)];
            let parts = parts.into_iter().map(|(_, part)| part).collect();
            (names(sources), blocks, parts)
        }
    };
    let subject = title.map_or(found, Into::into);
    let notes = notes.into_iter().map(|note| without_folders(note, sources)).collect();
    Ok(whole(subject, notes, blocks, parts))
}

fn whole(subject: String, notes: Vec<String>, blocks: Vec<Block>, parts: Vec<html::Part>) -> Page {
    let report: Report = report("heapquarry report", subject.clone(), notes, Vec::new());
    Page { title: format!("{subject} – heapquarry"), report, blocks, parts }
}

/// Draws parts: those with most bytes, if they are many. Also returns notes on how they were read. A document that is
/// too damaged to be read does not keep others from being drawn.
fn all_drawn<'a>(parts: &'a [Part], options: &RunOptions) -> Result<(Vec<String>, Vec<Drawn<'a>>)> {
    let chosen = parts::largest(parts);
    let room = Room::new(chosen.len());
    let (mut notes, mut all, mut failure) = (Vec::new(), Vec::new(), None);
    for part in chosen {
        match drawn(&part.sources, room, options) {
            Ok((more, blocks)) => {
                notes.extend(more);
                all.push((part, html::Part { title: part.title.clone(), blocks }));
            }
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::Format { .. } | ErrorKind::NotFound { .. }
                ) =>
            {
                notes.push(format!("{} is not drawn: {error}", part.title));
                failure.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    match failure {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok((notes, all)),
    }
}

/// The blocks of one input, or of several of one process, and notes on how they were read.
fn drawn(
    sources: &[Source],
    room: Room,
    options: &RunOptions,
) -> Result<(Vec<String>, Vec<Block>)> {
    let [before @ .., source] = sources else { return Err(too_few(sources)) };
    let located = source.locate(options)?;
    match located.format().kind() {
        Kind::Heap => heap::page(source, located, before, room, options),
        Kind::Profile(_) => profile::page(source, located, before, room, options),
        Kind::Trace if before.is_empty() => trace::page(source, located, room, options),
        Kind::Trace => {
            let wanted = "a heap or a profile (several traces are not drawn together)";
            Err(other_format(source, wanted, located.format()))
        }
    }
}

/// What inputs are called in a heading.
fn names(sources: &[Source]) -> String {
    let names: Vec<String> = sources.iter().map(|source| file_name(&source.to_string())).collect();
    match names.as_slice() {
        [first, .., last] => format!("{first} → {last}"),
        _ => names.concat(),
    }
}

/// A note that names inputs, with the last part of each path only.
fn without_folders(note: String, sources: &[Source]) -> String {
    sources
        .iter()
        .map(ToString::to_string)
        .fold(note, |note, path| note.replace(&path, &file_name(&path)))
}
