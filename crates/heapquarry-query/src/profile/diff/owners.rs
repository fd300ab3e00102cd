//! Packages and scripts of profiles that differ.

use super::{Shares, medians};
use crate::{
    By,
    answer::{Amount, AmountChange, List, Share, ShareChange, answer},
    profile::{
        Numbers, Subject,
        summary::{NATIVE, name_of, package},
    },
    view::{Col, Shown, rows_of},
};
use heapquarry_base::Order;
use heapquarry_profile::Function;
use heapquarry_report::Section;
use std::{cmp::Reverse, collections::HashMap};

answer! {
    /// What differs by package or script. Each own value belongs to exactly one.
    pub struct ValuesByOwner {
        /// What the values are put together by.
        pub by: By,
        /// Those that differ, by growth of their functions' own values.
        pub owners: List<OwnerValueChange>,
    }

    /// A package or script that differs; of several runs medians. Shares are of the value that is not idle, and absent
    /// if there is none.
    pub struct OwnerValueChange {
        /// Name of the package, or address of the script, with a source map that of a source; `(native)` stands for
        /// functions without a script.
        pub name: String,
        /// The own values of its functions before.
        pub base_self_value: Amount,
        /// The own values of its functions after.
        pub self_value: Amount,
        /// Change of this value.
        pub self_value_delta: AmountChange,
        /// Share of the own values before.
        pub base_self_percent: Option<Share>,
        /// Share of the own values after.
        pub self_percent: Option<Share>,
        /// Change of this share.
        pub self_percent_delta: Option<ShareChange>,
        /// The values of its functions before, with all that they call.
        pub base_total_value: Amount,
        /// The values of its functions after, with all that they call.
        pub total_value: Amount,
        /// Change of this value.
        pub total_value_delta: AmountChange,
    }
}

/// The values of each package or script of a profile.
pub(super) type Owned = HashMap<String, Numbers>;

impl Subject {
    /// The values of each package or script. Functions are listed anyway.
    pub(super) fn by_owner(&self, by: Option<By>) -> Owned {
        let (names, groups): (Vec<String>, _) = match by {
            Some(By::Package) => {
                let (packages, groups) = self.groups(package);
                (packages.iter().map(|package| name_of(package.as_ref())).collect(), groups)
            }
            Some(By::Script) => {
                let (urls, groups) = self.groups(Function::source);
                let name = |url: &&str| if url.is_empty() { NATIVE } else { url }.to_owned();
                (urls.iter().map(name).collect(), groups)
            }
            Some(By::Function) | None => return Owned::new(),
        };
        let sums = self.sums(&groups, names.len());
        (0..).zip(names).map(|(group, name)| (name, Numbers::of(&sums, group))).collect()
    }

    /// What differs between the runs before and after; `None` unless it is asked for by package or script.
    pub(super) fn owners_changed(
        &self,
        by: Option<By>,
        [before, after]: [&[Owned]; 2],
        busy: [i64; 2],
        top: Option<usize>,
    ) -> Option<ValuesByOwner> {
        let by = by.filter(|&by| by != By::Function)?;
        let mut names: Vec<&String> = before.iter().chain(after).flat_map(Owned::keys).collect();
        names.order_by(Ord::cmp);
        names.dedup();
        let middle = |runs: &[Owned], name: &str| {
            medians(runs.iter().map(|run| run.get(name).copied().unwrap_or_default()))
        };
        let mut rows: Vec<(&String, Numbers, Numbers)> = names
            .into_iter()
            .map(|name| (name, middle(before, name), middle(after, name)))
            .filter(|(_, base, now)| base != now)
            .collect();
        // Equal ones stay in the order of their names.
        let grown = |before: i64, now: i64| Reverse(now.saturating_sub(before));
        rows.order_by_key(|(_, a, b)| (grown(a.own, b.own), grown(a.total, b.total)));
        let owners = List::of(rows, top, |(name, base, now)| {
            let own = Shares::new([base.own, now.own], busy);
            OwnerValueChange {
                name: name.clone(),
                base_self_value: self.amount(base.own),
                self_value: self.amount(now.own),
                self_value_delta: self.change(now.own, base.own),
                base_self_percent: own.before,
                self_percent: own.now,
                self_percent_delta: own.delta,
                base_total_value: self.amount(base.total),
                total_value: self.amount(now.total),
                total_value_delta: self.change(now.total, base.total),
            }
        });
        Some(ValuesByOwner { by, owners })
    }
}

/// What differs, for people.
pub(super) fn section(found: &ValuesByOwner, shown: usize) -> Section {
    let title = match found.by {
        By::Package => "Packages by growth",
        By::Script => "Scripts by growth",
        By::Function => "Functions by growth",
    };
    let mut columns = vec![Col::new(found.by.title(), |row: &OwnerValueChange| row.name.cell())];
    columns.extend([
        Col::optional("Before", |row: &OwnerValueChange| row.base_self_value.cell()),
        Col::optional("Self", |row| row.self_value.cell()),
        Col::new("Delta", |row| row.self_value_delta.cell()),
        Col::optional("Share", |row| row.self_percent.cell()),
        Col::optional("Points", |row| row.self_percent_delta.cell()),
        Col::optional("Total", |row| row.total_value.cell()),
        Col::new("Delta", |row| row.total_value_delta.cell()),
    ]);
    let list = &found.owners;
    rows_of("owners", title, &list.rows, list.omitted(), &columns, shown, "none")
}
