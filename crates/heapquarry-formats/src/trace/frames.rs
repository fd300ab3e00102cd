//! The member `stackFrames`.

use super::{
    extra::Extra,
    members::{Kind, Members, Value},
};
use crate::{ByteOffset, Code, Log};
use arrow_array::RecordBatch;
use heapquarry_profile::BYTECODE;
use heapquarry_tables::{FileId, STACK_FRAME, Table, arrays, stack_frame};

/// Rows of `stack_frame`.
#[derive(Default)]
pub(super) struct Frames {
    rows: Vec<Row>,
    /// Bytes of them in the file.
    bytes: usize,
    taken: u64,
}

/// A frame.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) name: Option<String>,
    category: Option<String>,
    pub(super) parent: Option<String>,
    extra: Option<String>,
}

/// The function of a frame.
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    /// Its script, if that is known.
    pub(super) url: Option<&'a str>,
    /// Line and column, from 0.
    pub(super) position: [Option<i64>; 2],
}

impl Row {
    /// The function, as Hermes tells it. In a script its name is followed by the place that runs, `work(app.js:1:318)`,
    /// and `funcLine` and `funcColumn`, from 1, are where it begins. In bytecode without places `funcVirtAddr` is its
    /// address, from 0: source maps of bytecode have one line, and addresses for its columns.
    pub(super) fn function(&self) -> Function<'_> {
        let extra = self.extra.as_deref().unwrap_or("{").as_bytes();
        let number = |key: &str| {
            let member = Members::new(extra).find(|member| member.key == key.as_bytes())?;
            member.value.digits().and_then(super::number::plain).filter(|number| *number >= 0)
        };
        let name = self.name.as_deref().unwrap_or_default();
        let position = ["funcLine", "funcColumn"].map(|key| number(key)?.checked_sub(1));
        let position = position.map(|number| number.filter(|number| *number >= 0));
        let placed = number("line").zip(number("column")).and_then(|(line, column)| {
            let before = name.strip_suffix(&format!(":{line}:{column})"))?;
            before.split_once('(')
        });
        match (placed, position, number("funcVirtAddr")) {
            (Some((name, url)), ..) => Function { name, url: Some(url), position },
            (None, [None, None], Some(address)) => {
                Function { name, url: Some(BYTECODE), position: [Some(0), Some(address)] }
            }
            _ => Function { name, url: None, position },
        }
    }
}

/// Text, or the digits of a number.
pub(super) fn string(value: Value<'_>) -> Option<String> {
    match value.kind {
        Kind::Text { escaped } => Some(super::unescape::text(value.inner()?, escaped)),
        _ => value.digits().map(|digits| String::from_utf8_lossy(digits).into_owned()),
    }
}

/// Bytes of a row group in the file, about: whatever the rows are, no more of them wait.
const GROUP: usize = 16 << 20;

/// A row group, if there are enough rows of so many bytes; at the end, any that are left.
pub(super) fn take_group<R>(
    rows: &mut Vec<R>,
    bytes: &mut usize,
    size: usize,
    at_end: bool,
) -> Option<Vec<R>> {
    let least = if at_end || *bytes >= GROUP { 1 } else { size };
    let is_enough = rows.len() >= least;
    is_enough.then(|| {
        let all = rows.len();
        let group: Vec<R> = rows.drain(..size.min(all)).collect();
        *bytes = *bytes / all * rows.len();
        group
    })
}

impl Frames {
    pub(super) fn count(&self) -> u64 {
        self.taken + self.rows.len() as u64
    }

    /// Adds a frame at that offset. Returns its row, if it is a frame.
    pub(super) fn add(
        &mut self,
        key: &[u8],
        frame: &[u8],
        at: ByteOffset,
        log: &mut Log,
    ) -> Option<&Row> {
        let frame = String::from_utf8_lossy(frame);
        let id = crate::json::text(key, true).0;
        let mut row = Row { id, name: None, category: None, parent: None, extra: None };
        if !frame.starts_with('{') {
            log.add_excerpt(Code::NotAnEvent, at, frame.as_bytes(), || {
                "a stack frame that is no object".into()
            });
            return None;
        }
        let mut extra = Extra::new(1);
        for member in Members::new(frame.as_bytes()) {
            let column = match member.key {
                b"name" => &mut row.name,
                b"category" => &mut row.category,
                b"parent" => &mut row.parent,
                _ => {
                    extra.add(member);
                    continue;
                }
            };
            *column = string(member.value);
            // `null` counts as missing.
            if column.is_none() && member.value.raw != b"null" {
                extra.add(member);
            }
        }
        row.extra = extra.into_text();
        self.bytes += frame.len();
        self.rows.push(row);
        self.rows.last()
    }

    /// A row group, if there are enough rows; at the end, any that are left.
    pub(super) fn take(
        &mut self,
        file_id: FileId,
        rows: usize,
        at_end: bool,
    ) -> Option<(&'static Table, RecordBatch)> {
        let rows = take_group(&mut self.rows, &mut self.bytes, rows, at_end)?;
        self.taken += rows.len() as u64;
        let column = |of: fn(&Row) -> Option<&String>| arrays::text(rows.iter().map(of));
        let batch = stack_frame::Columns {
            file_id: file_id.column(rows.len()),
            frame_id: column(|row| Some(&row.id)),
            name: column(|row| row.name.as_ref()),
            category: column(|row| row.category.as_ref()),
            parent_id: column(|row| row.parent.as_ref()),
            extra: column(|row| row.extra.as_ref()),
        }
        .into_batch();
        Some((&STACK_FRAME, batch))
    }
}
