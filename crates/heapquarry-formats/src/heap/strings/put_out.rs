//! Strings of which most are long: their text is not kept in memory.
//!
//! Where text is most of a heap, a few MB of it stay in memory, as in other heaps, and what follows is decided claim by
//! claim: that of long strings goes to the [`Scratch`] in one piece, and 8 bytes a string stay. Names of classes and
//! properties, which are asked for again and again, are short. What is asked for by itself is read then, and stays.

use crate::Scratch;
use arrow_array::{Array, LargeStringArray};
use arrow_buffer::OffsetBuffer;
use std::{
    io,
    ops::Range,
    sync::{Arc, OnceLock},
};

/// Bytes of text that stay in memory before any is put out.
const KEPT: u64 = 8 << 20;
/// Claims with more bytes a string, on average, are put out.
const LONG: u64 = 128;

/// Whether the text of a claim is put out, of which so many bytes have been kept so far.
pub fn is_put_out(kept: u64, strings: u64, bytes: u64) -> bool {
    kept >= KEPT && bytes / LONG >= strings
}

/// Strings after those that stay in memory.
#[derive(Debug)]
pub(crate) struct Rest {
    scratch: Arc<dyn Scratch>,
    parts: Vec<Part>,
    /// Index of the first string of each part, and the end of the last.
    starts: Vec<usize>,
    /// Bytes of text in memory, and of all.
    kept: u64,
    bytes: u64,
    /// Why text could not be read, the first time.
    lost: OnceLock<(io::ErrorKind, String)>,
}

#[derive(Debug)]
enum Part {
    Kept(LargeStringArray),
    PutOut(PutOut),
}

/// The strings of a claim whose text is in the scratch.
#[derive(Debug)]
struct PutOut {
    offset: u64,
    /// Where each begins in the text, and the end of the last.
    bounds: OffsetBuffer<i64>,
    /// Those that were asked for.
    read: OnceLock<Box<[OnceLock<Box<str>>]>>,
}

impl Rest {
    pub(crate) fn new(scratch: Arc<dyn Scratch>) -> Self {
        let lost = OnceLock::new();
        Rest { scratch, parts: Vec::new(), starts: vec![0], kept: 0, bytes: 0, lost }
    }

    /// Why text could not be read, the first time.
    pub(crate) fn check(&self) -> io::Result<()> {
        let lost = |(kind, why): &(io::ErrorKind, String)| io::Error::new(*kind, why.clone());
        self.lost.get().map_or(Ok(()), |known| Err(lost(known)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.starts[self.parts.len()]
    }

    /// Bytes of text in memory.
    pub(crate) fn kept(&self) -> u64 {
        self.kept
    }

    /// Bytes of text.
    pub(crate) fn text_len(&self) -> u64 {
        self.bytes
    }

    /// Appends strings. Their text stays in memory if it is short, or cannot be put out.
    pub(crate) fn push(&mut self, strings: LargeStringArray, is_put_out: bool) {
        self.starts.push(self.len() + strings.len());
        let bounds = strings.offsets();
        let (first, last) = (bounds[0], bounds[strings.len()]);
        let text = &strings.value_data()[first as usize..last as usize];
        self.bytes += text.len() as u64;
        let offset = is_put_out.then(|| self.scratch.put(text)).and_then(Result::ok);
        self.parts.push(match offset {
            Some(offset) => {
                // From the first byte that was put out on, which mostly is the first of all.
                let offset = offset.wrapping_sub(first as u64);
                Part::PutOut(PutOut { offset, bounds: bounds.clone(), read: OnceLock::new() })
            }
            None => {
                self.kept += text.len() as u64;
                Part::Kept(strings)
            }
        });
    }

    /// The part of a string, and its place there.
    fn find(&self, string: usize) -> (&Part, usize) {
        let part = self.starts.partition_point(|&start| start <= string) - 1;
        (&self.parts[part], string - self.starts[part])
    }

    /// The string of that index, which must exist. It stays in memory from then on.
    pub(crate) fn get(&self, string: usize) -> &str {
        match self.find(string) {
            (Part::Kept(strings), at) => strings.value(at),
            (Part::PutOut(part), at) => {
                let all = || (1..part.bounds.len()).map(|_| OnceLock::new()).collect();
                part.read.get_or_init(all)[at].get_or_init(|| {
                    let mut text = String::new();
                    self.read(part, at..at + 1, string, &mut |read| text.push_str(read));
                    text.into()
                })
            }
        }
    }

    /// Shows the strings of a range, which must exist, in order.
    pub(crate) fn each(&self, strings: Range<usize>, look: &mut dyn FnMut(&str)) {
        let mut next = strings.start;
        while next < strings.end {
            let (part, at) = self.find(next);
            let len = match part {
                Part::Kept(strings) => strings.len(),
                Part::PutOut(part) => part.bounds.len() - 1,
            };
            let end = len.min(at + (strings.end - next));
            match part {
                Part::Kept(strings) => {
                    (at..end).for_each(|at| look(strings.value(at)));
                }
                Part::PutOut(part) => self.read(part, at..end, next, look),
            }
            next += end - at;
        }
    }

    /// Reads strings of a part, of which the first has this index.
    fn read(&self, part: &PutOut, places: Range<usize>, first: usize, look: &mut dyn FnMut(&str)) {
        let bounds = &part.bounds[places.start..=places.end];
        let (start, end) = (bounds[0], bounds[bounds.len() - 1]);
        let mut text = vec![0; (end - start) as usize];
        let read = self.scratch.read(&mut text, part.offset.wrapping_add(start as u64));
        let text = read.and_then(|()| String::from_utf8(text).map_err(io::Error::other));
        if let Err(error) = &text {
            self.lost.get_or_init(|| (error.kind(), error.to_string()));
        }
        for (index, bounds) in (first..).zip(bounds.windows(2)) {
            match &text {
                Ok(text) => {
                    look(&text[(bounds[0] - start) as usize..(bounds[1] - start) as usize]);
                }
                // Who asks learns of it by `check` afterwards. Until then no two are equal, and none looks like the
                // text of a program.
                Err(_) => look(&format!("(string {index} cannot be read)")),
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::{io, sync::Mutex};

    /// Bytes in memory, of which so many can be put there, and read if `is_sound`.
    #[derive(Debug)]
    pub(crate) struct InMemory {
        pub(crate) bytes: Mutex<Vec<u8>>,
        pub(crate) room: usize,
        pub(crate) is_sound: bool,
    }

    impl Scratch for InMemory {
        fn room(&self) -> u64 {
            self.room as u64
        }

        fn put(&self, bytes: &[u8]) -> io::Result<u64> {
            let mut all = self.bytes.lock().unwrap();
            if all.len() + bytes.len() > self.room {
                return Err(io::ErrorKind::StorageFull.into());
            }
            all.extend_from_slice(bytes);
            Ok((all.len() - bytes.len()) as u64)
        }

        fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
            if !self.is_sound {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let from = offset as usize;
            bytes.copy_from_slice(&self.bytes.lock().unwrap()[from..from + bytes.len()]);
            Ok(())
        }
    }

    #[test]
    fn strings_are_the_same_wherever_their_text_is() {
        let strings: Vec<String> = (0..40).map(|n| format!("é{n}").repeat(n % 5)).collect();
        let all = LargeStringArray::from(strings.clone());
        for (room, is_sound) in [(0, true), (30, true), (1000, true), (1000, false)] {
            let scratch = InMemory { bytes: Mutex::default(), room, is_sound };
            let mut rest = Rest::new(Arc::new(scratch));
            // Parts of an array have the text of all of it.
            for (part, first) in (0..40).step_by(8).enumerate() {
                rest.push(all.slice(first, 8), part % 2 == 0);
            }
            assert_eq!(rest.len(), 40);
            let seen = |range: Range<usize>| {
                let mut seen = Vec::new();
                rest.each(range, &mut |text| seen.push(text.to_owned()));
                seen
            };
            for (start, end) in (0..=40).flat_map(|start| (start..=40).map(move |end| (start, end)))
            {
                if is_sound {
                    assert_eq!(seen(start..end), strings[start..end], "{room}: {start}..{end}");
                }
            }
            let got: Vec<&str> = (0..40).map(|at| rest.get(at)).collect();
            assert_eq!(rest.check().is_ok(), is_sound);
            match is_sound {
                true => assert_eq!(got, strings, "{room}"),
                // Those that are lost are not like each other.
                false => {
                    assert_eq!(got, seen(0..40));
                    assert_eq!(got[8..16], strings[8..16]);
                    assert_eq!(got[16], "(string 16 cannot be read)");
                }
            }
        }
    }

    #[test]
    fn only_long_strings_after_many_bytes_are_put_out() {
        for (kept, strings, bytes, expected) in [
            (KEPT, 10, 1280, true),
            (KEPT, 10, 1279, false),
            (KEPT - 1, 10, 1280, false),
            (KEPT, 0, 0, true),
            (u64::MAX, 1, 1 << 30, true),
        ] {
            assert_eq!(is_put_out(kept, strings, bytes), expected, "{kept} {strings} {bytes}");
        }
    }
}
