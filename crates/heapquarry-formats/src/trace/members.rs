//! The members of an object in memory.

use super::json::{Scalar, scalar, scalar_end, string_end, value_end, walk};
use heapquarry_scan::{is_blank, skip_blanks};

/// A value of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value<'a> {
    /// The bytes of the value, including quotes.
    pub(super) raw: &'a [u8],
    pub(super) kind: Kind,
    /// Whether it is valid JSON.
    pub(super) clean: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string, and whether it has escapes.
    Text {
        escaped: bool,
    },
    Object,
    Array,
    Scalar(Scalar),
}

impl<'a> Value<'a> {
    /// The text between the quotes of a string.
    pub(super) fn inner(&self) -> Option<&'a [u8]> {
        match self.kind {
            // A cut string has no closing quote.
            Kind::Text { .. } => {
                let inner = &self.raw[1..];
                Some(inner.strip_suffix(b"\"").unwrap_or(inner))
            }
            _ => None,
        }
    }

    /// The digits of a number, which may be in quotes.
    pub(super) fn digits(&self) -> Option<&'a [u8]> {
        match self.kind {
            Kind::Scalar(Scalar::Number | Scalar::Odd) => Some(self.raw),
            Kind::Text { escaped: false } => self.inner().map(<[u8]>::trim_ascii),
            _ => None,
        }
    }
}

/// A member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    /// The key, without quotes.
    pub(super) key: &'a [u8],
    /// Whether the key has escapes.
    pub(super) escaped: bool,
    pub(super) value: Value<'a>,
}

/// The members of an object, as far as they can be recognised.
pub(super) struct Members<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether something was irregular.
    pub(super) odd: bool,
    open: Vec<bool>,
}

impl<'a> Members<'a> {
    /// The members of the object in `bytes`.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self::with(bytes, Vec::new())
    }

    /// The members of the object in `bytes`, in memory that [`Members::into_memory`] of an earlier one returned.
    pub(super) fn with(bytes: &'a [u8], open: Vec<bool>) -> Self {
        Members { bytes, at: 1, odd: false, open }
    }

    /// The value that `bytes` are.
    pub(super) fn value_of(bytes: &'a [u8]) -> Option<Value<'a>> {
        Members { bytes, at: 0, odd: false, open: Vec::new() }.value()
    }

    pub(super) fn into_memory(self) -> Vec<bool> {
        self.open
    }

    /// The key at the current position, and whether it has escapes; `None` at the end.
    #[inline]
    pub(super) fn key(&mut self) -> Option<(&'a [u8], bool)> {
        let mut commas = 0;
        loop {
            match *self.bytes.get(self.at)? {
                b',' => {
                    commas += 1;
                    self.at += 1;
                }
                byte if is_blank(byte) => self.at += 1,
                b'"' => {
                    let start = self.at + 1;
                    let Some(string) = string_end(self.bytes, self.at, true) else {
                        self.odd = true;
                        return None;
                    };
                    self.at = skip_blanks(self.bytes, string.end);
                    if self.bytes.get(self.at) == Some(&b':') {
                        self.odd |= !string.clean || commas > 1;
                        self.at = skip_blanks(self.bytes, self.at + 1);
                        return Some((&self.bytes[start..string.end - 1], string.escaped));
                    }
                    // A text without a key.
                    self.odd = true;
                }
                b'}' => {
                    self.odd |= commas > 0;
                    return None;
                }
                _ => {
                    // A value without a key.
                    self.odd = true;
                    self.at = value_end(self.bytes, self.at).max(self.at + 1);
                }
            }
        }
    }

    /// The value after the key. Always inlined: a value in memory is stored field by field and copied as words, and
    /// such a copy has to wait until all fields have left the processor's store buffer.
    #[inline(always)]
    pub(super) fn value(&mut self) -> Option<Value<'a>> {
        let (bytes, start) = (self.bytes, self.at);
        let (end, kind, clean) = match *bytes.get(start)? {
            b'"' => match string_end(bytes, start, true) {
                Some(string) => (string.end, Kind::Text { escaped: string.escaped }, string.clean),
                None => (bytes.len(), Kind::Text { escaped: true }, false),
            },
            bracket @ (b'{' | b'[') => {
                let kind = if bracket == b'{' { Kind::Object } else { Kind::Array };
                match walk(bytes, start, &mut (), &mut self.open) {
                    Some(end) => (end, kind, true),
                    None => (value_end(bytes, start), kind, false),
                }
            }
            _ => {
                let end = scalar_end(bytes, start);
                let kind = scalar(&bytes[start..end]);
                (end, Kind::Scalar(kind), kind != Scalar::Odd)
            }
        };
        self.odd |= !clean;
        self.at = end;
        Some(Value { raw: &bytes[start..end], kind, clean })
    }

    /// The value after the key. `read` walks over an object or array, and returns its end if it is valid JSON.
    pub(super) fn value_with(
        &mut self,
        read: impl FnOnce(&[u8], usize, &mut Vec<bool>) -> Option<usize>,
    ) -> Option<Value<'a>> {
        let (bytes, start) = (self.bytes, self.at);
        let kind = match bytes.get(start)? {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            _ => return self.value(),
        };
        let Some(end) = read(bytes, start, &mut self.open) else { return self.value() };
        self.at = end;
        Some(Value { raw: &bytes[start..end], kind, clean: true })
    }
}

/// The elements of the array in `bytes`, as far as they can be recognised.
pub(super) fn elements<'a>(bytes: &'a [u8]) -> impl Iterator<Item = Value<'a>> {
    let mut rest = Members::new(bytes);
    std::iter::from_fn(move || {
        while matches!(rest.bytes.get(rest.at), Some(&byte) if byte == b',' || is_blank(byte)) {
            rest.at += 1;
        }
        match rest.bytes.get(rest.at)? {
            b']' | b'}' | b':' => None,
            _ => rest.value(),
        }
    })
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let (key, escaped) = self.key()?;
        let value = self.value()?;
        Some(Member { key, escaped, value })
    }
}
