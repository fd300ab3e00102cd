//! Lists that are shown a part at a time: pages of them, and the names that are looked for in them.

use crate::answer::List;
use heapquarry_report::Pattern;

/// Rows of a page unless another number is asked for.
const ROWS: usize = 100;
/// Rows of a list of an answer that people see unless another number is asked for.
pub(crate) const SHOWN: usize = 20;

/// A part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Rows before the first.
    pub offset: usize,
    /// Most rows.
    pub top: usize,
}

impl Default for Page {
    fn default() -> Self {
        Page { offset: 0, top: ROWS }
    }
}

impl Page {
    /// This page of a list. Only its rows are made.
    pub(crate) fn of<S, T>(
        self,
        all: impl IntoIterator<Item = S, IntoIter: ExactSizeIterator>,
        row: impl FnMut(S) -> T,
    ) -> List<T> {
        List::page(all, self.offset, self.top, row)
    }

    /// This page of a list in the order of keys, of which no two are equal. Only its rows are sorted and made.
    pub(crate) fn in_order<S, T, K: Ord>(
        self,
        mut all: Vec<S>,
        key: impl Fn(&S) -> K,
        row: impl FnMut(S) -> T,
    ) -> List<T> {
        let end = self.offset.saturating_add(self.top).min(all.len());
        let start = self.offset.min(end);
        if start < end {
            if end < all.len() {
                all.select_nth_unstable_by_key(end, &key);
            }
            all[..end].select_nth_unstable_by_key(start, &key);
            all[start..end].sort_unstable_by_key(&key);
        }
        self.of(all, row)
    }
}

/// Whether a name fits what was asked for: it contains the text, whatever the case of its letters, or with `*`, which
/// stands for anything, fits as a whole.
pub(crate) fn filter_of(text: &str) -> impl Fn(&str) -> bool {
    let (pattern, part) = match text.contains('*') {
        true => (Some(Pattern::new(text)), String::new()),
        false => (None, text.to_lowercase()),
    };
    move |name| match &pattern {
        Some(pattern) => pattern.matches(name),
        None => part.is_empty() || name.to_lowercase().contains(&part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pages_in_order_are_those_of_the_sorted_list(
            all in prop::collection::hash_set(0u32..1000, 0..200).prop_map(Vec::from_iter),
            offset in 0usize..220, top in prop_oneof![0usize..220, Just(usize::MAX)],
        ) {
            let page = Page { offset, top };
            let mut sorted = all.clone();
            sorted.sort_unstable();
            let naive = page.of(sorted, |number| number);
            prop_assert_eq!(page.in_order(all, |number| *number, |number| number), naive);
        }
    }

    #[test]
    fn names_are_looked_for_as_people_write_them() {
        let fits = |filter: &str, name: &str| filter_of(filter)(name);
        for (filter, name, expected) in [
            ("", "Cart", true),
            ("car", "Cart", true),
            ("ART", "Cart", true),
            ("cartoon", "Cart", false),
            ("Ca*", "Cart", true),
            ("*art", "Cart", true),
            ("C*t", "Cart", true),
            ("a*", "Cart", false),
            ("(string)", "(string)", true),
        ] {
            assert_eq!(fits(filter, name), expected, "{filter:?} {name:?}");
        }
    }
}
