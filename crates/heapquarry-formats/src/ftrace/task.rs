//! The tasks of workers.

use super::{
    claim::Lines,
    line::{self, Line, Row},
    lines::{self, End, Form},
    system::Piece,
};
use crate::{ByteOffset, Code, Log, document, json};
use arrow_array::{
    Int32Array, Int64Array, RecordBatch,
    builder::{Int64Builder, StringBuilder, StringDictionaryBuilder},
    types::Int32Type,
};
use heapquarry_tables::{FTRACE_EVENT, FileId, Table, ftrace_event};
use std::{borrow::Cow, sync::Arc};

/// The rows of a row group: lines in a worker's buffer.
#[derive(Debug)]
pub struct Task {
    pub(super) file_id: FileId,
    pub(super) lines: Lines,
    /// Offset to the document's clock, added to times.
    pub(super) shift: i64,
    /// Whether the state that spans lines is gathered.
    pub(super) collects: bool,
}

/// Side output of a task.
#[derive(Debug, Default)]
pub struct Done {
    /// Number of the first line.
    pub(super) first: u64,
    /// Events.
    pub(super) rows: u64,
    pub(super) piece: Piece,
    pub(super) log: Log,
}

impl document::Task for Task {
    type Done = Done;
    type Scratch = ();

    fn tables(&self) -> Vec<&'static Table> {
        vec![&FTRACE_EVENT]
    }

    /// Events are counted, and other lines logged, as lines are decoded.
    fn has_side_output(&self) -> bool {
        true
    }

    fn decode(self, bytes: &[u8], _: &mut (), rows: &mut document::Rows<'_>) -> Done {
        let Task { file_id, lines, shift, collects } = self;
        let (mut log, mut odd) = (Log::default(), Log::default());
        let (mut piece, mut count) = (Piece::default(), 0);
        let mut columns = rows.wants(&FTRACE_EVENT).then(Columns::default);
        lines.each(bytes, &mut log, |place, mut row| {
            count += 1;
            row.ts = row.ts.saturating_add(shift);
            if collects && !piece.note(place.line, &row) {
                odd.add_excerpt(Code::OddFtraceEvent, place.offset, row.args.as_bytes(), || {
                    format!("other arguments of {} than are known", row.name.unwrap_or_default())
                });
            }
            if let Some(columns) = &mut columns {
                columns.add(place, row);
            }
        });
        if let Some(columns) = columns {
            rows.add(&FTRACE_EVENT, columns.finish(file_id));
        }
        log.merge(odd);
        Done { first: lines.first, rows: count, piece, log }
    }
}

/// Position of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinePosition {
    /// Its number.
    line: u64,
    /// Its offset in the document.
    offset: ByteOffset,
}

impl Lines {
    /// Passes each event to `take`, and logs lines that are not events.
    pub(super) fn each(
        &self,
        bytes: &[u8],
        log: &mut Log,
        mut take: impl FnMut(LinePosition, Row<'_>),
    ) {
        let bytes = &bytes[..self.range.end];
        let (mut at, mut number) = (self.range.start, self.first);
        let has_zeros = bytes.get(at..).is_some_and(|lines| memchr::memchr(0, lines).is_some());
        while at < bytes.len() {
            let (end, next) = match lines::end(self.form, bytes, at) {
                End::Line(end, next) => (end, next),
                End::Text(end) => (end, bytes.len()),
                End::More(_) => (bytes.len(), bytes.len()),
            };
            let place = LinePosition { line: number, offset: self.offset + at as u64 };
            let line = lines::trim(self.form, &bytes[at..end]);
            if has_zeros && line.contains(&0) {
                log.add_excerpt(Code::ZeroBytes, place.offset, line, || json::ZEROS.into());
            }
            let text = text(self.form, line, place, log);
            match line::parse(&text) {
                Line::Event(row) => take(place, row),
                Line::Comment => {}
                Line::Lost { cpu, events } => log.add(Code::EventsLost, place.offset, || {
                    let events =
                        events.map_or("events".into(), |events| format!("{events} events"));
                    format!("{events} of CPU {cpu} were lost when they were recorded")
                }),
                Line::Unknown => {
                    log.add_excerpt(Code::UnknownLine, place.offset, text.as_bytes(), || {
                        "a line that is no event of ftrace is left out".into()
                    })
                }
            }
            (at, number) = (next, number + 1);
        }
    }
}

/// A line as text, in any form.
fn text<'b>(form: Form, line: &'b [u8], place: LinePosition, log: &mut Log) -> Cow<'b, str> {
    let text = match form {
        Form::Json if line.contains(&b'\\') => {
            let (text, damage) = json::text(line, true);
            if damage.lone_surrogates || damage.bad_escapes {
                let code = match damage.lone_surrogates {
                    true => Code::LoneSurrogate,
                    false => Code::BadEscape,
                };
                log.add_excerpt(code, place.offset, line, || "in the text of ftrace".into());
            }
            if !damage.invalid_utf8 {
                return Cow::Owned(text);
            }
            Cow::Owned(text)
        }
        _ => match std::str::from_utf8(line) {
            Ok(text) => return Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(line),
        },
    };
    log.add_excerpt(Code::InvalidUtf8, place.offset, line, || {
        "a line with bytes that are no UTF-8: U+FFFD in the table".into()
    });
    text
}

/// Rows of `ftrace_event`.
#[derive(Default)]
struct Columns {
    lines: Vec<i64>,
    offsets: Vec<i64>,
    times: Vec<i64>,
    cpus: Vec<i32>,
    comms: StringDictionaryBuilder<Int32Type>,
    tids: Vec<i64>,
    tgids: Int64Builder,
    flags: StringDictionaryBuilder<Int32Type>,
    names: StringDictionaryBuilder<Int32Type>,
    args: StringBuilder,
}

impl Columns {
    fn add(&mut self, place: LinePosition, row: Row<'_>) {
        self.lines.push(place.line as i64);
        self.offsets.push(place.offset.0 as i64);
        self.times.push(row.ts);
        self.cpus.push(row.cpu);
        self.comms.append_value(row.comm);
        self.tids.push(row.tid);
        self.tgids.append_option(row.tgid);
        self.flags.append_option(row.flags);
        self.names.append_option(row.name);
        self.args.append_value(row.args);
    }

    fn finish(mut self, file_id: FileId) -> RecordBatch {
        ftrace_event::Columns {
            file_id: file_id.column(self.lines.len()),
            event_index: Arc::new(Int64Array::from(self.lines)),
            byte_offset: Arc::new(Int64Array::from(self.offsets)),
            ts: Arc::new(Int64Array::from(self.times)),
            cpu: Arc::new(Int32Array::from(self.cpus)),
            comm: Arc::new(self.comms.finish()),
            tid: Arc::new(Int64Array::from(self.tids)),
            tgid: Arc::new(self.tgids.finish()),
            flags: Arc::new(self.flags.finish()),
            name: Arc::new(self.names.finish()),
            args: Arc::new(self.args.finish()),
        }
        .into_batch()
    }
}
