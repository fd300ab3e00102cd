//! Strings whose texts fit, found in one pass that keeps no text, and the texts of a few strings.

use crate::{
    Fit, Heap, NodeIndex, NodeType, StringIndex, Texts,
    duplicates::is_cut,
    names::{Parts, halves, is_placeholder},
};
use heapquarry_base::threads;
use std::sync::{
    OnceLock,
    atomic::{AtomicU8, Ordering::Relaxed},
};

/// First halves within each other that are followed. Of longer chains each text is put together once, and kept.
const DEEPEST: usize = 32;
/// First halves that are followed where texts of a few strings are wanted.
const DEEPEST_OF_FEW: usize = 1 << 16;

/// The strings of [`Texts`] whose text fits, or of which that is [unknown](Fit::Unknown), in file order. Those of the
/// heap are taken if they are at hand, and made if they are needed. The result does not depend on the number of
/// threads.
pub fn search_texts(
    heap: &Heap,
    all: &OnceLock<Texts>,
    threads: usize,
    fits: impl Fn(&str) -> bool + Sync,
) -> Vec<(NodeIndex, Fit)> {
    if let Some(texts) = all.get() {
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
        None => search_known(heap, all.get_or_init(|| Texts::new(heap)), threads, fits),
    }
}

/// The text of one of the strings of [`Texts`], as far as the file has it, and whether that is all of it. Those of the
/// heap are made if they are needed.
pub fn text_of(heap: &Heap, all: &OnceLock<Texts>, node: NodeIndex) -> (String, bool) {
    let (kind, name) = (heap.nodes().kind(node), heap.node_name(node));
    let is_whole = match kind {
        NodeType::ConsString => {
            let (mut seconds, mut parts) = (Vec::new(), Parts::default());
            let leaf = descend(heap, node, DEEPEST_OF_FEW, |second| seconds.push(second));
            let Ok(leaf) = leaf else {
                return all.get_or_init(|| Texts::new(heap)).of(heap, node).unwrap_or_default();
            };
            parts.append(heap, leaf);
            seconds.iter().rev().for_each(|&second| parts.append(heap, second));
            let is_whole = parts.is_whole();
            return (parts.text, is_whole);
        }
        NodeType::String => heap.nodes().name_id(node) != StringIndex::NONE,
        _ => !is_placeholder(name),
    };
    (name.into(), is_whole && !is_cut(name))
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
                self.fit(&self.parts.text, self.parts.is_whole())
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

    /// Whether one of the halves is empty.
    fn is_flat(&mut self, node: NodeIndex) -> Result<bool, TooDeep> {
        let Some((first, second)) = halves(self.heap, node) else { return Ok(false) };
        // The root stands for a missing half.
        for half in [first, second].into_iter().filter(|&half| half != NodeIndex(0)) {
            let leaf = descend(self.heap, half, DEEPEST, |_| {})?;
            if !self.heap.node_name(leaf).is_empty() {
                continue;
            }
            if self.heap.nodes().kind(half) != NodeType::ConsString {
                return Ok(true);
            }
            self.put_together(half)?;
            if self.parts.is_whole() && self.parts.text.is_empty() {
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
        let leaf = descend(self.heap, node, DEEPEST, |second| {
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
}

/// Follows first halves to the string that the text begins with, and visits the second ones, at most so many.
fn descend(
    heap: &Heap,
    mut at: NodeIndex,
    most: usize,
    mut second: impl FnMut(NodeIndex),
) -> Result<NodeIndex, TooDeep> {
    for _ in 0..most {
        let is_cons = heap.nodes().kind(at) == NodeType::ConsString;
        let Some(both) = is_cons.then(|| halves(heap, at)).flatten() else {
            return Ok(at);
        };
        second(both.1);
        at = both.0;
    }
    Err(TooDeep)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{EdgeType, HeapBuilder};

    /// Strings of all kinds, some of them equal, and concatenations of any of them; with chains of so many, or in a
    /// circle.
    pub(crate) fn heap(seed: u32, chain: usize, is_circle: bool) -> Heap {
        let mut state = seed;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let mut builder = HeapBuilder::new();
        let mut all = vec![builder.node("synthetic", "", 0)];
        let texts = ["", "a", "ab", "bca", &"ab".repeat(512), &"c".repeat(700), "(sliced string)"];
        all.extend(texts.map(|text| builder.node("string", text, 16)));
        let mut size = seed;
        for text in texts.iter().chain(&texts[3..5]).cycle().take(seed as usize % 40) {
            size = size.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            all.push(builder.node("string", text, u64::from(16 + (size >> 8) % 3 * 8)));
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
                for &(node, _) in texts.strings() {
                    let of_one = text_of(&heap, &OnceLock::new(), node);
                    assert_eq!(Some(of_one), texts.of(&heap, node), "{seed} {chain} {node}");
                }
                for wanted in ["", "a", "cab", "ba", "d", "without", "(sliced", "ccab"] {
                    let fits = |text: &str| text.contains(wanted);
                    let expected = search_known(&heap, &texts, 1, fits);
                    for threads in [1, 3] {
                        let found = search_texts(&heap, &OnceLock::new(), threads, fits);
                        assert_eq!(found, expected, "{wanted}");
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
