//! File names derived from inputs, which can be of any length.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// Maximum length of a name in bytes. File systems allow 255; prefixes and suffixes are added to it.
const LONGEST: usize = 200;

/// A name that is short enough for a file system. The end of a long name is replaced by a hash of all of it, so that
/// names with the same start stay distinct.
pub fn shorten(name: &str) -> Cow<'_, str> {
    const HASH: usize = 17;
    if name.len() <= LONGEST {
        return name.into();
    }
    let mut end = LONGEST - HASH;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let hash = xxhash_rust::xxh3::xxh3_64(name.as_bytes());
    format!("{}-{hash:016x}", &name[..end]).into()
}

/// A name as the value of a hive partition (`source=NAME`): letters, digits, `-` and `_`.
pub fn token(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let mut token: String = name.chars().map(plain).collect();
    // Query engines would read a name of digits as a number.
    if !token.starts_with(|c: char| c.is_ascii_alphabetic()) {
        token.insert_str(0, "s_");
    }
    shorten(&token).into_owned()
}

/// Names in use, ignoring case, because some file systems do.
#[derive(Default)]
pub struct Taken {
    names: HashSet<String>,
    /// For names in use, the number to try next.
    next: HashMap<String, u64>,
}

impl Taken {
    /// Takes the name if it is free, otherwise the first free name that `numbered` makes from numbers starting at 2.
    pub fn take(&mut self, name: String, numbered: impl Fn(u64) -> String) -> String {
        let key = name.to_lowercase();
        if self.names.insert(key.clone()) {
            return name;
        }
        let next = self.next.entry(key).or_insert(2);
        loop {
            let name = numbered(*next);
            *next += 1;
            if self.names.insert(name.to_lowercase()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let long = |last: &str| format!("{}{last}", "ä".repeat(300));
        let (a, b) = (long("a"), long("b"));
        let (a, b) = (shorten(&a), shorten(&b));
        assert!(a != b && a.len() <= LONGEST && b.len() <= LONGEST, "{a}, {b}");
        assert!(a.starts_with("ää"));
        let fits = "x".repeat(LONGEST);
        assert_eq!(shorten(&fits), fits);
    }

    #[test]
    fn tokens_are_plain_and_no_numbers() {
        for (name, expected) in [
            ("app-1", "app-1"),
            ("v1.2/app 1", "v1_2_app_1"),
            ("0012", "s_0012"),
            ("", "s_"),
            ("ä", "s__"),
        ] {
            assert_eq!(token(name), expected);
        }
        assert!(token(&"x/".repeat(300)).len() <= LONGEST);
    }

    #[test]
    fn names_are_given_once() {
        let mut taken = Taken::default();
        let mut take = |name: &str| taken.take(name.into(), |n| format!("{name}-{n}"));
        let given = ["a", "A", "a-2", "a", "b", "a-3"].map(&mut take);
        assert_eq!(given, ["a", "A-2", "a-2-2", "a-3", "b", "a-3-2"]);
        // The same name can be taken any number of times.
        (0..100_000).for_each(|_| drop(take("c")));
        assert_eq!(take("c"), "c-100001");
    }
}
