//! What belongs to packages, scripts and functions, for people.

use super::answer::{Owner, OwnerChange, OwnerChanges, OwnerSize, Owners};
use crate::{
    By,
    view::{Col, Shown, table},
};
use heapquarry_graph::script_file;
use heapquarry_report::{Cell, Section};

pub(crate) fn owners(owners: &Owners, shown: usize) -> Section {
    let (title, columns) = match owners.by {
        By::Package => ("Packages by size", sizes(By::Package)),
        By::Script => ("Scripts by size", sizes(By::Script)),
        By::Function => ("Functions by size", sizes(By::Function)),
    };
    table("owners", title, &owners.owners, &columns, shown)
}

pub(crate) fn changes(changes: &OwnerChanges, shown: usize) -> Section {
    let title = match changes.by {
        By::Package => "Packages by growth",
        By::Script => "Scripts by growth",
        By::Function => "Functions by growth",
    };
    table("owners", title, &changes.owners, &growth(changes.by), shown)
}

fn sizes(by: By) -> Vec<Col<OwnerSize>> {
    let mut columns = vec![Col::new(by.title(), |row: &OwnerSize| row.owner.name.cell())];
    if by == By::Function {
        columns.push(Col::optional("Where", |row| place(&row.owner)));
    }
    columns.extend([
        Col::optional("Count", |row: &OwnerSize| row.count.cell()),
        Col::new("Size", |row| row.size.cell()),
        Col::optional("Share", |row| row.share_percent.cell()),
        Col::new("Retained", |row| row.retained_size.cell()),
        Col::optional("Share", |row| row.retained_percent.cell()),
    ]);
    columns
}

fn growth(by: By) -> Vec<Col<OwnerChange>> {
    let mut columns = vec![Col::new(by.title(), |row: &OwnerChange| row.owner.name.cell())];
    if by == By::Function {
        columns.push(Col::optional("Where", |row| place(&row.owner)));
    }
    columns.extend([
        Col::optional("Count delta", |row: &OwnerChange| row.count_delta.cell()),
        Col::optional("Before", |row| row.base_size.cell()),
        Col::optional("Size", |row| row.size.cell()),
        Col::new("Size delta", |row| row.size_delta.cell()),
        Col::optional("Retained", |row| row.retained_size.cell()),
        Col::new("Retained delta", |row| row.retained_delta.cell()),
    ]);
    columns
}

/// Where a function is written.
fn place(owner: &Owner) -> Cell {
    let Some(file) = owner.script.as_deref().map(script_file) else { return Cell::Empty };
    Cell::name(match owner.line {
        Some(line) => format!("{file}:{line}"),
        None => file.into(),
    })
}
