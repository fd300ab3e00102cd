//! Arguments of events, member by member: rows of `args`.

use super::{
    columns::{Dictionary, Floats, Ints, Keys, labels},
    json::{Scalar, Visit, walk},
    number,
};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use heapquarry_scan::unescape;
use heapquarry_tables::{FileId, args};
use std::{io::Write, sync::Arc};

/// Names of `value_type`, by number.
const TYPES: [&str; 6] = ["int", "real", "string", "bool", "null", "json"];
const INT: u32 = 0;
const REAL: u32 = 1;
const STRING: u32 = 2;
const BOOL: u32 = 3;
const NULL: u32 = 4;
const JSON: u32 = 5;

/// Rows of `args` being built.
pub(super) struct Args {
    sets: Vec<i64>,
    flat_keys: Keys,
    keys: Keys,
    ints: Ints,
    strings: Keys,
    reals: Floats,
    types: Keys,
    texts: Dictionary,
    /// The key of the last row.
    last_key: u32,
    path: Path,
    /// Buffer for unescaped text.
    text: Vec<u8>,
}

/// Position of a value in the arguments of an event.
#[derive(Default)]
struct Path {
    /// The path with array positions, and without.
    key: Vec<u8>,
    flat: Vec<u8>,
    /// For each open object and array: the lengths of both paths, and the position in the array.
    open: Vec<(usize, usize, u64)>,
}

impl Path {
    fn begin(&mut self) {
        self.open.clear();
        self.key.clear();
        self.flat.clear();
        self.key.extend_from_slice(b"args");
        self.flat.extend_from_slice(b"args");
    }

    /// Cuts the paths back to the innermost object or array.
    #[inline]
    fn back(&mut self) {
        if let Some(&(key, flat, _)) = self.open.last() {
            self.key.truncate(key);
            self.flat.truncate(flat);
        }
    }

    fn index(&mut self) {
        self.back();
        match self.open.last() {
            Some(&(_, _, index @ 0..10)) => self.key.extend([b'[', b'0' + index as u8, b']']),
            Some((_, _, index)) => {
                let _ = write!(self.key, "[{index}]");
            }
            None => {}
        }
    }
}

impl Args {
    pub(super) fn new(rows: usize) -> Self {
        Args {
            sets: Vec::with_capacity(rows),
            flat_keys: Keys::new(rows),
            keys: Keys::new(rows),
            ints: Ints::new(rows),
            strings: Keys::new(rows),
            reals: Floats::new(rows),
            types: Keys::new(rows),
            texts: Dictionary::default(),
            last_key: 0,
            path: Path::default(),
            text: Vec::new(),
        }
    }

    /// Adds the members of the arguments at that position. Returns their end; `None`, without adding rows, if they are
    /// not JSON.
    #[inline]
    pub(super) fn add(
        &mut self,
        set: i64,
        bytes: &[u8],
        at: usize,
        open: &mut Vec<bool>,
    ) -> Option<usize> {
        let rows = self.sets.len();
        self.path.begin();
        let end = walk(bytes, at, &mut Flatten { args: self, set }, open);
        if end.is_none() {
            self.sets.truncate(rows);
            self.flat_keys.truncate(rows);
            self.keys.truncate(rows);
            self.ints.truncate(rows);
            self.strings.truncate(rows);
            self.reals.truncate(rows);
            self.types.truncate(rows);
        }
        end
    }

    pub(super) fn finish(self, file_id: FileId) -> RecordBatch {
        let rows = self.sets.len();
        debug_assert_eq!(rows, self.ints.len());
        let texts: ArrayRef = self.texts.into_array();
        args::Columns {
            file_id: file_id.column(rows),
            arg_set_id: Arc::new(Int64Array::from(self.sets)),
            flat_key: self.flat_keys.finish(&texts),
            key: self.keys.finish(&texts),
            int_value: self.ints.finish(),
            string_value: self.strings.finish(&texts),
            real_value: self.reals.finish(),
            value_type: self.types.finish(&labels(&TYPES)),
        }
        .into_batch()
    }
}

struct Flatten<'a> {
    args: &'a mut Args,
    set: i64,
}

impl Flatten<'_> {
    #[inline]
    fn row(&mut self, ty: u32, int: Option<i64>, string: Option<u32>, real: Option<f64>) {
        let Args {
            sets, flat_keys, keys, ints, strings, reals, types, texts, path, last_key, ..
        } = &mut *self.args;
        let flat = texts.next(*last_key, &path.flat);
        *last_key = flat;
        let key = if path.key.len() == path.flat.len() { flat } else { texts.number(&path.key) };
        sets.push(self.set);
        flat_keys.push(Some(flat));
        keys.push(Some(key));
        ints.push(int);
        strings.push(string);
        reals.push(real);
        types.push(Some(ty));
    }
}

impl Visit for Flatten<'_> {
    fn open(&mut self, array: bool) {
        let path = &mut self.args.path;
        path.open.push((path.key.len(), path.flat.len(), 0));
        if array {
            path.index();
        }
    }

    #[inline]
    fn key(&mut self, raw: &[u8], escaped: bool) {
        let path = &mut self.args.path;
        path.back();
        path.key.push(b'.');
        path.flat.push(b'.');
        let start = path.key.len();
        if escaped {
            unescape(raw, &mut path.key);
        } else {
            path.key.extend_from_slice(raw);
        }
        path.flat.extend_from_slice(&path.key[start..]);
    }

    fn next(&mut self) {
        let path = &mut self.args.path;
        if let Some((_, _, index)) = path.open.last_mut() {
            *index += 1;
        }
        path.index();
    }

    #[inline]
    fn text(&mut self, raw: &[u8], escaped: bool) {
        let Args { texts, text, .. } = self.args;
        let number = if escaped {
            text.clear();
            unescape(raw, text);
            texts.number(text)
        } else {
            texts.number(raw)
        };
        self.row(STRING, None, Some(number), None);
    }

    #[inline]
    fn scalar(&mut self, raw: &[u8], kind: Scalar) {
        match kind {
            Scalar::True => self.row(BOOL, Some(1), None, None),
            Scalar::False => self.row(BOOL, Some(0), None, None),
            Scalar::Null => self.row(NULL, None, None, None),
            Scalar::Number | Scalar::Odd => match number::plain(raw) {
                Some(int) => self.row(INT, Some(int), None, None),
                None => {
                    let real = number::real(raw);
                    // An integer, or a number with more digits than a double can hold.
                    let digits = raw.iter().filter(|byte| byte.is_ascii_digit()).count();
                    let exact = raw.contains(&b'.') && digits <= 15;
                    let string = (!exact).then(|| self.args.texts.number(raw));
                    self.row(REAL, None, string, real);
                }
            },
        }
    }

    fn empty(&mut self, array: bool) {
        // Empty arguments have no rows.
        if !self.args.path.open.is_empty() {
            let text = self.args.texts.number(if array { b"[]" } else { b"{}" });
            self.row(JSON, None, Some(text), None);
        }
    }

    fn close(&mut self) {
        self.args.path.back();
        self.args.path.open.pop();
    }
}
