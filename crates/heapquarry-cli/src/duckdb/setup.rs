//! What DuckDB is told before a query.

use heapquarry::views::literal;
use std::path::{Path, PathBuf};

/// The settings and the views.
pub(crate) struct Setup {
    /// The statements that make the views.
    pub(crate) views: String,
    /// The directories that a query may read.
    pub(crate) dirs: Vec<PathBuf>,
    /// Threads of DuckDB; by itself it has one per core.
    pub(crate) threads: Option<usize>,
    /// Commands for the form of the output.
    pub(crate) form: String,
}

impl Setup {
    /// The script. DuckDB then reads nothing but these directories and `temporary`, where it may write too. It loads no
    /// extension, opens no connection, and its commands that run programs or write files are off.
    pub(crate) fn script(&self, temporary: &Path) -> String {
        let path = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            literal(&format!("{}/", path.to_string_lossy()))
        };
        let dirs = self.dirs.iter().map(|dir| path(dir)).chain([path(temporary)]);
        let dirs = dirs.collect::<Vec<_>>().join(", ");
        let threads = self.threads.map_or(String::new(), |n| format!("SET threads = {n};\n"));
        let Setup { views, form, .. } = self;
        let spill = literal(&temporary.join("spill").to_string_lossy());
        format!(
            "SET autoinstall_known_extensions = false;\n\
             SET autoload_known_extensions = false;\n\
             SET temp_directory = {spill};\n\
             {threads}{views}\
             SET allowed_directories = [{dirs}];\n\
             SET enable_external_access = false;\n\
             {form}.safe_mode\n"
        )
    }
}
