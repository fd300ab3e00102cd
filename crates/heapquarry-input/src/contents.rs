//! What an input holds: documents, and the containers that they came in.

use crate::{
    devtools::{self, LastSeen, StatsUpdate},
    file::FileInput,
    htrace::{self, Section, proto::ArkTsConfig},
};
use arrow_array::RecordBatch;
use heapquarry_formats::Log;
use heapquarry_tables::{
    DEVTOOLS_TABLES, FileId, HTRACE_PLUGIN, HTRACE_SECTION, HTRACE_TABLES, JS_CONFIG,
    JS_CPU_PROFILER_TABLES, JS_HEAP_ANALYSIS_TABLES, JS_HEAP_LAST_SEEN_OBJECT_ID,
    JS_HEAP_STATS_UPDATE, JS_HEAP_TABLES, Table,
};
use std::{collections::BTreeMap, path::PathBuf};

/// The contents of an input.
pub struct Contents {
    /// Never empty unless there is a container.
    pub documents: Vec<Opened>,
    /// The containers that hold them, the outermost last.
    pub containers: Vec<Container>,
}

/// A document that can be read at any position.
#[derive(Clone)]
pub struct Opened {
    /// The input as given; `-` for standard input.
    pub path: PathBuf,
    /// File name without the suffix of its compression, or the name that a container gives it.
    pub name: String,
    /// Its bytes.
    pub input: FileInput,
    /// Damage found while decompressing it.
    pub log: Log,
    /// Times that its container declares.
    pub times: Times,
    /// Whether it comes from a container. If it cannot be read at all, the other documents are still read.
    pub is_part: bool,
}

/// A container that documents came in.
pub struct Container {
    /// The input as given.
    pub path: PathBuf,
    /// File name.
    pub name: String,
    /// Its bytes.
    pub input: FileInput,
    /// `zip`, `tar`, `list`, `html`, `htrace` or `devtools`.
    pub format: &'static str,
    /// Number of documents in it.
    pub documents: usize,
    /// Damage found in it.
    pub log: Log,
    /// Its own rows, if it holds messages.
    pub rows: Option<Rows>,
}

/// Times that a container declares for a document, in ns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Start of a heap, in boot time.
    pub start: Option<i64>,
    /// End of the heap, in boot time.
    pub end: Option<i64>,
    /// Offset to add to a profile's own times to get boot time.
    pub to_boottime: Option<i64>,
}

/// Rows of a container of messages, besides its documents.
#[derive(Default)]
pub struct Rows {
    /// Whether it is an `.htrace` file, with sections and records.
    pub(crate) htrace: bool,
    /// Sections of the file, in order.
    pub sections: Vec<Section>,
    pub(crate) sums: Vec<[u8; 32]>,
    /// Number and bytes of the records of each plugin.
    pub plugins: BTreeMap<String, (u64, u64)>,
    pub(crate) configs: Vec<ArkTsConfig>,
    /// For each heap of `stats` and `last_seen`, its document; `None` if that is of no known format.
    pub(crate) heaps: Vec<Option<usize>>,
    pub(crate) stats: Vec<StatsUpdate>,
    pub(crate) last_seen: Vec<LastSeen>,
}

/// Plugins that a message names.
const MOST_PLUGINS: usize = 8;

impl Rows {
    /// Whether it is an `.htrace` container without any record of the engine.
    pub fn has_nothing(&self) -> bool {
        self.htrace && !self.plugins.keys().any(|name| htrace::is_of_engine(name))
    }

    /// What a container without any record of the engine has instead.
    pub fn others(&self) -> String {
        let plugins = self.plugins.iter().take(MOST_PLUGINS);
        let plugins = plugins.map(|(name, (records, _))| {
            let s = if *records == 1 { "" } else { "s" };
            format!("{name} ({records} record{s})")
        });
        let mut plugins: Vec<String> = plugins.collect();
        match self.plugins.len().saturating_sub(MOST_PLUGINS) {
            0 => {}
            more => plugins.push(format!("{more} more")),
        }
        if plugins.is_empty() { "no records".into() } else { plugins.join(", ") }
    }

    /// The tables that a container of messages defines, including those of all documents it can hold. Each is written
    /// even if it stays empty.
    pub fn tables(&self) -> Vec<&'static Table> {
        if self.has_nothing() {
            return vec![&HTRACE_SECTION, &HTRACE_PLUGIN];
        }
        let own: &[&'static Table] = if self.htrace { &HTRACE_TABLES } else { &[] };
        let groups = [
            own,
            &DEVTOOLS_TABLES,
            &JS_HEAP_TABLES,
            &JS_HEAP_ANALYSIS_TABLES,
            &JS_CPU_PROFILER_TABLES,
        ];
        groups.concat()
    }

    /// The rows, given the `file_id` of the container and of each document.
    pub fn batches(
        &self,
        file_id: FileId,
        documents: &[FileId],
    ) -> Vec<(&'static Table, RecordBatch)> {
        let of_heap = |heap: usize| {
            let document = self.heaps.get(heap).copied().flatten();
            document.and_then(|at| documents.get(at)).copied().unwrap_or(file_id)
        };
        let mut batches = vec![
            (&JS_HEAP_STATS_UPDATE, devtools::stats_updates(&self.stats, of_heap)),
            (
                &JS_HEAP_LAST_SEEN_OBJECT_ID,
                devtools::last_seen_object_ids(&self.last_seen, of_heap),
            ),
        ];
        if self.htrace {
            batches.extend([
                (&HTRACE_SECTION, htrace::sections(file_id, &self.sections, &self.sums)),
                (&HTRACE_PLUGIN, htrace::plugins(file_id, &self.plugins)),
                (&JS_CONFIG, htrace::config(file_id, &self.configs)),
            ]);
        }
        batches
    }
}

/// Formats of containers, as in `source.format`. Their rows go to tables of their own only.
pub const CONTAINERS: [&str; 6] = ["zip", "tar", "list", "html", "htrace", "devtools"];
