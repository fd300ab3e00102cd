//! A watch of a process, drawn: what grows, what to do next, and the memory over time.

use super::{Subject, curves::charts};
use crate::{texts, view::View};
use heapquarry_html::{Block, Drawing};
use heapquarry_report::Body;

/// The blocks of the page of a watch, and the notes on what could not be seen.
pub(crate) fn page(watch: &Subject) -> (Vec<String>, Vec<Block>) {
    let sections = watch.answer().sections(usize::MAX);
    let has_rows = |body: &Body| !matches!(body, Body::Table(table) if table.rows.is_empty());
    let sections = sections.into_iter().filter(|section| has_rows(&section.body));
    let mut blocks: Vec<Block> = sections.map(Block::section).collect();
    // Right after the verdict.
    let drawn = charts(&watch.recording).into_iter().map(|chart| Block::Drawing {
        key: chart.key,
        title: chart.title,
        note: chart.note.into(),
        drawing: Drawing::Curves(chart.curves),
    });
    let place = blocks.len().min(1);
    blocks.splice(place..place, drawn);
    (texts(&watch.caveats()), blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_process::{Inside, LiveBy, Recording, Sample};
    use std::time::Duration;

    fn keys(recording: Recording) -> Vec<&'static str> {
        let (notes, blocks) = page(&Subject { target: "9229".into(), recording });
        assert!(notes.is_empty());
        let key = |block: &Block| match block {
            Block::Section { section, .. } => section.key,
            Block::Drawing { key, .. } => key,
        };
        blocks.iter().map(key).collect()
    }

    #[test]
    fn a_page_has_the_verdict_the_curves_and_the_figures() {
        let mut recording = Recording::default();
        for at in (0..200).step_by(10) {
            let heap_used = Some(50_000_000 + at * 100_000);
            recording.push(Sample {
                at: Duration::from_secs(at),
                live: Some(LiveBy::Measured),
                inside: Inside { heap_used, ..Inside::default() },
                ..Sample::default()
            });
        }
        assert_eq!(keys(recording), ["verdict", "curves", "growth", "watch"]);
        assert_eq!(keys(Recording::default()), ["verdict", "watch"]);
    }
}
