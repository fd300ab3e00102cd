//! The text of strings.

use heapquarry_scan::unescape;

/// The text of a string. Damaged parts are replaced and counted.
pub fn text(raw: &[u8], escaped: bool) -> (String, Damage) {
    let mut damage = Damage::default();
    let mut bytes = Vec::new();
    if escaped {
        let report = unescape(raw, &mut bytes);
        damage.lone_surrogates = report.lone_surrogates > 0;
        damage.bad_escapes = report.bad_escapes > 0;
    } else {
        bytes.extend_from_slice(raw);
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        damage.invalid_utf8 = true;
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    });
    (text, damage)
}

/// Damage in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Halves of a pair of surrogates.
    pub lone_surrogates: bool,
    /// Escapes that JSON does not have.
    pub bad_escapes: bool,
    /// Bytes that are not UTF-8.
    pub invalid_utf8: bool,
}
