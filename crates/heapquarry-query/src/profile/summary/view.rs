//! The summary of a profile for people.

use super::answer::{FunctionValue, PackageValue, ProfileSummary, ScriptValue};
use crate::{
    By,
    profile::words::Words,
    view::{Col, Shown, View, table, values},
};
use heapquarry_profile::Kind;
use heapquarry_report::{Cell, Section};

impl View for ProfileSummary {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let mut sections = vec![totals(self)];
        match self.by {
            Some(By::Package) => sections.push(packages(self, shown)),
            Some(By::Script) => sections.push(scripts(self, shown)),
            Some(By::Function) => sections.extend(functions(self, shown)),
            None => {
                sections.extend(functions(self, shown));
                sections.push(scripts(self, shown));
            }
        }
        sections
    }
}

/// The sections for the CPU profiles of a trace.
pub(crate) fn of_trace(profiles: &ProfileSummary, shown: usize) -> Vec<Section> {
    let mut rows = vec![("Profiles", profiles.totals.profile_count.cell())];
    rows.extend(total_rows(profiles));
    let mut sections = vec![values("cpu_profiles", "CPU profiles", rows)];
    match profiles.by {
        Some(By::Package) => sections.push(packages(profiles, shown)),
        Some(By::Script) => sections.push(scripts(profiles, shown)),
        Some(By::Function) | None => sections.extend(functions(profiles, shown)),
    }
    sections
}

fn scripts(profile: &ProfileSummary, shown: usize) -> Section {
    let words = Words::of(profile.words);
    table("urls", words.by_url, &profile.urls, SCRIPTS, shown)
}

fn packages(profile: &ProfileSummary, shown: usize) -> Section {
    let words = Words::of(profile.words);
    table("packages", words.by_package, &profile.packages, PACKAGES, shown)
}

fn totals(profile: &ProfileSummary) -> Section {
    let title = profile.title.clone().into();
    Section { title, ..values("totals", "", total_rows(profile)) }
}

fn total_rows(profile: &ProfileSummary) -> Vec<(&'static str, heapquarry_report::Cell)> {
    let totals = &profile.totals;
    let words = Words::of(profile.words);
    let mut rows = vec![(words.whole, totals.value.cell())];
    if let (Some(title), Some(busy)) = (words.busy, totals.busy_value) {
        rows.push((title, busy.cell()));
    }
    rows.extend(totals.gc_value.map(|value| ("Garbage collection", value.cell())));
    match profile.words {
        // Its value is the number of samples.
        Kind::SelfProfile => rows.push(("Traces", totals.profile_count.cell())),
        _ => rows.push(("Samples", totals.sample_count.cell())),
    }
    rows.extend([("Nodes", totals.node_count.cell()), ("Functions", totals.function_count.cell())]);
    rows
}

fn functions(profile: &ProfileSummary, shown: usize) -> [Section; 2] {
    let words = Words::of(profile.words);
    [
        table("functions", words.by_own, &profile.functions, FUNCTIONS, shown),
        table("functions_by_total", words.by_total, &profile.functions_by_total, FUNCTIONS, shown),
    ]
}

pub(crate) const FUNCTIONS: &[Col<FunctionValue>] = &[
    Col::new("Function", |row| Cell::name(row.called())),
    Col::optional("Where", |row| row.place.cell()),
    Col::new("Self", |row| row.self_value.cell()),
    Col::optional("Share", |row| row.self_percent.cell()),
    Col::new("Total", |row| row.total_value.cell()),
    Col::optional("Share", |row| row.total_percent.cell()),
];

const PACKAGES: &[Col<PackageValue>] = &[
    Col::new("Package", |row| row.package.cell()),
    Col::new("Self", |row| row.self_value.cell()),
    Col::optional("Share", |row| row.self_percent.cell()),
    Col::new("Total", |row| row.total_value.cell()),
    Col::optional("Share", |row| row.total_percent.cell()),
];

const SCRIPTS: &[Col<ScriptValue>] = &[
    Col::new("Script", |row| row.url.cell()),
    Col::new("Self", |row| row.self_value.cell()),
    Col::optional("Share", |row| row.self_percent.cell()),
    Col::new("Total", |row| row.total_value.cell()),
    Col::optional("Share", |row| row.total_percent.cell()),
];
