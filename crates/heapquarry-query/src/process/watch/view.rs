//! What the memory of a process did, for people.

use super::answer::{AllocationStack, MemoryKind, PartGrowth, WatchAnswer, WatchVerdict};
use crate::view::{Col, Shown, View, values, whole};
use heapquarry_report::{Cell, Section, Unit};

impl View for WatchAnswer {
    fn sections(&self, _: usize) -> Vec<Section> {
        let verdict = &self.verdict;
        let mut rows = vec![("Verdict", Cell::text(verdict.text.clone()))];
        rows.extend(why(verdict).map(|why| ("Why", Cell::text(why))));
        rows.extend(verdict.made_by.iter().map(|made_by| ("Made by", Cell::text(made_by.clone()))));
        if !verdict.also_growing.is_empty() {
            rows.push(("Also grows", Cell::text(verdict.also_growing.join(", "))));
        }
        for advice in &self.advice {
            rows.push(("Next", Cell::text(advice.text)));
            // A line of its own can be copied.
            rows.extend(advice.command.iter().map(|it| ("Command", Cell::text(it.clone()))));
        }
        let mut told = vec![
            ("Time", self.duration.cell()),
            ("Samples", self.sample_count.cell()),
            ("After collections", self.live_count.cell()),
        ];
        if let Some(collections) = &self.collections {
            told.push(("Minor collections", collections.minor_count.cell()));
            told.push(("Major collections", collections.major_count.cell()));
        }
        if let Some(event_loop) = &self.event_loop {
            told.push(("Longest delay of the event loop", event_loop.longest_delay.cell()));
        }
        told.extend(self.most_workers.map(|count| ("Most workers", count.cell())));
        told.push(("Longest answer", self.longest_answer.cell()));
        if let Some(group) = &self.group {
            told.push(("Control group", group.used.cell()));
            told.extend(group.limit.map(|limit| ("Its limit", limit.cell())));
            told.push(("Its file cache", group.file_cache.cell()));
        }
        let stacks = self.allocations.as_ref().map_or(&[][..], |found| &found.stacks);
        let stacks = &stacks[..stacks.len().min(SHOWN_STACKS)];
        vec![
            values("verdict", "", rows),
            whole("growth", "Growth after the warm-up", &self.growth, GROWTH),
            whole("memory", "Resident memory", &self.memory, MEMORY),
            whole("allocations", "Calls that made what lives", stacks, STACKS),
            values("watch", "Watch", told),
        ]
    }
}

/// What the verdict rests on.
fn why(verdict: &WatchVerdict) -> Option<String> {
    let (spread, chance) = verdict.spread.zip(verdict.chance)?;
    let spread = Unit::Bytes.format(i64::try_from(spread.0).unwrap_or(i64::MAX));
    let chance = match chance < 0.0001 {
        true => "less than 0.01 %".into(),
        false => format!("{:.2} %", chance * 100.0),
    };
    let what = if verdict.is_growing { "its figures" } else { "figures of the live heap" };
    Some(format!(
        "{what} are {spread} from a line; level memory rises like this by chance in {chance} of cases"
    ))
}

const GROWTH: &[Col<PartGrowth>] = &[
    Col::new("Part", |row| row.meaning.cell()),
    Col::optional("Points", |row| row.point_count.cell()),
    Col::new("First", |row| row.first.cell()),
    Col::new("Last", |row| row.last.cell()),
    Col::new("Slope", |row| row.slope.cell()),
    Col::optional("From", |row| row.slope_low.cell()),
    Col::optional("To", |row| row.slope_high.cell()),
    Col::optional("Spread", |row| row.spread.cell()),
];

/// Call stacks that people see: JSON and tables have more.
const SHOWN_STACKS: usize = 10;

const STACKS: &[Col<AllocationStack>] = &[
    Col::new("Calls, innermost first", |row| Cell::text(row.text())),
    Col::new("Size", |row| row.size.cell()),
    Col::new("From the first half", |row| row.early_size.cell()),
    Col::optional("Samples", |row| row.sample_count.cell()),
];

const MEMORY: &[Col<MemoryKind>] = &[
    Col::new("Kind", |row| row.kind.cell()),
    Col::new("Use", |row| row.meaning.cell()),
    Col::optional("Maps", |row| row.map_count.cell()),
    Col::new("RSS", |row| row.rss.cell()),
    Col::optional("PSS", |row| row.pss.cell()),
];
