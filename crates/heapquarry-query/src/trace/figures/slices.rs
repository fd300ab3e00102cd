//! Slices of threads and asynchronous operations.

use super::{Durations, Numbers, Subject, Subjects, known, subjects_of};
use heapquarry_timeline::{SliceFigures, roles::without_ids, slice_figures};
use std::collections::HashMap;

/// Names, numbered in the order in which they come.
#[derive(Default)]
struct Numbered(HashMap<Vec<String>, u32>);

impl Numbered {
    fn number(&mut self, names: Vec<String>) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(names).or_insert(next)
    }

    fn with(self, figures: &[SliceFigures]) -> Subjects {
        let of = |(names, at): (Vec<String>, u32)| (names, numbers(&figures[at as usize]));
        subjects_of(self.0.into_iter().map(of))
    }
}

fn numbers(of: &SliceFigures) -> Numbers {
    let SliceFigures { count, self_dur, dur, longest, p50, p95 } = *of;
    vec![count as f64, self_dur as f64, dur as f64, known(p50), known(p95), known(longest)]
}

impl Subject {
    /// Slices by name and category, by name, and by category.
    pub(super) fn slice_subjects(&self) -> [Subjects; 3] {
        let [mut titles, mut names, mut categories] = [(); 3].map(|()| Numbered::default());
        let is_wanted = |event| self.is_wanted(event);
        let figures = slice_figures(&self.timeline, &is_wanted, |name, category| {
            let name = without_ids(self.string(name), &[]);
            let category = self.string(category).to_string();
            [
                titles.number(vec![name.clone(), category.clone()]),
                names.number(vec![name]),
                categories.number(vec![category]),
            ]
        });
        let [of_titles, of_names, of_categories] = figures;
        [titles.with(&of_titles), names.with(&of_names), categories.with(&of_categories)]
    }

    /// Operations by name and category.
    pub(super) fn operation_subjects(&self) -> Subjects {
        let mut titles = HashMap::new();
        let mut found: HashMap<Vec<String>, (u64, Durations)> = HashMap::new();
        for slice in self.lasting().filter(|slice| self.is_wanted(slice.event)) {
            let category = self.timeline.events.category(slice.event);
            let names = titles.entry((slice.name, category)).or_insert_with(|| {
                vec![without_ids(self.string(slice.name), &[]), self.string(category).into()]
            });
            if !found.contains_key(names) {
                found.insert(names.clone(), Default::default());
            }
            let (count, durations) = found.get_mut(names).expect("it was added");
            *count += 1;
            durations.0.extend(Some(slice.dur).filter(|&dur| dur >= 0));
        }
        let figures = |(names, (count, mut durations)): (_, (u64, Durations))| {
            let [p50, p95] = [50, 95].map(|percent| durations.percentile(percent));
            (names, vec![count as f64, durations.sum(), p50, p95, durations.longest()])
        };
        subjects_of(found.into_iter().map(figures))
    }
}
