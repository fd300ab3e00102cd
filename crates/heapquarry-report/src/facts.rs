//! The figures of one input.

use crate::Unit;
use std::collections::BTreeMap;

/// What can be said about a kind of input: its scopes, the whole first.
pub type Vocabulary = &'static [Scope];

/// Something that is measured: the whole, or each of many things that have names.
#[derive(Debug)]
pub struct Scope {
    /// Its name in budgets and expressions.
    pub name: &'static str,
    /// The only names there are; `None` if the input decides. The whole has one name, the empty one.
    pub names: Option<&'static [&'static str]>,
    /// What is measured.
    pub quantities: &'static [Quantity],
}

impl Scope {
    /// Whether there is only one thing of this scope, which has no name.
    pub fn is_whole(&self) -> bool {
        self.names == Some(WHOLE)
    }
}

/// The names of a scope that is the whole.
pub const WHOLE: &[&str] = &[""];

/// A number that things of a scope have.
#[derive(Debug)]
pub struct Quantity {
    /// Its name in budgets and expressions.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// What it means, one line.
    pub doc: &'static str,
}

/// The figures of one input: for each scope, for each name, one number per quantity.
#[derive(Clone, Debug)]
pub struct Facts {
    vocabulary: Vocabulary,
    scopes: Vec<BTreeMap<String, Vec<i64>>>,
}

impl Facts {
    /// No figures yet.
    pub fn new(vocabulary: Vocabulary) -> Self {
        Facts { vocabulary, scopes: vec![BTreeMap::new(); vocabulary.len()] }
    }

    /// What there is to be said.
    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    /// Adds numbers, in the order of the scope's quantities, to those of a name. The whole has the empty name.
    ///
    /// # Panics
    /// If the vocabulary has no such scope, or the scope another number of quantities.
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

    /// The names of a scope and their numbers, in the order of the names.
    pub(crate) fn of(&self, scope: usize) -> &BTreeMap<String, Vec<i64>> {
        &self.scopes[scope]
    }
}
