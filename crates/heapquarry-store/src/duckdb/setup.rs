//! What DuckDB is told before a query.

use heapquarry_views::Views;

/// The file for a result, in the working directory of DuckDB.
pub(super) const RESULT: &str = "result";

/// The settings and the views.
#[derive(Debug)]
pub struct Setup {
    /// The tables.
    pub views: Views,
    /// Threads of DuckDB; by itself it has one per core.
    pub threads: Option<usize>,
    /// Commands for the form of the output.
    pub form: String,
}

impl Setup {
    /// The script. DuckDB then opens the files of the views and nothing else, but for what is in its working directory:
    /// the result, and what it spills. These have relative names, so the path of that directory may have any character.
    /// The commands that run programs or write files are off, and no setting can be changed.
    pub(super) fn script(&self) -> String {
        let Setup { views, form, .. } = self;
        let threads = self.threads.map_or(String::new(), |n| format!("SET threads = {n};\n"));
        let (views, confinement) = (views.sql(), views.confinement(&[RESULT]));
        // Most views read footers that others read, too.
        let settings = "SET temp_directory = 'spill';\nSET parquet_metadata_cache = true;\n";
        format!("{settings}{threads}{views}{confinement}{form}.safe_mode\n")
    }
}
