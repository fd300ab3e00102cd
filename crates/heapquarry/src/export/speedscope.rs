//! The file format of speedscope: one profile of samples.
//! <https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts>

use super::weighty;
use crate::profile::{Function, Kind, Profile};
use serde_json::json;
use std::{
    collections::HashMap,
    io::{self, Write},
};

pub(super) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let (frames, frame_of) = frames(profile);
    let unit = match profile.kind {
        Kind::Cpu => "microseconds",
        Kind::Heap => "bytes",
        Kind::SelfProfile => "none",
    };
    // What has no order of time: each node once.
    let samples: Vec<(usize, i64)> = match profile.samples.is_empty() {
        true => weighty(profile).collect(),
        false => profile.samples.iter().map(|&(node, time)| (node as usize, time)).collect(),
    };
    let total = samples.iter().fold(0i64, |sum, (_, weight)| sum.saturating_add(*weight));
    let name = json!(profile.name);
    write!(
        out,
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"heapquarry {}","name":{name},"shared":{{"frames":{}}},"profiles":[{{"type":"sampled","name":{name},"unit":"{unit}","startValue":0,"endValue":{total},"samples":["#,
        env!("CARGO_PKG_VERSION"),
        json!(frames),
    )?;
    let mut stack = Vec::new();
    for (i, (node, _)) in samples.iter().enumerate() {
        stack.clear();
        stack.extend(profile.stack(*node).map(|node| frame_of[profile.of[node] as usize]));
        stack.reverse();
        out.write_all(if i > 0 { b"," } else { b"" })?;
        serde_json::to_writer(&mut *out, &stack)?;
    }
    out.write_all(br#"],"weights":["#)?;
    for (i, (_, weight)) in samples.iter().enumerate() {
        write!(out, "{}{weight}", if i > 0 { "," } else { "" })?;
    }
    out.write_all(b"]}]}\n")
}

/// The frames, and the frame of each function. A frame has no column, so that functions may be one.
fn frames(profile: &Profile) -> (Vec<serde_json::Value>, Vec<usize>) {
    let mut numbers = HashMap::new();
    let mut frames = Vec::new();
    let number = |function: &'_ Function| -> usize {
        let Function { url, line, .. } = function;
        let mut frame = json!({"name": function.name()});
        if !url.is_empty() {
            frame["file"] = (**url).into();
        }
        if let Some(line) = line {
            frame["line"] = (*line).into();
        }
        *numbers.entry((function.name().to_string(), url.clone(), *line)).or_insert_with(|| {
            frames.push(frame);
            frames.len() - 1
        })
    };
    let of = profile.functions.iter().map(number).collect();
    (frames, of)
}
