//! Totals of functions.

use crate::{Function, Kind, Profile};
use heapquarry_base::Order;
use std::cmp::Reverse;

/// The values of a function.
pub struct Total<'a> {
    /// The function.
    pub function: &'a Function,
    /// Its self value, in the unit of the profile.
    pub own: i64,
    /// With everything that it calls.
    pub total: i64,
}

impl Profile {
    /// Takes the values that queries take, if it has several types.
    pub fn show_default(&mut self) {
        if self.kind == Kind::Pprof {
            self.show(self.shown);
        }
    }

    /// The functions that have a value, by their own values.
    pub fn totals(&self) -> Vec<Total<'_>> {
        let each: Vec<u32> = (0..self.functions.len() as u32).collect();
        let sums = self.sums(&each, each.len());
        let values = self.functions.iter().zip(sums.own.iter().zip(&sums.total));
        let totals = values.map(|(function, (&own, &total))| Total { function, own, total });
        let mut totals: Vec<_> = totals.filter(|one| one.own != 0 || one.total != 0).collect();
        // The sort is stable: of equal ones the first in the file comes first.
        totals.order_by_key(|one| (Reverse(one.own), Reverse(one.total)));
        totals
    }

    /// The unit of the values.
    pub fn unit(&self) -> &str {
        match (self.kind, self.measures.get(self.shown)) {
            (Kind::Cpu, _) => "us",
            (Kind::Heap, _) => "bytes",
            (Kind::Pprof, Some(measure)) => &measure.unit,
            (Kind::Pprof | Kind::SelfProfile, _) => "samples",
        }
    }
}
