//! What differs between traces, for people.

use super::answer::{Changes, ComparedTrace, Subject, SubjectChange, TraceDiff};
use crate::{
    answer::AnyNumber,
    runs::{ChangeKind, Side},
    sections::table,
    trace::list::{Figure, Kind, List},
    view::{Col, Shown, View, whole},
};
use heapquarry_report::{Body, Cell, Column, Section, Unit};

impl View for TraceDiff {
    fn sections(&self, shown: usize) -> Vec<Section> {
        if self.by.is_some() {
            // Their profiles list the traces too.
            return match &self.cpu_profiles {
                Some(found) => found.sections(shown),
                None => vec![whole("traces", "Traces", &self.traces, TRACES)],
            };
        }
        let has_runs = self.traces.iter().filter(|trace| trace.side.is_some()).count() > 2;
        let lists = [
            list(self.main_threads.as_ref(), has_runs, shown),
            list(self.frames.as_ref(), has_runs, shown),
            list(self.slices.as_ref(), has_runs, shown),
            list(self.operations.as_ref(), has_runs, shown),
            list(self.gpus.as_ref(), has_runs, shown),
            list(self.threads.as_ref(), has_runs, shown),
            list(self.scheduled_threads.as_ref(), has_runs, shown),
            list(self.counters.as_ref(), has_runs, shown),
        ];
        let traces = whole("traces", "Traces", &self.traces, TRACES);
        [traces].into_iter().chain(lists.into_iter().flatten()).collect()
    }

    fn subject(&self, _: &[String]) -> String {
        let of = |side| {
            let mut names = self
                .traces
                .iter()
                .filter(|trace| trace.side == Some(side))
                .map(|trace| &trace.name);
            let first = names.next().cloned().unwrap_or_default();
            match names.count() {
                0 => first,
                more => format!("{first} and {more} more"),
            }
        };
        format!("{} → {}", of(Side::Before), of(Side::After))
    }
}

const TRACES: &[Col<ComparedTrace>] = &[
    Col::new("Trace", |row| row.name.cell()),
    Col::new("Side", |row| Cell::text(row.side.map_or("", Side::word))),
    Col::optional("Duration", |row| row.duration_ns.cell()),
    Col::optional("Events", |row| row.event_count.cell()),
    Col::optional("Slices", |row| row.slice_count.cell()),
    Col::optional("Long tasks", |row| row.long_task_count.cell()),
    Col::optional("Blocking", |row| row.blocking_ns.cell()),
    Col::optional("Dropped", |row| row.dropped_count.cell()),
];

/// The subjects of a list that changed.
fn list<T: Subject>(changes: Option<&Changes<T>>, has_runs: bool, shown: usize) -> Option<Section> {
    let changes = changes?;
    let rows = changes.rows.iter().map(|row| (row.names(), row.change()));
    let rows = rows.filter(|(_, of)| of.change != ChangeKind::Same).take(shown).collect();
    Some(section(T::LIST.list(), rows, changes.changed_count, has_runs, shown))
}

/// The section of a list: of its subjects that changed, which are so many, the names of those that are shown.
fn section(
    of: &List,
    changed: Vec<(Vec<&Option<String>>, &SubjectChange)>,
    changed_count: u64,
    has_runs: bool,
    shown: usize,
) -> Section {
    // With one deciding figure the list itself says what changed.
    let has_several = of.figures.iter().filter(|figure| figure.decides).count() > 1;
    let cells = changed.into_iter().map(|(names, row)| {
        let mut cells: Vec<Cell> = names.into_iter().map(Shown::cell).collect();
        let SubjectChange { change, changed, before, after, delta, delta_percent, p_value, .. } =
            row;
        let figure: &Figure =
            of.figures.iter().find(|figure| figure.key == *changed).unwrap_or(&of.figures[0]);
        cells.push(Cell::text(change.word()));
        cells.extend(has_several.then(|| Cell::text(figure.title)));
        let percent = delta_percent.map(|share| Cell::Change(share.parts, Unit::Share));
        cells.extend([
            number(figure.kind, *before, Cell::Number),
            number(figure.kind, *after, Cell::Number),
            number(figure.kind, *delta, Cell::Change),
            percent.unwrap_or(Cell::Empty),
        ]);
        cells.extend(has_runs.then(|| p_value.map_or(Cell::Empty, Cell::Float)));
        cells
    });
    let cells: Vec<Vec<Cell>> = cells.collect();
    let omitted = changed_count.saturating_sub(cells.len() as u64);
    let mut columns: Vec<Column> = Vec::new();
    for (at, (key, title)) in of.names.iter().enumerate() {
        // The last part of a name tells most, except of slices, whose categories are that.
        let is_needed = (*key == "category") == (at == 0) || of.names.len() == 1;
        columns.push(Column { optional: !is_needed, ..Column::new(title) });
    }
    columns.push(Column::optional("Change"));
    columns.extend(has_several.then(|| Column::new("What")));
    columns.extend(["Before", "After", "Delta", "Percent"].map(Column::new));
    columns.extend(has_runs.then(|| Column::optional("p")));
    let mut section = table(of.key, of.title, columns, cells, shown, "nothing beyond noise");
    if let Body::Table(table) = &mut section.body {
        table.omitted = omitted;
    }
    section
}

/// A figure; whole where people read it as a whole one.
fn number(kind: Kind, number: Option<AnyNumber>, cell: fn(i64, Unit) -> Cell) -> Cell {
    let Some(AnyNumber(number)) = number else { return Cell::Empty };
    match number.fract() == 0.0 && (kind != Kind::Value || number.abs() < 1e15) {
        true => cell(number as i64, kind.whole_unit()),
        false => Cell::Float(number),
    }
}
