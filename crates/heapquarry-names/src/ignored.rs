//! The old key of a map's ignore list, which the crate that reads maps does not know.
//!
//! ECMA-426 names it `ignoreList`; rollup, and Vite with it, write `x_google_ignoreList`.

use heapquarry_base::Order;
use memchr::memmem;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;

const KEY: &str = "x_google_ignoreList";

/// Numbers of sources that are to be ignored, of a map and of its sections.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Ignored {
    #[serde(default, rename = "x_google_ignoreList")]
    sources: BTreeSet<u32>,
    #[serde(default, deserialize_with = "sorted")]
    sections: Vec<Section>,
}

#[derive(Debug, Deserialize)]
struct Section {
    offset: Offset,
    map: Option<Ignored>,
}

/// Where the section begins in the script.
#[derive(Debug, Deserialize)]
struct Offset {
    line: u32,
    column: u32,
}

/// Sections in the order in which the crate that reads maps gives them.
fn sorted<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Section>, D::Error> {
    let mut sections = Vec::<Section>::deserialize(from)?;
    sections.order_by_key(|section| (section.offset.line, section.offset.column));
    Ok(sections)
}

impl Ignored {
    /// Those of a map; none if it is no map, or its list is none.
    pub(crate) fn read(map: &[u8]) -> Self {
        if memmem::find(map, KEY.as_bytes()).is_none() {
            return Ignored::default();
        }
        // Before it a server may write what no script can read.
        let start = map.iter().position(|&byte| byte == b'{').unwrap_or(0);
        serde_json::from_slice(&map[start..]).unwrap_or_default()
    }

    /// Whether it has a source of the map.
    pub(crate) fn has(&self, source: u32) -> bool {
        self.sources.contains(&source)
    }

    /// Those of a section.
    pub(crate) fn section(&self, number: usize) -> Option<&Ignored> {
        self.sections.get(number)?.map.as_ref()
    }
}
