//! The events of a part of a trace that belong together in a file.

use super::{Subject, refuse_other};
use heapquarry::{Result, RunOptions, Source, engine::Locate};
use heapquarry_timeline::{EventIndex, Phase, Timeline};

/// Some events of a trace, by their numbers in `trace_event`.
pub struct EventSet(Vec<u64>);

impl EventSet {
    /// The events of the part of a trace that a source selects: those in it, the ends of what begins in it, and what
    /// names its processes and threads.
    ///
    /// # Errors
    /// If the source is no trace, cannot be read, or has nothing of what is selected.
    pub fn selected(source: &Source, options: &RunOptions) -> Result<Self> {
        let located = source.locate(options)?;
        refuse_other(source, located.format())?;
        let subject = Subject::open(source, located, options)?;
        let Timeline { events, slices, async_slices, processes, .. } = &subject.timeline;
        let mut selected = EventSet(vec![0; events.len().div_ceil(64) as usize]);
        let mut upids = vec![false; processes.processes.len()];
        let ends = |phase| matches!(phase, Phase::End | Phase::NestableAsyncEnd | Phase::AsyncEnd);
        for event in events.all().filter(|&event| events.phase(event) != Phase::Metadata) {
            if !subject.is_asked(event) || (ends(events.phase(event)) && subject.selection.is_part)
            {
                continue;
            }
            selected.add(event);
            upids[processes.upid(events, event) as usize] = true;
            if let Some(end) = slices.end_event(event) {
                selected.add(end);
            }
        }
        for slice in async_slices.iter(events) {
            if let Some(end) = slice.end_event.filter(|_| selected.has(slice.event.0 as i64)) {
                selected.add(end);
            }
        }
        // Names of threads without events cost nothing.
        for event in events.all().filter(|&event| events.phase(event) == Phase::Metadata) {
            if !subject.selection.is_part || upids[processes.upid(events, event) as usize] {
                selected.add(event);
            }
        }
        Ok(selected)
    }

    /// Whether an event is one of them.
    #[inline]
    pub fn has(&self, event: i64) -> bool {
        let Ok(at) = usize::try_from(event) else { return false };
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    fn add(&mut self, event: EventIndex) {
        let at = event.position();
        self.0[at / 64] |= 1 << (at % 64);
    }
}
