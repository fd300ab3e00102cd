//! Which objects can be what is looked for, told from their classes: others need not be looked at.

use super::{
    super::{Subject, instances::Instances},
    tally::Tally,
};
use crate::find::{Filter, Find, FindOrder};
use heapquarry_graph::NodeIndex;

impl Subject {
    /// All objects that can be wanted, in file order; `None` if any object can be.
    pub(super) fn candidates(
        &self,
        asked: &Find,
        instances: Option<&Instances<'_>>,
    ) -> Option<Vec<NodeIndex>> {
        let least = match asked.sort {
            FindOrder::Retained => asked.min_size.unwrap_or(0),
            FindOrder::Own => 0,
        };
        if let Some(instances) = instances {
            return Some(instances.retaining(least));
        }
        self.by_class()?.members().few_retaining(least, &self.analysis.retained_sizes)
    }

    /// All objects with names, if nothing else is asked for; `None` if it is not known which classes can have them.
    /// Classes of such a name need not be looked at object by object.
    pub(super) fn tally_by_names(
        &self,
        asked: &Find,
        filter: &Filter,
        is_wanted: impl Fn(NodeIndex) -> bool + Sync,
    ) -> Option<Tally> {
        // A source map names single functions.
        if !asked.is_of_names_alone() || self.heap.has_originals() {
            return None;
        }
        let (members, names) = (self.by_class()?.members(), self.class_names.get()?);
        let (retained, strings) = (&self.analysis.retained_sizes, self.heap.strings());
        let is_of_class = self.is_of_class(|name| filter.has_name(name));
        let fits = |name| strings.with(name, |text| filter.has_name(text));
        let (whole, others): (Vec<u32>, Vec<u32>) =
            (0..class_count(self)).partition(|&class| is_of_class[class as usize]);
        let others = others.into_iter().filter(|&class| names.may_have(class, fits));
        let nodes = members.retaining(others, 0, retained);
        let mut tally = self.tally(nodes.len(), |at| nodes[at], asked, is_wanted);
        for &class in &whole {
            tally.count += members.of(class).len() as u64;
            tally.size = tally.size.saturating_add(members.shallow_size(class));
        }
        for node in members.largest(&whole, asked.offset.saturating_add(asked.top), retained) {
            tally.first.add(node, self.retained(node));
        }
        Some(tally)
    }
}

fn class_count(subject: &Subject) -> u32 {
    subject.analysis.classes.classes.len() as u32
}
