//! The file format of speedscope: one profile, or one for each CPU profile of a trace.
//! <https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts>

use crate::{commas, weights};
use heapquarry_profile::{Function, Kind, Profile};
use heapquarry_report::printable;
use serde_json::json;
use std::{
    collections::HashMap,
    io::{self, Write},
};

pub(super) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let (frames, frame_of) = frames(profile);
    begin(&profile.name, 0, &frames, out)?;
    // A thread that was never sampled has nothing to show.
    let sampled = profile.members.iter().filter(|member| !member.samples.is_empty());
    let mut parts: Vec<_> = sampled.map(|member| (&member.name, &member.samples)).collect();
    let nodes;
    if parts.is_empty() {
        // Without an order of time, each node once.
        nodes = weights(profile).map(|(node, weight)| (node as u32, weight)).collect();
        parts.push((&profile.name, &nodes));
    }
    for (i, (name, samples)) in parts.into_iter().enumerate() {
        out.write_all(if i > 0 { b"," } else { b"" })?;
        write_samples(name, samples, profile, &frame_of, out)?;
    }
    out.write_all(b"]}\n")
}

/// Writes everything before the profiles, which a `]}` ends.
pub(super) fn begin(
    name: &str,
    active: usize,
    frames: &[serde_json::Value],
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(
        out,
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"heapquarry {}","name":"#,
        env!("CARGO_PKG_VERSION"),
    )?;
    printable::json(&name, false, out)?;
    write!(out, r#","activeProfileIndex":{active},"shared":{{"frames":"#)?;
    printable::json(&frames, false, out)?;
    out.write_all(br#"},"profiles":["#)
}

/// The unit of weights.
pub(super) fn unit(kind: Kind) -> &'static str {
    match kind {
        Kind::Cpu => "microseconds",
        Kind::Heap => "bytes",
        Kind::SelfProfile | Kind::Pprof => "none",
    }
}

/// Writes one of the profiles: the stack of each sample, as frame numbers, and its weight.
fn write_samples(
    name: &str,
    samples: &[(u32, i64)],
    profile: &Profile,
    frame_of: &[usize],
    out: &mut dyn Write,
) -> io::Result<()> {
    let unit = unit(profile.kind);
    let total = samples.iter().fold(0i64, |sum, (_, weight)| sum.saturating_add(*weight));
    out.write_all(br#"{"type":"sampled","name":"#)?;
    printable::json(&name, false, out)?;
    write!(out, r#","unit":"{unit}","startValue":0,"endValue":{total},"samples":["#)?;
    let mut stack = Vec::new();
    for (i, (node, _)) in samples.iter().enumerate() {
        stack.clear();
        let nodes = profile.stack(*node as usize);
        stack.extend(nodes.map(|node| frame_of[profile.of[node] as usize]));
        stack.reverse();
        out.write_all(if i > 0 { b"," } else { b"" })?;
        serde_json::to_writer(&mut *out, &stack)?;
    }
    out.write_all(br#"],"weights":["#)?;
    commas(samples.iter().map(|(_, weight)| weight), out)?;
    out.write_all(b"]}")
}

/// A function in a place.
pub(super) fn frame(name: &str, url: &str, line: Option<i32>) -> serde_json::Value {
    let mut frame = json!({"name": name});
    if !url.is_empty() {
        frame["file"] = url.into();
    }
    if let Some(line) = line {
        frame["line"] = line.into();
    }
    frame
}

/// The frames, and the frame of each function. Frames have no column, so functions can share one.
fn frames<'p>(profile: &'p Profile) -> (Vec<serde_json::Value>, Vec<usize>) {
    let mut numbers: HashMap<(&str, &str, Option<i32>), usize> = HashMap::new();
    let mut frames = Vec::new();
    let number = |function: &'p Function| -> usize {
        let (name, url, line) = (function.name(), &*function.url, function.line);
        *numbers.entry((name, url, line)).or_insert_with(|| {
            frames.push(frame(name, url, line));
            frames.len() - 1
        })
    };
    let of = profile.functions.iter().map(number).collect();
    (frames, of)
}
