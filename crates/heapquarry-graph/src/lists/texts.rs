//! Texts that are stored as one.

use crate::{Column, PackedColumn, StringIndex, Strings};

/// Texts, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    text: Column<u8>,
    /// Where each ends, in bytes.
    ends: PackedColumn,
}

impl Texts {
    pub(super) fn new(text: Column<u8>, ends: PackedColumn) -> Self {
        Texts { text, ends }
    }

    /// Whether all of it is text.
    pub(super) fn are_text(&self) -> bool {
        std::str::from_utf8(&self.text).is_ok()
    }

    /// Whether the ends ascend to that of the text, and do not cut characters.
    pub(super) fn are_whole(&self) -> bool {
        let Ok(text) = std::str::from_utf8(&self.text) else { return false };
        let last = self.ends.len().checked_sub(1).map_or(0, |last| self.ends.get(last));
        let is_end = |end: u64| usize::try_from(end).is_ok_and(|end| text.is_char_boundary(end));
        self.ends.is_sorted() && last == text.len() as u64 && self.ends.iter().all(is_end)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|at| self.at(at))
    }

    /// Empty for what is no text.
    fn at(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get(before));
        let text = self.text.get(start as usize..self.ends.get(at) as usize);
        text.and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default()
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
    use crate::Packed;

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
            let ends_of: Packed = ends.iter().copied().collect();
            let texts = Texts::new(text.as_bytes().to_vec().into(), ends_of.into());
            let texts = texts.are_whole().then_some(texts);
            let found = texts.as_ref().map(|texts| texts.iter().collect());
            assert_eq!(found, expected, "{text} {ends:?}");
            if let Some(texts) = texts {
                assert_eq!(texts.get(StringIndex(texts.len() as u32)), "");
            }
        }
    }
}
