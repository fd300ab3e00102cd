//! What differs between profiles, for people.

use super::{
    answer::{ComparedProfile, FunctionChange, ProfileDiff},
    owners,
};
use crate::{
    answer::List,
    profile::words::Words,
    runs::{ChangeKind, Side},
    view::{Col, Shown, View, rows_of, whole},
};
use heapquarry_report::{Cell, Section};

impl View for ProfileDiff {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let words = Words::of(self.words);
        let functions = |key, title, list: &List<FunctionChange>, columns| {
            rows_of(key, title, &list.rows, list.omitted(), columns, shown, "none")
        };
        let profiles = whole("profiles", "Profiles", &self.profiles, &self.profiles(words));
        if let Some(found) = &self.owners {
            return vec![profiles, owners::section(found, shown)];
        }
        if self.have_runs {
            let is_changed = |row: &&FunctionChange| row.change != ChangeKind::Same;
            let rows: Vec<FunctionChange> =
                self.functions.rows.iter().filter(is_changed).cloned().collect();
            let omitted = self.changed_count.saturating_sub(rows.len() as u64);
            let none = "nothing beyond noise";
            let changed = rows_of("functions", words.changed, &rows, omitted, CHANGED, shown, none);
            return vec![profiles, changed];
        }
        vec![
            profiles,
            functions("functions", words.grown_by_own, &self.functions, BY_OWN),
            functions(
                "functions_by_total",
                words.grown_by_total,
                &self.functions_by_total,
                BY_TOTAL,
            ),
        ]
    }
}

impl ProfileDiff {
    fn profiles(&self, words: &Words) -> Vec<Col<ComparedProfile>> {
        let mut columns = vec![Col::new("Profile", |row: &ComparedProfile| row.name.cell())];
        if self.have_runs {
            columns.push(Col::new("Side", |row| Cell::text(row.side.map_or("", Side::word))));
        }
        columns.push(Col::new(words.whole, |row| row.value.cell()));
        columns.push(Col::new("Delta", |row| row.value_delta.cell()));
        if let Some(title) = words.busy {
            columns.push(Col::optional(title, |row| row.busy_value.cell()));
            columns.push(Col::optional("Delta", |row| row.busy_value_delta.cell()));
        }
        if words.counts_apart {
            columns.push(Col::optional("Samples", |row| row.sample_count.cell()));
        }
        columns.push(Col::optional("Functions", |row| row.function_count.cell()));
        columns
    }
}

/// What changed beyond noise between several runs.
const CHANGED: &[Col<FunctionChange>] = &[
    Col::new("Function", |row| row.function_name.cell()),
    Col::optional("Where", |row| row.place.cell()),
    Col::optional("Change", |row| Cell::text(row.change.word())),
    Col::new("Before", |row| row.base_self_value.cell()),
    Col::new("Self", |row| row.self_value.cell()),
    Col::new("Delta", |row| row.self_value_delta.cell()),
    Col::optional("Share", |row| row.self_percent.cell()),
    Col::optional("p", |row| row.p_value.map_or(Cell::Empty, Cell::Float)),
];

const BY_OWN: &[Col<FunctionChange>] = &[
    Col::new("Function", |row| row.function_name.cell()),
    Col::optional("Where", |row| row.place.cell()),
    Col::optional("Before", |row| row.base_self_value.cell()),
    Col::optional("Self", |row| row.self_value.cell()),
    Col::new("Delta", |row| row.self_value_delta.cell()),
    Col::optional("Share", |row| row.self_percent.cell()),
    Col::optional("Points", |row| row.self_percent_delta.cell()),
];

const BY_TOTAL: &[Col<FunctionChange>] = &[
    Col::new("Function", |row| row.function_name.cell()),
    Col::optional("Where", |row| row.place.cell()),
    Col::optional("Before", |row| row.base_total_value.cell()),
    Col::optional("Total", |row| row.total_value.cell()),
    Col::new("Delta", |row| row.total_value_delta.cell()),
    Col::optional("Share", |row| row.total_percent.cell()),
    Col::optional("Points", |row| row.total_percent_delta.cell()),
];
