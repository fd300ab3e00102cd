//! Events that are kept until somebody wants them: they come whenever they like.

use tungstenite::Utf8Bytes;

/// Most bytes that are kept: the collections of 10 seconds take 100 kB.
const MOST_BYTES: usize = 64 << 20;

/// Events of some methods, in the order in which they came.
#[derive(Default)]
pub(crate) struct Kept {
    methods: &'static [&'static str],
    events: Vec<Utf8Bytes>,
    bytes: usize,
    is_cut: bool,
}

impl Kept {
    /// Keeps events of these methods from now on, and no others.
    pub(crate) fn want(&mut self, methods: &'static [&'static str]) {
        self.methods = methods;
    }

    /// Whether a message is one of these. Their methods are short, and stand at the beginning.
    pub(crate) fn wants(&self, text: &str) -> bool {
        let start = text.get(..64).unwrap_or(text);
        self.methods.iter().any(|method| start.contains(method))
    }

    /// Keeps an event, if there is room.
    pub(crate) fn push(&mut self, event: Utf8Bytes) {
        let bytes = self.bytes.saturating_add(event.len()).saturating_add(size_of::<Utf8Bytes>());
        if bytes > MOST_BYTES {
            self.is_cut = true;
            return;
        }
        self.bytes = bytes;
        self.events.push(event);
    }

    /// The events since the last time, and whether that is all of them.
    pub(crate) fn take(&mut self) -> (Vec<Utf8Bytes>, bool) {
        let Kept { events, is_cut, .. } =
            std::mem::replace(self, Kept { methods: self.methods, ..Kept::default() });
        (events, !is_cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_kept_up_to_a_number_of_bytes() {
        let mut kept = Kept::default();
        assert!(!kept.wants(r#"{"method":"A.b"}"#));
        kept.want(&["A.b", "A.d"]);
        for (method, is_wanted) in [("A.b", true), ("A.c", false), ("A.d", true)] {
            assert_eq!(kept.wants(&format!(r#"{{"method":"{method}"}}"#)), is_wanted, "{method}");
        }
        for (size, count, expected) in [
            (10, 3, (3, true)),
            (MOST_BYTES / 4, 3, (3, true)),
            (MOST_BYTES / 4, 5, (3, false)),
            (MOST_BYTES, 1, (0, false)),
            (10, 3, (3, true)),
        ] {
            (0..count).for_each(|_| kept.push("x".repeat(size).into()));
            let (events, is_whole) = kept.take();
            assert_eq!((events.len(), is_whole), expected, "{count} of {size}");
        }
    }
}
