//! Tables of texts.

use heapquarry_report::printable;
use serde::{Serialize, Serializer};
use std::collections::HashMap;

/// Texts of an input, each once, in the order in which they came. They are cut at [`Texts::LONGEST`] characters, and
/// control characters are escaped: a page shows them as they are.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Texts {
    /// Characters that are kept of a text.
    pub const LONGEST: usize = 80;

    /// The number of a text.
    pub fn number(&mut self, text: &str) -> u32 {
        let text = shorten(text);
        if let Some(&number) = self.numbers.get(&text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// The beginning of a text, without anything that a page would obey or hide.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(Texts::LONGEST) {
        Some((end, _)) => format!("{}…", printable(&text[..end])),
        None => printable(text).into_owned(),
    }
}

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.texts.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_once_and_cut() {
        let mut texts = Texts::default();
        let long = "x".repeat(81);
        for (text, number) in [("a", 0), ("b\n", 1), ("a", 0), (long.as_str(), 2), ("b\\n", 1)] {
            assert_eq!(texts.number(text), number, "{text}");
        }
        assert_eq!(texts.texts, ["a".into(), "b\\n".into(), format!("{}…", "x".repeat(80))]);
    }
}
