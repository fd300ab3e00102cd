//! The lists of known strings.

use super::{ListSink, Lists, Unfit};
use crate::{
    StringIndex,
    known::{Known, Pair, Role},
};
use heapquarry_base::Order;

impl Known {
    /// Gives its lists to a sink.
    pub(super) fn put_lists<S: ListSink>(&self, sink: &mut S) -> Result<(), S::Error> {
        sink.list("string_roles", self.roles.iter().map(|&role| role as u8))?;
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.order_by_key(|(name, _)| **name);
        sink.list("pair_names", pairs.iter().map(|(name, _)| name.0))?;
        sink.list("pair_tables", pairs.iter().map(|(_, pair)| pair.table))?;
        sink.list("pair_numbers", pairs.iter().map(|(_, pair)| pair.number))
    }

    /// What [`Self::put_lists`] gave.
    pub(super) fn from_lists(lists: &mut Lists) -> Result<Self, Unfit> {
        let role = |&number: &u8| Role::ALL.get(usize::from(number)).copied();
        let roles = lists.bytes("string_roles")?.iter().map(role).collect::<Option<_>>();
        let roles = roles.ok_or(Unfit { list: "string_roles" })?;
        let (names, tables) = (lists.words("pair_names")?, lists.longs("pair_tables")?);
        let numbers = lists.words("pair_numbers")?;
        let pairs = tables.iter().zip(&numbers).map(|(&table, &number)| Pair { table, number });
        Ok(Known { roles, pairs: names.iter().copied().map(StringIndex).zip(pairs).collect() })
    }
}
