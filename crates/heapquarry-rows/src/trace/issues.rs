//! Contradictions in a trace, as rows of `import_log`.

use heapquarry_formats::{Code, Log};
use heapquarry_timeline::{Issue, Timeline};

/// The code of an issue, and its message.
fn describe(issue: Issue) -> (Code, &'static str) {
    match issue {
        Issue::NoTime => (Code::EventWithoutTime, "has no time, so it is in no other table"),
        Issue::UnmatchedEnd => (Code::UnmatchedEnd, "ends a slice that has not begun"),
        Issue::Unclosed => (Code::UnclosedSlice, "begins a slice that does not end"),
        Issue::ImpliedEnd => (Code::ImpliedEnd, "begins a slice that ends with the one around it"),
        Issue::Overlap => (Code::OverlappingSlice, "outlives the slice in which it begins"),
        Issue::NoDuration => (Code::SliceWithoutDuration, "is complete, but has no duration"),
        Issue::NoId => (Code::EventWithoutId, "has no id, so it is in no other table"),
        Issue::AsyncUnmatched => (Code::UnmatchedEnd, "continues an operation that has not begun"),
        Issue::AsyncUnclosed => (Code::UnclosedSlice, "begins an operation that does not end"),
        Issue::FlowUnmatched => (Code::FlowWithoutStart, "continues a flow that has not started"),
        Issue::FlowOutside => (Code::FlowOutsideSlices, "of a flow lies in no slice"),
        Issue::ContextUnmatched => (Code::UnmatchedEnd, "leaves a context that was not entered"),
        _ => (Code::UnmatchedEnd, "does not fit"),
    }
}

/// Logs all issues. The offsets of events are no longer known, so messages name their index.
pub(super) fn log(timeline: &Timeline, log: &mut Log) {
    for (issue, count, first) in timeline.issues.iter() {
        let (code, text) = describe(issue);
        for number in 0..count as usize {
            let event = |at: usize| first.get(at).map_or(0, |&event| timeline.events.number(event));
            log.add(code, None, || format!("event {} {text}", event(number)));
        }
    }
}
