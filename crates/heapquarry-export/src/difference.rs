//! Two profiles as one file for a viewer.

use crate::{ExportFormat, collapsed::field, finish, refuse_empty, speedscope};
use heapquarry::{
    Error, ErrorKind, Result, RunOptions, Source,
    engine::{Locate, load_profile},
};
use heapquarry_profile::{Key, Kind, Profile, calls::Calls};
use heapquarry_report::printable;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Stacks of two profiles, each once. Functions are known by name and script, as in [`Diff`](heapquarry_query::Diff).
struct Stacks {
    kind: Kind,
    keys: Vec<Key>,
    /// Functions, the outermost first, and the weight of the stack before and after.
    stacks: Vec<(Vec<usize>, [u64; 2])>,
}

/// Writes what changed between two profiles of one kind for a viewer.
///
/// [Collapsed](ExportFormat::Collapsed) stacks have two weights, `outer;inner 12 15`, as difffolded.pl and
/// inferno-diff-folded write them for a differential flame graph. A [speedscope](ExportFormat::Speedscope) file has
/// four profiles: `before` and `after`, and the growth and the decline of stacks.
///
/// # Errors
///
/// Those of [`export`](crate::export()); also if the profiles are of different kinds, or the format cannot hold two
/// profiles.
pub fn export_difference(
    base: &Source,
    source: &Source,
    to: ExportFormat,
    out: &mut dyn Write,
    options: &RunOptions,
) -> Result<()> {
    let write: fn(&Stacks, &str, &mut dyn Write) -> io::Result<()> = match to {
        ExportFormat::Collapsed => write_collapsed,
        ExportFormat::Speedscope => write_speedscope,
        ExportFormat::Pprof | ExportFormat::CpuProfile | ExportFormat::Chrome => {
            let what = "way to write two profiles for this viewer, only collapsed and speedscope";
            let (path, what) = (source.path.clone(), what.into());
            return Err(Error::new(ErrorKind::NotFound { path, what }));
        }
    };
    let load = |source: &Source, held: u64| -> Result<_> {
        source.refuse_part("its samples belong to no events")?;
        let located = source.locate(options)?;
        let format = located.format();
        let profile = load_profile(source, located, false, &options.beside(held))?.profile;
        refuse_empty(source, &profile, to)?;
        Ok((profile, format))
    };
    let (after, format) = load(source, 0)?;
    let (before, other) = load(base, after.memory())?;
    if before.kind != after.kind {
        let (path, found, other) = (base.path.clone(), other.describe(), format.describe());
        return Err(Error::new(ErrorKind::Incomparable { path, found, other }));
    }
    let stacks = Stacks::new(&before, &after);
    finish(source, write(&stacks, &format!("{base} → {source}"), out), out)
}

impl Stacks {
    fn new(before: &Profile, after: &Profile) -> Self {
        let mut keys = Vec::new();
        // The root is one of the functions here, as in the export of one profile.
        let mut calls: Calls<Key> = Calls::new("");
        for (side, profile) in [before, after].into_iter().enumerate() {
            let frames = profile.functions.iter().map(|function| {
                let key = Key::of(function);
                calls.frame(key.clone(), || {
                    keys.push(key);
                    Default::default()
                })
            });
            let frames: Vec<u32> = frames.collect();
            let frame = |node: usize| Some(frames[profile.of[node] as usize]);
            calls.add(side, &profile.parents, &profile.weights, frame, |_| true);
        }
        // The frame before the first is that of the tree, which is no function.
        let stacks = calls.stacks().map(|(stack, weights)| {
            (stack.into_iter().map(|frame| frame as usize - 1).collect(), weights)
        });
        Stacks { kind: after.kind, keys, stacks: stacks.collect() }
    }
}

fn write_collapsed(all: &Stacks, _: &str, out: &mut dyn Write) -> io::Result<()> {
    let word = |key: &Key| {
        let place = match key.line() {
            Some(line) => format!("{}:{line}", key.url),
            None => key.url.to_string(),
        };
        field(key.name(), Some(&*place).filter(|_| !key.url.is_empty()))
    };
    let words: Vec<String> = all.keys.iter().map(word).collect();
    for (stack, [before, after]) in &all.stacks {
        let stack: Vec<&str> = stack.iter().map(|&function| words[function].as_str()).collect();
        writeln!(out, "{} {before} {after}", stack.join(";"))?;
    }
    Ok(())
}

fn write_speedscope(all: &Stacks, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let frame = |key: &Key| speedscope::frame(key.name(), &key.url, key.line());
    let frames: Vec<Value> = all.keys.iter().map(frame).collect();
    type Weight = fn([u64; 2]) -> u64;
    let parts: [(&str, Weight); 4] = [
        ("before", |[before, _]| before),
        ("after", |[_, after]| after),
        ("growth", |[before, after]| after.saturating_sub(before)),
        ("decline", |[before, after]| before.saturating_sub(after)),
    ];
    let active = parts.iter().position(|(name, _)| *name == "growth").unwrap_or_default();
    speedscope::begin(name, active, &frames, out)?;
    for (i, (name, weight)) in parts.into_iter().enumerate() {
        let stacks = all.stacks.iter().map(|(stack, weights)| (stack, weight(*weights)));
        let stacks: Vec<_> = stacks.filter(|(_, weight)| *weight > 0).collect();
        let total = stacks.iter().fold(0u64, |sum, (_, weight)| sum.saturating_add(*weight));
        out.write_all(if i > 0 { b"," } else { b"" })?;
        let samples: Vec<&Vec<usize>> = stacks.iter().map(|(stack, _)| *stack).collect();
        let weights: Vec<u64> = stacks.iter().map(|(_, weight)| *weight).collect();
        let part = json!({
            "type": "sampled",
            "name": name,
            "unit": speedscope::unit(all.kind),
            "startValue": 0,
            "endValue": total,
            "samples": samples,
            "weights": weights,
        });
        printable::json(&part, false, out)?;
    }
    out.write_all(b"]}\n")
}
