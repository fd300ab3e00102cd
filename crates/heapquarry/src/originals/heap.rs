//! What the functions and classes of a heap are called in their sources.

use crate::{maps::Maps, memory};
use heapquarry_graph::{self as graph, Heap, Original, Originals, ScriptVariable, Sources};
use heapquarry_names::{self as names, Owner, Place, Script};

/// The variables of a script that can be asked for, and what is asked of each.
type Asked<'a> = (Vec<ScriptVariable>, Vec<(Owner, &'a str)>);

/// Adds the originals that source maps tell, and returns what is to be said of the maps.
pub(crate) fn translate(heap: &mut Heap, maps: &Maps) -> Vec<String> {
    let sources = Sources::new(heap);
    let scripts = sources.mappable();
    if scripts.is_empty() && maps.are_given() {
        return vec!["source maps are not used: the heap names no scripts of the program".into()];
    }
    let strings = heap.strings();
    let place = |place: &graph::Place| Place {
        line: place.line.unsigned_abs(),
        column: place.column.unsigned_abs(),
    };
    let variables: Vec<Asked<'_>> = scripts
        .iter()
        .map(|script| {
            let asked = script.variables.iter().filter_map(|variable| {
                let of_script =
                    || variable.viewer.as_ref().map(|seen| Owner::ScriptOf(place(seen)));
                let function = variable.function.as_ref().map(|at| Owner::Function(place(at)));
                Some((*variable, (function.or_else(of_script)?, strings.get(variable.name))))
            });
            asked.unzip()
        })
        .collect();
    let asked = scripts.iter().zip(&variables).map(|(script, (_, variables))| {
        let (map_url, debug_id, text) = (script.map_url, script.debug_id, script.text);
        let places = script.places.iter().map(place).collect();
        let script =
            Script { name: script.name, map_url, debug_id, text, variables, ..Script::default() };
        (script, places)
    });
    let found = maps.originals(&asked.collect::<Vec<_>>(), memory::taken_when_read(heap));
    let mut originals = Originals::default();
    for (number, script) in scripts.iter().enumerate().filter(|(number, _)| found.with_map[*number])
    {
        originals.add_script(script.id);
        for (place, told) in script.places.iter().zip(&found.originals[number]) {
            if let Some(told) = told {
                originals.add(*place, original(told));
            }
        }
        for (variable, told) in variables[number].0.iter().zip(&found.variables[number]) {
            if let Some(told) = told {
                originals.add_variable(*variable, told.to_string());
            }
        }
    }
    let mut said = found.warnings;
    let has_map = scripts.iter().zip(&found.with_map).map(|(script, &has)| (script.name, has));
    said.extend(maps.missing(has_map));
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
