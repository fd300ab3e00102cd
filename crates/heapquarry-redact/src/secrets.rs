//! What looks like a secret, wherever it is.

use percent_encoding::percent_decode_str;
use regex::bytes::{Match, Regex, RegexSet};
use std::{borrow::Cow, net::Ipv6Addr, sync::LazyLock};

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

/// Shortest run of letters, digits and `_-+/` in a key of a service.
const SHORTEST_KEY: usize = 15;
const SHORTEST_HEX: usize = 32;
const SHORTEST_BASE64: usize = 40;

fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?-u){pattern}")).expect("the pattern is valid")
}

/// Bytes of 128 or more are letters of other scripts.
static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"[A-Za-z0-9._%+'\x80-\xff-]@(?:[A-Za-z0-9\x80-\xff-]+\.)+(?:[A-Za-z\x80-\xff]{2,}|xn--[A-Za-z0-9-]+)",
    )
});
static JWT: LazyLock<Regex> = LazyLock::new(|| regex(r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\."));
static PEM: LazyLock<Regex> = LazyLock::new(|| regex(r"---- ?BEGIN [A-Z0-9 ]+ ?----"));

/// Keys of services by their prefixes. A short prefix must stand at the beginning of a word.
static KEYS: LazyLock<RegexSet> = LazyLock::new(|| {
    let anywhere = [
        r"(?:AKIA|ASIA)[0-9A-Z]{16}",
        r"AIza[0-9A-Za-z_-]{35}",
        r"gh[pousr]_[A-Za-z0-9]{36}",
        r"github_pat_[A-Za-z0-9_]{22}",
        r"glpat-[A-Za-z0-9_-]{20}",
        r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
        r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
        r"[prs]k_(?:live|test)_[A-Za-z0-9]{16,}",
        r"whsec_[A-Za-z0-9+/=]{16,}",
        r"npm_[A-Za-z0-9]{36}",
        r"GOCSPX-[A-Za-z0-9_-]{20,}",
        r"ya29\.[A-Za-z0-9_-]{16,}",
        r"do[opr]_v1_[a-f0-9]{32,}",
    ];
    let of_word = [r"sk-[A-Za-z0-9_-]{20,}", r"hf_[A-Za-z0-9]{30,}", r"SG\.[A-Za-z0-9_-]{16,}\."];
    let of_word = of_word.map(|pattern| format!("(?:^|[^A-Za-z0-9]){pattern}"));
    let all = anywhere.into_iter().map(String::from).chain(of_word);
    RegexSet::new(all.map(|pattern| format!("(?-u){pattern}"))).expect("the patterns are valid")
});

/// Digits in groups, as people write cards: with a blank or a hyphen between them, or with dots between groups of four.
static DIGITS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"[0-9]{4}(?:\.[0-9]{4}){2}\.[0-9]{1,7}|[0-9]+(?:(?:[ -]{1,2}|\xc2\xa0)[0-9]+)*")
});
static IPV4: LazyLock<Regex> = LazyLock::new(|| {
    let byte = "(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])";
    regex(&format!(r"(?:^|[^0-9.])(?:{byte}\.){{3}}{byte}(?:$|[^0-9.]|\.(?:$|[^0-9]))"))
});
static BASE64: LazyLock<Regex> = LazyLock::new(|| regex("[A-Za-z0-9+/_-]{40,}"));
static HEX: LazyLock<Regex> = LazyLock::new(|| regex("[0-9A-Fa-f]{32,}"));

/// What a text has. Most have too little for any secret.
#[derive(Default)]
struct Seen {
    digits: usize,
    dots: usize,
    colons: usize,
    hyphens: usize,
    ats: usize,
    escapes: usize,
    /// The longest run of letters, digits and `_-+/`.
    run: usize,
}

impl Seen {
    fn of(text: &[u8]) -> Self {
        let (mut seen, mut run) = (Seen::default(), 0);
        for byte in text {
            run = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'+' | b'/' => run + 1,
                b'0'..=b'9' => {
                    seen.digits += 1;
                    run + 1
                }
                b'-' => {
                    seen.hyphens += 1;
                    run + 1
                }
                other => {
                    match other {
                        b'.' => seen.dots += 1,
                        b':' => seen.colons += 1,
                        b'@' => seen.ats += 1,
                        b'%' | b'\\' => seen.escapes += 1,
                        _ => {}
                    }
                    0
                }
            };
            seen.run = seen.run.max(run);
        }
        seen
    }
}

/// The kinds of secrets in a text, each once, in order. What is written with the escapes of JSON or of addresses is
/// read too.
pub(crate) fn secrets(text: &str) -> Vec<Secret> {
    /// JSON in JSON in JSON.
    const DEEPEST: usize = 4;
    let mut found = Vec::new();
    let mut text = Cow::from(text);
    for _ in 0..DEEPEST {
        let seen = Seen::of(text.as_bytes());
        find(text.as_bytes(), &seen, &mut found);
        if seen.escapes == 0 {
            break;
        }
        let Some(plain) = unescaped(&text) else { break };
        text = plain.into();
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The text without a level of escapes, if it is another one.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = Vec::with_capacity(text.len());
    heapquarry_scan::unescape(text.as_bytes(), &mut plain);
    let plain = String::from_utf8_lossy(&plain).into_owned();
    let plain = percent_decode_str(&plain).decode_utf8_lossy().into_owned();
    (plain != text).then_some(plain)
}

fn find(text: &[u8], seen: &Seen, found: &mut Vec<Secret>) {
    if seen.ats > 0 && MAIL.is_match(text) {
        found.push(Secret::Mail);
    }
    if seen.run >= SHORTEST_KEY / 2 && seen.dots >= 2 && JWT.is_match(text) {
        found.push(Secret::Jwt);
    }
    if seen.hyphens >= 8 && PEM.is_match(text) {
        found.push(Secret::Pem);
    }
    if seen.run >= SHORTEST_KEY && KEYS.is_match(text) {
        found.push(Secret::Key);
    }
    let is_card = |one: Match<'_>| has_card(one.as_bytes(), is_fraction(&text[..one.start()]));
    if seen.digits >= SHORTEST_CARD && DIGITS.find_iter(text).any(is_card) {
        found.push(Secret::Card);
    }
    if seen.dots >= 3 && IPV4.is_match(text) || seen.colons >= 2 && has_ipv6(text) {
        found.push(Secret::Ip);
    }
    if seen.run >= SHORTEST_HEX && HEX.is_match(text) {
        found.push(Secret::Hex);
    }
    if seen.run >= SHORTEST_BASE64 && BASE64.find_iter(text).any(|one| is_random(one.as_bytes())) {
        found.push(Secret::Base64);
    }
}

/// Digits of card numbers.
const SHORTEST_CARD: usize = 13;
const LONGEST_CARD: usize = 19;

/// Whether what follows is the fraction of a number.
fn is_fraction(before: &[u8]) -> bool {
    before.strip_suffix(b".").and_then(<[u8]>::last).is_some_and(u8::is_ascii_digit)
}

/// Whether groups of digits, some or all of them, are a card number. A part must have a number of an issuer: dates and
/// amounts stand beside cards.
fn has_card(text: &[u8], is_fraction: bool) -> bool {
    let groups = text.split(|byte| !byte.is_ascii_digit()).filter(|group| !group.is_empty());
    let groups: Vec<&[u8]> = groups.collect();
    (usize::from(is_fraction)..groups.len()).any(|first| {
        let mut digits = Vec::with_capacity(LONGEST_CARD + 1);
        let room = |digits: &Vec<u32>| LONGEST_CARD + 1 - digits.len();
        // Longer ones are none, however long the text is.
        let own = groups[first..].iter().enumerate().take(LONGEST_CARD + 1);
        own.into_iter().any(|(at, group)| {
            digits.extend(group.iter().take(room(&digits)).map(|digit| u32::from(digit - b'0')));
            let is_whole = first == 0 && at + 1 == groups.len();
            let is_long = (SHORTEST_CARD..=LONGEST_CARD).contains(&digits.len());
            is_long && has_check_digit(&digits) && (is_whole || has_issuer(&digits))
        })
    })
}

/// Whether the last digit is the check digit of the others: ISO/IEC 7812-1, annex B. Numbers of one digit repeated are
/// placeholders.
fn has_check_digit(digits: &[u32]) -> bool {
    let doubled = |(at, digit): (usize, &u32)| match at % 2 {
        1 => digit * 2 / 10 + digit * 2 % 10,
        _ => *digit,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != digits[0])
}

/// Whether a card of this length can begin so: American Express, Diners, Discover, JCB, Mastercard, UnionPay, Visa.
fn has_issuer(digits: &[u32]) -> bool {
    let first: u32 = digits[..4].iter().fold(0, |number, digit| number * 10 + digit);
    match digits.len() {
        13 => first / 1000 == 4,
        14 => matches!(first / 10, 300..=305 | 360..=369 | 380..=399),
        15 => matches!(first / 100, 34 | 37),
        16 => {
            let is_known =
                matches!(first, 2221..=2720 | 3528..=3589 | 5100..=5599 | 6011 | 6200..=6599);
            is_known || first / 1000 == 4
        }
        17 | 18 => first / 100 == 62,
        _ => first / 1000 == 4 || first / 100 == 62,
    }
}

/// Whether there is an IPv6 address. Names of C++ have colons too: beside letters, an address has single colons.
fn has_ipv6(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    let mut rest = text;
    while let Some(start) = rest.iter().position(is_part) {
        let end = rest[start..]
            .iter()
            .position(|byte| !is_part(byte))
            .map_or(rest.len(), |at| start + at);
        let is_word = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        let is_beside = start > 0 && is_word(rest.get(start - 1)) || is_word(rest.get(end));
        let run = rest[start..end].trim_ascii();
        // A full stop, or the colon before a port or a line.
        let run = run.strip_suffix(b".").unwrap_or(run);
        let run = run.strip_suffix(b":").filter(|run| !run.ends_with(b":")).unwrap_or(run);
        if is_ipv6(run, is_beside) {
            return true;
        }
        rest = &rest[end..];
    }
    false
}

fn is_ipv6(run: &[u8], is_beside: bool) -> bool {
    const LONGEST: usize = 45;
    let has_digit = run.iter().any(u8::is_ascii_digit);
    let is_short = (3..=LONGEST).contains(&run.len());
    let Some(text) = str::from_utf8(run).ok().filter(|_| has_digit && is_short) else {
        return false;
    };
    let has_single = || text.replacen("::", "", 1).contains(':');
    text.parse::<Ipv6Addr>().is_ok() && (!is_beside || has_single())
}

/// Whether it has letters of both cases and digits, as names and paths of this length seldom have, or changes between
/// them as often as random bytes in base64 do.
fn is_random(text: &[u8]) -> bool {
    const LEAST: usize = 4;
    let count = |is: fn(&u8) -> bool| text.iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    if digits.min(count(u8::is_ascii_uppercase)).min(count(u8::is_ascii_lowercase)) >= LEAST {
        return true;
    }
    let kind =
        |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase(), byte.is_ascii_lowercase());
    let is_change =
        |pair: &&[u8]| pair.iter().all(u8::is_ascii_alphanumeric) && kind(pair[0]) != kind(pair[1]);
    let changes = text.windows(2).filter(is_change).count();
    // Of random bytes 58 in 100 are. Words of six letters in camel case have 33.
    let least = if digits > 0 { 34 } else { 44 };
    changes * 100 >= text.len() * least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_and_names_are_not() {
        let hex = "d41d8cd98f00b204e9800998ecf8427e";
        for (text, kind) in [
            ("to alice@mail.example.com!", Secret::Mail),
            ("bob@m\u{fc}ller.example", Secret::Mail),
            ("\u{437}\u{435}\u{434}@\u{43f}\u{440}.\u{440}\u{444}", Secret::Mail),
            ("mailto:bob%40example.com", Secret::Mail),
            (r#"{"a":"{\"b\":\"bob\\u0040example.com\"}"}"#, Secret::Mail),
            ("eyJhbGciOi.eyJzdWIiOi.c2ln", Secret::Jwt),
            ("_eyJhbGciOi.eyJzdWIiOi.", Secret::Jwt),
            ("-----BEGIN RSA PRIVATE KEY-----\nMII", Secret::Pem),
            ("---- BEGIN SSH2 PUBLIC KEY ----", Secret::Pem),
            ("AKIAIOSFODNN7EXAMPLE", Secret::Key),
            ("user_AKIAIOSFODNN7EXAMPLE", Secret::Key),
            ("ghp_0123456789abcdefghijklmnopqrstuvwxyz", Secret::Key),
            ("GH_ghp_0123456789abcdefghijklmnopqrstuvwxyz", Secret::Key),
            ("xoxb-123456789012-abcdef", Secret::Key),
            ("xapp-1-A0123456789-1234567890123-abcdef", Secret::Key),
            ("whsec_0123456789abcdefghijklmn", Secret::Key),
            ("hf_abcdefghijklmnopqrstuvwxyzabcdefgh", Secret::Key),
            ("ya29.a0AfH6SMBx0123456789", Secret::Key),
            ("GOCSPX-0123456789abcdefghijklmnopqr", Secret::Key),
            ("4111 1111 1111 1111", Secret::Card),
            ("4111.1111.1111.1111", Secret::Card),
            ("4111\u{a0}1111\u{a0}1111\u{a0}1111", Secret::Card),
            ("card=5500005555555559;", Secret::Card),
            ("card5500005555555559x", Secret::Card),
            ("4111111111111111 12/27", Secret::Card),
            ("12/27 4111111111111111", Secret::Card),
            ("4111111111111111 123", Secret::Card),
            ("4111 1111 1111 1111 737", Secret::Card),
            ("1 4111 1111 1111 1111", Secret::Card),
            ("378282246310005 1234", Secret::Card),
            ("10.1.2.250", Secret::Ip),
            ("host_10.1.2.3_x", Secret::Ip),
            ("at 10.1.2.3.", Secret::Ip),
            ("2001:db8:0:1:2:3:4:5", Secret::Ip),
            ("[2001:db8:7::1]", Secret::Ip),
            ("fe80::1", Secret::Ip),
            ("fe80::1ff:fe23:4567:890a", Secret::Ip),
            ("[fe80::1%eth0]:80", Secret::Ip),
            ("fd00::5", Secret::Ip),
            ("::1", Secret::Ip),
            ("2001:db8::", Secret::Ip),
            ("user2001:db8::1", Secret::Ip),
            (hex, Secret::Hex),
            (&format!("0x{hex}"), Secret::Hex),
            (&format!("sess_{hex}"), Secret::Hex),
            (&format!("\\\\x{hex}"), Secret::Hex),
            ("VGhpcyBpcyBhIHRlc3Qgb2YgMTIzNDU2Nzg5MCBiYXNlNjQ=", Secret::Base64),
            ("vXqLrTzKpWbNcYdHsGfJmAeUxoZiBtKvRwMyClQ7", Secret::Base64),
        ] {
            assert_eq!(secrets(text), [kind], "{text}");
        }
        for text in [
            "",
            "npm@10.2.3",
            "@babel/core",
            "1.2.3",
            "1.2.3.4.5",
            "12:30:45",
            "aa:bb:cc:dd:ee:ff",
            "4111 1111 1111 1112",
            "0000000000000000",
            "0.4111111111111111",
            "v8::internal::Heap",
            "Cache::add",
            "blink::Foo<b::c>",
            "::",
            "task-scheduler-of-the-whole-program",
            "ReadableStreamDefaultControllerShouldCallPull",
            "WebGL2RenderingContextWithSomeFurtherParameters",
            "node:internal/modules/esm/create_dynamic_module",
            "system / PropertyDescriptorObject",
            "⟨str len=42 #abcdefghijklmnop⟩",
        ] {
            assert_eq!(secrets(text), [], "{text}");
        }
    }
}
