//! What a query over the views may touch.

use super::{
    Views,
    files::{literal, pattern},
};
use heapquarry_sink::Layout;
use std::collections::BTreeSet;

impl Views {
    /// Settings for DuckDB 1.2 or later, to be made after the views: it then opens the files of the views, those that
    /// `own` names, and what it spills into its `temp_directory`. It opens no other file and no connection, and loads
    /// no extension.
    ///
    /// DuckDB does not tell reading from writing here: a statement that writes could still write over these files.
    /// Whoever runs a query of others lets only queries through, for example as the text of DuckDB's function
    /// `query()`. And the settings have to be locked (`lock_configuration`, or `.safe_mode` of the command).
    pub fn confinement(&self, own: &[&str]) -> String {
        let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
        files.extend(own.iter().map(|file| literal(file)));
        for input in &self.inputs {
            // A file is asked for as the views name it, and opened by its name.
            for dir in [input.dir.clone(), pattern(&input.dir)] {
                for (table, stored) in &input.tables {
                    match stored.layout {
                        Layout::Flat => {
                            files.insert(literal(&format!("{dir}/{}.parquet", table.name)))
                        }
                        Layout::Hive => folders.insert(literal(&format!("{dir}/{}/", table.name))),
                    };
                }
            }
        }
        let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
        format!(
            "SET autoinstall_known_extensions = false;\n\
             SET autoload_known_extensions = false;\n\
             SET allow_persistent_secrets = false;\n\
             SET allowed_paths = [{}];\n\
             SET allowed_directories = [{}];\n\
             SET enable_external_access = false;\n",
            list(files),
            list(folders)
        )
    }
}
