//! The calls of scripts, for people.

use super::{CallTime, CalledFunction, CalledPackage, CalledScript, ScriptCalls};
use crate::{
    By,
    view::{Col, Shown, table, values},
};
use heapquarry_report::{Cell, Section};

/// By function, or by what was asked for.
pub(crate) fn sections(calls: &ScriptCalls, by: Option<By>, shown: usize) -> Vec<Section> {
    let list = match by {
        Some(By::Package) => {
            let title = "Packages by self time of calls of scripts";
            table("script_call_packages", title, &calls.packages, PACKAGES, shown)
        }
        Some(By::Script) => {
            let title = "Scripts by self time of calls";
            table("script_call_scripts", title, &calls.scripts, SCRIPTS, shown)
        }
        Some(By::Function) | None => {
            let title = "Calls of scripts by self time";
            table("script_calls", title, &calls.functions, FUNCTIONS, shown)
        }
    };
    match by {
        None => vec![list],
        Some(_) => vec![totals(&calls.totals), list],
    }
}

fn totals(totals: &CallTime) -> Section {
    let rows = [
        ("Slices", totals.count.cell()),
        ("Self time", totals.self_time_ns.cell()),
        ("Total time", totals.total_time_ns.cell()),
    ];
    values("script_call_totals", "Calls of scripts", rows)
}

/// Columns of rows with times: their own, then the times.
macro_rules! with_times {
    ($($column:expr),+ $(,)?) => {
        &[
            $($column,)+
            Col::new("Count", |row| row.time.count.cell()),
            Col::new("Self", |row| row.time.self_time_ns.cell()),
            Col::optional("Share", |row| row.time.self_percent.cell()),
            Col::new("Total", |row| row.time.total_time_ns.cell()),
            Col::optional("Longest", |row| row.time.longest_ns.cell()),
        ]
    };
}

pub(crate) const FUNCTIONS: &[Col<CalledFunction>] = with_times![
    Col::new("Name", |row: &CalledFunction| row.slice_name.cell()),
    Col::new("Function", |row| row.called.name().map_or(Cell::Empty, Cell::name)),
    Col::optional("Where", |row| row.called.place.cell()),
];

const SCRIPTS: &[Col<CalledScript>] =
    with_times![Col::new("Script", |row: &CalledScript| row.url.cell())];

const PACKAGES: &[Col<CalledPackage>] =
    with_times![Col::new("Package", |row: &CalledPackage| row.package.cell())];
