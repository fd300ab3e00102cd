//! Pages: what is in an input, drawn.

use super::{heap, other_format, profile, report, too_few, trace};
use crate::{Result, RunOptions, Source};
use heapquarry_formats::Kind;
use heapquarry_html::Page;
use heapquarry_report::Report;

/// A page that shows what is in an input, or in several of one process in the order of time: what they hold, and what
/// grew. [`Page::write`] writes it as one HTML file, whose size does not depend on that of the input: it has what weighs
/// most, and sums of the rest.
///
/// # Errors
/// If an input cannot be read, or is of a kind that is not drawn.
pub fn page(sources: &[Source], title: Option<&str>, options: &RunOptions) -> Result<Page> {
    let all = heap::all_documents(sources)?;
    // A directory without heaps stands for itself.
    let sources = if all.len() > 1 { all.as_slice() } else { sources };
    let [before @ .., source] = sources else { return Err(too_few(sources)) };
    source.refuse_part("a page shows all of it")?;
    let located = source.locate(options)?;
    let (notes, blocks) = match located.format().kind() {
        Kind::Heap => heap::page(source, located, before, options)?,
        Kind::Profile(_) => profile::page(source, located, before, options)?,
        Kind::Trace if before.is_empty() => trace::page(source, located, options)?,
        Kind::Trace => {
            let wanted = "a heap or a profile (several traces are not drawn together)";
            return Err(other_format(source, wanted, located.format()));
        }
    };
    let names: Vec<String> = sources.iter().map(|source| file_name(&source.to_string())).collect();
    let subject = match names.as_slice() {
        [first, .., last] => format!("{first} → {last}"),
        _ => names.concat(),
    };
    let subject = title.map_or(subject, Into::into);
    let report: Report = report("heapquarry report", subject.clone(), notes, Vec::new());
    Ok(Page { title: format!("{subject} – heapquarry"), report, blocks })
}

/// The last part of a path: a page travels further than the folders of a machine should.
pub(super) fn file_name(path: &str) -> String {
    let end = path.trim_end_matches(['/', '\\']);
    end.rsplit(['/', '\\']).next().unwrap_or(end).into()
}
