//! Texts that are stored as one.

use crate::{Packed, StringIndex, Strings};

/// Texts, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    text: String,
    /// Where each ends, in bytes.
    ends: Packed,
}

impl Texts {
    /// `None` unless the ends ascend to that of the text, and do not cut characters.
    pub(super) fn new(text: String, ends: Packed) -> Option<Self> {
        let last = ends.len().checked_sub(1).map_or(0, |last| ends.get(last));
        let is_end = |end: u64| usize::try_from(end).is_ok_and(|end| text.is_char_boundary(end));
        let fits = ends.is_sorted() && last == text.len() as u64 && ends.iter().all(is_end);
        fits.then_some(Texts { text, ends })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|at| self.at(at))
    }

    fn at(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get(before));
        &self.text[start as usize..self.ends.get(at) as usize]
    }
}

impl Strings for Texts {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, index: StringIndex) -> &str {
        let at = index.position();
        if at < self.ends.len() { self.at(at) } else { "" }
    }

    fn text_len(&self) -> u64 {
        self.text.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_ascend_to_that_of_the_text_between_its_characters() {
        for (text, ends, expected) in [
            ("", &[][..], Some(vec![])),
            ("", &[0, 0], Some(vec!["", ""])),
            ("aéb", &[1, 1, 3, 4], Some(vec!["a", "", "é", "b"])),
            ("a", &[], None),
            ("ab", &[1], None),
            ("ab", &[3], None),
            ("ab", &[2, 1, 2], None),
            ("aéb", &[2, 4], None),
            ("ab", &[1, u64::MAX], None),
        ] {
            let texts = Texts::new(text.into(), ends.iter().copied().collect());
            let found = texts.as_ref().map(|texts| texts.iter().collect());
            assert_eq!(found, expected, "{text} {ends:?}");
            if let Some(texts) = texts {
                assert_eq!(texts.get(StringIndex(texts.len() as u32)), "");
            }
        }
    }
}
