//! Which events of a trace are asked for.

use super::span;
use heapquarry::{Error, ErrorKind, Part, Result, Source};
use heapquarry_report::{Pattern, near};
use heapquarry_timeline::{EventIndex, Ident, Key, Timeline};
use std::ops::RangeInclusive;

/// The events that are asked for.
pub(super) struct Selection {
    /// Whether a part of the trace was asked for.
    pub(super) is_part: bool,
    /// By process, if they matter.
    processes: Option<Vec<bool>>,
    /// By thread.
    threads: Option<Vec<bool>>,
    /// By the key of an event's categories.
    categories: Option<Vec<bool>>,
    window: Option<RangeInclusive<i64>>,
}

impl Selection {
    /// The part of a trace that a source names.
    pub(super) fn new(source: &Source, timeline: &Timeline) -> Result<Self> {
        let whole = Part::default();
        let part = source.part.as_ref().unwrap_or(&whole);
        let found = &timeline.processes;
        let text = |key: Key| timeline.events.strings().get(key);
        let names = |name: Key, ident: Ident| -> [Option<String>; 2] {
            let id = match ident {
                Ident::None => None,
                Ident::Number(number) => Some(number.to_string()),
                Ident::Text(key) => text(key).map(Into::into),
            };
            [text(name).map(Into::into), id]
        };
        let processes = found.processes.iter().map(|process| names(process.name, process.pid));
        let threads = found.threads.iter().map(|thread| names(thread.name, thread.tid));
        let selected = |what, patterns: &[String], names: Vec<[Option<String>; 2]>| {
            select(source, what, patterns, &names)
        };
        Ok(Selection {
            is_part: !part.is_whole(),
            processes: selected("process", &part.processes, processes.collect())?,
            threads: selected("thread", &part.threads, threads.collect())?,
            categories: categories(source, &part.categories, timeline)?,
            window: window(source, part, timeline)?,
        })
    }

    /// Whether an event is asked for, and is work of the program.
    pub(super) fn has_work(&self, timeline: &Timeline, event: EventIndex) -> bool {
        !timeline.slices.is_aggregate(event) && self.has(timeline, event)
    }

    /// Whether an event is asked for.
    pub(super) fn has(&self, timeline: &Timeline, event: EventIndex) -> bool {
        let Timeline { events, processes, .. } = timeline;
        if !self.is_part {
            return true;
        }
        let utid = || processes.utid(events, event);
        let is_in = |list: &Option<Vec<bool>>, at: &dyn Fn() -> Option<u32>| {
            list.as_ref().is_none_or(|list| at().is_some_and(|at| list[at as usize]))
        };
        is_in(&self.processes, &|| Some(processes.upid(events, event)))
            && is_in(&self.threads, &utid)
            && is_in(&self.categories, &|| events.category(event).some().map(|key| key.0))
            && self
                .window
                .as_ref()
                .is_none_or(|window| events.ts(event).is_some_and(|ts| window.contains(&ts)))
    }

    /// Whether a state of a thread of the scheduler is asked for.
    pub(super) fn has_state(&self, timeline: &Timeline, tid: i32, ts: i64) -> bool {
        let utid = timeline.processes.scheduled(tid);
        let upid = utid.map(|utid| timeline.processes.threads[utid as usize].upid);
        let is_in = |list: &Option<Vec<bool>>, at: Option<u32>| {
            list.as_ref().is_none_or(|list| at.is_some_and(|at| list[at as usize]))
        };
        self.categories.is_none()
            && is_in(&self.threads, utid)
            && is_in(&self.processes, upid)
            && self.window.as_ref().is_none_or(|window| window.contains(&ts))
    }
}

fn not_found(source: &Source, what: String) -> Error {
    Error::new(ErrorKind::NotFound { path: source.path.clone(), what })
}

/// Which of some things have a name or id that fits one of the patterns; `None` for all.
fn select(
    source: &Source,
    what: &str,
    patterns: &[String],
    names: &[[Option<String>; 2]],
) -> Result<Option<Vec<bool>>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut selected = vec![false; names.len()];
    for text in patterns {
        let pattern = Pattern::new(text);
        let mut is_any = false;
        for (is_selected, names) in selected.iter_mut().zip(names) {
            let fits = names.iter().flatten().any(|name| pattern.matches(name.trim()));
            *is_selected |= fits;
            is_any |= fits;
        }
        if !is_any {
            let known = names.iter().filter_map(|[name, _]| name.as_deref());
            return Err(not_found(source, missing(what, text, known)));
        }
    }
    Ok(Some(selected))
}

/// `process "Rendrer", perhaps Renderer,`.
fn missing<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut near: Vec<&str> = near(&name.replace('*', ""), known);
    near.dedup();
    match near[..] {
        [] => format!("{what} {name:?} in this trace"),
        _ => format!("{what} {name:?} in this trace; did you mean {}?", near.join(" or ")),
    }
}

fn categories(
    source: &Source,
    patterns: &[String],
    timeline: &Timeline,
) -> Result<Option<Vec<bool>>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let events = &timeline.events;
    let mut is_category = vec![false; events.strings().len()];
    for event in events.all() {
        if let Some(key) = events.category(event).some() {
            is_category[key.0 as usize] = true;
        }
    }
    let texts: Vec<(usize, &str)> =
        events.strings().iter().enumerate().filter(|(key, _)| is_category[*key]).collect();
    let mut selected = vec![false; is_category.len()];
    for text in patterns {
        let pattern = Pattern::new(text);
        let fits = |of: &str| of.split(',').any(|one| pattern.matches(one.trim()));
        let mut is_any = false;
        for (key, _) in texts.iter().filter(|(_, of)| fits(of)) {
            selected[*key] = true;
            is_any = true;
        }
        if !is_any {
            let known = texts.iter().flat_map(|(_, of)| of.split(',')).map(str::trim);
            return Err(not_found(source, missing("category", text, known)));
        }
    }
    Ok(Some(selected))
}

fn window(
    source: &Source,
    part: &Part,
    timeline: &Timeline,
) -> Result<Option<RangeInclusive<i64>>> {
    let Part { from, until, .. } = part;
    if from.is_none() && until.is_none() {
        return Ok(None);
    }
    let start = span(timeline).map_or(0, |(start, _)| start);
    let from = from.as_ref().map(|at| place(source, at, start, i64::MIN, timeline));
    let from = from.transpose()?.map_or(i64::MIN, |(start, _)| start);
    let to = until.as_ref().map(|at| place(source, at, start, from, timeline));
    let to = to.transpose()?.map_or(i64::MAX, |(_, end)| end);
    if from > to {
        let what = format!("time between {} and {}", text(&part.from), text(&part.until));
        return Err(not_found(source, what));
    }
    Ok(Some(from..=to))
}

fn text(at: &Option<String>) -> &str {
    at.as_deref().unwrap_or_default()
}

/// Start and end of a place in a trace: seconds after its start, or the first event of that name that begins there or
/// later.
fn place(
    source: &Source,
    at: &str,
    start: i64,
    least: i64,
    timeline: &Timeline,
) -> Result<(i64, i64)> {
    if let Some(seconds) = at.trim().parse::<f64>().ok().filter(|seconds| seconds.is_finite()) {
        let ts = start.saturating_add((seconds * 1e9).round() as i64);
        return Ok((ts, ts));
    }
    let Timeline { events, slices, async_slices, .. } = timeline;
    let pattern = Pattern::new(at);
    let fits: Vec<bool> = events.strings().iter().map(|name| pattern.matches(name)).collect();
    let is_it = |key: Key| key.some().is_some_and(|key| fits[key.0 as usize]);
    let of_events = events.all().filter(|&event| is_it(events.name(event)));
    let of_events = of_events.filter_map(|event| Some((events.ts(event)?, event)));
    let first = of_events.filter(|(ts, _)| *ts >= least).min();
    let Some((ts, event)) = first else {
        let mut names = vec![false; fits.len()];
        for key in events.all().filter_map(|event| events.name(event).some()) {
            names[key.0 as usize] = true;
        }
        let known = events.strings().iter().zip(names).filter(|(_, is_name)| *is_name);
        return Err(not_found(source, missing("event", at, known.map(|(name, _)| name))));
    };
    let of_operation = || async_slices.iter(events).find(|slice| slice.event == event);
    let dur = match slices.ending(event) {
        Some(_) => slices.dur(events, event),
        None => of_operation().map_or(0, |slice| slice.dur),
    };
    Ok((ts, ts.saturating_add(dur.max(0))))
}
