//! Names with `*`.

use std::fmt;

/// The names that a rule applies to: one name, or all that match, where `*` matches any text. `\*` is a literal
/// asterisk, `\\` a backslash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    /// The pieces between asterisks, with escapes resolved; one piece if there is no asterisk.
    pieces: Vec<String>,
}

impl Pattern {
    /// A pattern as written.
    pub fn new(text: &str) -> Self {
        let mut pieces = vec![String::new()];
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let last = pieces.last_mut().expect("never empty");
            match (c, chars.peek()) {
                ('\\', Some('*' | '\\')) => last.extend(chars.next()),
                ('*', _) => pieces.push(String::new()),
                _ => last.push(c),
            }
        }
        Pattern { text: text.into(), pieces }
    }

    /// The pattern of one name, whatever it has.
    pub fn literal(name: &str) -> Self {
        // A backslash stands for itself unless an asterisk or another one follows.
        let escaped = name.replace('\\', r"\\").replace('*', r"\*");
        Pattern { text: escaped, pieces: vec![name.into()] }
    }

    /// The name, if the pattern matches only one.
    pub fn name(&self) -> Option<&str> {
        match &self.pieces[..] {
            [name] => Some(name),
            _ => None,
        }
    }

    /// Whether a name matches.
    pub fn matches(&self, name: &str) -> bool {
        let [first, between @ .., last] = &self.pieces[..] else {
            return self.pieces[0] == name;
        };
        // The first match of each piece leaves most text for the pieces after it.
        let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
        for piece in between {
            match rest.find(piece.as_str()) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        rest.ends_with(last.as_str())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns() {
        for (pattern, fits, others) in [
            ("Foo", &["Foo"][..], &["", "Fo", "Foo "][..]),
            ("", &[""], &["a"]),
            ("*", &["", "a", "*"], &[]),
            ("Detached *", &["Detached ", "Detached <div>"], &["detached x", "Detached"]),
            ("*Map*", &["Map", "WeakMap", "Mapping"], &["map", "Ma"]),
            ("a*b*c", &["abc", "a-b-b-c"], &["acb", "ab", "abcd"]),
            ("aa*aa", &["aaaa", "aa-aa"], &["aaa"]),
            (r"\*", &["*"], &["", "a", r"\*"]),
            (r"a\\*", &[r"a\", r"a\b"], &["a*"]),
            (r"C:\dir", &[r"C:\dir"], &["C:dir"]),
        ] {
            let pattern = Pattern::new(pattern);
            for name in fits {
                assert!(pattern.matches(name), "{pattern} {name}");
            }
            for name in others {
                assert!(!pattern.matches(name), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn names_are_literal() {
        for name in ["", "Foo", "a*b", r"a\b", r"\*", r"\\", "*"] {
            let pattern = Pattern::literal(name);
            assert_eq!(Pattern::new(&pattern.to_string()), pattern);
            assert_eq!(pattern.name(), Some(name));
        }
    }

    /// Every way to split the name, tried one after the other.
    fn naive(pattern: &[char], name: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some(('*', rest)) => (0..=name.len()).any(|i| naive(rest, &name[i..])),
            Some((c, rest)) => name.first() == Some(c) && naive(rest, &name[1..]),
        }
    }

    proptest! {
        #[test]
        fn as_the_naive_matcher(pattern in "[ab*]{0,6}", name in "[ab]{0,8}") {
            let chars = |s: &str| s.chars().collect::<Vec<_>>();
            prop_assert_eq!(Pattern::new(&pattern).matches(&name), naive(&chars(&pattern), &chars(&name)));
        }
    }
}
