//! The format of pprof: a Protocol Buffers message `Profile`, compressed with gzip.
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>
//!
//! Concatenated messages are one message: each stack is written as a profile with nothing else, so memory need not hold
//! all of them.

#[rustfmt::skip]
#[allow(unreachable_pub, reason = "as prost-build writes it")]
mod proto;

use flate2::{Compression, write::GzEncoder};
use heapquarry_profile::{Kind, Profile};
use prost::Message;
use proto::{Function, Label, Line, Location, Sample, ValueType};
use std::{
    collections::HashMap,
    io::{self, Write},
};

/// The string table; the first string is empty.
struct Texts<'a> {
    texts: Vec<String>,
    numbers: HashMap<&'a str, i64>,
}

impl<'a> Texts<'a> {
    fn new() -> Self {
        Texts { texts: vec![String::new()], numbers: HashMap::from([("", 0)]) }
    }

    fn number(&mut self, text: &'a str) -> i64 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.texts.push(text.to_owned());
            self.texts.len() as i64 - 1
        })
    }
}

pub(super) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut out = GzEncoder::new(out, Compression::default());
    let (frame, labels) = frame(profile);
    out.write_all(&frame.encode_to_vec())?;
    let mut part = proto::Profile { sample: vec![Sample::default()], ..Default::default() };
    let mut bytes = Vec::new();
    let values = values(profile);
    for node in 0..profile.of.len() {
        let own = values.iter().map(|(_, _, own)| own[node].max(0));
        if own.clone().all(|value| value == 0) {
            continue;
        }
        let sample = &mut part.sample[0];
        sample.clear();
        sample.location_id.extend(stack(profile, node));
        sample.value.extend(own);
        let member = profile.members.partition_point(|member| member.nodes.end as usize <= node);
        sample.label.extend(labels.get(member));
        bytes.clear();
        part.encode(&mut bytes)?;
        out.write_all(&bytes)?;
    }
    out.finish()?;
    Ok(())
}

/// The types of values, their units, and the value of each node. Named as in Node's tools: the engine samples
/// wall-clock time, not CPU time.
fn values(profile: &Profile) -> Vec<(&str, &str, &[i64])> {
    let Profile { hits, weights, measures, .. } = profile;
    if !measures.is_empty() {
        let all = measures.iter();
        return all.map(|one| (&*one.name, &*one.unit, one.weights.as_slice())).collect();
    }
    match profile.kind {
        Kind::Cpu => vec![("sample", "count", hits), ("wall", "microseconds", weights)],
        Kind::Heap => vec![("space", "bytes", weights)],
        Kind::SelfProfile | Kind::Pprof => vec![("sample", "count", weights)],
    }
}

/// Ids of the functions of a stack, the innermost first, without the root, which calls all others.
fn stack(profile: &Profile, node: usize) -> impl Iterator<Item = u64> {
    let functions = profile.stack(node).map(|node| profile.of[node]);
    functions.filter(|&function| !profile.functions[function as usize].is_root()).map(id)
}

/// The id of a function, and of its only location; not 0.
fn id(function: u32) -> u64 {
    u64::from(function) + 1
}

/// Everything except the samples, and a label for the samples of each profile if there are several.
fn frame<'a>(profile: &'a Profile) -> (proto::Profile, Vec<Label>) {
    let mut texts = Texts::new();
    let value_type = |(name, unit, _): (&'a str, &'a str, _)| ValueType {
        r#type: texts.number(name),
        unit: texts.number(unit),
    };
    let sample_type: Vec<_> = values(profile).into_iter().map(value_type).collect();
    let shown = match profile.measures.is_empty() {
        true => sample_type.last(),
        false => sample_type.get(profile.shown),
    };
    let shown = shown.copied().unwrap_or_default();
    let mut message = proto::Profile {
        sample_type,
        default_sample_type: shown.r#type,
        comment: vec![texts.number(concat!("heapquarry ", env!("CARGO_PKG_VERSION")))],
        ..Default::default()
    };
    let time = profile.span.map_or(profile.whole, |(start, end)| end.saturating_sub(start)).max(0);
    if !profile.measures.is_empty() {
        message.duration_nanos = profile.span.map_or(0, |_| time.saturating_mul(1000));
    } else if profile.kind == Kind::Cpu {
        let samples = i64::try_from(profile.sample_count).unwrap_or(i64::MAX);
        message.duration_nanos = time.saturating_mul(1000);
        message.period_type = Some(shown);
        message.period = profile.whole.max(0) / samples.max(1);
    }
    for (id, function) in (0..).map(id).zip(&profile.functions) {
        let number = |number: Option<i32>| number.map_or(0, |number| number.max(0).into());
        let name = texts.number(function.name());
        message.function.push(Function {
            id,
            name,
            system_name: name,
            filename: texts.number(&function.url),
            start_line: number(function.line),
        });
        let (line, column) = (number(function.line), number(function.column));
        message.location.push(Location { id, line: vec![Line { function_id: id, line, column }] });
    }
    let mut labels = Vec::new();
    if let members @ [_, _, ..] = &profile.members[..] {
        let key = texts.number("profile");
        labels.extend(members.iter().map(|member| Label { key, str: texts.number(&member.name) }));
    }
    message.string_table = texts.texts;
    (message, labels)
}
