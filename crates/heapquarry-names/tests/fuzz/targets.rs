//! What fuzzers run: functions that panic if anything is wrong with what is told from some bytes. They belong both to
//! `tests/fuzz/main.rs`, which runs them with any compiler for a few seconds, and to the fuzz targets beside the
//! formats, for `cargo fuzz`.
#![allow(dead_code, reason = "each fuzz target uses one of them")]

use heapquarry_names::{Place, SourceMap};

/// Places of the first lines, and far away.
fn places() -> Vec<Place> {
    let near = (0..4).flat_map(|line| (0..60).step_by(3).map(move |column| Place { line, column }));
    let far = [(0, u32::MAX), (u32::MAX, 0), (u32::MAX, u32::MAX)];
    near.chain(far.map(|(line, column)| Place { line, column })).collect()
}

/// A map: what is told of a place does not depend on the others.
pub(crate) fn map(data: &[u8]) {
    let map = match SourceMap::read(data) {
        Ok(map) => map,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let places = places();
    let told = map.originals("/srv/app.js", &places);
    for (place, told) in places.iter().zip(&told) {
        assert_eq!(&map.originals("/srv/app.js", &[*place])[0], told, "{place:?}");
    }
}

/// The text of a source: a name that is told is written in it, or is one that V8 makes.
pub(crate) fn source(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let script = ["a.ts", "a.tsx"][data.len() % 2];
    // Each place of the first lines is that of the source.
    let line = ["AAAA", &",GAAG".repeat(20)].concat();
    let more = ";AAC9H,GAAG,GAAG,GAAG,GAAG,GAAG,GAAG,GAAG";
    let map = serde_json::json!({
        "version": 3,
        "sources": [script],
        "sourcesContent": [text],
        "names": [],
        "mappings": line + more,
    });
    let map = SourceMap::read(map.to_string().as_bytes()).expect("a map");
    for original in map.originals("", &places()).into_iter().flatten() {
        let name = original.name.as_deref().unwrap_or_default();
        let parts = name.trim_start_matches("get ").trim_start_matches("set ");
        let is_written = parts.split('.').all(|part| text.contains(part));
        assert!(is_written || name == "default", "{name:?} in {text:?}");
    }
}
