//! What looks like a secret, wherever it is.

use regex::bytes::{Regex, RegexSet};
use std::sync::LazyLock;

/// A kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Secret {
    /// An address of electronic mail.
    Mail,
    /// A JSON web token.
    Jwt,
    /// A key or certificate in PEM form.
    Pem,
    /// A key of a cloud or service, by its prefix.
    Key,
    /// A card number with a right check digit.
    Card,
    /// An IP address.
    Ip,
    /// 32 hexadecimal digits or more.
    Hex,
    /// 40 characters of base64 or more.
    Base64,
    /// Text that `--deny` names.
    Denied,
}

impl Secret {
    /// What it is, in one or two words.
    pub fn name(self) -> &'static str {
        match self {
            Secret::Mail => "mail address",
            Secret::Jwt => "JWT",
            Secret::Pem => "PEM",
            Secret::Key => "service key",
            Secret::Card => "card number",
            Secret::Ip => "IP address",
            Secret::Hex => "long hex",
            Secret::Base64 => "long base64",
            Secret::Denied => "denied text",
        }
    }
}

const PATTERNS: [(Secret, &str); 10] = [
    (Secret::Mail, r"[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}"),
    (Secret::Jwt, r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\."),
    (Secret::Pem, r"-----BEGIN [A-Z0-9 ]+-----"),
    (
        Secret::Key,
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{22}|\bglpat-[A-Za-z0-9_-]{20}",
    ),
    (
        Secret::Key,
        r"\bxox[abeprs]-[A-Za-z0-9-]{10,}|\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|\bsk-[A-Za-z0-9_-]{20,}|\bnpm_[A-Za-z0-9]{36}|\bSG\.[A-Za-z0-9_-]{16,}\.",
    ),
    (Secret::Card, r"\b[0-9](?:[ -]?[0-9]){12,18}\b"),
    (
        Secret::Ip,
        r"\b(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\b",
    ),
    (
        Secret::Ip,
        r"(?:^|[^0-9A-Za-z:])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){2,6}(?::[0-9A-Fa-f]{1,4}){1,5})(?:$|[^0-9A-Za-z:])",
    ),
    (Secret::Hex, r"\b[0-9A-Fa-f]{32,}\b"),
    (Secret::Base64, r"[A-Za-z0-9+/_-]{40,}"),
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    let patterns = PATTERNS.map(|(_, pattern)| format!("(?-u){pattern}"));
    RegexSet::new(patterns).expect("the patterns are valid")
});
static CARD: LazyLock<Regex> = LazyLock::new(|| of(Secret::Card));
static BASE64: LazyLock<Regex> = LazyLock::new(|| of(Secret::Base64));

fn of(secret: Secret) -> Regex {
    let (_, pattern) = PATTERNS.iter().find(|(kind, _)| *kind == secret).expect("it has a pattern");
    Regex::new(&format!("(?-u){pattern}")).expect("the patterns are valid")
}

/// The kinds of secrets in a text, each once.
pub(crate) fn secrets(text: &[u8]) -> Vec<Secret> {
    const SHORTEST: usize = 6;
    if text.len() < SHORTEST {
        return Vec::new();
    }
    let mut found: Vec<Secret> = SET.matches(text).into_iter().map(|at| PATTERNS[at].0).collect();
    found.dedup();
    found.retain(|kind| match kind {
        Secret::Card => CARD.find_iter(text).any(|found| is_card(found.as_bytes())),
        Secret::Base64 => BASE64.find_iter(text).any(|found| is_random(found.as_bytes())),
        _ => true,
    });
    found
}

/// Whether the last digit is the check digit of the others: ISO/IEC 7812-1, annex B. Numbers of one digit repeated are
/// placeholders.
fn is_card(text: &[u8]) -> bool {
    let digits: Vec<u32> = text.iter().filter_map(|byte| char::from(*byte).to_digit(10)).collect();
    let doubled = |(at, digit): (usize, &u32)| match at % 2 {
        1 => digit * 2 / 10 + digit * 2 % 10,
        _ => *digit,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != digits[0])
}

/// Whether it has letters of both cases and digits, as names and paths of this length seldom have.
fn is_random(text: &[u8]) -> bool {
    const LEAST: usize = 4;
    let count = |is: fn(&u8) -> bool| text.iter().filter(|byte| is(byte)).count();
    count(u8::is_ascii_digit) >= LEAST
        && count(u8::is_ascii_uppercase) >= LEAST
        && count(u8::is_ascii_lowercase) >= LEAST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_and_names_are_not() {
        for (text, kind) in [
            ("to alice@mail.example.com!", Secret::Mail),
            ("eyJhbGciOi.eyJzdWIiOi.c2ln", Secret::Jwt),
            ("-----BEGIN RSA PRIVATE KEY-----\nMII", Secret::Pem),
            ("AKIAIOSFODNN7EXAMPLE", Secret::Key),
            ("ghp_0123456789abcdefghijklmnopqrstuvwxyz", Secret::Key),
            ("xoxb-123456789012-abcdef", Secret::Key),
            ("4111 1111 1111 1111", Secret::Card),
            ("card=5500005555555559;", Secret::Card),
            ("10.1.2.250", Secret::Ip),
            ("2001:db8:0:1:2:3:4:5", Secret::Ip),
            ("[2001:db8:7::1]", Secret::Ip),
            ("d41d8cd98f00b204e9800998ecf8427e", Secret::Hex),
            ("VGhpcyBpcyBhIHRlc3Qgb2YgMTIzNDU2Nzg5MCBiYXNlNjQ=", Secret::Base64),
        ] {
            assert_eq!(secrets(text.as_bytes()), [kind], "{text}");
        }
        for text in [
            "",
            "npm@10.2.3",
            "1.2.3",
            "12:30:45",
            "4111 1111 1111 1112",
            "0000000000000000",
            "v8::internal::Heap",
            "ReadableStreamDefaultControllerShouldCallPull",
            "node:internal/modules/esm/create_dynamic_module",
            "system / PropertyDescriptorObject",
            "⟨str len=42 #abcdefghijklmnop⟩",
        ] {
            assert_eq!(secrets(text.as_bytes()), [], "{text}");
        }
    }
}
