//! The strings of a heap by their texts, for a search.

use crate::{
    Heap, NodeIndex,
    duplicates::{Groups, Known},
};
use heapquarry_base::threads;

/// Which strings have which text. Those of the string table are not copied.
///
/// A concatenated string with an empty half is left out: it shares the memory of its other half, which is listed.
pub struct Texts {
    groups: Groups,
}

/// Whether a text fits what is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// What the file has of it fits.
    Yes,
    /// The file has all of it, and it does not fit.
    No,
    /// What the file has of it does not fit; the rest may.
    Unknown,
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Texts").finish_non_exhaustive()
    }
}

impl Texts {
    /// The texts of all strings: plain, concatenated and sliced ones.
    pub fn new(heap: &Heap) -> Self {
        Texts { groups: Groups::of_all(heap) }
    }

    /// The strings in file order, each with the number of its text. Equal texts can have several numbers.
    pub fn strings(&self) -> &[(NodeIndex, u32)] {
        self.groups.members()
    }

    /// The first of the texts that are equal to each, and how much is known of it. Reads all texts, once.
    pub(crate) fn first_of_equal(&self, heap: &Heap, threads: usize) -> &[(u32, Known)] {
        self.groups.first(heap, threads)
    }

    /// The text of a string as far as the file has it, and whether that is all of it. V8 writes 1,024 characters of a
    /// long one and no slices, JavaScriptCore no texts at all.
    pub(crate) fn of(&self, heap: &Heap, node: NodeIndex) -> Option<(String, bool)> {
        let strings = self.strings();
        let at = strings.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        let is = self.groups.get(heap, strings[at].1);
        Some((is.into(), self.groups.known(strings[at].1, is) == Known::Whole))
    }

    /// Which texts fit, by their numbers. The result does not depend on the number of threads.
    pub fn fitting(
        &self,
        heap: &Heap,
        threads: usize,
        fits: impl Fn(&str) -> bool + Sync,
    ) -> Vec<Fit> {
        let of = |text: u32, is: &str| match fits(is) {
            true => Fit::Yes,
            false if self.groups.known(text, is) == Known::Whole => Fit::No,
            false => Fit::Unknown,
        };
        let fitting = threads::ranges(self.groups.len(), threads, |texts| {
            let mut fitting = Vec::with_capacity(texts.len());
            for part in heap.parts(texts) {
                let texts = part.map(|text| text as u32);
                fitting
                    .extend(texts.map(|text| self.groups.with_text(heap, text, |is| of(text, is))));
            }
            fitting
        });
        fitting.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeType, HeapBuilder, StringIndex, display_name};

    /// Strings `x`, and concatenations of them, with what is known of each.
    #[test]
    fn each_string_has_its_text() {
        let mut builder = HeapBuilder::new();
        builder.node("synthetic", "", 0);
        let leaf = |builder: &mut HeapBuilder, text: &str| builder.node("string", text, 16);
        let (a, b, empty) =
            (leaf(&mut builder, "a"), leaf(&mut builder, "b"), leaf(&mut builder, ""));
        let ab = leaf(&mut builder, "ab");
        let long = leaf(&mut builder, &"l".repeat(1024));
        let slice = builder.node("sliced string", "(sliced string)", 32);
        let mut cons = |first, second| {
            let made = builder.node("concatenated string", "(concatenated string)", 32);
            builder.edge(made, EdgeType::Internal, "first", first);
            builder.edge(made, EdgeType::Internal, "second", second);
            made
        };
        let (made, flat) = (cons(a, b), cons(ab, empty));
        let (of_long, of_slice) = (cons(long, a), cons(slice, a));
        let around = cons(of_slice, b);
        let heap = builder.build();
        let texts = Texts::new(&heap);
        let of = |node| {
            let (_, text) = texts.strings().iter().find(|(of, _)| *of == node)?;
            Some(texts.first_of_equal(&heap, 1)[*text as usize])
        };
        for (node, text, is_whole) in [
            (a, "a", true),
            (empty, "", true),
            (ab, "ab", true),
            (made, "ab", true),
            (long, &*"l".repeat(1024), false),
            (of_long, &"l".repeat(1024), false),
            (slice, "(sliced string)", false),
            (of_slice, "(sliced string)a", false),
            (around, "(sliced string)ab", false),
        ] {
            assert_eq!(texts.of(&heap, node), Some((text.into(), is_whole)));
            assert_eq!(display_name(&heap, &[], node), text);
        }
        assert_eq!((of(flat), of(made)), (None, of(ab)));
        // A text that may go on is never one that is known.
        assert_ne!(of(long), of(of_long));
        assert_eq!(of(of_long).map(|(_, known)| known), Some(Known::Part));
        assert_eq!(of(long).map(|(_, known)| known), Some(Known::Cut));
        for threads in [1, 3] {
            let fitting = texts.fitting(&heap, threads, |text| text.contains("ab"));
            let of = |fit| {
                let of = texts.strings().iter().filter(|(_, text)| fitting[*text as usize] == fit);
                of.map(|(node, _)| *node).collect::<Vec<_>>()
            };
            assert_eq!(of(Fit::Yes), [ab, made, around]);
            assert_eq!(of(Fit::Unknown), [long, slice, of_long, of_slice]);
        }
        assert!(
            texts
                .strings()
                .iter()
                .all(|(node, _)| heap.nodes().name_id(*node) != StringIndex::NONE)
        );
    }
}
