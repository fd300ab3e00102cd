//! Queries on profiles.

pub mod diff;
pub mod explore;
mod facts;
pub(crate) mod find;
mod page;
pub mod summary;
mod tables;
mod time;
mod words;

pub(crate) use facts::{STARTER, compared, vocabulary};
pub(crate) use page::page;

use super::incomparable;
use crate::answer::Caveat;
use heapquarry::{
    Error, ErrorKind, Result, RunOptions, Source, Status,
    engine::{LoadedProfile, Located, load_profile},
    graph::shown_data,
};
use heapquarry_formats::{Entry, Format};
use heapquarry_profile::{Function, Kind, Measure, Profile, Sums};
use heapquarry_report::Vocabulary;
use std::{collections::HashMap, mem, sync::Arc};
use words::Words;

/// A profile that has been read.
pub(crate) struct Subject {
    profile: Profile,
    /// Whether it was complete.
    status: Status,
    /// Everything unusual in it.
    log: Vec<Entry>,
    /// Caveats on how it was read, and on what its values are.
    pub(crate) notes: Vec<Caveat>,
    format: Format,
    /// Whether its samples were read too, if its kind has some.
    pub(crate) has_samples: bool,
}

/// Self and total values of a function, or of several with the same name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Numbers {
    own: i64,
    total: i64,
}

impl Numbers {
    /// The values of a group.
    fn of(sums: &Sums, group: usize) -> Self {
        Numbers { own: sums.own[group], total: sums.total[group] }
    }
}

impl Subject {
    /// Reads a profile.
    pub(crate) fn open(source: &Source, located: Located, options: &RunOptions) -> Result<Self> {
        Self::read(source, located, false, options)
    }

    /// Reads a profile with its samples, which tell when what ran.
    pub(crate) fn open_sampled(
        source: &Source,
        located: Located,
        options: &RunOptions,
    ) -> Result<Self> {
        Self::read(source, located, true, options)
    }

    fn read(
        source: &Source,
        located: Located,
        has_samples: bool,
        options: &RunOptions,
    ) -> Result<Self> {
        let format = located.format();
        let LoadedProfile { mut profile, status, log, source_map_notes } =
            load_profile(source, located, has_samples, options)?;
        cut_data(&mut profile.functions);
        let mut notes: Vec<Caveat> = Caveat::of_defects(source, status, &log).into_iter().collect();
        notes.extend(profile.caveats().map(|text| Caveat::of_values(source, text)));
        notes.extend(Caveat::of_source_maps(source, source_map_notes));
        Ok(Subject { profile, status, log, notes, format, has_samples })
    }

    /// The CPU profiles of a trace. How it was read is said of the trace.
    pub(crate) fn in_trace(mut profile: Profile, trace: &Source) -> Self {
        cut_data(&mut profile.functions);
        let text = profile.caveats().map(|text| format!("CPU profiles: {text}"));
        let notes = text.into_iter().map(|text| Caveat::of_values(trace, text)).collect();
        let (status, log, format) = (Status::Complete, Vec::new(), Format::CpuProfile);
        Subject { profile, status, log, notes, format, has_samples: false }
    }

    /// What was allocated while a timeline was recorded. How it was read is said of the heap.
    pub(crate) fn of_timeline(mut profile: Profile) -> Self {
        cut_data(&mut profile.functions);
        let (status, log, notes) = (Status::Complete, Vec::new(), Vec::new());
        Subject { profile, status, log, notes, format: Format::Heap, has_samples: false }
    }

    /// Reads a profile of the same kind.
    pub(crate) fn open_like(
        &self,
        source: &Source,
        located: Located,
        options: &RunOptions,
    ) -> Result<Self> {
        let found = located.format();
        match found.kind() {
            heapquarry_formats::Kind::Profile(kind)
                if kind == self.profile.kind
                    || kind == Kind::Pprof
                    || kind == Kind::Cpu && self.profile.counts_samples() =>
            {
                // Which kind a pprof profile is, its values say.
                let like = Self::open(source, located, &options.beside(self.held()))?;
                match like.profile.kind == self.profile.kind {
                    true => Ok(like),
                    false => Err(incomparable(source, like.describe(), self.describe())),
                }
            }
            _ => Err(incomparable(source, found.describe(), self.describe())),
        }
    }

    /// What it is, for errors.
    fn describe(&self) -> &'static str {
        match self.profile.kind {
            _ if self.profile.counts_samples() => "a CPU profile without times",
            _ if self.format != Format::Pprof => self.format.describe(),
            Kind::Cpu => "a pprof profile of times",
            Kind::Heap => "a pprof profile of bytes",
            _ => "a pprof profile of counts",
        }
    }

    /// Memory that it takes, in bytes, about.
    pub(crate) fn held(&self) -> u64 {
        self.profile.memory()
    }

    /// What it is, in one word.
    pub(crate) fn kind(&self) -> &'static str {
        match self.profile.kind {
            Kind::Cpu => "cpu_profile",
            Kind::Heap => "heap_profile",
            Kind::SelfProfile => "self_profile",
            Kind::Pprof => "profile",
        }
    }

    /// What can be limited of it.
    pub(crate) fn vocabulary(&self) -> Vocabulary {
        match self.profile.counts_samples() {
            true => vocabulary(Kind::Cpu),
            false => vocabulary(self.profile.kind),
        }
    }

    /// What can be limited of a comparison of it.
    pub(crate) fn compared(&self) -> Vocabulary {
        match self.profile.counts_samples() {
            true => compared(Kind::Cpu),
            false => compared(self.profile.kind),
        }
    }

    /// The time in which garbage was collected; `None` of a pprof profile without a sign of it. Whether there was none,
    /// or the program has no collector, cannot be told.
    fn gc(&self) -> Option<i64> {
        let functions = &self.profile.functions;
        let groups: Vec<_> = functions.iter().map(|one| one.is_gc().then_some(0)).collect();
        let is_known = self.format != Format::Pprof || groups.contains(&Some(0));
        is_known.then(|| self.sums(&groups, 1).total[0])
    }

    /// What it is, in words.
    fn title(&self) -> String {
        match self.profile.measures.get(self.profile.shown) {
            Some(Measure { name, unit, .. }) => format!("Profile of {name} ({unit})"),
            None if self.format == Format::Heap => "Allocations".into(),
            None => self.words().title.into(),
        }
    }

    fn words(&self) -> &'static Words {
        Words::of(self.profile.kind)
    }

    /// Returns an error unless the profile is complete.
    fn refuse_partial(&self, source: &Source) -> Result<()> {
        match self.status {
            Status::Truncated => Err(Error::new(ErrorKind::Truncated(source.path.clone()))),
            _ => Ok(()),
        }
    }

    /// Sum of the self values of functions that pass a test.
    fn own(&self, test: impl Fn(&Function) -> bool) -> i64 {
        self.own_of(&self.profile.weights, test)
    }

    fn own_of(&self, weights: &[i64], test: impl Fn(&Function) -> bool) -> i64 {
        let Profile { functions, of, .. } = &self.profile;
        let tested: Vec<bool> = functions.iter().map(test).collect();
        let own = of.iter().zip(weights).filter(|(function, _)| tested[**function as usize]);
        own.fold(0, |sum, (_, &weight)| sum.saturating_add(weight))
    }

    /// The denominator of shares: everything that was not idle; for self-profiling traces, the samples with a stack.
    fn busy(&self) -> i64 {
        match self.profile.kind {
            Kind::SelfProfile => self.own(|_| true),
            _ => self.profile.whole.saturating_sub(self.own(Function::is_idle)),
        }
    }

    /// Functions that are listed: all except the root, which calls all others.
    fn listed(&self) -> impl Iterator<Item = (u32, &Function)> {
        (0..).zip(&self.profile.functions).filter(|(_, function)| !function.is_root())
    }

    /// Sums of groups of functions. Functions that are not listed have no group.
    fn sums(&self, group_of: &[Option<u32>], groups: usize) -> Sums {
        self.sums_of(&self.profile.weights, group_of, groups)
    }

    /// Sums of groups of functions in a part of the profile, whose nodes take this themselves.
    fn sums_of(&self, weights: &[i64], group_of: &[Option<u32>], groups: usize) -> Sums {
        let other = groups as u32;
        let group_of: Vec<u32> = group_of.iter().map(|group| group.unwrap_or(other)).collect();
        self.profile.sums_of(weights, &group_of, groups + 1)
    }
}

/// A share in ten-thousandths of a percent; 0 if the whole is 0.
fn share(part: i64, whole: i64) -> i64 {
    if whole <= 0 {
        return 0;
    }
    let share = i128::from(part) * 1_000_000 / i128::from(whole);
    i64::try_from(share).unwrap_or(i64::MAX)
}

/// Cuts long `data:` addresses of scripts, which hold the script: each function would show up to a megabyte.
pub(crate) fn cut_data(functions: &mut [Function]) {
    let mut known: HashMap<Arc<str>, Arc<str>> = HashMap::new();
    for function in functions.iter_mut().filter(|function| function.url.starts_with("data:")) {
        if let Some(shown) = known.get(&function.url) {
            function.url = shown.clone();
        } else if let Some(shown) = shown_data(&function.url) {
            let whole = mem::replace(&mut function.url, shown.into());
            known.insert(whole, function.url.clone());
        }
    }
}

/// Where a function is; with a source map where it is in its source, and in brackets where in the script.
pub(crate) fn place_of(function: &Function) -> Option<String> {
    let own = place(&function.url, function.line)?;
    let Some(original) = function.original.as_deref() else { return Some(own) };
    let source = place(&original.source, Some(original.line))?;
    let column = function.column.map(|column| format!(":{column}")).unwrap_or_default();
    Some(format!("{source} [{own}{column}]"))
}

/// Position of a function, short enough for a table: the last two parts of the URL, and the line.
pub(crate) fn place(url: &str, line: Option<i32>) -> Option<String> {
    if url.is_empty() {
        return None;
    }
    let short = if url.starts_with("data:") {
        url
    } else {
        let path = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
        let slash = path.rmatch_indices(['/', '\\']).nth(1);
        slash.map_or(path, |(at, _)| path[at..].trim_start_matches(['/', '\\']))
    };
    Some(match line {
        Some(line) => format!("{short}:{line}"),
        None => short.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_short() {
        for (url, line, expected) in [
            ("file:///home/me/app/src/index.js", Some(7), "src/index.js:7"),
            ("https://example.org/a/b/app.js?v=1/2#x", Some(1), "b/app.js:1"),
            ("https://example.org/", None, "example.org"),
            ("node:internal/util/inspect", Some(12), "util/inspect:12"),
            ("C:\\work\\app\\main.js", Some(3), "app\\main.js:3"),
            ("app.js", Some(3), "app.js:3"),
            ("data:text/javascript,a/b/c?d", Some(3), "data:text/javascript,a/b/c?d:3"),
            ("evalmachine.<anonymous>", None, "evalmachine.<anonymous>"),
        ] {
            assert_eq!(place(url, line).as_deref(), Some(expected), "{url}");
        }
        assert_eq!(place("", Some(1)), None);
    }

    #[test]
    fn shares_of_large_and_of_no_wholes() {
        for (part, whole, expected) in
            [(1, 8, 125_000), (i64::MAX, i64::MAX, 1_000_000), (5, 0, 0), (0, 7, 0)]
        {
            assert_eq!(share(part, whole), expected);
        }
    }
}
