//! The summary of several profiles of one kind.

use super::{FunctionValue, PackageValue, ProfileSummary, ProfileTotals, ScriptValue};
use crate::{
    answer::{Amount, List, Share, answer},
    listing::SHOWN,
    profile::share,
    summed::Summed,
    view::{Col, Shown, View, table},
};
use heapquarry::{Error, ErrorKind, Result, Source};
use heapquarry_base::Order;
use heapquarry_report::Section;
use std::{cmp::Reverse, mem};

answer! {
    /// What is in several profiles together.
    pub struct ProfilesSummary {
        /// Sums over all of them, as of one.
        #[serde(flatten)]
        pub sums: ProfileSummary,
        /// Each profile, in the order in which they were given; absent unless asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub each: Option<List<OneProfile>>,
    }

    /// One of several profiles.
    pub struct OneProfile {
        /// The profile as given.
        pub input: String,
        /// Sums over it.
        pub totals: ProfileTotals,
    }
}

/// A function is the same in all profiles if its name and place are.
type Place = (String, String, Option<i32>, Option<i32>);

/// Profiles that are added up.
pub(crate) struct ProfilesSum {
    /// What the first of them is, and the totals of all; its lists are empty.
    whole: ProfileSummary,
    first: String,
    functions: Summed<Place, FunctionValue>,
    urls: Summed<String, ScriptValue>,
    packages: Summed<String, PackageValue>,
    each: Vec<OneProfile>,
}

impl ProfilesSum {
    /// All of the first profile.
    pub(crate) fn new(source: &Source, first: ProfileSummary, each: bool) -> Self {
        let mut sum = ProfilesSum {
            whole: first,
            first: source.to_string(),
            functions: Summed::default(),
            urls: Summed::default(),
            packages: Summed::default(),
            each: Vec::new(),
        };
        let ProfileSummary { functions, urls, packages, functions_by_total, .. } = &mut sum.whole;
        let lists = (
            mem::take(&mut functions.rows),
            mem::take(&mut urls.rows),
            mem::take(&mut packages.rows),
        );
        functions_by_total.rows.clear();
        sum.add_lists(lists);
        sum.push(source, sum.whole.totals.clone(), each);
        sum
    }

    /// Adds all of another profile.
    ///
    /// # Errors
    /// If its values are of something else.
    pub(crate) fn add(
        &mut self,
        source: &Source,
        profile: ProfileSummary,
        each: bool,
    ) -> Result<()> {
        if (&profile.title, &profile.unit) != (&self.whole.title, &self.whole.unit) {
            let (title, first) = (&self.whole.title, &self.first);
            let what = format!(
                "values to add to `{title}` of {first}: it is `{}`; of pprof profiles other values can be chosen",
                profile.title
            );
            return Err(Error::new(ErrorKind::NotFound { path: source.path.clone(), what }));
        }
        self.push(source, profile.totals.clone(), each);
        self.whole.busy = self.whole.busy.saturating_add(profile.busy);
        let (sum, more) = (&mut self.whole.totals, profile.totals);
        sum.profile_count += more.profile_count;
        add(&mut sum.value, more.value);
        // What one of them does not tell is not known of all.
        sum.busy_value = sum.busy_value.zip(more.busy_value).map(both);
        sum.gc_value = sum.gc_value.zip(more.gc_value).map(both);
        sum.sample_count += more.sample_count;
        sum.node_count += more.node_count;
        self.add_lists((profile.functions.rows, profile.urls.rows, profile.packages.rows));
        Ok(())
    }

    fn push(&mut self, source: &Source, totals: ProfileTotals, each: bool) {
        if each {
            self.each.push(OneProfile { input: source.to_string(), totals });
        }
    }

    fn add_lists(
        &mut self,
        (functions, urls, packages): (Vec<FunctionValue>, Vec<ScriptValue>, Vec<PackageValue>),
    ) {
        for row in functions {
            let place = (row.function_name.clone(), row.url.clone(), row.line, row.column);
            self.functions.add(place, row, |sum, row| {
                sum.node_count += row.node_count;
                add(&mut sum.self_value, row.self_value);
                add(&mut sum.total_value, row.total_value);
            });
        }
        for row in urls {
            self.urls.add(row.url.clone(), row, |sum, row| {
                add(&mut sum.self_value, row.self_value);
                add(&mut sum.total_value, row.total_value);
            });
        }
        for row in packages {
            self.packages.add(row.package.clone(), row, |sum, row| {
                add(&mut sum.self_value, row.self_value);
                add(&mut sum.total_value, row.total_value);
            });
        }
    }

    /// The sums: `top` rows of each list; if `with_each`, each profile by itself too.
    pub(crate) fn finish(self, top: Option<usize>, with_each: bool) -> ProfilesSummary {
        let ProfilesSum { mut whole, functions, urls, packages, each, .. } = self;
        let busy = whole.busy;
        let part = |value: Amount, is_idle: bool| {
            (!is_idle && busy > 0).then(|| Share { parts: share(value.number, busy) })
        };
        let mut functions = functions.into_rows();
        for row in &mut functions {
            row.self_percent = part(row.self_value, row.is_idle);
            row.total_percent = part(row.total_value, row.is_idle);
        }
        let (mut urls, mut packages) = (urls.into_rows(), packages.into_rows());
        for row in &mut urls {
            row.self_percent = part(row.self_value, false);
            row.total_percent = part(row.total_value, false);
        }
        for row in &mut packages {
            row.self_percent = part(row.self_value, false);
            row.total_percent = part(row.total_value, false);
        }
        let rank = |a: Amount, b: Amount| (Reverse(a.number), Reverse(b.number));
        urls.order_by_key(|row| rank(row.self_value, row.total_value));
        packages.order_by_key(|row| rank(row.self_value, row.total_value));
        functions.order_by_key(|row| rank(row.self_value, row.total_value));
        whole.totals.function_count = functions.len() as u64;
        whole.functions = List::of(functions.clone(), top, |row| row);
        functions.order_by_key(|row| rank(row.total_value, row.self_value));
        whole.functions_by_total = List::of(functions, Some(top.unwrap_or(SHOWN)), |row| row);
        whole.urls = List::of(urls, top, |row| row);
        whole.packages = List::of(packages, top, |row| row);
        let each = with_each.then(|| List::of(each, None, |profile| profile));
        ProfilesSummary { sums: whole, each }
    }
}

fn both((a, b): (Amount, Amount)) -> Amount {
    Amount { number: a.number.saturating_add(b.number), ..a }
}

fn add(sum: &mut Amount, more: Amount) {
    *sum = both((*sum, more));
}

impl View for ProfilesSummary {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let mut sections = self.sums.sections(shown);
        let each = self.each.iter();
        let each = each.map(|each| table("each", "Each profile", each, EACH, usize::MAX));
        // Behind the totals.
        sections.splice(1..1, each);
        sections
    }
}

const EACH: &[Col<OneProfile>] = &[
    Col::new("Profile", |row| row.input.cell()),
    Col::new("Value", |row| row.totals.value.cell()),
    Col::optional("Not idle", |row| row.totals.busy_value.cell()),
    Col::optional("Garbage collection", |row| row.totals.gc_value.cell()),
    Col::new("Samples", |row| row.totals.sample_count.cell()),
    Col::optional("Functions", |row| row.totals.function_count.cell()),
];
