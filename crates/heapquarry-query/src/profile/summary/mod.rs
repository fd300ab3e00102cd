//! Summary of a profile.

mod answer;
mod several;
pub(crate) mod view;

pub use answer::{FunctionValue, PackageValue, ProfileSummary, ProfileTotals, ScriptValue};
pub(crate) use several::ProfilesSum;
pub use several::{OneProfile, ProfilesSummary};

use super::{Numbers, Subject, place_of};
use crate::{
    By,
    answer::{Amount, List, Original, Share, function_called},
    listing::SHOWN,
};
use heapquarry_base::Order;
use heapquarry_graph::Package;
use heapquarry_profile::{Function, Kind, Sums};
use std::{borrow::Cow, cmp::Reverse, collections::HashMap, hash::Hash};

impl Subject {
    /// What is in the profile; of each list at most `top` rows.
    pub(crate) fn summary(&self, top: Option<usize>, by: Option<By>) -> ProfileSummary {
        let [functions, functions_by_total] = self.functions(top);
        ProfileSummary {
            title: self.title(),
            unit: self.profile.unit().into(),
            words: self.profile.kind,
            totals: self.totals(),
            functions,
            functions_by_total,
            urls: self.urls(top),
            packages: self.packages(top),
            by,
            busy: self.busy(),
        }
    }

    pub(super) fn amount(&self, number: i64) -> Amount {
        Amount { number, unit: heapquarry::engine::unit(self.profile.kind) }
    }

    fn totals(&self) -> ProfileTotals {
        let profile = &self.profile;
        let (busy_value, gc_value) = match profile.kind {
            Kind::Cpu => (Some(self.busy()), self.gc()),
            Kind::SelfProfile => (Some(self.busy()), None),
            Kind::Heap | Kind::Pprof => (None, None),
        };
        // Of self-profiling traces each sample counts once.
        let value = match profile.kind {
            Kind::SelfProfile => i64::try_from(profile.sample_count).unwrap_or(i64::MAX),
            _ => profile.whole,
        };
        let amount = |number| self.amount(number);
        ProfileTotals {
            profile_count: profile.documents as u64,
            value: Amount { number: value, ..self.amount(0) },
            busy_value: busy_value.map(amount),
            gc_value: gc_value.map(amount),
            sample_count: profile.sample_count,
            node_count: profile.of.len() as u64,
            function_count: self.listed().count() as u64,
        }
    }

    /// A part of what was not idle; idle functions have no share.
    pub(super) fn share(&self, value: i64, busy: i64, is_idle: bool) -> Option<Share> {
        (!is_idle && busy > 0).then(|| Share { parts: super::share(value, busy) })
    }

    /// The functions, sorted by self and by total value.
    fn functions(&self, top: Option<usize>) -> [List<FunctionValue>; 2] {
        let values = Values::new(self);
        let mut rows = values.rows(|_| true);
        // Equal ones stay in file order.
        rows.order_by_key(|(_, n)| (Reverse(n.own), Reverse(n.total)));
        let by_own = List::of(rows.clone(), top, |row| values.row(row));
        rows.order_by_key(|(_, n)| (Reverse(n.total), Reverse(n.own)));
        [by_own, List::of(rows, Some(top.unwrap_or(SHOWN)), |row| values.row(row))]
    }

    /// The values of a function, by its number.
    pub(super) fn function_value(&self, number: u32, sums: &Sums, busy: i64) -> FunctionValue {
        let function = &self.profile.functions[number as usize];
        let Numbers { own, total } = Numbers::of(sums, number as usize);
        let is_idle = function.is_idle();
        FunctionValue {
            function_name: function.name().into(),
            place: place_of(function),
            url: function.url.to_string(),
            line: function.line,
            column: function.column,
            original: function.original.as_deref().map(Original::of_function),
            node_count: sums.nodes[number as usize],
            self_value: self.amount(own),
            self_percent: self.share(own, busy, is_idle),
            total_value: self.amount(total),
            total_percent: self.share(total, busy, is_idle),
            is_idle,
        }
    }

    /// The scripts; functions without one are the engine and native code.
    fn urls(&self, top: Option<usize>) -> List<ScriptValue> {
        self.urls_of(&self.profile.weights, self.busy(), top)
    }

    /// The scripts in a part of the profile, whose nodes take this themselves.
    pub(super) fn urls_of(
        &self,
        weights: &[i64],
        busy: i64,
        top: Option<usize>,
    ) -> List<ScriptValue> {
        let (names, groups) = self.groups(Function::source);
        let sums = self.sums_of(weights, &groups, names.len());
        let mut rows: Vec<(&str, Numbers)> =
            names.iter().enumerate().map(|(i, url)| (*url, Numbers::of(&sums, i))).collect();
        rows.order_by_key(|(_, n)| (Reverse(n.own), Reverse(n.total)));
        List::of(rows, top, |(url, Numbers { own, total })| ScriptValue {
            url: if url.is_empty() { NATIVE } else { url }.into(),
            self_value: self.amount(own),
            self_percent: self.share(own, busy, false),
            total_value: self.amount(total),
            total_percent: self.share(total, busy, false),
        })
    }

    /// The packages of their scripts.
    fn packages(&self, top: Option<usize>) -> List<PackageValue> {
        self.packages_of(&self.profile.weights, self.busy(), top)
    }

    /// The packages in a part of the profile, whose nodes take this themselves.
    pub(super) fn packages_of(
        &self,
        weights: &[i64],
        busy: i64,
        top: Option<usize>,
    ) -> List<PackageValue> {
        let (packages, groups) = self.groups(package);
        let sums = self.sums_of(weights, &groups, packages.len());
        let mut rows: Vec<_> =
            packages.iter().enumerate().map(|(i, of)| (of, Numbers::of(&sums, i))).collect();
        rows.order_by_key(|(_, n)| (Reverse(n.own), Reverse(n.total)));
        List::of(rows, top, |(package, Numbers { own, total })| PackageValue {
            package: name_of(package.as_ref()),
            self_value: self.amount(own),
            self_percent: self.share(own, busy, false),
            total_value: self.amount(total),
            total_percent: self.share(total, busy, false),
        })
    }

    /// Groups listed functions that are not idle by what they have in common: what it is, and the group of each
    /// function.
    pub(super) fn groups<'a, K: Clone + Eq + Hash>(
        &'a self,
        key: impl Fn(&'a Function) -> K,
    ) -> (Vec<K>, Vec<Option<u32>>) {
        let mut known: HashMap<K, u32> = HashMap::new();
        let mut names = Vec::new();
        let mut groups = vec![None; self.profile.functions.len()];
        for (number, function) in self.listed().filter(|(_, function)| !function.is_idle()) {
            let key = key(function);
            let group = *known.entry(key).or_insert_with_key(|key| {
                names.push(key.clone());
                names.len() as u32 - 1
            });
            groups[number as usize] = Some(group);
        }
        (names, groups)
    }
}

/// The values of functions.
pub(super) struct Values<'a> {
    subject: &'a Subject,
    busy: i64,
    sums: Sums,
}

impl<'a> Values<'a> {
    pub(super) fn new(subject: &'a Subject) -> Self {
        let numbers: Vec<u32> = (0..subject.profile.functions.len() as u32).collect();
        let sums = subject.profile.sums(&numbers, numbers.len());
        Values { subject, busy: subject.busy(), sums }
    }

    /// The numbers of functions that are wanted, with their values, in file order.
    pub(super) fn rows(&self, is_wanted: impl Fn(&Function) -> bool) -> Vec<(u32, Numbers)> {
        let listed = self.subject.listed().filter(|(_, function)| is_wanted(function));
        listed.map(|(number, _)| (number, Numbers::of(&self.sums, number as usize))).collect()
    }

    /// What is said of a function.
    pub(super) fn row(&self, (number, _): (u32, Numbers)) -> FunctionValue {
        self.subject.function_value(number, &self.sums, self.busy)
    }
}

impl FunctionValue {
    /// Its name, with the one that the file has in brackets, if its source has another.
    pub(crate) fn called(&self) -> Cow<'_, str> {
        function_called(&self.function_name, self.original.as_ref())
    }
}

/// The package of a function's script, or with a source map of its source; `None` for functions without one.
pub(crate) fn package(function: &Function) -> Option<Package<'_>> {
    let is_ignored = function.original.as_ref().is_some_and(|original| original.is_ignored);
    (!function.url.is_empty()).then(|| Package::of_source(function.source(), is_ignored))
}

/// The name of a package in lists and limits.
pub(crate) fn name_of(package: Option<&Package<'_>>) -> String {
    package.map_or_else(|| NATIVE.into(), |package| package.to_string())
}

/// Name of the script of functions without one.
pub(crate) const NATIVE: &str = "(native)";
