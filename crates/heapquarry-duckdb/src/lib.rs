//! An extension of DuckDB: table functions that read files of JavaScript engines without a conversion.
//!
//! ```sql
//! LOAD 'heapquarry.duckdb_extension';
//! SELECT name, count(*), sum(self_size) FROM read_heapsnapshot('app.heapsnapshot') GROUP BY name;
//! FROM read_heapsnapshot('app.heapsnapshot', table_name := 'js_heap_class') ORDER BY retained_size DESC;
//! ```
//!
//! Without `table_name` a function reads the table in [`FUNCTIONS`]. Only the columns that a query uses are decoded.
#![cfg(feature = "extension")]

mod rows;
mod table;

use duckdb::{Connection, Result, duckdb_entrypoint_c_api};
use std::error::Error;
use table::Reading;

/// Functions, with the table that each reads if none is named.
const FUNCTIONS: [(&str, &str); 7] = [
    ("read_heapsnapshot", "js_heap_nodes"),
    ("read_cpuprofile", "js_cpu_profiler_node"),
    ("read_heapprofile", "js_heap_sampling_node"),
    ("read_pprof", "pprof_node"),
    ("read_selfprofile", "self_profile_sample"),
    ("read_trace", "slice"),
    ("read_htrace", "htrace_section"),
];

/// Registers the functions.
#[duckdb_entrypoint_c_api(ext_name = "heapquarry", min_duckdb_version = "v1.2.0")]
pub fn extension_entrypoint(connection: Connection) -> Result<(), Box<dyn Error>> {
    for (function, usual) in FUNCTIONS {
        connection.register_table_function_with_extra_info::<Reading, _>(function, &usual)?;
    }
    Ok(())
}
