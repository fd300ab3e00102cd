//! The format of pprof: a message `Profile` of Protocol Buffers, packed with gzip.
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>
//!
//! The fields of a message may come in any order and lists in parts, so stacks are written one by one as they are put
//! together.

mod field;
mod wire;

use crate::profile::{Kind, Profile};
use flate2::{Compression, write::GzEncoder};
use std::{
    collections::HashMap,
    io::{self, Write},
};
use wire::Message;

/// The texts, each once; the first is empty.
struct Texts<'a> {
    texts: Vec<&'a str>,
    numbers: HashMap<&'a str, u64>,
}

impl<'a> Texts<'a> {
    fn new() -> Self {
        Texts { texts: vec![""], numbers: HashMap::from([("", 0)]) }
    }

    fn number(&mut self, text: &'a str) -> u64 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.texts.push(text);
            self.texts.len() as u64 - 1
        })
    }
}

pub(super) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut out = GzEncoder::new(out, Compression::default());
    out.write_all(frame(profile).bytes())?;
    let (mut field, mut sample) = (Message::default(), Message::default());
    for node in 0..profile.of.len() {
        let own = |values: &[i64]| u64::try_from(values[node]).unwrap_or(0);
        let values = match profile.kind {
            Kind::Cpu => [Some(own(&profile.hits)), Some(own(&profile.weights))],
            Kind::Heap | Kind::SelfProfile => [Some(own(&profile.weights)), None],
        };
        if values.iter().flatten().all(|&value| value == 0) {
            continue;
        }
        sample.clear();
        sample.numbers(field::sample::LOCATION_ID, stack(profile, node));
        sample.numbers(field::sample::VALUE, values.into_iter().flatten());
        field.clear();
        field.message(field::profile::SAMPLE, &sample);
        out.write_all(field.bytes())?;
    }
    out.finish()?;
    Ok(())
}

/// Ids of the functions of a stack, the innermost first. The root, which calls all others, is none here.
fn stack(profile: &Profile, node: usize) -> impl Iterator<Item = u64> {
    let functions = profile.stack(node).map(|node| profile.of[node]);
    functions.filter(|&function| !profile.functions[function as usize].is_root()).map(id)
}

/// The id of a function, and of its one location: not 0.
fn id(function: u32) -> u64 {
    u64::from(function) + 1
}

/// All but the samples.
fn frame(profile: &Profile) -> Message {
    let mut texts = Texts::new();
    let mut message = Message::default();
    // As the tools of Node name them: the engine samples the time of day, not of the processor.
    let types: &[(&str, &str)] = match profile.kind {
        Kind::Cpu => &[("sample", "count"), ("wall", "microseconds")],
        Kind::Heap => &[("space", "bytes")],
        Kind::SelfProfile => &[("sample", "count")],
    };
    let mut last = (0, Message::default());
    for &(name, unit) in types {
        let mut value_type = Message::default();
        value_type.number(field::value_type::TYPE, texts.number(name));
        value_type.number(field::value_type::UNIT, texts.number(unit));
        message.message(field::profile::SAMPLE_TYPE, &value_type);
        last = (texts.number(name), value_type);
    }
    let (name, value_type) = last;
    message.number(field::profile::DEFAULT_SAMPLE_TYPE, name);
    if profile.kind == Kind::Cpu {
        let time = profile.span.map_or(profile.whole, |(start, end)| end.saturating_sub(start));
        let time = u64::try_from(time).unwrap_or(0);
        message.number(field::profile::DURATION_NANOS, time.saturating_mul(1000));
        message.message(field::profile::PERIOD_TYPE, &value_type);
        message.number(field::profile::PERIOD, time / profile.sample_count.max(1));
    }
    for (id, function) in (0..).map(id).zip(&profile.functions) {
        let number = |number: Option<i32>| number.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        let name = texts.number(function.name());
        let mut made = Message::default();
        made.number(field::function::ID, id);
        made.number(field::function::NAME, name);
        made.number(field::function::SYSTEM_NAME, name);
        made.number(field::function::FILENAME, texts.number(&function.url));
        made.number(field::function::START_LINE, number(function.line));
        message.message(field::profile::FUNCTION, &made);
        let mut line = Message::default();
        line.number(field::line::FUNCTION_ID, id);
        line.number(field::line::LINE, number(function.line));
        line.number(field::line::COLUMN, number(function.column));
        let mut location = Message::default();
        location.number(field::location::ID, id);
        location.message(field::location::LINE, &line);
        message.message(field::profile::LOCATION, &location);
    }
    let comment = texts.number(concat!("heapquarry ", env!("CARGO_PKG_VERSION")));
    message.numbers(field::profile::COMMENT, [comment]);
    for text in texts.texts {
        message.text(field::profile::STRING_TABLE, text);
    }
    message
}
