//! The encoding of Protocol Buffers, as far as pprof's messages need it: whole numbers, and what has a length.
//! <https://protobuf.dev/programming-guides/encoding/>

/// A message that is being written: its fields, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

/// The types of fields on the wire.
const VARINT: u64 = 0;
const LENGTH: u64 = 2;

impl Message {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Seven bits a byte, the lowest first; all bytes but the last have their highest bit set.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// A number; 0 is what a field has that is not there.
    pub(super) fn number(&mut self, field: u64, value: u64) {
        if value != 0 {
            self.varint(field << 3 | VARINT);
            self.varint(value);
        }
    }

    /// Numbers of a field that has several.
    pub(super) fn numbers(&mut self, field: u64, values: impl IntoIterator<Item = u64>) {
        let mut packed = Message::default();
        values.into_iter().for_each(|value| packed.varint(value));
        self.message(field, &packed);
    }

    /// A message in this one.
    pub(super) fn message(&mut self, field: u64, message: &Message) {
        self.text(field, &message.bytes);
    }

    /// A text, or bytes.
    pub(super) fn text(&mut self, field: u64, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        self.varint(field << 3 | LENGTH);
        self.varint(text.len() as u64);
        self.bytes.extend_from_slice(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's documentation.
    #[test]
    fn fields() {
        let mut message = Message::default();
        message.number(1, 150);
        message.number(7, 0);
        assert_eq!(message.bytes(), [0x08, 0x96, 0x01]);
        let inner = std::mem::take(&mut message);
        message.text(2, "testing");
        message.message(3, &inner);
        message.numbers(6, [3, 270, 86942]);
        let expected = [
            &[0x12, 0x07][..],
            b"testing",
            &[0x1a, 0x03, 0x08, 0x96, 0x01],
            &[0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05],
        ];
        assert_eq!(message.bytes(), expected.concat());
        message.clear();
        message.number(1, u64::MAX);
        assert_eq!(message.bytes(), [&[0x08][..], &[0xff; 9], &[0x01]].concat());
    }
}
