//! The scripts that slices of a trace run or compile: functions, and sums by script and package.

mod answer;
mod sum;
pub(crate) mod view;

pub use answer::{CallTime, Called, CalledFunction, CalledPackage, CalledScript, ScriptCalls};
pub(crate) use sum::CallsSum;

use super::Subject;
use crate::{
    answer::{List, Nanos, Original, Share, function_called},
    find::{Filter, Find, FindOrder},
    profile::{
        place_of,
        summary::{NATIVE, name_of, package},
    },
};
use heapquarry_base::Order;
use heapquarry_profile::Function;
use heapquarry_timeline::{EventIndex, Key, SliceFigures, slice_sums_by};
use std::{borrow::Cow, cmp::Reverse, collections::HashMap, hash::Hash};

/// The slice that calls a function; all others run or compile a script as a whole.
const FUNCTION_CALL: &str = "FunctionCall";

/// Sums of slices by what they call.
struct Sums {
    /// Names of slices with the numbers of what they call.
    kinds: Vec<(Key, u32)>,
    functions: Vec<SliceFigures>,
    scripts: Vec<(String, SliceFigures)>,
    packages: Vec<(String, SliceFigures)>,
    all: SliceFigures,
}

impl Subject {
    /// What an event calls; `None` if that is not told.
    pub(super) fn function_of(&self, event: EventIndex) -> Option<(u32, &Function)> {
        let number = self.calls.of_event(event)?;
        Some((number, &self.calls.functions[number as usize]))
    }

    /// What a slice calls.
    pub(super) fn called(&self, event: EventIndex) -> Option<Called> {
        let (_, function) = self.function_of(event)?;
        Some(called_by(self.string(self.timeline.events.name(event)), function))
    }

    /// The calls of scripts among the slices that are asked for; `None` if no slice tells one.
    pub(super) fn script_calls(&self, top: Option<usize>) -> Option<ScriptCalls> {
        let Sums { kinds, functions, scripts, packages, all } = self.call_sums()?;
        let whole = all.self_dur;
        let functions = ranked(kinds.into_iter().zip(functions));
        let row =
            |((name, function), figures)| self.called_function(name, function, &figures, whole);
        Some(ScriptCalls {
            totals: CallTime::of(&all, whole),
            functions: List::of(functions, top, row),
            scripts: List::of(ranked(scripts), top, |(url, figures)| CalledScript {
                url,
                time: CallTime::of(&figures, whole),
            }),
            packages: List::of(ranked(packages), top, |(package, figures)| CalledPackage {
                package,
                time: CallTime::of(&figures, whole),
            }),
        })
    }

    /// The calls of functions and scripts whose name or address is asked for; `None` if no slice tells one.
    pub(super) fn find_calls(&self, asked: &Find, filter: &Filter) -> Option<List<CalledFunction>> {
        let Sums { kinds, functions, all, .. } = self.call_sums()?;
        let mut rows = ranked(kinds.into_iter().zip(functions));
        rows.retain(|&((name, function), _)| {
            let mut names = names(&self.calls.functions[function as usize]);
            // A script as a whole is no function without a name.
            if self.string(name) != FUNCTION_CALL {
                names[0] = "";
            }
            filter.has(&names)
        });
        if asked.sort == FindOrder::Retained {
            rows.order_by_key(|(_, figures)| (Reverse(figures.dur), Reverse(figures.self_dur)));
        }
        let row = |((name, function), figures): ((Key, u32), SliceFigures)| {
            self.called_function(name, function, &figures, all.self_dur)
        };
        Some(List::page(rows, asked.offset, asked.top, row))
    }

    /// Of each of the functions that are called, whether its name in the file or in its source is looked for. Addresses
    /// are not: those of `data:` have any text.
    pub(super) fn called_with(&self, fits: impl Fn(&str) -> bool) -> Vec<bool> {
        let functions = self.calls.functions.iter();
        let has = |name: &&str| !name.is_empty() && fits(name);
        let has_one = |function: &Function| {
            let [_, _, original, _] = names(function);
            [&*function.name, original].iter().any(has)
        };
        functions.map(has_one).collect()
    }

    fn called_function(
        &self,
        name: Key,
        function: u32,
        figures: &SliceFigures,
        whole: i64,
    ) -> CalledFunction {
        let (slice_name, function) = (self.string(name), &self.calls.functions[function as usize]);
        CalledFunction {
            slice_name: slice_name.into(),
            called: called_by(slice_name, function),
            time: CallTime::of(figures, whole),
        }
    }

    fn call_sums(&self) -> Option<Sums> {
        let events = &self.timeline.events;
        let mut kinds = Numbered::default();
        let of: Vec<(EventIndex, u32)> = (self.calls.of.iter())
            .filter(|&&(event, _)| event.0 < events.len() && self.is_wanted(event))
            .map(|&(event, function)| (event, kinds.number((events.name(event), function))))
            .collect();
        if of.is_empty() {
            return None;
        }
        let (mut scripts, mut packages) = (Numbered::default(), Numbered::default());
        let (mut of_scripts, mut of_packages) = (Vec::new(), Vec::new());
        for &(_, function) in &kinds.all {
            let function = &self.calls.functions[function as usize];
            of_scripts.push(scripts.number(function.source()));
            of_packages.push(packages.number(package(function)));
        }
        let own = (0..kinds.all.len() as u32).collect();
        let groups = [own, of_scripts, of_packages, vec![0; kinds.all.len()]];
        let kind_of = |event| {
            let at = of.binary_search_by_key(&event, |&(event, _)| event).ok()?;
            Some(of[at].1)
        };
        let [functions, by_script, by_package, all] =
            slice_sums_by(&self.timeline, &kind_of, groups);
        let url = |url: &str| if url.is_empty() { NATIVE.into() } else { url.to_owned() };
        let scripts = scripts.all.into_iter().map(url);
        let packages = packages.all.iter().map(|package| name_of(package.as_ref()));
        // Instants have no slices.
        let all = all.first().copied().filter(|all| all.count > 0)?;
        Some(Sums {
            kinds: kinds.all,
            functions,
            scripts: scripts.zip(by_script).collect(),
            packages: packages.zip(by_package).collect(),
            all,
        })
    }
}

/// Distinct values, numbered as they come.
struct Numbered<K> {
    all: Vec<K>,
    numbers: HashMap<K, u32>,
}

impl<K> Default for Numbered<K> {
    fn default() -> Self {
        Numbered { all: Vec::new(), numbers: HashMap::new() }
    }
}

impl<K: Clone + Eq + Hash> Numbered<K> {
    fn number(&mut self, key: K) -> u32 {
        let Numbered { all, numbers } = self;
        *numbers.entry(key).or_insert_with_key(|key| {
            all.push(key.clone());
            all.len() as u32 - 1
        })
    }
}

/// Those that have slices, by self time; equal ones in the order of the file.
fn ranked<K>(rows: impl IntoIterator<Item = (K, SliceFigures)>) -> Vec<(K, SliceFigures)> {
    let mut rows: Vec<_> = rows.into_iter().filter(|(_, figures)| figures.count > 0).collect();
    rows.order_by_key(|(_, figures)| (Reverse(figures.self_dur), Reverse(figures.dur)));
    rows
}

/// What a slice of a name calls.
fn called_by(slice_name: &str, function: &Function) -> Called {
    Called {
        function_name: (slice_name == FUNCTION_CALL).then(|| function.name().into()),
        place: place_of(function),
        url: function.url.to_string(),
        line: function.line,
        column: function.column,
        original: function.original.as_deref().map(Original::of_function),
    }
}

/// What a function is known by: its names and scripts, in the file and in its source.
fn names(function: &Function) -> [&str; 4] {
    let original = function.original.as_ref().and_then(|original| original.name.as_deref());
    [function.name(), &function.url, original.unwrap_or(""), function.source()]
}

impl Called {
    /// The name of the function, with the one that the file has in brackets, and where it is.
    pub fn told(&self) -> String {
        let place = self.place.as_deref().unwrap_or_default();
        match self.name() {
            Some(name) if place.is_empty() => name.into(),
            Some(name) => format!("{name} {place}"),
            None => place.into(),
        }
    }

    /// The name of the function, with the one that the file has in brackets.
    pub(crate) fn name(&self) -> Option<Cow<'_, str>> {
        Some(function_called(self.function_name.as_deref()?, self.original.as_ref()))
    }
}

impl CallTime {
    fn of(figures: &SliceFigures, whole: i64) -> Self {
        let &SliceFigures { count, self_dur, dur, longest, .. } = figures;
        let unsigned = |nanos: i64| u64::try_from(nanos).unwrap_or(0);
        CallTime {
            count,
            self_time_ns: Nanos(self_dur),
            self_percent: Share::of(unsigned(self_dur), unsigned(whole)),
            total_time_ns: Nanos(dur),
            longest_ns: longest.map(Nanos),
        }
    }
}
