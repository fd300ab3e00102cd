//! The texts of strings, each once.

use super::{super::Subject, Owners};
use crate::{
    answer::{Bytes, Caveat, List},
    find::{Find, FindOrder, FoundString, FoundStrings},
};
use heapquarry::Source;
use heapquarry_graph::{Fit, NodeIndex};
use std::cmp::Reverse;

/// Strings of one text. None keeps another one alive: their parts are shorter.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Equal {
    text: u32,
    /// The one that retains most.
    largest: NodeIndex,
    count: u64,
    shallow: u64,
    retained: u64,
}

impl Equal {
    fn rank(&self, order: FindOrder) -> u64 {
        match order {
            FindOrder::Retained => self.retained,
            FindOrder::Own => self.shallow,
        }
    }
}

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
    /// All strings, equal ones once. They are kept.
    pub(in super::super) fn equal_strings(&self) -> &[Equal] {
        self.equal_strings.get_or_init(|| self.folded(self.texts().pass(&self.heap)))
    }

    /// Strings with the numbers of their texts, equal ones once.
    pub(super) fn folded<'s>(
        &self,
        strings: impl IntoIterator<Item = &'s (NodeIndex, u32)>,
    ) -> Vec<Equal> {
        let texts = self.texts();
        texts.prepare(&self.heap, self.threads);
        let key = |&(node, text): &(NodeIndex, u32)| {
            let difference = texts.difference(&self.heap, text, node, self.shallow(node));
            (texts.first_of_equal(&self.heap, text), difference, node)
        };
        let mut keys: Vec<_> = strings.into_iter().map(key).collect();
        keys.sort_unstable();
        keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|nodes| self.equal(nodes)).collect()
    }

    fn equal(&self, nodes: &[(u32, u64, NodeIndex)]) -> Equal {
        let mut equal = Equal { text: nodes[0].0, largest: nodes[0].2, ..Equal::default() };
        for &(.., node) in nodes {
            equal.count += 1;
            equal.shallow = equal.shallow.saturating_add(self.shallow(node));
            equal.retained = equal.retained.saturating_add(self.retained(node));
            if self.retained(node) > self.retained(equal.largest) {
                equal.largest = node;
            }
        }
        equal
    }

    /// A page of those whose texts fit. Strings of which that is unknown are counted.
    pub(super) fn strings(
        &self,
        mut equal: Vec<Equal>,
        fit: impl Fn(u32) -> Fit,
        unknown: &mut u64,
        asked: &Find,
    ) -> FoundStrings {
        let texts = self.texts();
        let least = asked.min_size.unwrap_or(0);
        equal.retain(|equal| match fit(equal.text) {
            Fit::Yes => equal.rank(asked.sort) >= least,
            Fit::No => false,
            Fit::Unknown => {
                *unknown += equal.count;
                false
            }
        });
        let size = equal.iter().fold(0u64, |sum, equal| sum.saturating_add(equal.shallow));
        let total = equal.len() as u64;
        let rows = page(equal, asked, |equal| (Reverse(equal.rank(asked.sort)), equal.largest));
        let nodes: Vec<NodeIndex> = rows.iter().map(|equal| equal.largest).collect();
        let owners = Owners::new(self, &nodes);
        let row = |equal: &Equal| {
            let (way, owner) = owners.of(equal.largest);
            FoundString {
                string: texts.get(&self.heap, equal.text).into(),
                is_whole: texts.is_whole(&self.heap, equal.text),
                count: equal.count,
                shallow_size: Bytes(equal.shallow),
                retained_size: Bytes(equal.retained),
                id: self.node_id(equal.largest),
                way,
                owner,
            }
        };
        let rows = self.heap.scattered(&rows).map(row).collect();
        FoundStrings {
            shallow_size: Bytes(size),
            strings: List { total, offset: asked.offset as u64, rows },
            by_own: asked.sort == FindOrder::Own,
        }
    }
}

/// The rows of a page. Those after it are not sorted.
fn page<T, K: Ord>(mut all: Vec<T>, asked: &Find, rank: impl Fn(&T) -> K) -> Vec<T> {
    let end = asked.offset.saturating_add(asked.top);
    if end < all.len() {
        all.select_nth_unstable_by_key(end, &rank);
        all.truncate(end);
    }
    all.sort_unstable_by_key(&rank);
    all.drain(..asked.offset.min(all.len()));
    all
}
