//! Strings whose texts fit, found in one pass that keeps no text.

use crate::{
    Fit, Heap, NodeIndex, NodeType, StringIndex, Texts,
    duplicates::is_cut,
    names::{Parts, halves, is_placeholder},
};
use heapquarry_base::threads;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// First halves within each other that are followed. Of longer chains each text is put together once, and kept.
const DEEPEST: usize = 32;

/// The strings of [`Texts`] whose text fits, or of which that is [unknown](Fit::Unknown), in file order. `known` are
/// those of the heap, if they are at hand. The result does not depend on the number of threads.
pub fn search_texts(
    heap: &Heap,
    known: Option<&Texts>,
    threads: usize,
    fits: impl Fn(&str) -> bool + Sync,
) -> Vec<(NodeIndex, Fit)> {
    if let Some(texts) = known {
        return search_known(heap, texts, threads, fits);
    }
    // What is known of each string of the table, as many strings have one text: 0 is nothing.
    let of_table: Vec<AtomicU8> = (0..heap.strings().len()).map(|_| AtomicU8::new(0)).collect();
    let parts = threads::ranges(heap.nodes().len(), threads, |range| {
        let mut search = Search { heap, fits: &fits, of_table: &of_table, parts: Parts::default() };
        let mut found = Vec::new();
        for part in heap.parts(range) {
            for node in NodeIndex::each(part) {
                match search.node(node) {
                    Ok(None | Some(Fit::No)) => {}
                    Ok(Some(fit)) => found.push((node, fit)),
                    Err(TooDeep) => return None,
                }
            }
        }
        Some(found)
    });
    match parts.into_iter().collect::<Option<Vec<_>>>() {
        Some(found) => found.concat(),
        None => search_known(heap, &Texts::new(heap), threads, fits),
    }
}

fn search_known(
    heap: &Heap,
    texts: &Texts,
    threads: usize,
    fits: impl Fn(&str) -> bool + Sync,
) -> Vec<(NodeIndex, Fit)> {
    let fitting = texts.fitting(heap, threads, fits);
    let of = |&(node, text): &(NodeIndex, u32)| (node, fitting[text as usize]);
    texts.strings().iter().map(of).filter(|&(_, fit)| fit != Fit::No).collect()
}

/// A concatenation has too many first halves within each other, or is one of its own.
struct TooDeep;

struct Search<'a, F> {
    heap: &'a Heap,
    fits: &'a F,
    of_table: &'a [AtomicU8],
    /// The last concatenation.
    parts: Parts,
}

impl<F: Fn(&str) -> bool> Search<'_, F> {
    /// `None` if it is no string that [`Texts`] has.
    fn node(&mut self, node: NodeIndex) -> Result<Option<Fit>, TooDeep> {
        let nodes = self.heap.nodes();
        Ok(Some(match nodes.kind(node) {
            NodeType::String if nodes.name_id(node) == StringIndex::NONE => self.fit("", false),
            NodeType::SlicedString if is_placeholder(self.heap.node_name(node)) => {
                self.fit(self.heap.node_name(node), false)
            }
            NodeType::String | NodeType::SlicedString => self.string(nodes.name_id(node)),
            NodeType::ConsString => {
                if !self.put_together(node)? {
                    if self.is_flat(node)? {
                        return Ok(None);
                    }
                    self.put_together(node)?;
                }
                self.fit(&self.parts.text, self.is_known())
            }
            _ => return Ok(None),
        }))
    }

    fn fit(&self, text: &str, is_whole: bool) -> Fit {
        match (self.fits)(text) {
            true => Fit::Yes,
            false if is_whole => Fit::No,
            false => Fit::Unknown,
        }
    }

    /// A text of the string table.
    fn string(&self, string: StringIndex) -> Fit {
        const KNOWN: [Fit; 3] = [Fit::Yes, Fit::No, Fit::Unknown];
        let Some(known) = self.of_table.get(string.position()) else { return self.fit("", true) };
        if let Some(at) = known.load(Relaxed).checked_sub(1) {
            return KNOWN[usize::from(at)];
        }
        let fit = self.heap.strings().with(string, |text| self.fit(text, !is_cut(text)));
        let at = KNOWN.iter().position(|&known| known == fit).unwrap_or_default();
        known.store(at as u8 + 1, Relaxed);
        fit
    }

    /// Whether all of the last concatenation is known.
    fn is_known(&self) -> bool {
        !self.parts.is_unknown && !self.parts.may_be_cut()
    }

    /// Whether one of the halves is empty.
    fn is_flat(&mut self, node: NodeIndex) -> Result<bool, TooDeep> {
        let Some((first, second)) = halves(self.heap, node) else { return Ok(false) };
        // The root stands for a missing half.
        for half in [first, second].into_iter().filter(|&half| half != NodeIndex(0)) {
            let leaf = self.descend(half, |_| {})?;
            if !self.heap.node_name(leaf).is_empty() {
                continue;
            }
            if self.heap.nodes().kind(half) != NodeType::ConsString {
                return Ok(true);
            }
            self.put_together(half)?;
            if self.is_known() && self.parts.text.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts the text of a concatenated string together. Returns whether text of both halves is in it, so that neither
    /// is empty.
    fn put_together(&mut self, node: NodeIndex) -> Result<bool, TooDeep> {
        let mut seconds = [NodeIndex(0); DEEPEST];
        let mut depth = 0;
        let leaf = self.descend(node, |second| {
            seconds[depth] = second;
            depth += 1;
        })?;
        self.parts.text.clear();
        (self.parts.units, self.parts.is_unknown) = (0, false);
        self.parts.append(self.heap, leaf);
        let mut of_first = 0;
        for &second in seconds[..depth].iter().rev() {
            of_first = self.parts.text.len();
            self.parts.append(self.heap, second);
        }
        Ok(of_first > 0 && self.parts.text.len() > of_first)
    }

    /// Follows first halves to the string that the text begins with, and visits the second ones.
    fn descend(
        &self,
        mut at: NodeIndex,
        mut second: impl FnMut(NodeIndex),
    ) -> Result<NodeIndex, TooDeep> {
        for _ in 0..DEEPEST {
            let is_cons = self.heap.nodes().kind(at) == NodeType::ConsString;
            let Some(both) = is_cons.then(|| halves(self.heap, at)).flatten() else {
                return Ok(at);
            };
            second(both.1);
            at = both.0;
        }
        Err(TooDeep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeType, HeapBuilder};

    /// Strings of all kinds, and concatenations of any of them; with chains of so many, or in a circle.
    fn heap(seed: u32, chain: usize, is_circle: bool) -> Heap {
        let mut state = seed;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let mut builder = HeapBuilder::new();
        let mut all = vec![builder.node("synthetic", "", 0)];
        for text in ["", "a", "ab", "bca", &"ab".repeat(512), &"c".repeat(700), "(sliced string)"] {
            all.push(builder.node("string", text, 16));
        }
        all.push(builder.node("sliced string", "(sliced string)", 32));
        all.push(builder.node("sliced string", "abc", 32));
        all.push(builder.node("concatenated string", "without halves", 32));
        all.push(builder.node("object", "ab", 16));
        let cons = "concatenated string";
        for _ in 0..200 {
            let made = builder.node(cons, "(concatenated string)", 32);
            let [first, second] = [random(all.len()), random(all.len())];
            if random(20) > 0 {
                builder.edge(made, EdgeType::Internal, "first", all[first]);
            }
            if random(20) > 0 {
                builder.edge(made, EdgeType::Internal, "second", all[second]);
            }
            all.push(made);
        }
        let mut last = all[2];
        for _ in 0..chain {
            let made = builder.node(cons, "(concatenated string)", 32);
            builder.edge(made, EdgeType::Internal, "first", last);
            builder.edge(made, EdgeType::Internal, "second", all[3]);
            last = made;
        }
        if is_circle {
            let made = builder.node(cons, "(concatenated string)", 32);
            builder.edge(made, EdgeType::Internal, "first", made);
            builder.edge(made, EdgeType::Internal, "second", all[3]);
        }
        builder.build()
    }

    #[test]
    fn what_is_found_is_what_the_texts_of_all_strings_tell() {
        let mut found = [0; 2];
        for seed in 0..30 {
            for (chain, is_circle) in [(0, false), (DEEPEST - 1, false), (100, false), (3, true)] {
                let heap = heap(seed, chain, is_circle);
                let texts = Texts::new(&heap);
                for wanted in ["", "a", "cab", "ba", "d", "without", "(sliced", "ccab"] {
                    let fits = |text: &str| text.contains(wanted);
                    let expected = search_known(&heap, &texts, 1, fits);
                    for threads in [1, 3] {
                        assert_eq!(search_texts(&heap, None, threads, fits), expected, "{wanted}");
                    }
                    for (_, fit) in expected {
                        found[usize::from(fit == Fit::Yes)] += 1;
                    }
                }
            }
        }
        assert!(found[0] > 1000 && found[1] > 1000, "{found:?}");
    }
}
