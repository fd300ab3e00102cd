//! What the functions and classes of a heap are called in their sources.

use heapquarry_graph::{Heap, Original, Originals, Sources, script_file};
use heapquarry_names::{self as names, Script, SourceMaps};

/// Names of scripts in a remark.
const MOST_NAMES: usize = 5;

/// Adds the originals that source maps tell, and returns what is to be said of the maps.
pub(super) fn translate(heap: &mut Heap, maps: &SourceMaps) -> Vec<String> {
    let sources = Sources::new(heap);
    let scripts = sources.mappable();
    let asked: Vec<(Script<'_>, Vec<names::Place>)> = scripts
        .iter()
        .map(|script| {
            let places = script.places.iter().map(|place| names::Place {
                line: place.line.unsigned_abs(),
                column: place.column.unsigned_abs(),
            });
            let (map_url, debug_id) = (script.map_url, script.debug_id);
            (Script { name: script.name, map_url, debug_id }, places.collect())
        })
        .collect();
    let found = maps.originals(&asked);
    let mut originals = Originals::default();
    for (number, script) in scripts.iter().enumerate().filter(|(number, _)| found.with_map[*number])
    {
        originals.add_script(script.id);
        for (place, told) in script.places.iter().zip(&found.originals[number]) {
            if let Some(told) = told {
                originals.add(*place, original(told));
            }
        }
    }
    let mut said = found.warnings;
    said.extend(without_map(scripts.iter().zip(&found.with_map).map(|(s, &has)| (s.name, has))));
    heap.set_originals(originals);
    said
}

fn original(told: &names::Original) -> Original {
    Original {
        name: told.name.as_ref().map(ToString::to_string),
        source: told.source.to_string(),
        line: i64::from(told.place.line) + 1,
        column: i64::from(told.place.column) + 1,
    }
}

/// Says which scripts have no map.
fn without_map<'a>(scripts: impl Iterator<Item = (&'a str, bool)>) -> Option<String> {
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
