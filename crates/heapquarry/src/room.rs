//! Whether there is room in memory for a heap, before it is read.

use crate::{
    Error, ErrorKind, Result, RunOptions,
    memory::{self, Size, Text},
};
use heapquarry_formats::{Format, ReadOptions, heap, heap::StringSizes, jsc};
use heapquarry_input::Opened;
use heapquarry_tables::JS_HEAP_SUSPECT;

/// Fails if what is kept of a heap would exceed a limit: by the numbers that it declares, and its strings.
pub(crate) fn check(
    opened: &Opened,
    format: Format,
    options: &ReadOptions,
    run: &RunOptions,
) -> Result<()> {
    let fail = |source| Error::new(ErrorKind::Format { path: opened.path.clone(), source });
    let wants_suspects = options.projection.wants(&JS_HEAP_SUSPECT);
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
        if !memory::fits(at_most, wants_suspects, run) {
            // As much as the file takes of what is put out.
            let mut room = options.scratch.as_ref().map_or(0, |scratch| scratch.room());
            for measured in strings {
                if run.cancel.is_cancelled() {
                    return Err(Error::new(ErrorKind::Cancelled));
                }
                let (strings, mut bytes) = measured.map_err(fail)?;
                let kept = size.text.bytes;
                if bytes <= room && heap::is_put_out(kept, strings, bytes) {
                    (room, bytes) = (room - bytes, 0);
                }
                size.text = [size.text, Text { strings, bytes }].into_iter().sum();
            }
        }
    }
    memory::check(&opened.path, size, wants_suspects, run)
}
