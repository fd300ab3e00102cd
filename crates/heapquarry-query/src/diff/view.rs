//! What differs between inputs, for people.

use super::{DiffAnswer, Difference};
use crate::{answer::Figure, view::View};
use heapquarry_report::Section;

impl View for DiffAnswer {
    fn sections(&self, shown: usize) -> Vec<Section> {
        self.found.sections(shown)
    }

    fn subject(&self, inputs: &[String]) -> String {
        self.found.subject(inputs)
    }

    fn figures(&self) -> &[Figure] {
        &self.figures
    }
}

impl View for Difference {
    fn sections(&self, shown: usize) -> Vec<Section> {
        match self {
            Difference::Heap(heap) => heap.sections(shown),
            Difference::Profile(profile) => profile.sections(shown),
            Difference::Trace(trace) => trace.sections(shown),
        }
    }

    fn subject(&self, inputs: &[String]) -> String {
        match (self, inputs) {
            (Difference::Trace(trace), _) => trace.subject(inputs),
            (_, [first, .., last]) => format!("{first} → {last}"),
            _ => inputs.concat(),
        }
    }
}
