//! What the functions of a profile are called in their sources.

use crate::{RunOptions, maps::Maps, memory};
use heapquarry_graph::{Heap, Package, Sources};
use heapquarry_names::{self as names, Place, Script};
use heapquarry_profile::{BYTECODE, Function, Original};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

/// What a heap says of the source maps of its scripts, by their names.
#[derive(Debug, Default)]
pub(crate) struct ScriptMaps(HashMap<String, Named>);

/// The address of a source map that a script names, and its debug id.
#[derive(Debug)]
struct Named {
    map_url: Option<String>,
    debug_id: Option<String>,
}

impl ScriptMaps {
    pub(crate) fn of(heap: &Heap) -> Self {
        let scripts = Sources::new(heap).mappable().into_iter().map(|script| {
            let [map_url, debug_id] =
                [script.map_url, script.debug_id].map(|text| text.map(str::to_owned));
            (script.name.to_owned(), Named { map_url, debug_id })
        });
        ScriptMaps(scripts.collect())
    }
}

/// Adds the originals of the functions of a heap's allocation stacks.
pub fn name_allocations(
    functions: &mut [Function],
    heap: &Heap,
    path: &Path,
    options: &RunOptions,
) {
    if let Some(maps) = Maps::of(path, options) {
        // What is said of the maps was said of the heap.
        translate(functions, &maps, &ScriptMaps::of(heap), memory::taken(heap));
    }
}

/// Adds the originals that source maps tell, and returns what is to be said of the maps. A profile knows only path or
/// URL of a script; a heap may know the address of its map, too (`known`). `taken`: bytes of memory that others take
/// meanwhile.
pub(crate) fn translate(
    functions: &mut [Function],
    maps: &Maps,
    known: &ScriptMaps,
    taken: u64,
) -> Vec<String> {
    let mut scripts: BTreeMap<&str, Vec<(usize, Place)>> = BTreeMap::new();
    let mut has_scripts = false;
    for (number, function) in functions.iter().enumerate() {
        if function.url.is_empty() || matches!(Package::of(&function.url), Package::Runtime(_)) {
            continue;
        }
        has_scripts = true;
        if let Some(place) = place(function) {
            scripts.entry(&function.url).or_default().push((number, place));
        }
    }
    if has_scripts && scripts.is_empty() && maps.are_given() {
        let why = "source maps are not used: its functions have no columns";
        return vec![why.into()];
    }
    let mut asked: Vec<(Script<'_>, Vec<Place>)> = Vec::with_capacity(scripts.len());
    for (&name, places) in &scripts {
        let places = places.iter().map(|&(_, place)| place).collect();
        let is_bytecode = name == BYTECODE;
        let named = known.0.get(name);
        let map_url = named.and_then(|named| named.map_url.as_deref());
        let debug_id = named.and_then(|named| named.debug_id.as_deref());
        asked.push((Script { name, map_url, debug_id, is_bytecode, ..Script::default() }, places));
    }
    let found = maps.originals(&asked, taken);
    let mut said = found.warnings;
    said.extend(maps.missing(scripts.keys().copied().zip(found.with_map)));
    let numbers: Vec<usize> = scripts.into_values().flatten().map(|(number, _)| number).collect();
    for (number, told) in numbers.into_iter().zip(found.originals.into_iter().flatten()) {
        functions[number].original = told.as_ref().map(original).map(Box::new);
    }
    said
}

/// Where a function is, from 0; `None` if its line or column is not known.
fn place(function: &Function) -> Option<Place> {
    let from_zero = |number: Option<i32>| u32::try_from(number?.checked_sub(1)?).ok();
    Some(Place { line: from_zero(function.line)?, column: from_zero(function.column)? })
}

fn original(told: &names::Original) -> Original {
    let from_one = |number: u32| i32::try_from(number).unwrap_or(i32::MAX).saturating_add(1);
    Original {
        name: told.name.clone(),
        source: told.source.clone(),
        line: from_one(told.place.line),
        column: from_one(told.place.column),
        is_ignored: told.is_ignored,
    }
}
