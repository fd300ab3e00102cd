//! Heap snapshots and heap timelines: `.heapsnapshot`, `.heaptimeline`, as V8 writes them and as Hermes, Bun, Julia
//! and ArkTS do.
//!
//! A [`Snapshot`] is a [`Reader`](crate::Reader): under a lock a worker *claims* the bytes of the next row group,
//! outside of it *decodes* them into a record batch, and reports back what later sections need. With one worker:
//!
//! ```
//! use heapquarry_formats::{Error, ReadOptions, heap::Snapshot, read_all};
//! use heapquarry_tables::FileId;
//!
//! let json = br#"{"snapshot":{"meta":{
//!     "node_fields":["type","name","id","self_size","edge_count"],"node_types":[["object"]],
//!     "edge_fields":["type","name_or_index","to_node"],"edge_types":[["property"]]}},
//!     "nodes":[0,0,1,24,1, 0,0,3,16,0], "edges":[0,1,5], "strings":["Foo","bar"]}"#;
//! let mut rows = 0;
//! let snapshot = Snapshot::new(json, FileId(0), "demo", &ReadOptions::default())?;
//! let finished = read_all(snapshot, |table, batch| {
//!     rows += batch.num_rows();
//!     println!("{}: {} rows", table.name, batch.num_rows());
//!     Ok::<_, Error>(())
//! })?;
//! assert_eq!(finished.documents[0].counts, [("nodes", 2), ("edges", 1), ("strings", 2)]);
//! # Ok::<(), Error>(())
//! ```

pub(crate) mod collect;
mod context;
mod dependencies;
pub(crate) mod fields;
mod header;
mod locate;
pub(crate) mod members;
mod node_index;
mod ownership;
mod positions;
mod reader;
pub(crate) mod reassembly;
pub(crate) mod records;
mod recount;
mod scope_index;
mod sections;
mod side_output;
mod sniff;
pub(crate) mod source;
mod string_sizes;
pub(crate) mod strings;
mod summary;
mod survey;
mod task;
mod totals;
mod walk;

pub use crate::document::Status;
pub use crate::options::{Locate, Names, Recount};
pub use reader::Snapshot;
pub(crate) use recount::Recounted;
pub use sections::keeps_strings;
pub(crate) use sniff::recognises;
pub use sniff::sniff;
pub use string_sizes::{Measured, StringSizes};
pub use strings::is_put_out;
pub use survey::{Section as SurveySection, Survey, declared, survey};
pub use task::{Done, Scratch, Task};

use heapquarry_tables::{JS_HEAP_ANALYSIS_TABLES, JS_HEAP_SUSPECT, Table};

/// Words of the tables of a snapshot: names of sections, keys of the lists of fields, and names of fields.
pub fn words() -> impl Iterator<Item = &'static str> {
    let names = sections::SECTIONS.iter().map(|section| section.name);
    let fields = sections::field_lists();
    let fields =
        fields.flat_map(|list| list.fields.iter().map(|field| field.name).chain([list.key]));
    names.chain(fields)
}

/// The tables that an analysis derives from the gathered graph.
pub(crate) static DERIVED: &[&[&Table]] = &[&JS_HEAP_ANALYSIS_TABLES, &[&JS_HEAP_SUSPECT]];
