//! Whether the limits of a budget are kept, for people.

use super::CheckAnswer;
use crate::{
    answer::Figure,
    view::{View, first_and_more},
};
use heapquarry_report::Section;

impl View for CheckAnswer {
    /// Limits have a form of their own.
    fn sections(&self, _: usize) -> Vec<Section> {
        Vec::new()
    }

    fn subject(&self, inputs: &[String]) -> String {
        let inputs = first_and_more(inputs);
        match &self.baseline {
            Some(baseline) => format!("{baseline} → {inputs}"),
            None => inputs,
        }
    }

    fn figures(&self) -> &[Figure] {
        &self.figures
    }
}
