//! What is said of source maps.

use crate::RunOptions;
use heapquarry_graph::script_file;
use std::path::Path;

/// Names of scripts in a remark.
const MOST_NAMES: usize = 5;

/// Says which scripts have no map.
pub(crate) fn without_map<'a>(scripts: impl Iterator<Item = (&'a str, bool)>) -> Option<String> {
    let (mut total, mut none) = (0, Vec::new());
    for (name, has_map) in scripts {
        total += 1;
        if !has_map {
            none.push(script_file(name));
        }
    }
    if none.is_empty() {
        return None;
    }
    let (count, names) = (none.len(), none[..none.len().min(MOST_NAMES)].join(", "));
    let more = if count > MOST_NAMES { ", …" } else { "" };
    Some(format!("{count} of {total} scripts have no source map: {names}{more}"))
}

/// Says that source maps are not used for a converted directory, if there are some.
pub fn unused_for_tables(dir: &Path, run: &RunOptions) {
    if run.source_maps.is_some() {
        let dir = dir.display();
        let why = "its tables are taken as they are";
        run.progress.remark(&format!("source maps are not used for {dir}: {why}"));
    }
}
