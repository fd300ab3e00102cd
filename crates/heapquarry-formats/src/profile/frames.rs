//! Call frames: the function of a node. A profile repeats a frame for every stack that leads to it, so frames and their
//! texts are stored once, and nodes hold their numbers.

use super::number::{integer, unwrapped};
use crate::{
    ByteOffset, Code, HashMap, HashSet, Log,
    json::{Json, NONE, Step, Value, text},
};
use arrow_array::{ArrayRef, builder::StringViewBuilder};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::{hash::BuildHasher, sync::Arc};

/// Stands for no frame or no text.
pub(crate) const NO: u32 = u32::MAX;

/// Bytes of frames that are kept, to recognise repeated frames without parsing them.
const KNOWN_BYTES: usize = 8 << 20;

/// A frame: text numbers, and a source position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    pub(crate) name: u32,
    pub(crate) script_id: u32,
    pub(crate) url: u32,
    pub(crate) module: u32,
    pub(crate) code_type: u32,
    /// Line from 0, -1 for none, [`NONE`] if the file does not have it.
    pub(crate) line: i64,
    pub(crate) column: i64,
}

impl Frame {
    pub(crate) const EMPTY: Frame = Frame {
        name: NO,
        script_id: NO,
        url: NO,
        module: NO,
        code_type: NO,
        line: NONE,
        column: NONE,
    };
}

/// How far before the first column or line a position can lie. Tools that move positions subtract what they put before
/// a function, such as Vitest.
const MOST_BEFORE: i64 = 1 << 20;

/// The distinct frames of a profile.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pub(crate) texts: Texts,
    pub(crate) rows: Vec<Frame>,
    by_content: HashMap<Frame, u32>,
    /// Keyed by the bytes of `callFrame` objects, which are usually the same for the same frame.
    by_bytes: HashMap<Box<[u8]>, u32>,
    known_bytes: usize,
    /// Members of frames and nodes without a column.
    unknown: HashSet<Box<[u8]>>,
    /// Whether negative numbers were written as unsigned 32-bit numbers, as V8's own serializer does.
    pub(crate) wrapped: bool,
}

/// Distinct texts, each stored once: as the column that they become.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    texts: StringViewBuilder,
    count: u32,
    bytes: u64,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl Texts {
    pub(crate) fn number(&mut self, text: &str) -> u32 {
        let Texts { texts, numbers, hasher, .. } = self;
        let hash = hasher.hash_one(text.as_bytes());
        let stored = |number: u32| texts.get_value(number as usize);
        if let Some(&number) = numbers.find(hash, |&number| stored(number) == text.as_bytes()) {
            return number;
        }
        let number = self.count;
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(stored(number)));
        texts.append_value(text);
        self.count += 1;
        self.bytes += text.len() as u64;
        number
    }

    /// The text of a number; `None` for [`NO`].
    pub(crate) fn get(&self, number: u32) -> Option<&str> {
        let is_there = number < self.count;
        let text = is_there.then(|| self.texts.get_value(number as usize))?;
        Some(std::str::from_utf8(text).expect("texts are UTF-8"))
    }

    /// Memory that they take, in bytes, about.
    pub(crate) fn memory(&self) -> u64 {
        self.bytes + 32 * u64::from(self.count)
    }
}

impl Frames {
    /// The number of a frame.
    pub(crate) fn number(&mut self, frame: Frame) -> u32 {
        *self.by_content.entry(frame).or_insert_with(|| {
            self.rows.push(frame);
            self.rows.len() as u32 - 1
        })
    }

    /// Frees what only reading needs.
    pub(crate) fn free_lookup(&mut self) {
        self.by_bytes = HashMap::default();
        self.by_content = HashMap::default();
        self.texts.numbers = HashTable::new();
    }

    /// Memory that they take, in bytes, about.
    pub(crate) fn memory(&self) -> u64 {
        // Each is stored twice: to find it by its number, and by its content.
        let frames = 2 * size_of::<Frame>() * self.rows.len();
        self.texts.memory() + (frames + self.known_bytes) as u64
    }

    /// The frames, and their texts by number.
    pub(crate) fn into_rows(mut self) -> (Vec<Frame>, ArrayRef) {
        (self.rows, Arc::new(self.texts.texts.finish()))
    }

    /// Logs a member without a column, the first time that its name occurs.
    pub(crate) fn unknown(&mut self, key: &[u8], at: ByteOffset, log: &mut Log) {
        if !self.unknown.contains(key) && self.unknown.len() < crate::LISTED {
            self.unknown.insert(key.into());
            log.add_excerpt(Code::UnknownField, at, key, || "a member that is not kept".into());
        }
    }

    /// Reads the `callFrame` at the current position.
    pub(crate) fn read(&mut self, json: &mut Json<'_>, log: &mut Log) -> Step<u32> {
        if let Some(end) = memchr::memchr(b'}', json.rest())
            && let Some(&number) = self.by_bytes.get(&json.rest()[..=end])
        {
            json.advance(end + 1);
            return Ok(number);
        }
        let (start, logged) = (json.at(), log.total());
        let mut frame = Frame::EMPTY;
        if !json.eat(b'{')? {
            let at = json.at();
            json.value()?;
            log.add(Code::BadNesting, at, || "callFrame: not an object".into());
            return Ok(NO);
        }
        while let Some(key) = json.key()? {
            let name: Name = Name::of(json.bytes(&key.span));
            if !self.member(&mut frame, name, json, log)? {
                self.unknown(json.bytes(&key.span), json.at(), log);
                json.skip_value()?;
            }
        }
        let number = self.number(frame);
        // A frame with a logged problem is parsed, and logged, each time.
        if log.total() == logged
            && let Some(bytes) = json.since(start)
            && self.known_bytes + bytes.len() <= KNOWN_BYTES
            && memchr::memchr(b'}', bytes) == Some(bytes.len() - 1)
        {
            self.known_bytes += bytes.len();
            self.by_bytes.insert(bytes.into(), number);
        }
        Ok(number)
    }

    /// Reads the value of a member of a frame; `None` if frames have no such member.
    pub(crate) fn member(
        &mut self,
        frame: &mut Frame,
        name: Name,
        json: &mut Json<'_>,
        log: &mut Log,
    ) -> Step<bool> {
        match name {
            Name::Function => frame.name = self.text(json, "functionName", log)?,
            Name::Url => frame.url = self.text(json, "url", log)?,
            Name::Module => frame.module = self.text(json, "moduleName", log)?,
            Name::CodeType => frame.code_type = self.text(json, "codeType", log)?,
            Name::ScriptId => frame.script_id = self.text(json, "scriptId", log)?,
            Name::LineNumber => frame.line = self.position(json, "lineNumber", log)?,
            Name::ColumnNumber => frame.column = self.position(json, "columnNumber", log)?,
            Name::Other => return Ok(false),
        }
        Ok(true)
    }

    /// Text, or a number as text.
    pub(crate) fn text(
        &mut self,
        json: &mut Json<'_>,
        what: &'static str,
        log: &mut Log,
    ) -> Step<u32> {
        json.next()?;
        let at = json.at();
        let string = match json.value()? {
            Value::Text(t) => {
                if t.stray {
                    log.add_excerpt(Code::StrayQuote, at, json.bytes(&t.span), || {
                        format!("{what}: a quote that is not escaped")
                    });
                }
                let (string, damage) = text(json.bytes(&t.span), t.escaped);
                let raw = json.bytes(&t.span);
                for (happened, code, words) in [
                    (damage.lone_surrogates, Code::LoneSurrogate, "half a surrogate pair"),
                    (damage.bad_escapes, Code::BadEscape, "an escape that JSON does not know"),
                    (damage.invalid_utf8, Code::InvalidUtf8, "not UTF-8"),
                ] {
                    if happened {
                        log.add_excerpt(code, at, raw, || format!("{what}: {words}"));
                    }
                }
                string
            }
            Value::Int(number) => number.to_string(),
            Value::Odd(_, span) => {
                let raw = json.bytes(&span);
                if raw != b"null" {
                    log.add_excerpt(Code::NotAString, at, raw, || format!("{what}: no text"));
                }
                return Ok(NO);
            }
            Value::Nested => {
                log.add(Code::NotAString, at, || format!("{what}: no text"));
                return Ok(NO);
            }
        };
        Ok(self.texts.number(&string))
    }

    /// A line or column.
    fn position(&mut self, json: &mut Json<'_>, what: &'static str, log: &mut Log) -> Step<i64> {
        json.next()?;
        let at = json.at();
        let written = integer(json, what, log)?;
        let mut value = written;
        if unwrapped(written) >= -MOST_BEFORE {
            value = unwrapped(written);
        }
        if value != written {
            // Tools that move source positions write other columns than -1 so, but their times are whole.
            let is_serializer = value == -1;
            if !(is_serializer && self.wrapped) {
                log.add(Code::WrappedNumber, at, || {
                    let further = if is_serializer { "; read so wherever it stands" } else { "" };
                    format!("{what}: {value} written as {written}{further}")
                });
            }
            self.wrapped |= is_serializer;
        }
        if value != NONE && i32::try_from(value).is_err() {
            log.add(Code::ValueOutOfRange, at, || format!("{what}: {value} is no position"));
            value = NONE;
        }
        Ok(value)
    }
}

/// The members of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Function,
    ScriptId,
    Url,
    LineNumber,
    ColumnNumber,
    Module,
    CodeType,
    Other,
}

impl Name {
    pub(crate) fn of(key: &[u8]) -> Self {
        match key {
            b"functionName" => Name::Function,
            b"scriptId" => Name::ScriptId,
            b"url" => Name::Url,
            b"lineNumber" => Name::LineNumber,
            b"columnNumber" => Name::ColumnNumber,
            b"moduleName" => Name::Module,
            b"codeType" => Name::CodeType,
            _ => Name::Other,
        }
    }
}
