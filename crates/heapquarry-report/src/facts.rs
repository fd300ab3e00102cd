//! Figures of one input.

use crate::Unit;
use std::collections::BTreeMap;

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
}

/// Figures of one input: for each scope and each name, one number per quantity.
#[derive(Clone, Debug)]
pub struct Facts {
    vocabulary: Vocabulary,
    scopes: Vec<BTreeMap<String, Vec<i64>>>,
    /// Source positions of some of the names, by scope.
    lines: Vec<BTreeMap<String, SourceLine>>,
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
        Facts { vocabulary, scopes, lines: vec![BTreeMap::new(); vocabulary.len()] }
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

    /// The source position of a name of a scope.
    pub(crate) fn line(&self, scope: usize, name: &str) -> Option<&SourceLine> {
        self.lines[scope].get(name)
    }

    /// The names of a scope and their numbers, sorted by name.
    pub(crate) fn of(&self, scope: usize) -> &BTreeMap<String, Vec<i64>> {
        &self.scopes[scope]
    }
}
