//! The calls of scripts in several traces.

use super::{CallTime, CalledFunction, CalledPackage, CalledScript, ScriptCalls};
use crate::{
    answer::{List, Nanos, Share},
    summed::Summed,
};
use heapquarry_base::Order;
use std::cmp::Reverse;

/// A function is the same in all traces if its name and place are, and the slices that call it have one name.
type Place = (String, Option<String>, String, Option<i32>, Option<i32>);

/// Calls that are added up.
#[derive(Default)]
pub(crate) struct CallsSum {
    totals: CallTime,
    functions: Summed<Place, CalledFunction>,
    scripts: Summed<String, CalledScript>,
    packages: Summed<String, CalledPackage>,
}

impl CallsSum {
    /// Adds all calls of a trace.
    pub(crate) fn add(&mut self, calls: ScriptCalls) {
        self.totals.add(&calls.totals);
        for row in calls.functions.rows {
            let called = &row.called;
            let place = (row.slice_name.clone(), called.function_name.clone(), called.url.clone());
            let place = (place.0, place.1, place.2, called.line, called.column);
            self.functions.add(place, row, |sum, row| sum.time.add(&row.time));
        }
        for row in calls.scripts.rows {
            self.scripts.add(row.url.clone(), row, |sum, row| sum.time.add(&row.time));
        }
        for row in calls.packages.rows {
            self.packages.add(row.package.clone(), row, |sum, row| sum.time.add(&row.time));
        }
    }

    /// The sums; of each list at most `top` rows.
    pub(crate) fn finish(self, top: Option<usize>) -> ScriptCalls {
        let whole = self.totals.self_time_ns;
        let functions = ranked(self.functions.into_rows(), whole);
        let scripts = ranked(self.scripts.into_rows(), whole);
        let packages = ranked(self.packages.into_rows(), whole);
        ScriptCalls {
            totals: self.totals.shared(whole),
            functions: List::of(functions, top, |row| row),
            scripts: List::of(scripts, top, |row| row),
            packages: List::of(packages, top, |row| row),
        }
    }
}

/// Rows by self time, with their shares of the whole.
fn ranked<T: Timed>(mut rows: Vec<T>, whole: Nanos) -> Vec<T> {
    for row in &mut rows {
        row.set_share(whole);
    }
    rows.order_by_key(|row| (Reverse(row.time().self_time_ns), Reverse(row.time().total_time_ns)));
    rows
}

impl CallTime {
    fn add(&mut self, other: &CallTime) {
        let plus = |a: Nanos, b: Nanos| Nanos(a.0.saturating_add(b.0));
        self.count += other.count;
        self.self_time_ns = plus(self.self_time_ns, other.self_time_ns);
        self.total_time_ns = plus(self.total_time_ns, other.total_time_ns);
        self.longest_ns = self.longest_ns.max(other.longest_ns);
    }

    fn shared(self, whole: Nanos) -> Self {
        let unsigned = |nanos: Nanos| u64::try_from(nanos.0).unwrap_or(0);
        let self_percent = Share::of(unsigned(self.self_time_ns), unsigned(whole));
        CallTime { self_percent, ..self }
    }
}

/// A row with times.
trait Timed {
    fn time(&self) -> &CallTime;
    fn set_share(&mut self, whole: Nanos);
}

macro_rules! timed {
    ($($row:ty),+) => {
        $(impl Timed for $row {
            fn time(&self) -> &CallTime {
                &self.time
            }

            fn set_share(&mut self, whole: Nanos) {
                self.time = std::mem::take(&mut self.time).shared(whole);
            }
        })+
    };
}

timed!(CalledFunction, CalledScript, CalledPackage);
