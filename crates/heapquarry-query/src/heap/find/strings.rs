//! The texts of strings, each once.

use super::{super::Subject, Owners};
use crate::{
    answer::{Bytes, Caveat, List},
    find::{Find, FindOrder, FoundString, FoundStrings},
};
use heapquarry::Source;
use heapquarry_graph::{EqualStrings, NodeIndex, TextSum, text_of};

/// The caveat of strings that do not fit as far as the file has them.
pub(super) fn unsearched(source: &Source, count: u64) -> Option<Caveat> {
    let of = match count {
        0 => return None,
        1 => "1 string, which may fit too".into(),
        count => format!("{count} strings, which may fit too"),
    };
    let text = format!(
        "the file does not have all of the text of {of} (V8 writes 1,024 characters of a string)"
    );
    Some(Caveat::of_values(source, text))
}

impl Subject {
    /// Which strings have one text.
    pub(in super::super) fn equal_strings(&self) -> &EqualStrings {
        let make = || {
            let sizes = &self.analysis.shallow_sizes;
            EqualStrings::new(&self.heap, self.texts(), sizes, self.threads)
        };
        let kept = || EqualStrings::kept(&self.heap, &self.analysis);
        self.equal_strings.get_or_init(|| kept().unwrap_or_else(make))
    }

    /// A page of the texts of strings that are wanted.
    pub(super) fn strings(
        &self,
        is_wanted: impl Fn(NodeIndex) -> bool + Sync,
        asked: &Find,
    ) -> FoundStrings {
        let least = asked.min_size.unwrap_or(0);
        let rank = |sum: &TextSum| {
            let rank = match asked.sort {
                FindOrder::Retained => sum.retained_size,
                FindOrder::Own => sum.shallow_size,
            };
            (rank >= least).then_some(rank)
        };
        let end = asked.offset.saturating_add(asked.top);
        let (equal, analysis) = (self.equal_strings(), &self.analysis);
        let found = equal.top(&self.heap, analysis, self.threads, end, is_wanted, rank);
        let rows = &found.rows[asked.offset.min(found.rows.len())..];
        let nodes: Vec<NodeIndex> = rows.iter().map(|sum| sum.largest).collect();
        let owners = Owners::new(self, &nodes);
        let row = |sum: &TextSum| {
            let (way, owner) = owners.of(sum.largest);
            let (string, is_whole) = text_of(&self.heap, &self.texts, sum.largest);
            FoundString {
                string,
                is_whole,
                count: sum.count.into(),
                shallow_size: Bytes(sum.shallow_size),
                retained_size: Bytes(sum.retained_size),
                id: self.node_id(sum.largest),
                way,
                owner,
            }
        };
        let rows = self.heap.scattered(rows).map(row).collect();
        FoundStrings {
            shallow_size: Bytes(found.shallow_size),
            strings: List { total: found.count, offset: asked.offset as u64, rows },
            by_own: asked.sort == FindOrder::Own,
        }
    }
}
