//! Which tables a directory has, and where.

use super::{files, script};
use heapquarry_input::{Error, ErrorKind, Result, Source, manifest};
use heapquarry_sink::{StoredTable, TableReader};
use heapquarry_tables::{FileId, SOURCE, Table};
use std::path::Path;

/// The views over one converted directory, or over several.
#[derive(Clone, Debug)]
pub struct Views {
    pub(super) inputs: Vec<Input>,
    pub(super) schema: String,
    pub(super) comments: bool,
    /// Whether tables have a column `source`.
    pub(super) is_union: bool,
}

/// An input, and the directory of its tables.
#[derive(Clone, Copy, Debug)]
pub struct ViewedInput<'i> {
    /// The input. Its name is that of its rows in a union.
    pub source: &'i Source,
    /// The directory.
    pub dir: &'i Path,
    /// Whether the directory is the input itself. If it is not, `source.path` is the path of the input, although the
    /// tables may have been made from the same file in another place.
    pub is_source: bool,
}

/// A directory.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// Its absolute path.
    pub(super) dir: String,
    /// Value of the column `source` in a union.
    pub(super) name: String,
    /// What `source.path` shall be; `None` for what the table has.
    pub(super) path: Option<String>,
    /// Its documents have the numbers from this on.
    pub(super) first: FileId,
    /// Number of its documents.
    pub(super) documents: usize,
    pub(super) tables: Vec<(&'static Table, StoredTable)>,
    /// Absolute paths of the files of these tables.
    pub(super) files: Vec<String>,
}

impl Views {
    /// The views over a directory that a conversion wrote.
    ///
    /// # Errors
    ///
    /// If it is none, or a file of it cannot be read.
    pub fn of(dir: impl AsRef<Path>) -> Result<Self> {
        let mut views = Views::new();
        views.add(dir.as_ref(), "", None)?;
        Ok(views)
    }

    /// The views over several directories, given with names. Each table is the union of theirs, and has a column
    /// `source` with the name; so have the views of heapquarry's own that have a `file_id`. Documents are numbered from
    /// 0 over all directories, so that joins by `file_id` stay within one.
    ///
    /// # Errors
    ///
    /// The errors of [`Views::of`].
    pub fn union<P: AsRef<Path>>(dirs: &[(String, P)]) -> Result<Self> {
        let mut views = Views::new();
        views.is_union = true;
        for (name, dir) in dirs {
            views.add(dir.as_ref(), name, None)?;
        }
        Ok(views)
    }

    /// The views over inputs and their tables: those of one input as of its directory, those of several as the union.
    ///
    /// # Errors
    ///
    /// The errors of [`Views::of`].
    pub fn of_inputs<'i>(inputs: impl IntoIterator<Item = ViewedInput<'i>>) -> Result<Self> {
        let mut views = Views::new();
        for ViewedInput { source, dir, is_source } in inputs {
            let path = (!is_source).then(|| source.path.to_string_lossy().into_owned());
            views.add(dir, &source.to_string(), path)?;
        }
        views.is_union = views.inputs.len() > 1;
        Ok(views)
    }

    fn new() -> Self {
        Views { inputs: Vec::new(), schema: "main".into(), comments: true, is_union: false }
    }

    fn add(&mut self, dir: &Path, name: &str, path: Option<String>) -> Result<()> {
        manifest(dir)?.ok_or_else(|| Error::new(ErrorKind::NotConverted(dir.into())))?;
        let no_source = ErrorKind::NotInDirectory { path: dir.into(), table: SOURCE.name };
        let source = TableReader::open(dir, &SOURCE)?.ok_or_else(|| Error::new(no_source))?;
        let documents = usize::try_from(source.rows()).unwrap_or(usize::MAX);
        let place = files::absolute(dir)?;
        let (mut tables, mut files) = (Vec::new(), Vec::new());
        for table in heapquarry_tables::all() {
            if let Some(stored) = StoredTable::of(dir, table)? {
                tables.push((table, stored));
                // A name that is not Unicode is none of heapquarry's; SQL cannot name it.
                let paths = StoredTable::files(Path::new(&place), table)?;
                files.extend(
                    paths.into_iter().filter_map(|path| path.into_os_string().into_string().ok()),
                );
            }
        }
        let end = |input: &Input| input.first.plus(input.documents);
        let first = self.inputs.last().map_or(FileId(0), end);
        let (dir, name) = (place, name.to_owned());
        self.inputs.push(Input { dir, name, path, first, documents, tables, files });
        Ok(())
    }

    /// Sets the schema in which the views are made; `main` by default. Views with the tables of another tool are made
    /// in schemas of their own: `tracestreamer`, or `NAME_tracestreamer` beside another schema than `main`.
    #[must_use]
    pub fn schema(mut self, name: impl Into<String>) -> Self {
        self.schema = name.into();
        self
    }

    /// Sets whether tables, views and columns get comments, which is the default.
    #[must_use]
    pub fn comments(mut self, comments: bool) -> Self {
        self.comments = comments;
        self
    }

    /// The directories of the tables.
    pub fn dirs(&self) -> impl Iterator<Item = &Path> {
        self.inputs.iter().map(|input| Path::new(&input.dir))
    }

    /// The statements that make the views, for DuckDB. They replace views of the same names.
    pub fn sql(&self) -> String {
        script::absolute(self)
    }
}
