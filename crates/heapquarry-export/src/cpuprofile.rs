//! A `.cpuprofile` file, `Profiler.Profile` of the DevTools protocol, for Chrome DevTools, VS Code and others.
//! <https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile>

use crate::{commas, weights};
use heapquarry::{Error, ErrorKind, Result, Source};
use heapquarry_profile::{Function, Kind, Profile, calls::Children};
use heapquarry_report::printable;
use std::io::{self, Write};

/// The id of the root: viewers take the first node for it.
const ROOT: usize = 1;

/// Fails unless the profile is a single one of times.
pub(super) fn refuse_other(source: &Source, profile: &Profile) -> Result<()> {
    let what = match profile.members.len() {
        _ if profile.kind != Kind::Cpu => {
            "times in this profile, and a .cpuprofile has nothing else; speedscope and pprof have all values"
                .into()
        }
        0 | 1 => return Ok(()),
        members => {
            format!("single CPU profile: there are {members}; choose one, such as {source}#1")
        }
    };
    Err(Error::new(ErrorKind::NotFound { path: source.path.clone(), what }))
}

/// Without an order of time, each stack is one sample as long as all its time.
pub(super) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let by_weight: Vec<(u32, i64)>;
    let samples = match profile.members.first() {
        Some(member) if !member.samples.is_empty() => &member.samples,
        _ => {
            by_weight = weights(profile).map(|(node, weight)| (node as u32, weight)).collect();
            &by_weight
        }
    };
    let nodes = profile.of.len();
    let mut hits = vec![0u64; nodes];
    samples.iter().for_each(|(node, _)| hits[*node as usize] += 1);
    // What no other calls is called by the root: by that of the profile, if it is the only one.
    let children = Children::new(&profile.parents);
    let mut roots = children.roots();
    let own_root = roots
        .next()
        .filter(|&root| profile.functions[profile.of[root] as usize].is_root())
        .filter(|_| roots.next().is_none());
    let id = |node: usize| if own_root == Some(node) { ROOT } else { node + ROOT + 1 };
    out.write_all(br#"{"nodes":["#)?;
    let root = Function { name: "(root)".into(), ..Function::default() };
    match own_root {
        Some(node) => write_node(ROOT, &root, hits[node], &mut children.of(node).map(id), out)?,
        None => write_node(ROOT, &root, 0, &mut children.roots().map(id), out)?,
    }
    for node in (0..nodes).filter(|node| own_root != Some(*node)) {
        out.write_all(b",")?;
        let function = &profile.functions[profile.of[node] as usize];
        write_node(id(node), function, hits[node], &mut children.of(node).map(id), out)?;
    }
    let total = samples.iter().fold(0i64, |sum, (_, duration)| sum.saturating_add(*duration));
    let start = profile.span.map_or(0, |(start, _)| start);
    write!(out, r#"],"startTime":{start},"endTime":{},"samples":["#, start.saturating_add(total))?;
    commas(samples.iter().map(|(node, _)| id(*node as usize)), out)?;
    out.write_all(br#"],"timeDeltas":["#)?;
    // From one sample to the next: the duration of the one before.
    let deltas = std::iter::once(0).chain(samples.iter().map(|(_, duration)| *duration));
    commas(deltas.take(samples.len()), out)?;
    out.write_all(b"]}\n")
}

fn write_node(
    id: usize,
    function: &Function,
    hits: u64,
    children: &mut dyn Iterator<Item = usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, r#"{{"id":{id},"callFrame":{{"functionName":"#)?;
    printable::json(&&*function.name, false, out)?;
    out.write_all(br#","scriptId":"0","url":"#)?;
    printable::json(&&*function.url, false, out)?;
    // From 0 in this format; -1 is unknown.
    let from_zero = |number: Option<i32>| number.map_or(-1, |number| number.saturating_sub(1));
    let (line, column) = (from_zero(function.line), from_zero(function.column));
    write!(
        out,
        r#","lineNumber":{line},"columnNumber":{column}}},"hitCount":{hits},"children":["#
    )?;
    commas(children, out)?;
    out.write_all(b"]}")
}
