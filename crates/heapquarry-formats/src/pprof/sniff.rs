//! Recognises profiles: Protocol Buffers have no magic number, so every field must be one of a profile.

use super::wire::{Bad, Fields, Value, integers};

/// What a field of a message holds.
enum Holds {
    /// An integer.
    Int,
    /// Integers, packed or not.
    Ints,
    Text,
    /// A message with these fields, from number 1 on.
    Message(&'static [Holds]),
}

use Holds::{Int, Ints, Message, Text};

// <https://github.com/google/pprof/blob/main/proto/profile.proto>
static VALUE_TYPE: [Holds; 2] = [Int, Int];
static LABEL: [Holds; 4] = [Int, Int, Int, Int];
static SAMPLE: [Holds; 3] = [Ints, Ints, Message(&LABEL)];
static MAPPING: [Holds; 10] = [const { Int }; 10];
static LINE: [Holds; 3] = [Int, Int, Int];
static LOCATION: [Holds; 5] = [Int, Int, Int, Message(&LINE), Int];
static FUNCTION: [Holds; 5] = [const { Int }; 5];
static PROFILE: [Holds; 15] = [
    Message(&VALUE_TYPE),
    Message(&SAMPLE),
    Message(&MAPPING),
    Message(&LOCATION),
    Message(&FUNCTION),
    Text,
    Int,
    Int,
    Int,
    Int,
    Message(&VALUE_TYPE),
    Int,
    Ints,
    Int,
    Int,
];

/// Fields of a profile that suffice, whatever follows: another version of the message, or damage.
const ENOUGH: usize = 4;

/// Whether an input with these first bytes is a profile: its first fields must be those of a profile, as far as they
/// are there, and tell the types of values, or begin the table of texts with the empty one.
pub(crate) fn recognises(head: &[u8]) -> bool {
    let mut fields = Fields::new(head);
    let (mut fitting, mut tells, mut met_text) = (0, false, false);
    loop {
        match fields.next() {
            Ok(Some((number, value))) if fits(&PROFILE, number, value) => {
                fitting += 1;
                match (number, value) {
                    // An empty message is no evidence: lines of text can begin with the same bytes.
                    (1, Value::Bytes(bytes)) => tells |= !bytes.is_empty(),
                    (6, Value::Bytes(text)) => {
                        tells |= !met_text && text.is_empty();
                        met_text = true;
                    }
                    _ => {}
                }
            }
            // The last field can be longer than the head.
            Ok(None) | Err(Bad::Cut) => return tells,
            Ok(Some(_)) | Err(Bad::Expected(_)) => return tells && fitting >= ENOUGH,
        }
    }
}

/// Whether a field of a message can have this value.
fn fits(message: &[Holds], number: u64, value: Value<'_>) -> bool {
    match (message.get(number as usize - 1), value) {
        (Some(Int), Value::Int(_)) => true,
        (Some(Ints), value) => integers(value, |_| {}) == Ok(true),
        (Some(Text), Value::Bytes(text)) => std::str::from_utf8(text).is_ok(),
        // Nested two deep at most, as the tables above are.
        (Some(Message(inner)), Value::Bytes(bytes)) => {
            let mut fields = Fields::new(bytes);
            loop {
                match fields.next() {
                    Ok(Some((number, value))) if fits(inner, number, value) => {}
                    Ok(None) => return true,
                    _ => return false,
                }
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_profiles_are_recognised() {
        for (head, expected) in [
            // A type of values, a sample, and the first texts.
            (
                &b"\x0a\x04\x08\x01\x10\x02\x12\x07\x0a\x02\x01\x02\x12\x01\x05\x32\x00\x32\x01a"[..],
                true,
            ),
            (b"\x0a\x04\x08\x01\x10\x02", true),
            (b"\x0a\x04\x08\x01\x10\x02\x12\x60\x0a", true),
            (b"\x32\x00\x32\x07samples", true),
            (b"\x32\x07samples\x32\x00", false),
            // Damage, or a new field, behind enough of what is known.
            (b"\x0a\x04\x08\x01\x10\x02\x12\x03\x0a\x01\x01\x32\x00\x32\x01a\x0b", true),
            (b"\x0a\x04\x08\x01\x10\x02\x12\x03\x0a\x01\x01\x32\x00\x0b", false),
            // A field that a profile does not have.
            (b"\x0a\x04\x08\x01\x10\x02\x82\x01\x00", false),
            // A type of values with a text; a text that is none.
            (b"\x0a\x04\x0a\x02ab", false),
            (b"\x32\x00\x32\x02\xff\xff", false),
            // Perfetto's packets, lines, other files.
            (b"\x0a\x0b\x40\x8a\xb0\x86\xde\x05\x50\x01\x58\x03", false),
            (b"\n\n{\"nodes\":[", false),
            (b"\n\0\n\0", false),
            (b"\n# tracer: nop\n", false),
            (b"{\"nodes\":[", false),
            (b"OHOSPROF\0\0", false),
            (b"\x7fELF\x02\x01\x01", false),
            (b"\x89PNG\r\n\x1a\n", false),
            (b"\0\0\0\0", false),
            (b"\x08\x01", false),
            (b"", false),
        ] {
            assert_eq!(recognises(head), expected, "{}", head.escape_ascii());
        }
    }
}
