//! What glibc's malloc has given out, and what it keeps free, seen from outside: the headers of its chunks (malloc.c,
//! `struct malloc_chunk`, and arena.c, `heap_info`; glibc 2.26 to 2.41 on 64-bit machines).
//!
//! The process goes on meanwhile, so a chain of headers can break; the rest of that heap is then unknown.

use crate::maps::ARENA;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What malloc has. Sizes are in bytes, without the blocks that it maps one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Malloc {
    /// Given out, or in the caches of threads.
    pub used: u64,
    /// Free, whether the pages were touched or not.
    pub free: u64,
    /// What could not be followed.
    pub unknown: u64,
}

/// The figures hold if at most this share could not be followed: of processes that go on it is 0 to 1 %.
const UNKNOWN_PERCENT: u64 = 2;

/// A heap whose chain breaks is followed so often: the process has changed it meanwhile.
const TRIES: usize = 3;

/// Memory of a process: fills the buffer from an address on, and says whether it could.
pub(crate) type Read<'a> = &'a mut dyn FnMut(u64, &mut [u8]) -> bool;

/// Headers are read in windows of this size.
const WINDOW: usize = 4096;
/// Least size of a chunk; all are multiples of [`ALIGNMENT`].
const LEAST: u64 = 32;
const ALIGNMENT: u64 = 16;
/// Flags in the low bits of a size: the lowest says that the chunk before is in use.
const FLAGS: u64 = 7;
const PREVIOUS_IN_USE: u64 = 1;
/// Where chunks begin in a further heap of an arena: after its `heap_info`.
const HEAP_INFO: u64 = 48;
/// Where chunks begin behind the state of an arena, by versions of glibc.
const ARENA_STATES: [u64; 4] = [2200, 2208, 2192, 2184];

impl Malloc {
    /// Whether nearly all of it could be followed. Otherwise a change of the figures can be one of what was seen.
    pub fn is_whole(&self) -> bool {
        let known = self.used.saturating_add(self.free);
        self.unknown <= known / 100 * UNKNOWN_PERCENT
    }

    fn add(&mut self, more: Malloc) {
        self.used = self.used.saturating_add(more.used);
        self.free = self.free.saturating_add(more.free);
        self.unknown = self.unknown.saturating_add(more.unknown);
    }
}

/// Follows the chunks of the main arena and of others, until `end`. `None` if there is no malloc of glibc: nothing
/// could be followed.
pub(crate) fn walk(
    brk: Option<(u64, u64)>,
    arenas: &[(u64, u64)],
    end: Instant,
    read: Read<'_>,
) -> Option<Malloc> {
    let mut all = Malloc::default();
    let mut memory = Memory { read, window: [0; WINDOW], at: None, end };
    if let Some((start, end)) = brk {
        all.add(memory.followed(|memory| memory.chunks(start, end)));
    }
    for &(start, end) in arenas {
        all.add(memory.followed(|memory| memory.arena(start, end)));
    }
    (all.used.saturating_add(all.free) > 0).then_some(all)
}

fn aligned(address: u64) -> u64 {
    address.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}

struct Memory<'a> {
    read: Read<'a>,
    window: [u8; WINDOW],
    /// The address of the window.
    at: Option<u64>,
    end: Instant,
}

impl Memory<'_> {
    /// A number, at a multiple of 8.
    fn number(&mut self, address: u64) -> Option<u64> {
        let start = address & !(WINDOW as u64 - 1);
        if self.at != Some(start) {
            self.at = None;
            if self.end <= Instant::now() || !(self.read)(start, &mut self.window) {
                return None;
            }
            self.at = Some(start);
        }
        let bytes = self.window.get((address - start) as usize..)?.first_chunk::<8>()?;
        Some(u64::from_le_bytes(*bytes))
    }

    /// What is known of a heap, from the try that followed most of it.
    fn followed(&mut self, follow: impl Fn(&mut Self) -> Malloc) -> Malloc {
        let mut best = follow(self);
        for _ in 1..TRIES {
            if best.unknown == 0 || self.end <= Instant::now() {
                break;
            }
            // It is read again.
            self.at = None;
            let found = follow(self);
            if found.unknown < best.unknown {
                best = found;
            }
        }
        best
    }

    /// A heap of an arena of threads.
    fn arena(&mut self, start: u64, end: u64) -> Malloc {
        let unknown = Malloc { unknown: end.saturating_sub(start), ..Malloc::default() };
        let (Some(state), Some(size)) = (self.number(start), self.number(start.saturating_add(16)))
        else {
            return unknown;
        };
        let end = start.saturating_add(size.min(ARENA)).min(end);
        if !(start..end).contains(&state) {
            return self.chunks(start.saturating_add(HEAP_INFO), end);
        }
        let begins = ARENA_STATES.map(|size| aligned(state.saturating_add(size)));
        let found = begins.map(|begin| self.chunks(begin, end));
        found.into_iter().min_by_key(|found| found.unknown).unwrap_or(unknown)
    }

    /// The chunks from an address on. The last one is free: `top`.
    fn chunks(&mut self, start: u64, end: u64) -> Malloc {
        let mut found = Malloc::default();
        let mut at = start;
        let mut previous = 0;
        while end.saturating_sub(at) >= LEAST {
            let Some(header) = self.number(at + 8) else { break };
            let size = header & !FLAGS;
            match header & PREVIOUS_IN_USE {
                0 => found.free = found.free.saturating_add(previous),
                _ => found.used = found.used.saturating_add(previous),
            }
            previous = 0;
            if size < LEAST || !size.is_multiple_of(ALIGNMENT) || size > end - at {
                break;
            }
            if size == end - at {
                found.free = found.free.saturating_add(size);
                return found;
            }
            previous = size;
            at += size;
        }
        found.unknown = previous.saturating_add(end.saturating_sub(at));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn figures_hold_if_nearly_all_was_followed() {
        for (used, free, unknown, expected) in [
            (60_000_000, 40_000_000, 0, true),
            (60_000_000, 40_000_000, 1_900_000, true),
            (60_000_000, 40_000_000, 2_100_000, false),
            (100, 0, 300_000_000, false),
            (u64::MAX, u64::MAX, u64::MAX, false),
        ] {
            assert_eq!(Malloc { used, free, unknown }.is_whole(), expected, "{unknown}");
        }
    }

    /// Whatever a process has in its headers, and wherever its maps are.
    #[test]
    fn no_number_of_a_process_overflows() {
        for word in [0, 1, 33, u64::MAX, u64::MAX - 15, 1 << 63] {
            let mut read = |_: u64, buf: &mut [u8]| {
                buf.chunks_exact_mut(8)
                    .for_each(|bytes| bytes.copy_from_slice(&word.to_le_bytes()));
                true
            };
            for (start, end) in [(0, 4096), (u64::MAX - 4095, u64::MAX), (u64::MAX - 15, u64::MAX)]
            {
                let until = Instant::now() + Duration::from_secs(10);
                walk(Some((start, end)), &[(start, end), (end, start)], until, &mut read);
            }
        }
    }

    /// Memory with chunks of these sizes from an address on, each with whether it is in use.
    fn memory(start: u64, chunks: &[(u64, bool)]) -> Vec<(u64, u64)> {
        let mut at = start;
        let mut before = true;
        let mut words = Vec::new();
        for &(size, is_used) in chunks {
            words.push((at + 8, size | u64::from(before)));
            at += size;
            before = is_used;
        }
        words
    }

    fn walked(
        words: &[(u64, u64)],
        brk: Option<(u64, u64)>,
        arenas: &[(u64, u64)],
    ) -> Option<Malloc> {
        let mut read = |at: u64, buf: &mut [u8]| {
            buf.fill(0);
            for (address, word) in words {
                if (at..at + buf.len() as u64).contains(address) {
                    let from = (address - at) as usize;
                    buf[from..from + 8].copy_from_slice(&word.to_le_bytes());
                }
            }
            true
        };
        walk(brk, arenas, Instant::now() + Duration::from_secs(10), &mut read)
    }

    #[test]
    fn chunks_are_followed_to_the_top() {
        const AT: u64 = 0x1000_0000;
        let whole = memory(AT, &[(64, true), (4096, false), (48, true), (128, false)]);
        let broken = memory(AT, &[(64, true), (4096, false), (48, true), (17, false)]);
        for (name, words, end, expected) in [
            ("whole", &whole, AT + 4336, Some((112, 4224, 0))),
            ("broken", &broken, AT + 4336, Some((112, 4096, 128))),
            ("no malloc", &Vec::new(), AT + 4336, None),
        ] {
            let expected = expected.map(|(used, free, unknown)| Malloc { used, free, unknown });
            assert_eq!(walked(words, Some((AT, end)), &[]), expected, "{name}");
        }
    }

    /// A process that changes a heap while it is followed is followed again.
    #[test]
    fn a_chain_that_breaks_is_followed_again() {
        const AT: u64 = 0x1000_0000;
        let whole = memory(AT, &[(64, true), (4096, false), (48, true), (128, false)]);
        for (broken, expected) in [(0, 0), (1, 0), (2, 0), (3, 128)] {
            let mut reads = 0;
            let mut read = |at: u64, buf: &mut [u8]| {
                buf.fill(0);
                for (address, word) in &whole {
                    if (at..at + buf.len() as u64).contains(address) {
                        let from = (address - at) as usize;
                        let is_last = *address == AT + 4208 + 8;
                        reads += u64::from(is_last);
                        let word = if is_last && reads <= broken { 17 } else { *word };
                        buf[from..from + 8].copy_from_slice(&word.to_le_bytes());
                    }
                }
                true
            };
            let until = Instant::now() + Duration::from_secs(10);
            let found = walk(Some((AT, AT + 4336)), &[], until, &mut read).unwrap();
            assert_eq!(found.unknown, expected, "{broken}");
        }
    }

    #[test]
    fn arenas_have_their_state_before_the_chunks() {
        const AT: u64 = ARENA * 5;
        let chunks = [(1600, true), (640, false)];
        // The first heap of an arena: heap_info, then its state.
        let begin = (AT + 48 + 2200).next_multiple_of(16);
        let mut first = memory(begin, &chunks);
        first.extend([(AT, AT + 48), (AT + 16, begin + 2240 - AT)]);
        // A further one refers to the state in another.
        let mut further = memory(AT + 48, &chunks);
        further.extend([(AT, AT - ARENA + 48), (AT + 16, 48 + 2240)]);
        for words in [first, further] {
            let found = walked(&words, None, &[(AT, AT + 132 * 1024)]);
            assert_eq!(found, Some(Malloc { used: 1600, free: 640, unknown: 0 }));
        }
    }

    #[test]
    fn memory_that_cannot_be_read_is_unknown() {
        let mut read = |_: u64, _: &mut [u8]| false;
        let end = Instant::now() + Duration::from_secs(10);
        assert_eq!(walk(Some((4096, 8192)), &[(ARENA, ARENA + 4096)], end, &mut read), None);
    }
}
