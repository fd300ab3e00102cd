//! What the first bytes of a value show.

/// Whether a value begins with these brackets, blanks aside.
pub(crate) fn opens(value: &[u8], brackets: &[u8]) -> bool {
    let mut rest = value;
    brackets.iter().all(|bracket| {
        rest = rest.trim_ascii_start();
        let there = rest.first() == Some(bracket);
        rest = rest.get(1..).unwrap_or_default();
        there
    })
}

/// Whether any of these names occurs in the value.
pub(crate) fn names(value: &[u8], names: &[&str]) -> bool {
    let key = |name: &&str| memchr::memmem::find(value, format!("\"{name}\"").as_bytes()).is_some();
    names.iter().any(key)
}
