//! Summary of a profile.

use super::{Numbers, Subject, place, share};
use crate::sections::{table, values};
use heapquarry::engine::Function;
use heapquarry_formats::ProfileKind as Kind;
use heapquarry_report::{Body, Cell, Column, Section, Unit, Value};
use std::{cmp::Reverse, collections::HashMap};

impl Subject {
    pub(crate) fn summary(&self, top: usize) -> Vec<Section> {
        let [functions, by_total] = self.functions(top);
        vec![self.totals(), functions, by_total, self.urls(top)]
    }

    /// The sections for the CPU profiles of a trace.
    pub(crate) fn summary_in_trace(&self, top: usize) -> [Section; 3] {
        let [functions, by_total] = self.functions(top);
        let mut totals = self.totals();
        (totals.key, totals.title) = ("cpu_profiles", "CPU profiles".into());
        if let Body::Values(values) = &mut totals.body {
            let count = Cell::count(self.profile.documents as u64);
            values.insert(0, Value { key: "profile_count", title: "Profiles", cell: count });
        }
        [totals, functions, by_total]
    }

    fn totals(&self) -> Section {
        let profile = &self.profile;
        let weight = |weight: i64| Cell::Number(weight, heapquarry::engine::unit(profile.kind));
        let mut totals = Vec::new();
        match profile.kind {
            Kind::Cpu => {
                totals.extend([
                    ("time_us", "Time", weight(profile.whole)),
                    ("busy_time_us", "Not idle", weight(self.busy())),
                    ("gc_time_us", "Garbage collection", weight(self.own(Function::is_gc))),
                    ("sample_count", "Samples", Cell::count(profile.sample_count)),
                ]);
            }
            Kind::Heap => totals.extend([
                ("size", "Size", weight(profile.whole)),
                ("sample_count", "Samples", Cell::count(profile.sample_count)),
            ]),
            Kind::Pprof => totals.extend([
                ("value", "Value", weight(profile.whole)),
                ("sample_count", "Samples", Cell::count(profile.sample_count)),
            ]),
            Kind::SelfProfile => totals.extend([
                ("sample_count", "Samples", Cell::count(profile.sample_count)),
                ("busy_sample_count", "With a stack", weight(self.busy())),
                ("trace_count", "Traces", Cell::count(profile.documents as u64)),
            ]),
        }
        totals.extend([
            ("node_count", "Nodes", Cell::count(profile.of.len() as u64)),
            ("function_count", "Functions", Cell::count(self.listed().count() as u64)),
        ]);
        Section { title: self.title().into(), ..values("totals", "", totals) }
    }

    /// A number and its share; idle functions have no share.
    fn cells(&self, weight: i64, busy: i64, is_idle: bool) -> [Cell; 2] {
        let share = match is_idle || busy <= 0 {
            true => Cell::Empty,
            false => Cell::Number(share(weight, busy), Unit::Share),
        };
        [Cell::Number(weight, heapquarry::engine::unit(self.profile.kind)), share]
    }

    /// The functions, sorted by self and by total value.
    fn functions(&self, top: usize) -> [Section; 2] {
        let (words, busy) = (self.words(), self.busy());
        let numbers: Vec<u32> = (0..self.profile.functions.len() as u32).collect();
        let sums = self.profile.sums(&numbers, numbers.len());
        let mut rows: Vec<(u32, &Function, Numbers)> = self
            .listed()
            .map(|(number, function)| (number, function, Numbers::of(&sums, number as usize)))
            .collect();
        let row = |&(number, function, Numbers { own, total }): &(u32, &Function, Numbers)| {
            let is_idle = function.is_idle();
            let position =
                |at: Option<i32>| at.map_or(Cell::Empty, |at| Cell::Number(at.into(), Unit::Count));
            let [own, own_share] = self.cells(own, busy, is_idle);
            let [total, total_share] = self.cells(total, busy, is_idle);
            vec![
                Cell::name(function.name()),
                place(&function.url, function.line),
                Cell::name(&*function.url),
                position(function.line),
                position(function.column),
                Cell::count(sums.nodes[number as usize]),
                own,
                own_share,
                total,
                total_share,
            ]
        };
        let columns = || {
            vec![
                Column::new("function_name", "Function"),
                Column::optional("place", "Where"),
                Column::hidden("url"),
                Column::hidden("line"),
                Column::hidden("column"),
                Column::hidden("node_count"),
                Column::new(words.own, "Self"),
                Column::optional("self_percent", "Share"),
                Column::new(words.total, "Total"),
                Column::optional("total_percent", "Share"),
            ]
        };
        // Equal ones stay in file order.
        rows.sort_by_key(|(_, _, n)| (Reverse(n.own), Reverse(n.total)));
        let all = rows.iter().map(row).collect();
        let by_own = table("functions", words.by_own, columns(), all, top, "");
        rows.sort_by_key(|(_, _, n)| (Reverse(n.total), Reverse(n.own)));
        let omitted = rows.len().saturating_sub(top) as u64;
        let first = rows.iter().take(top).map(row).collect();
        let mut by_total = table("functions_by_total", words.by_total, columns(), first, top, "");
        if let Body::Table(table) = &mut by_total.body {
            table.omitted = omitted;
        }
        [by_own, by_total]
    }

    /// The scripts; functions without one are the engine and native code.
    fn urls(&self, top: usize) -> Section {
        let (words, busy) = (self.words(), self.busy());
        let (names, groups) = self.groups(|function| &function.url);
        let sums = self.sums(&groups, names.len());
        let mut rows: Vec<(&str, Numbers)> =
            names.iter().enumerate().map(|(i, url)| (*url, Numbers::of(&sums, i))).collect();
        rows.sort_by_key(|(_, n)| (Reverse(n.own), Reverse(n.total)));
        let rows = rows.into_iter().map(|(url, Numbers { own, total })| {
            let [own, own_share] = self.cells(own, busy, false);
            let [total, total_share] = self.cells(total, busy, false);
            let name = if url.is_empty() { Cell::text(NATIVE) } else { Cell::name(url) };
            vec![name, own, own_share, total, total_share]
        });
        let columns = vec![
            Column::new("url", "Script"),
            Column::new(words.own, "Self"),
            Column::optional("self_percent", "Share"),
            Column::new(words.total, "Total"),
            Column::optional("total_percent", "Share"),
        ];
        table("urls", words.by_url, columns, rows.collect(), top, "")
    }

    /// Groups listed functions that are not idle by one of their texts: the texts, and the group of each function.
    pub(super) fn groups(&self, text: impl Fn(&Function) -> &str) -> (Vec<&str>, Vec<Option<u32>>) {
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut names = Vec::new();
        let mut groups = vec![None; self.profile.functions.len()];
        for (number, function) in self.listed().filter(|(_, function)| !function.is_idle()) {
            let text = text(function);
            let group = *known.entry(text).or_insert_with(|| {
                names.push(text);
                names.len() as u32 - 1
            });
            groups[number as usize] = Some(group);
        }
        (names, groups)
    }
}

/// Name of the script of functions without one.
pub(super) const NATIVE: &str = "(native)";
