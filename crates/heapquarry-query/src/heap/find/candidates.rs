//! Which objects can be what is looked for, told from their classes: others need not be looked at.

use super::super::{Subject, instances::Instances};
use crate::find::{Filter, Find, FindOrder};
use heapquarry_graph::NodeIndex;

impl Subject {
    /// All objects that can be wanted, in no order that means anything; `None` if any object can be.
    pub(super) fn candidates(
        &self,
        asked: &Find,
        filter: &Filter,
        instances: Option<&Instances<'_>>,
    ) -> Option<Vec<NodeIndex>> {
        let least = match asked.sort {
            FindOrder::Retained => asked.min_size.unwrap_or(0),
            FindOrder::Own => 0,
        };
        if let Some(instances) = instances {
            return Some(instances.retaining(least));
        }
        let by_class = self.by_class()?;
        let called = self.classes_called(filter);
        if called.is_none() && least == 0 {
            return None;
        }
        let classes = called.unwrap_or_else(|| (0..class_count(self)).collect());
        Some(by_class.members().retaining(classes, least, &self.analysis.retained_sizes))
    }

    /// The classes of which objects can have a name that is looked for; `None` if that is not known.
    fn classes_called(&self, filter: &Filter) -> Option<Vec<u32>> {
        // A source map names single functions.
        if !filter.is_of_names() || self.heap.has_originals() {
            return None;
        }
        let (names, strings) = (self.class_names.get()?, self.heap.strings());
        let is_of_class = self.is_of_class(|name| filter.has_name(name));
        let fits = |name| strings.with(name, |text| filter.has_name(text));
        let is_called = |&class: &u32| is_of_class[class as usize] || names.may_have(class, fits);
        Some((0..class_count(self)).filter(is_called).collect())
    }
}

fn class_count(subject: &Subject) -> u32 {
    subject.analysis.classes.classes.len() as u32
}
