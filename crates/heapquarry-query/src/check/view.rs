//! Whether the limits of a budget are kept, for people.

use super::CheckAnswer;
use crate::{answer::Figure, view::View};
use heapquarry_report::Section;

impl View for CheckAnswer {
    /// Limits have a form of their own.
    fn sections(&self, _: usize) -> Vec<Section> {
        Vec::new()
    }

    fn subject(&self, inputs: &[String]) -> String {
        let inputs = match inputs {
            [] => String::new(),
            [one] => one.clone(),
            [first, more @ ..] => format!("{first} and {} more", more.len()),
        };
        match &self.baseline {
            Some(baseline) => format!("{baseline} → {inputs}"),
            None => inputs,
        }
    }

    fn figures(&self) -> &[Figure] {
        &self.figures
    }
}
