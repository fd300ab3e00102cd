//! What the functions and classes of a heap are called in their sources.

use crate::maps::without_map;
use heapquarry_graph::{Heap, Original, Originals, Sources};
use heapquarry_names::{self as names, Script, SourceMaps};

/// Adds the originals that source maps tell, and returns what is to be said of the maps.
pub(crate) fn translate(heap: &mut Heap, maps: &SourceMaps) -> Vec<String> {
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
        is_ignored: told.is_ignored,
    }
}
