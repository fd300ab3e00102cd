//! Tokens in the place of strings: keyed, so that nobody without the key can try guesses, and equal for equal strings.

use siphasher::sip::SipHasher24;

/// What the token of a value consists of, besides its length and hash.
const BEFORE_LENGTH: &str = "⟨str len=";
const BEFORE_HASH: &str = " #";
const END: &str = "⟩";

/// Letters of a hash.
const LETTERS: usize = 16;

/// A key. SipHash is a pseudorandom function under a secret key of 128 bits.
#[derive(Clone)]
pub(crate) struct Key(SipHasher24);

impl Key {
    pub(crate) fn new(key: &[u8; 16]) -> Self {
        Key(SipHasher24::new_with_key(key))
    }

    pub(crate) fn hash(&self, text: &[u8]) -> u64 {
        self.0.hash(text)
    }

    /// The token of a value. It tells the length in characters.
    pub(crate) fn value(&self, text: &str) -> String {
        let (length, letters) = (text.chars().count(), self.letters(text));
        format!("{BEFORE_LENGTH}{length}{BEFORE_HASH}{}{END}", letters.escape_ascii())
    }

    /// Writes the token of a value. A heap has millions of them.
    pub(crate) fn write_value(&self, text: &str, out: &mut Vec<u8>) {
        out.extend(BEFORE_LENGTH.as_bytes());
        out.extend(itoa::Buffer::new().format(text.chars().count()).as_bytes());
        out.extend(BEFORE_HASH.as_bytes());
        out.extend(self.letters(text));
        out.extend(END.as_bytes());
    }

    /// The token of a name, or of a part of one.
    pub(crate) fn name(&self, word: &str, text: &str) -> String {
        format!("⟨{word} #{}{END}", self.letters(text).escape_ascii())
    }

    /// The token of the tag of an element: a blank would end the tag.
    pub(crate) fn tag(&self, tag: &str) -> String {
        format!("⟨tag#{}{END}", self.letters(tag).escape_ascii())
    }

    /// The hash in letters: digits could make a card number.
    fn letters(&self, text: &str) -> [u8; LETTERS] {
        let hash = self.hash(text.as_bytes());
        std::array::from_fn(|at| b'a' + (hash >> (60 - 4 * at) & 15) as u8)
    }

    /// A number for a number, of 2^20 or more and below 2^31.
    pub(crate) fn number(&self, number: u64) -> u64 {
        const FIRST: u64 = 1 << 20;
        FIRST + self.hash(&number.to_le_bytes()) % ((1 << 31) - FIRST)
    }
}

/// Whether a text is the token of a value, and nothing else.
pub(crate) fn is_value_token(text: &str) -> bool {
    const LONGEST_LENGTH: usize = 15;
    let inner = text.strip_prefix(BEFORE_LENGTH).and_then(|text| text.strip_suffix(END));
    let parts = inner.and_then(|text| text.as_bytes().split_last_chunk::<LETTERS>());
    parts.is_some_and(|(length, hash)| {
        let length = length.strip_suffix(BEFORE_HASH.as_bytes()).unwrap_or(b"-");
        length.len() <= LONGEST_LENGTH
            && length.iter().all(u8::is_ascii_digit)
            && hash.iter().all(u8::is_ascii_lowercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_equal_for_equal_strings_under_a_key() {
        let (key, other) = (Key::new(&[1; 16]), Key::new(&[2; 16]));
        let token = key.value("a😀");
        assert!(is_value_token(&token) && token.starts_with("⟨str len=2 #"), "{token}");
        assert_eq!(token, key.value("a😀"));
        let mut written = Vec::new();
        key.write_value("a😀", &mut written);
        assert_eq!(token.as_bytes(), written);
        assert_ne!(token, key.value("b😀"));
        assert_ne!(token, other.value("a😀"));
        for text in
            ["", "⟨str⟩", "⟨str len=x #abcdefghijklmnop⟩", "⟨str len=1 #abcdefghijklmnop⟩ and more"]
        {
            assert!(!is_value_token(text), "{text}");
        }
        for number in [1 << 20, 1 << 31, u64::MAX] {
            assert!((1 << 20..1 << 31).contains(&key.number(number)));
        }
    }

    /// The test vector of the reference implementation: the key 00…0f, the text 00…0e.
    #[test]
    fn the_hash_is_siphash_2_4() {
        let key: [u8; 16] = std::array::from_fn(|at| at as u8);
        let text: Vec<u8> = (0..15).collect();
        assert_eq!(Key::new(&key).hash(&text), 0xa129_ca61_49be_45e5);
    }
}
