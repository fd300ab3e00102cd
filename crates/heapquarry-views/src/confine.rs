//! What a query over the views may touch.

use super::{Views, files::literal, script::named};
use heapquarry_sink::StoredTable;
use heapquarry_tables::Table;
use std::collections::BTreeSet;

impl Views {
    /// Settings for DuckDB 1.2 or later, to be made after the views: it then opens the files of the views, those that
    /// `own` names, and what it spills into its `temp_directory`. It opens no other file and no connection, and loads
    /// no extension.
    ///
    /// DuckDB does not tell reading from writing here: a statement that writes could still write over these files.
    /// Whoever runs a query of others lets only queries through, for example as the text of DuckDB's function
    /// `query()`, or gives it [copies](Views::copied). And the settings have to be locked (`lock_configuration`, or
    /// `.safe_mode` of the command).
    pub fn confinement(&self, own: &[&str]) -> String {
        let mut files: BTreeSet<String> = own.iter().map(|file| literal(file)).collect();
        for input in &self.inputs {
            // Files are asked for as the views name them, and opened by their names. One by one: in a folder that is
            // allowed, DuckDB could make others.
            let named = |(table, stored): &(&Table, StoredTable)| named(input, *stored, table);
            files.extend(
                input
                    .tables
                    .iter()
                    .map(named)
                    .chain(input.files.iter().cloned())
                    .map(|f| literal(&f)),
            );
        }
        let files = files.into_iter().collect::<Vec<_>>().join(", ");
        format!(
            "SET autoinstall_known_extensions = false;\n\
             SET autoload_known_extensions = false;\n\
             SET allow_persistent_secrets = false;\n\
             SET allowed_paths = [{files}];\n\
             SET allowed_directories = [];\n\
             SET enable_external_access = false;\n"
        )
    }
}
