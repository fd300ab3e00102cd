//! Texts that are stored as one.

use crate::{Column, Packed, PackedColumn, StringIndex, Strings};

/// Texts, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    text: Column<u8>,
    /// Where each ends, in bytes.
    ends: PackedColumn,
}

impl Texts {
    pub(crate) fn new(text: Column<u8>, ends: PackedColumn) -> Self {
        Texts { text, ends }
    }

    /// A text, if there are as many.
    pub(crate) fn known(&self, at: usize) -> Option<&str> {
        (at < self.ends.len()).then(|| self.at(at))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        (0..self.ends.len()).map(|at| self.at(at))
    }

    /// Empty for what is no text.
    fn at(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends.get(before));
        let text = self.text.get(start as usize..self.ends.get(at) as usize);
        text.and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default()
    }
}

impl Default for Texts {
    fn default() -> Self {
        [].into_iter().collect()
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut all = Vec::new();
        let end = |text: &str| {
            all.extend_from_slice(text.as_bytes());
            all.len() as u64
        };
        let ends: Packed = texts.into_iter().map(end).collect();
        Texts::new(all.into(), ends.into())
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

    /// Ends that are wrong after all are those of no text.
    #[test]
    fn texts_are_what_stands_between_their_ends() {
        for (text, ends, expected) in [
            ("", &[][..], &[][..]),
            ("", &[0, 0], &["", ""]),
            ("aéb", &[1, 1, 3, 4], &["a", "", "é", "b"]),
            ("ab", &[3], &[""]),
            ("ab", &[2, 1, 2], &["ab", "", "b"]),
            ("aéb", &[2, 4], &["", ""]),
            ("ab", &[1, u64::MAX], &["a", ""]),
        ] {
            let ends_of: Packed = ends.iter().copied().collect();
            let texts = Texts::new(text.as_bytes().to_vec().into(), ends_of.into());
            assert_eq!(texts.iter().collect::<Vec<_>>(), expected, "{text} {ends:?}");
            assert_eq!(texts.get(StringIndex(texts.len() as u32)), "");
        }
    }
}
