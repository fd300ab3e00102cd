//! Whether there is room in memory for a heap, before it is read.

use crate::{
    Error, ErrorKind, Result, RunOptions,
    memory::{self, Further, Size, Text},
};
use heapquarry_formats::{
    Format, ReadOptions, heap,
    heap::{Measured, StringSizes},
    jsc,
};
use heapquarry_input::Opened;

/// Fails if what is kept of a heap would exceed a limit: by the numbers that it declares, and its strings.
pub(crate) fn check(
    opened: &Opened,
    format: Format,
    options: &ReadOptions,
    run: &RunOptions,
) -> Result<()> {
    let fail = |source| Error::new(ErrorKind::Format { path: opened.path.clone(), source });
    let further = Further::wanted(&options.projection);
    let mut size = Size::default();
    if options.gathers(&format.derived()) {
        let count = if format == Format::Jsc { jsc::estimated } else { heap::declared };
        (size.nodes, size.edges) = count(&opened.input).map_err(fail)?;
    }
    // Strings of JSC are names of classes and functions alone. They count when they have been read.
    let has_text = format != Format::Jsc && heap::keeps_strings(options);
    if has_text
        && memory::limit(run).is_some()
        && let Some(strings) = StringSizes::locate(&opened.input).map_err(fail)?
    {
        let (most, bytes) = strings.at_most();
        let at_most = Size { text: Text { strings: most, bytes }, ..size };
        if !memory::fits(at_most, further, run) {
            let room = options.scratch.as_ref().map_or(0, |scratch| scratch.room());
            let mut kept = Kept { room, ..Kept::default() };
            for measured in strings {
                if run.cancel.is_cancelled() {
                    return Err(Error::new(ErrorKind::Cancelled));
                }
                kept.add(measured.map_err(fail)?);
            }
            size.text = kept.text;
        }
    }
    memory::check(&opened.path, size, further, run)
}

/// The text that stays in memory.
#[derive(Default)]
struct Kept {
    /// At most.
    text: Text,
    /// Bytes of it at least.
    least: u64,
    /// Bytes that can be put out.
    room: u64,
}

impl Kept {
    /// Adds strings: none of their text if they are put out for sure, however little their escapes stand for.
    fn add(&mut self, Measured { strings, mut least, mut most }: Measured) {
        if most <= self.room && heap::is_put_out(self.least, strings, least) {
            self.room -= most;
            (least, most) = (0, 0);
        }
        self.least += least;
        self.text = [self.text, Text { strings, bytes: most }].into_iter().sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_counts_unless_it_is_put_out_for_sure() {
        const MB: u64 = 1 << 20;
        for (what, room, (strings, least, most), expected) in [
            ("long", 100 * MB, (1000, MB, MB), 9 * MB),
            ("short", 100 * MB, (100_000, MB, MB), 18 * MB),
            ("long with their escapes alone", 100 * MB, (6000, MB / 2, MB), 18 * MB),
            ("without room", 0, (1000, MB, MB), 18 * MB),
            ("with room for some", 3 * MB, (1000, MB, MB), 15 * MB),
        ] {
            let mut kept = Kept { room, ..Kept::default() };
            // Short ones.
            kept.add(Measured { strings: 500_000, least: 8 * MB, most: 9 * MB });
            (0..9).for_each(|_| kept.add(Measured { strings, least, most }));
            assert_eq!(kept.text.bytes, expected, "{what}");
            assert_eq!(kept.text.strings, 500_000 + 9 * strings, "{what}");
        }
    }
}
