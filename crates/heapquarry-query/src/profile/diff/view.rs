//! What differs between profiles, for people.

use super::answer::{ComparedProfile, FunctionChange, ProfileDiff};
use crate::{
    profile::words::Words,
    view::{Col, Shown, View, rows_of, whole},
};
use heapquarry_report::Section;

impl View for ProfileDiff {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let words = Words::of(self.words);
        let functions = |key, title, list: &crate::answer::List<FunctionChange>, columns| {
            rows_of(key, title, &list.rows, list.omitted(), columns, shown, "none")
        };
        vec![
            whole("profiles", "Profiles", &self.profiles, &profiles(words)),
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

fn profiles(words: &Words) -> Vec<Col<ComparedProfile>> {
    let mut columns = vec![
        Col::new("Profile", |row: &ComparedProfile| row.name.cell()),
        Col::new(words.whole, |row| row.value.cell()),
        Col::new("Delta", |row| row.value_delta.cell()),
    ];
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
