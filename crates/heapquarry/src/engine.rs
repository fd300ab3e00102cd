//! What the crates above this one are built on: inputs that have been found, heaps, profiles and traces in memory, and
//! directories of tables as sinks. It may change with any version.

pub use crate::{
    contained::{Contained, ContainedDocument, Documents, contained},
    convert::{convert_as, projection},
    converted::ConvertedDir,
    heap::index::{FILE as INDEX_FILE, VERSION as INDEX_VERSION, keep as keep_index},
    heap::{check_text, kept_analysis, load_located, refuse_other},
    located::{Locate, Located, format_at_hand, readable},
    maps::unused_for_tables,
    memory::{
        limit as memory_limit, taken, taken_by_events, taken_by_ready, taken_by_summaries,
        taken_of_base,
    },
    originals::profile::name_allocations,
    parquet::{Extent, ParquetSink, SHARED_ROWS},
    profile::{LoadedProfile, load as load_profile, unit},
    recorded::WatchDir,
    trace::{Loaded, load as load_trace},
};
pub use heapquarry_input::Purpose;
