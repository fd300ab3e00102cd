//! Source maps of a target's scripts, which are stored beside what was captured of it.

use heapquarry_capture::Session;
use heapquarry_names::{MapAddress, SourceMap, StoredMap, locate};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Bytes of maps that are stored at most.
const MOST_BYTES: u64 = 512 << 20;
/// What is said of a map that would be more.
const FULL: &str = "all maps together are larger than 512 MiB";

/// What became of the source maps of a target's scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MapsFound {
    /// How many scripts have a map that is stored.
    pub stored: usize,
    /// How many scripts name a map that is not on this machine. Nothing is fetched from a network.
    pub elsewhere: usize,
    /// Why others are not stored, one sentence each.
    pub troubles: BTreeSet<String>,
}

/// The maps of the scripts of a target, as far as they are in the scripts or, unless it `is_confined`, in files of this
/// machine.
pub(super) fn find(session: &mut Session<'_>, is_confined: bool) -> (Vec<StoredMap>, MapsFound) {
    let (scripts, is_whole) = match session.mapped_scripts() {
        Ok(found) => found,
        Err(error) => {
            let trouble = format!("no source maps are stored: {error}");
            let troubles = BTreeSet::from([trouble]);
            return (Vec::new(), MapsFound { troubles, ..MapsFound::default() });
        }
    };
    // Of scripts with one address the last one counts: others were perhaps replaced.
    let scripts = scripts.into_iter().map(|script| (script.url, script.map_url)).collect();
    let (maps, mut found) = read(scripts, session.is_local() && !is_confined);
    if !is_whole {
        found.troubles.insert("the target has more source maps than are stored".into());
    }
    (maps, found)
}

/// Reads the maps, those of files if these are of this machine. By the address of each script that of its map.
fn read(scripts: BTreeMap<String, String>, is_local: bool) -> (Vec<StoredMap>, MapsFound) {
    let mut found = MapsFound::default();
    let (mut stored, mut room) = (Vec::new(), MOST_BYTES);
    for (script, map_url) in scripts {
        let read = match locate(&script, &map_url) {
            MapAddress::Data(Some(bytes)) if bytes.len() as u64 > room => Err(FULL.into()),
            MapAddress::Data(Some(bytes)) => Ok(bytes),
            MapAddress::Data(None) => Err("a damaged data: URL".into()),
            MapAddress::File(path) if is_local => {
                content(&path, room).map_err(|error| error.to_string())
            }
            MapAddress::File(_) | MapAddress::Elsewhere => {
                found.elsewhere += 1;
                continue;
            }
        };
        let text = read.and_then(|bytes| {
            SourceMap::read(&bytes).map_err(|broken| broken.to_string())?;
            String::from_utf8(bytes).map_err(|_| "it is no UTF-8".into())
        });
        match text {
            Ok(map) => {
                room = room.saturating_sub(map.len() as u64);
                stored.push(StoredMap { script, map });
            }
            Err(why) => {
                let text = format!("the source map of {script} cannot be stored: {why}");
                found.troubles.insert(text);
            }
        }
    }
    found.stored = stored.len();
    (stored, found)
}

/// The bytes of a plain file, if there is room for them.
fn content(path: &Path, room: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(room.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > room {
        true => Err(io::Error::other(FULL)),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_this_machine_are_read() {
        let map = r#"{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}"#;
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).display().to_string();
        for (name, text) in [("a b.js.map", map), ("broken.map", "{")] {
            fs::write(path(name), text).unwrap();
        }
        let data = format!("data:application/json,{map}");
        let url = |name: &str| format!("file://{}", path(name));
        for (script, map_url, is_local, expected) in [
            (url("a%20b.js"), "a%20b.js.map", true, (1, 0, 0)),
            (path("a b.js"), "./a b.js.map", true, (1, 0, 0)),
            (url("other.js"), &url("a%20b.js.map"), true, (1, 0, 0)),
            // Paths of another machine are not ours.
            (url("a%20b.js"), "a%20b.js.map", false, (0, 1, 0)),
            (url("a.js"), &data, false, (1, 0, 0)),
            ("https://example.org/a.js".into(), &data, false, (1, 0, 0)),
            // A page reads no file, and nothing is fetched.
            ("https://example.org/a.js".into(), &url("a%20b.js.map"), true, (0, 1, 0)),
            ("https://example.org/a.js".into(), &path("a b.js.map"), true, (0, 1, 0)),
            (url("a.js"), "https://example.org/a.js.map", true, (0, 1, 0)),
            ("evalmachine.<anonymous>".into(), "a.js.map", true, (0, 1, 0)),
            (url("a.js"), "none.map", true, (0, 0, 1)),
            (url("a.js"), "broken.map", true, (0, 0, 1)),
            (url("a.js"), ".", true, (0, 0, 1)),
            (url("a.js"), "data:application/json;base64,*", true, (0, 0, 1)),
        ] {
            let maps = BTreeMap::from([(script.clone(), map_url.to_owned())]);
            let (maps, found) = read(maps, is_local);
            let counts = (found.stored, found.elsewhere, found.troubles.len());
            assert_eq!(counts, expected, "{script} {map_url}");
            assert!(maps.iter().all(|stored| stored.map == map && stored.script == script));
        }
    }
}
