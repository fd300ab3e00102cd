//! Figures of one input.

use crate::{Unit, runs::middle};
use std::collections::{BTreeMap, BTreeSet};

/// The scopes of a kind of input; the scope of the whole input comes first.
pub type Vocabulary = &'static [Scope];

/// What is measured: the whole input, or each of many named subjects.
#[derive(Debug)]
pub struct Scope {
    /// Its name in budgets and expressions.
    pub name: &'static str,
    /// The only possible names; `None` if the input decides. The whole input has one name, the empty one.
    pub names: Option<&'static [&'static str]>,
    /// The quantities that are measured.
    pub quantities: &'static [Quantity],
}

impl Scope {
    /// Whether it is the scope of the whole input, which has no names.
    pub fn is_whole(&self) -> bool {
        self.names == Some(WHOLE)
    }
}

/// The names of the scope of the whole input.
pub const WHOLE: &[&str] = &[""];

/// A quantity of the subjects of a scope.
#[derive(Debug)]
pub struct Quantity {
    /// Its name in budgets and expressions.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Its meaning, one line.
    pub doc: &'static str,
    /// What the figures of several inputs are together.
    pub together: Together,
}

/// What the figures of several inputs are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// Their sum.
    Sum,
    /// The least of them.
    Least,
    /// The greatest of them.
    Greatest,
    /// Medians, means, shares, and numbers of things that can be the same in several inputs: not known.
    Unknown,
}

impl Quantity {
    /// A quantity whose figures add up, unless it is a share.
    pub const fn new(name: &'static str, unit: Unit, doc: &'static str) -> Self {
        let together = if matches!(unit, Unit::Share) { Together::Unknown } else { Together::Sum };
        Quantity { name, unit, doc, together }
    }

    /// This quantity with another figure of several inputs together.
    #[must_use]
    pub const fn together(self, together: Together) -> Self {
        Quantity { together, ..self }
    }
}

impl Together {
    /// How two figures are joined; `None` if they cannot be.
    fn join(self) -> Option<fn(i64, i64) -> i64> {
        match self {
            Together::Sum => Some(i64::saturating_add),
            Together::Least => Some(i64::min),
            Together::Greatest => Some(i64::max),
            Together::Unknown => None,
        }
    }
}

/// Figures of one input: for each scope and each name, one number per quantity.
#[derive(Clone, Debug)]
pub struct Facts {
    vocabulary: Vocabulary,
    scopes: Vec<BTreeMap<String, Vec<i64>>>,
    /// Source positions of some of the names, by scope.
    lines: Vec<BTreeMap<String, SourceLine>>,
    /// What is said of some of the names, by scope: sentences.
    texts: Vec<BTreeMap<String, String>>,
    /// Names that exist although they have no figures, by scope.
    known: Vec<BTreeSet<String>>,
    /// Of several runs: the least and the greatest figures, by scope and name, with the number of runs.
    spread: Option<Spread>,
    /// Quantities that are not known of this input, by scope and position, and why.
    unknown: BTreeMap<(usize, usize), String>,
    /// Between what a figure lies, of those that are not exact: by scope, position of the quantity, and name.
    bounds: BTreeMap<(usize, usize, String), (i64, i64)>,
}

/// How far the figures of several runs lie apart.
#[derive(Clone, Debug)]
struct Spread {
    scopes: Vec<BTreeMap<String, Vec<(i64, i64)>>>,
}

/// A line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file's path, as seen by the program.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
}

impl Facts {
    /// Empty facts.
    pub fn new(vocabulary: Vocabulary) -> Self {
        let scopes = vec![BTreeMap::new(); vocabulary.len()];
        Facts {
            vocabulary,
            scopes,
            lines: vec![BTreeMap::new(); vocabulary.len()],
            texts: vec![BTreeMap::new(); vocabulary.len()],
            known: vec![BTreeSet::new(); vocabulary.len()],
            spread: None,
            unknown: BTreeMap::new(),
            bounds: BTreeMap::new(),
        }
    }

    /// The scopes and quantities.
    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    /// Adds numbers, in the order of the scope's quantities, to those of a name. The whole input has the empty name.
    ///
    /// # Panics
    /// If the vocabulary has no such scope, or the scope has another number of quantities.
    pub fn add(&mut self, scope: &str, name: &str, values: &[i64]) {
        let index = self.vocabulary.iter().position(|s| s.name == scope).expect("a known scope");
        assert_eq!(values.len(), self.vocabulary[index].quantities.len(), "values of {scope}");
        match self.scopes[index].get_mut(name) {
            Some(sums) => {
                sums.iter_mut().zip(values).for_each(|(sum, v)| *sum = sum.saturating_add(*v));
            }
            None => drop(self.scopes[index].insert(name.into(), values.to_vec())),
        }
    }

    /// Sets the source position of a name, for annotations. Does nothing if the vocabulary has no such scope.
    pub fn set_line(&mut self, scope: &str, name: &str, line: SourceLine) {
        if let Some(index) = self.vocabulary.iter().position(|s| s.name == scope) {
            self.lines[index].insert(name.into(), line);
        }
    }

    /// Sets what is said of a name beside its figures, in whole sentences, behind what was said before. Figures of
    /// several inputs together have none. Does nothing if the vocabulary has no such scope.
    pub fn set_text(&mut self, scope: &str, name: &str, text: &str) {
        if let Some(index) = self.vocabulary.iter().position(|s| s.name == scope) {
            let all = self.texts[index].entry(name.into()).or_default();
            if !all.is_empty() {
                all.push(' ');
            }
            all.push_str(text);
        }
    }

    /// Adds a name that exists although nothing is measured of it: a class without instances. A limit for it applies to
    /// something. Does nothing if the vocabulary has no such scope.
    pub fn add_known(&mut self, scope: &str, name: &str) {
        if let Some(index) = self.vocabulary.iter().position(|s| s.name == scope)
            && !self.known[index].contains(name)
        {
            self.known[index].insert(name.into());
        }
    }

    /// Says why a quantity of a scope is not known. A limit on it cannot be checked. Does nothing if the vocabulary has
    /// no such quantity.
    pub fn set_unknown(&mut self, scope: &str, quantity: &str, why: &str) {
        if let Some(place) = self.place(scope, quantity) {
            self.unknown.entry(place).or_insert_with(|| why.into());
        }
    }

    /// Says that a figure is an estimate, which lies between these. A limit between them can neither be kept nor be
    /// exceeded. Does nothing if the vocabulary has no such quantity.
    pub fn set_bounds(&mut self, scope: &str, name: &str, quantity: &str, bounds: (i64, i64)) {
        if let Some((scope, quantity)) = self.place(scope, quantity) {
            self.bounds.insert((scope, quantity, name.into()), bounds);
        }
    }

    /// The positions of a scope and of its quantity.
    fn place(&self, scope: &str, quantity: &str) -> Option<(usize, usize)> {
        let index = self.vocabulary.iter().position(|declared| declared.name == scope)?;
        let mut quantities = self.vocabulary[index].quantities.iter();
        Some((index, quantities.position(|declared| declared.name == quantity)?))
    }

    /// Whether no figure is an estimate.
    pub(crate) fn is_exact(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Between what a figure lies: of an exact one, it is both ends.
    pub(crate) fn bounds(&self, scope: usize, quantity: usize, name: &str) -> (i64, i64) {
        let bounds = self.bounds.get(&(scope, quantity, name.into())).copied();
        bounds.unwrap_or_else(|| {
            let exact = self.of(scope).get(name).map_or(0, |figures| figures[quantity]);
            (exact, exact)
        })
    }

    /// The figures of a scope that are not exact: their quantities, their names, and between what they lie.
    pub(crate) fn all_bounds(
        &self,
        scope: usize,
    ) -> impl Iterator<Item = (usize, &str, (i64, i64))> {
        let of = self.bounds.iter().filter(move |((of, ..), _)| *of == scope);
        of.map(|((_, quantity, name), bounds)| (*quantity, name.as_str(), *bounds))
    }

    /// Quantities that are not known: the names of scope and quantity, and why.
    pub fn unknowns(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        self.unknown.iter().map(|(&(scope, quantity), why)| {
            let scope = &self.vocabulary[scope];
            (scope.name, scope.quantities[quantity].name, why.as_str())
        })
    }

    /// Why a quantity is not known; `None` if it is.
    pub(crate) fn unknown(&self, scope: usize, quantity: usize) -> Option<&str> {
        self.unknown.get(&(scope, quantity)).map(String::as_str)
    }

    /// The median of each figure of several runs; of an even number, the mean of the two in the middle, rounded up. A
    /// name that a run does not have counts as 0. What is unknown of a run is unknown of all. Source positions are
    /// those of the first run that has them.
    ///
    /// # Panics
    /// If there is no run, or they have different vocabularies.
    pub fn median(runs: &[Facts]) -> Facts {
        let mut median = runs[0].clone();
        let mut spread = Spread { scopes: vec![BTreeMap::new(); median.scopes.len()] };
        for (scope, declared) in median.vocabulary.iter().enumerate() {
            for run in runs {
                for (place, why) in &run.unknown {
                    median.unknown.entry(*place).or_insert_with(|| why.clone());
                }
                // The median of estimates is between the least and the greatest that each can be.
                for (place, (low, high)) in &run.bounds {
                    let bounds = median.bounds.entry(place.clone()).or_insert((*low, *high));
                    *bounds = (bounds.0.min(*low), bounds.1.max(*high));
                }
                assert!(std::ptr::eq(run.vocabulary, median.vocabulary), "runs of one kind");
                median.known[scope].extend(run.known[scope].iter().cloned());
                for (name, line) in &run.lines[scope] {
                    median.lines[scope].entry(name.clone()).or_insert_with(|| line.clone());
                }
            }
            let names: BTreeSet<&String> =
                runs.iter().flat_map(|r| r.scopes[scope].keys()).collect();
            for name in names {
                let figures = (0..declared.quantities.len()).map(|quantity| {
                    let all = runs.iter().map(|run| {
                        run.scopes[scope].get(name).map_or(0, |figures| figures[quantity])
                    });
                    let mut all: Vec<i64> = all.collect();
                    all.sort_unstable();
                    (middle(&all), (all[0], all[all.len() - 1]))
                });
                let (middle, ends) = figures.unzip();
                median.scopes[scope].insert(name.clone(), middle);
                spread.scopes[scope].insert(name.clone(), ends);
            }
        }
        median.spread = (runs.len() > 1).then_some(spread);
        median
    }

    /// The figures of several inputs together: sums, and of extremes the extreme. Medians, means and shares of all
    /// cannot be told from those of each, so they are unknown, as is what is unknown of an input. Source positions are
    /// those of the first input that has them.
    ///
    /// # Panics
    /// If there is no input, or they have different vocabularies.
    pub fn sum(inputs: &[Facts]) -> Facts {
        let mut sum = Facts::new(inputs[0].vocabulary);
        for (scope, declared) in sum.vocabulary.iter().enumerate() {
            let joins: Vec<_> =
                declared.quantities.iter().map(|quantity| quantity.together.join()).collect();
            for input in inputs {
                assert!(std::ptr::eq(input.vocabulary, sum.vocabulary), "inputs of one kind");
                sum.known[scope].extend(input.known[scope].iter().cloned());
                for (name, line) in &input.lines[scope] {
                    sum.lines[scope].entry(name.clone()).or_insert_with(|| line.clone());
                }
                for (name, figures) in &input.scopes[scope] {
                    let Some(sums) = sum.scopes[scope].get_mut(name) else {
                        sum.scopes[scope].insert(name.clone(), figures.clone());
                        continue;
                    };
                    for ((sum, figure), join) in sums.iter_mut().zip(figures).zip(&joins) {
                        *sum = join.map_or(0, |join| join(*sum, *figure));
                    }
                }
            }
            for (quantity, _) in joins.iter().enumerate().filter(|(_, join)| join.is_none()) {
                let why = "it is one of each input, and not of several together";
                sum.unknown.insert((scope, quantity), why.into());
            }
        }
        for (place, why) in inputs.iter().flat_map(|input| &input.unknown) {
            sum.unknown.entry(*place).or_insert_with(|| why.clone());
        }
        sum
    }

    /// The least and the greatest figure of several runs.
    pub(crate) fn spread(&self, scope: usize, name: &str, quantity: usize) -> Option<(i64, i64)> {
        let spread = self.spread.as_ref()?;
        match spread.scopes[scope].get(name) {
            Some(ends) => Some(ends[quantity]),
            // What was added later is not of the runs.
            None if self.scopes[scope].contains_key(name) => None,
            None => Some((0, 0)),
        }
    }

    /// Names of a scope that exist, but have no figures.
    pub(crate) fn known(&self, scope: usize) -> impl Iterator<Item = &str> {
        self.known[scope].iter().map(String::as_str)
    }

    /// The names of a scope, with and without figures.
    pub(crate) fn names(&self, scope: usize) -> impl Iterator<Item = &str> {
        let measured = self.scopes[scope].keys();
        measured.chain(&self.known[scope]).map(String::as_str)
    }

    /// The source position of a name of a scope.
    pub(crate) fn line(&self, scope: usize, name: &str) -> Option<&SourceLine> {
        self.lines[scope].get(name)
    }

    /// What is said of a name of a scope.
    pub(crate) fn text(&self, scope: usize, name: &str) -> Option<&String> {
        self.texts[scope].get(name)
    }

    /// The names of a scope and their numbers, sorted by name.
    pub(crate) fn of(&self, scope: usize) -> &BTreeMap<String, Vec<i64>> {
        &self.scopes[scope]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::tests::VOCABULARY;

    #[test]
    fn of_several_runs_the_median_counts() {
        let run = |count: i64, more: &[&str]| {
            let mut facts = Facts::new(&VOCABULARY);
            facts.add("class", "A", &[count, 10 * count]);
            more.iter().for_each(|name| facts.add("class", name, &[1, 1]));
            facts
        };
        for (counts, median, ends) in [
            (&[3][..], 3, None),
            (&[9, 1, 5], 5, Some((1, 9))),
            (&[4, 2], 3, Some((2, 4))),
            (&[4, 1, 2, 9], 3, Some((1, 9))),
        ] {
            let runs: Vec<_> = counts.iter().map(|&count| run(count, &[])).collect();
            let facts = Facts::median(&runs);
            assert_eq!(facts.of(1)["A"], [median, 10 * median], "{counts:?}");
            assert_eq!(facts.spread(1, "A", 0), ends);
        }
        for (runs, median) in [
            (&[1, 4][..], 3),
            (&[-4, -1], -2),
            (&[0, i64::MAX], 1 << 62),
            (&[i64::MIN, i64::MAX], 0),
        ] {
            assert_eq!(middle(runs), median, "{runs:?}");
        }
        // What is added to a median was not measured in each run.
        let mut facts = Facts::median(&[run(1, &[]), run(2, &[])]);
        facts.add("class", "later", &[5, 5]);
        assert_eq!((facts.spread(1, "later", 0), facts.spread(1, "none", 0)), (None, Some((0, 0))));
        // What one run of three has is noise, what two have is not.
        let facts = Facts::median(&[run(1, &["B"]), run(1, &["B", "C"]), run(1, &[])]);
        assert_eq!((facts.of(1)["B"][0], facts.of(1)["C"][0]), (1, 0));
        assert_eq!(facts.spread(1, "C", 0), Some((0, 1)));
    }
}
