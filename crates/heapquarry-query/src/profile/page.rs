//! A profile, drawn.

use super::{Subject, explore::ProfileExplorer, time};
use crate::{
    Session, Wanted,
    answer::issues,
    diff::{Compared, Diff},
    flame::{CALLS, flame},
    room::Room,
    texts, view,
    view::View,
};
use heapquarry::{
    Result, RunOptions, Source,
    engine::{Locate, Located},
};
use heapquarry_html::{
    Block, Drawing,
    model::{Flame, Texts},
};
use heapquarry_profile::{
    Function, Key, Kind,
    calls::{Calls, Frame},
};
use heapquarry_report::Section;
use std::sync::Arc;

/// Rows of tables.
const ROWS: usize = 200;

/// The blocks of the page of a profile, and the notes on how it was read. With profiles before it, the flame graph and
/// the tables also say what changed since the first.
pub(crate) fn page(
    source: &Source,
    located: Located,
    before: &[Source],
    room: Room,
    options: &RunOptions,
) -> Result<(Vec<String>, Vec<Block>)> {
    let subject = Arc::new(Subject::open_sampled(source, located, options)?);
    let mut notes = texts(&subject.notes);
    let (rows, most) = (room.of(ROWS), room.of(CALLS));
    let [totals, own, total, scripts] = sections(subject.summary(Some(rows), None).sections(rows));
    let mut blocks = vec![Block::section(totals)];
    match before {
        [] => blocks.push(subject.flame_block(subject.flame(most), most)),
        [first, ..] => {
            let base = subject.open_like(first, first.locate(options)?, options)?;
            blocks.push(subject.flame_block(subject.flame_of_both(&base, most), most));
            drop(base);
            let sources: Vec<Source> = before.iter().chain([source]).cloned().collect();
            let diff = Diff::default().top(rows);
            let wanted = Wanted::default();
            let Compared { found, caveats, .. } =
                subject.compare(&sources, None, &diff, wanted, options)?;
            notes.extend(texts(&caveats));
            let keys = ["profiles", "growth", "growth_by_total"];
            let sections = found.sections(rows).into_iter().zip(keys);
            blocks
                .extend(sections.map(|(section, key)| Block::section(Section { key, ..section })));
        }
    }
    let session = Session::new([source.clone()], options);
    let at = blocks.iter().position(|block| matches!(block, Block::Drawing { .. }));
    if let Some(time) = time::block(&ProfileExplorer::new(&session, subject.clone()), room)? {
        blocks.insert(at.map_or(blocks.len(), |at| at + 1), time);
    }
    blocks.extend([own, total, scripts].map(Block::section));
    if !subject.log.is_empty() {
        blocks.push(Block::section(view::issues(&issues(&subject.log))));
    }
    Ok((notes, blocks))
}

/// A summary has four sections.
fn sections(all: Vec<Section>) -> [Section; 4] {
    all.try_into().unwrap_or_else(|_| unreachable!("a summary has four sections"))
}

impl Subject {
    /// The call tree of this profile: the `most` calls that take most.
    pub(crate) fn flame(&self, most: usize) -> Flame {
        let mut calls: Calls<&Function> = Calls::new(&self.title());
        self.add(&mut calls, 0, |function| function);
        flame(calls.calls(), calls.frames(), most, self.unit(), self.sql(), false)
    }

    /// The call tree of this profile, with what each call took in another one. Lines change with every edit, so
    /// functions are known by name and script.
    fn flame_of_both(&self, base: &Subject, most: usize) -> Flame {
        let mut calls: Calls<Key> = Calls::new(&self.title());
        self.add(&mut calls, 0, Key::of);
        base.add(&mut calls, 1, Key::of);
        flame(calls.calls(), calls.frames(), most, self.unit(), self.sql(), true)
    }

    /// Adds all calls, except those in which nothing ran.
    pub(crate) fn add<'a, K: std::hash::Hash + Eq>(
        &'a self,
        calls: &mut Calls<K>,
        side: usize,
        key: impl Fn(&'a Function) -> K,
    ) {
        let profile = &self.profile;
        let frames: Vec<Option<u32>> = profile
            .functions
            .iter()
            .map(|function| {
                (!function.is_root()).then(|| calls.frame(key(function), || frame(function)))
            })
            .collect();
        let idle: Vec<bool> = profile.functions.iter().map(Function::is_idle).collect();
        let of = |node: usize| profile.of[node] as usize;
        calls.add(
            side,
            &profile.parents,
            &profile.weights,
            |node| frames[of(node)],
            |node| !idle[of(node)],
        );
    }

    /// A block with a flame graph of at most so many calls.
    pub(crate) fn flame_block(&self, flame: Flame, most: usize) -> Block {
        let (kept, all) = (flame.calls.parent.len() as u64 - 1, flame.node_count);
        let grouped = heapquarry_report::grouped;
        let what = match self.profile.kind {
            Kind::Cpu => {
                "Each box is a call, as wide as the time in it and in all that it calls; idle time is left out."
            }
            Kind::Heap => {
                "Each box is a call, as wide as what was allocated in it and in all that it calls."
            }
            Kind::SelfProfile => {
                "Each box is a call, as wide as the samples in it and in all that it calls."
            }
            Kind::Pprof => {
                "Each box is a call, as wide as the values of it and of all that it calls."
            }
        };
        let change = match flame.calls.before.is_empty() {
            true => "",
            false => " Colours say what changed since the first profile.",
        };
        let rest = match kept < all && all > most as u64 {
            true => format!(
                " The {} of {} calls that take most are drawn.",
                grouped(kept),
                grouped(all)
            ),
            false => String::new(),
        };
        Block::Drawing {
            key: "flame",
            title: "Flame graph",
            note: format!("{what}{change}{rest}"),
            drawing: Drawing::Flame(Box::new(flame)),
        }
    }

    fn unit(&self) -> &'static str {
        match self.profile.kind {
            Kind::Cpu => "micros",
            Kind::Heap => "bytes",
            Kind::SelfProfile | Kind::Pprof => "count",
        }
    }

    fn sql(&self) -> (&'static str, &'static str) {
        match self.profile.kind {
            _ if !self.profile.measures.is_empty() => ("pprof_node", "function_name"),
            Kind::Cpu => ("js_cpu_profiler_node", "function_name"),
            Kind::Heap => ("js_heap_sampling_node", "function_name"),
            Kind::SelfProfile => ("self_profile_frame", "name"),
            Kind::Pprof => ("pprof_node", "function_name"),
        }
    }
}

/// The part of a text that the page shows, and a character that tells whether there is more. Functions may share a
/// long text, which is in memory once.
fn beginning(text: &str) -> String {
    text.chars().take(Texts::LONGEST + 1).collect()
}

fn frame(function: &Function) -> Frame {
    Frame {
        name: beginning(&function.called()),
        script: beginning(function.source()),
        line: function.source_line().unwrap_or(0),
    }
}
