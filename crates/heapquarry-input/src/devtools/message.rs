//! One message: its members in any order. Only short members are held in memory.

use super::{LastSeen, Messages, StatsUpdate, WINDOW};
use heapquarry_formats::{
    ByteOffset, Code, Input,
    json::{Json, Step, Stop, Value, odd_integer, text},
};
use heapquarry_scan::Odd;
use std::{
    io::{self, Write},
    ops::Range,
};

/// An input, up to an offset.
pub(super) struct Until<'a> {
    pub(super) input: &'a dyn Input,
    pub(super) end: ByteOffset,
}

impl Input for Until<'_> {
    fn size(&self) -> u64 {
        self.end.0
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.end.saturating_sub(ByteOffset(offset));
        let room = usize::try_from(rest).map_or(buf.len(), |rest| rest.min(buf.len()));
        self.input.read_at(&mut buf[..room], offset)
    }
}

/// The key that TraceStreamer 4.1 writes when it splits recordings: a quote is missing.
const BROKEN_CHUNK: &[u8] = b"params:{\"chunk";

/// Result of a command.
enum Answer {
    /// Success without a result.
    Empty,
    Profile(Range<ByteOffset>),
    /// Failure, with code and message.
    Failed(Option<i64>, String),
    /// Any other result.
    Other,
}

/// The members of a message that are kept until its end.
#[derive(Default)]
struct Message {
    /// Offset of the message.
    at: ByteOffset,
    method: Option<String>,
    /// Offset of the parameters, if they precede the method.
    params: Option<ByteOffset>,
    id: Option<i64>,
    answer: Option<Answer>,
}

impl Messages {
    /// Reads the message at the current position, which then advances.
    pub(super) fn message(
        &mut self,
        json: &mut Json<'_>,
        time: Option<i64>,
        spool: &mut dyn Write,
    ) -> Step<()> {
        if !json.eat(b'{')? {
            return json.malformed("a message (`{`)");
        }
        let at = json.at();
        let mut message = Message { at, ..Message::default() };
        loop {
            let key = match json.key() {
                Ok(Some(key)) => key,
                Ok(None) => break,
                // The members that were read count.
                Err(stop) => {
                    self.conclude(json, message, time, spool)?;
                    // TraceStreamer ends the profiles that it extracts with a quote instead of a brace.
                    let ends_with_quote = matches!(stop, Stop::Cut) && json.left() == 1;
                    return if ends_with_quote { Ok(()) } else { Err(stop) };
                }
            };
            match json.bytes(&key.span) {
                b"method" => message.method = string(json)?,
                b"id" => {
                    if let Value::Int(value) = json.value()? {
                        message.id = Some(value);
                    }
                }
                b"params" => {
                    json.next()?;
                    if let Some(method) = &message.method {
                        self.params(method, json, time, spool)?;
                    } else {
                        message.params = Some(json.at());
                        json.skip_value()?;
                    }
                }
                b"result" => message.answer = Some(self.result(json)?),
                b"error" => message.answer = Some(failed(json)?),
                BROKEN_CHUNK => {
                    return self.chunk_value(json, time, spool);
                }
                _ => json.skip_value()?,
            }
        }
        self.conclude(json, message, time, spool)
    }

    /// Processes a message after all of it, or all that exists, has been read.
    fn conclude(
        &mut self,
        json: &Json<'_>,
        message: Message,
        time: Option<i64>,
        spool: &mut dyn Write,
    ) -> Step<()> {
        let Message { at, method, params, id, answer } = message;
        if let Some(params) = params {
            // They precede the method, or there is none, because TraceStreamer omits it.
            let mut json = json.at_offset(params, WINDOW);
            self.params(method.as_deref().unwrap_or_default(), &mut json, time, spool)?;
        }
        match answer {
            Some(Answer::Profile(place)) => self.profile(place, time),
            Some(Answer::Empty) => self.done(id, time, spool)?,
            Some(Answer::Failed(code, message)) => {
                self.log.add(Code::CommandFailed, at, || {
                    let id = id.map_or(String::new(), |id| format!(" {id}"));
                    let code = code.map_or(String::new(), |code| format!(" ({code})"));
                    format!("command{id} failed: {message}{code}")
                });
            }
            Some(Answer::Other) | None => {}
        }
        Ok(())
    }

    /// Reads the parameters of an event.
    fn params(
        &mut self,
        method: &str,
        json: &mut Json<'_>,
        time: Option<i64>,
        spool: &mut dyn Write,
    ) -> Step<()> {
        let known = match method {
            "" | "HeapProfiler.addHeapSnapshotChunk" => &b"chunk"[..],
            "HeapProfiler.heapStatsUpdate" => b"statsUpdate",
            "Profiler.consoleProfileFinished" => b"profile",
            "Tracing.dataCollected" => b"value",
            "HeapProfiler.lastSeenObjectId" => return self.last_seen(json, time),
            "HeapProfiler.reportHeapSnapshotProgress" | "Tracing.bufferUsage" => {
                return json.skip_value();
            }
            _ => {
                let at = json.at();
                self.log.add(Code::UnknownMessage, at, || format!("{method}: not read"));
                return json.skip_value();
            }
        };
        if json.next()? != b'{' {
            return json.skip_value();
        }
        json.bump();
        while let Some(key) = json.key()? {
            let found = json.bytes(&key.span) == known;
            match known {
                b"chunk" if found => self.chunk_value(json, time, spool)?,
                b"statsUpdate" if found => self.stats(json, time)?,
                b"profile" if found && json.next()? == b'{' => {
                    let place = span(json)?;
                    self.profile(place, time);
                }
                b"value" if found && json.next()? == b'[' => {
                    let place = span(json)?;
                    self.trace(json.input(), place, spool)?;
                }
                _ => json.skip_value()?,
            }
        }
        Ok(())
    }

    /// Reads a part of a heap, or all of it.
    fn chunk_value(
        &mut self,
        json: &mut Json<'_>,
        time: Option<i64>,
        spool: &mut dyn Write,
    ) -> Step<()> {
        match json.next()? {
            b'"' => self.chunk(json, time, spool),
            b'{' => {
                let at = json.at();
                json.bump();
                // TraceStreamer 4.1 writes an extra brace.
                let doubled = json.next()? == b'{';
                let mut whole = json.at_offset(if doubled { json.at() } else { at }, WINDOW);
                let place = span(&mut whole)?;
                json.go_to(place.end);
                Ok(self.whole_heap(place, time, spool)?)
            }
            _ => json.skip_value(),
        }
    }

    /// Reads index, count and size of each fragment.
    fn stats(&mut self, json: &mut Json<'_>, time: Option<i64>) -> Step<()> {
        if json.next()? != b'[' {
            return json.skip_value();
        }
        json.bump();
        let mut numbers = Vec::new();
        let heap = self.heaps;
        loop {
            let ended = json.integers(&mut numbers, 3 << 10, |odd, at, raw| {
                odd_integer(odd, at, raw, "statsUpdate", &mut self.log)
            })?;
            let whole = numbers.len() / 3 * 3;
            let fragments = numbers[..whole].as_chunks::<3>().0;
            self.stats.extend(fragments.iter().map(|&fragment| StatsUpdate {
                heap,
                time,
                fragment,
            }));
            numbers.drain(..whole);
            if ended {
                return Ok(());
            }
        }
    }

    fn last_seen(&mut self, json: &mut Json<'_>, time: Option<i64>) -> Step<()> {
        if json.next()? != b'{' {
            return json.skip_value();
        }
        let at = json.at();
        json.bump();
        let (mut id, mut timestamp) = (None, None);
        while let Some(key) = json.key()? {
            match json.bytes(&key.span) {
                b"lastSeenObjectId" => id = whole(json)?,
                b"timestamp" => timestamp = number(json)?,
                _ => json.skip_value()?,
            }
        }
        match id {
            Some(id) => self.last_seen.push(LastSeen { heap: self.heaps, time, id, timestamp }),
            None => self.log.add(Code::BadMessage, at, || {
                "lastSeenObjectId: without an id that fits 64 bits".into()
            }),
        }
        Ok(())
    }

    fn result(&mut self, json: &mut Json<'_>) -> Step<Answer> {
        if json.next()? != b'{' {
            json.skip_value()?;
            return Ok(Answer::Other);
        }
        json.bump();
        let mut answer = Answer::Empty;
        let (mut code, mut message) = (None, None);
        while let Some(key) = json.key()? {
            let is_object = json.next()? == b'{';
            match json.bytes(&key.span) {
                b"profile" if is_object => {
                    answer = Answer::Profile(span(json)?);
                    continue;
                }
                b"code" => code = whole(json)?,
                b"message" => message = string(json)?,
                _ => json.skip_value()?,
            }
            if let Answer::Empty = answer {
                answer = Answer::Other;
            }
        }
        Ok(match message {
            Some(message) => Answer::Failed(code, message),
            None => answer,
        })
    }
}

/// Reads why a command failed.
fn failed(json: &mut Json<'_>) -> Step<Answer> {
    let (mut code, mut message) = (None, String::new());
    if json.next()? != b'{' {
        json.skip_value()?;
        return Ok(Answer::Failed(None, message));
    }
    json.bump();
    while let Some(key) = json.key()? {
        match json.bytes(&key.span) {
            b"code" => code = whole(json)?,
            b"message" => message = string(json)?.unwrap_or_default(),
            _ => json.skip_value()?,
        }
    }
    Ok(Answer::Failed(code, message))
}

/// Range of the container at the current position.
fn span(json: &mut Json<'_>) -> Step<Range<ByteOffset>> {
    json.next()?;
    let start = json.at();
    match json.skip() {
        Ok(()) => Ok(start..json.at()),
        // A cut container ends at the end of the input.
        Err(Stop::Cut) => Ok(start..json.at()),
        Err(stop) => Err(stop),
    }
}

/// A string, if the value is one.
fn string(json: &mut Json<'_>) -> Step<Option<String>> {
    Ok(match json.value()? {
        Value::Text(t) => Some(text(json.bytes(&t.span), t.escaped).0),
        _ => None,
    })
}

/// An integer, if the value is one that fits.
fn whole(json: &mut Json<'_>) -> Step<Option<i64>> {
    Ok(match json.value()? {
        Value::Int(value) | Value::Odd(Odd::Negative(value) | Odd::Form(value), _) => Some(value),
        _ => None,
    })
}

/// A number, if the value is one.
fn number(json: &mut Json<'_>) -> Step<Option<f64>> {
    Ok(match json.value()? {
        Value::Int(value) => Some(value as f64),
        Value::Odd(_, span) => {
            let raw = std::str::from_utf8(json.bytes(&span)).ok();
            let number = raw.and_then(|raw| raw.parse::<f64>().ok());
            number.filter(|number| number.is_finite())
        }
        _ => None,
    })
}
