//! Finds functions of a profile.

use super::{Subject, summary::Values, words::Words};
use crate::{
    answer::List,
    find::{Filter, Find, FindOrder, FoundFunctions},
};
use heapquarry_base::Order;
use heapquarry_profile::Kind;
use std::cmp::Reverse;

impl Subject {
    /// The functions whose name or script is asked for.
    pub(crate) fn find(&self, asked: &Find, filter: &Filter) -> FoundFunctions {
        let values = Values::new(self);
        let mut rows = values.rows(|function| {
            let original = function.original.as_ref().and_then(|original| original.name.as_deref());
            filter.has(&[function.name(), &function.url, original.unwrap_or(""), function.source()])
        });
        // Equal ones stay in file order.
        match asked.sort {
            FindOrder::Retained => rows.order_by_key(|(_, n)| (Reverse(n.total), Reverse(n.own))),
            FindOrder::Own => rows.order_by_key(|(_, n)| (Reverse(n.own), Reverse(n.total))),
        }
        FoundFunctions {
            unit: self.profile.unit().into(),
            functions: List::page(rows, asked.offset, asked.top, |row| values.row(row)),
            words: self.profile.kind,
            by_own: asked.sort == FindOrder::Own,
        }
    }
}

/// What a list of functions is called.
pub(crate) fn title(kind: Kind, by_own: bool) -> &'static str {
    let words = Words::of(kind);
    if by_own { words.by_own } else { words.by_total }
}
