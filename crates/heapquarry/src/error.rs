use std::{fmt, path::PathBuf};

/// The result of heapquarry's work.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an input cannot be converted. One word wide.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An input could not be opened, unpacked or read.
    Input {
        /// The input as given.
        path: PathBuf,
        /// What was tried: "open", "read", "spool".
        doing: &'static str,
        /// The operating system's word.
        source: std::io::Error,
    },
    /// No format fits the content of an input.
    Unknown {
        /// The input as given.
        path: PathBuf,
        /// The formats that were tried.
        tried: Vec<&'static str>,
        /// What it begins with.
        found: String,
    },
    /// An input is of a format that cannot answer the question.
    OtherFormat {
        /// The input as given.
        path: PathBuf,
        /// The format that can.
        wanted: &'static str,
        /// Its format.
        found: &'static str,
    },
    /// An input is so broken that nothing can be kept.
    Format {
        /// The input as given.
        path: PathBuf,
        /// Offset, what was expected and what was found.
        source: heapquarry_formats::Error,
    },
    /// The output could not be written.
    Output(heapquarry_sink::Error),
    /// `strict` was asked for, and something could not be kept.
    Strict {
        /// The input as given.
        path: PathBuf,
        /// How many defects there are.
        defects: u64,
        /// The first of them.
        first: heapquarry_formats::Entry,
    },
    /// A heap has too many nodes for its analysis.
    TooManyNodes {
        /// The input as given.
        path: PathBuf,
        /// How many there are.
        nodes: u64,
    },
    /// A converted directory holds several documents, or not the one that was asked for.
    WhichDocument {
        /// The directory.
        path: PathBuf,
        /// The `file_id` asked for.
        asked: Option<i32>,
        /// `file_id` and name of each document.
        names: Vec<(i32, String)>,
    },
    /// A directory does not hold a table that is needed.
    NotInDirectory {
        /// The directory.
        path: PathBuf,
        /// The table.
        table: &'static str,
    },
    /// There is no such table.
    NoTable(String),
    /// A directory is none that [`crate::convert`] wrote.
    NotConverted(PathBuf),
    /// An input holds several documents and none was named, or the one that was named is not there.
    Document {
        /// The input as given.
        path: PathBuf,
        /// The document that was named, counted from 0.
        document: Option<usize>,
        /// The documents that are there, with their numbers.
        names: Vec<(usize, String)>,
    },
    /// A budget is none.
    Budget(heapquarry_report::budget::Error),
    /// A limit is none.
    Limit(heapquarry_report::SyntaxError),
    /// An input is to be held against limits, and its end is missing.
    Partial(PathBuf),
    /// An input has nothing of what was asked for.
    NotThere {
        /// The input as given.
        path: PathBuf,
        /// What was asked for.
        what: String,
    },
    /// A table has no such column.
    NoColumn {
        /// What was asked for: `TABLE.COLUMN`.
        name: String,
        /// The columns that the table has; empty if the name has no dot.
        known: Vec<&'static str>,
    },
    /// A batch cannot be handed out in the plain schema.
    Batch {
        /// The table.
        table: &'static str,
        /// Arrow's word.
        source: arrow_schema::ArrowError,
    },
    /// The caller asked to stop.
    Cancelled,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Error(Box::new(kind))
    }

    /// Whether the strings were looked for in the wrong place.
    pub(crate) fn is_misplaced(&self) -> bool {
        use heapquarry_formats::ErrorKind::Misplaced;
        matches!(self.kind(), ErrorKind::Format { source, .. } if matches!(source.kind(), Misplaced))
    }

    /// Whether it only says that something else has failed.
    pub(crate) fn is_consequence(&self) -> bool {
        matches!(self.kind(), ErrorKind::Output(error) if error.is_cancelled())
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl From<heapquarry_sink::Error> for Error {
    fn from(error: heapquarry_sink::Error) -> Self {
        Error::new(ErrorKind::Output(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ErrorKind::Input { path, doing, source } => {
                write!(f, "{}: cannot {doing}: {source}", path.display())
            }
            ErrorKind::Unknown { path, tried, found } => {
                write!(
                    f,
                    "{}: byte 0: not a format that heapquarry knows: expected ",
                    path.display()
                )?;
                write!(f, "{}, found {found}", tried.join(" or "))
            }
            ErrorKind::OtherFormat { path, wanted, found } => {
                write!(f, "{}: expected {wanted}, found {found}", path.display())
            }
            ErrorKind::Format { path, source } => write!(f, "{}: {source}", path.display()),
            ErrorKind::Output(source) => source.fmt(f),
            ErrorKind::Strict { path, defects, first } => {
                write!(
                    f,
                    "{}: {defects} defects, and --strict was given; the first: ",
                    path.display()
                )?;
                if let Some(offset) = first.offset {
                    write!(f, "byte {offset}: ")?;
                }
                write!(f, "{}: {}", first.code.name(), first.message)
            }
            ErrorKind::TooManyNodes { path, nodes } => {
                let path = path.display();
                write!(
                    f,
                    "{path}: a heap of {nodes} nodes cannot be analysed: expected less than 2^32"
                )
            }
            ErrorKind::WhichDocument { path, asked, names } => {
                write!(f, "{}: ", path.display())?;
                match asked {
                    Some(asked) => write!(f, "there is no document with file_id {asked}: ")?,
                    None => f.write_str("say which document is meant: ")?,
                }
                let names: Vec<_> =
                    names.iter().map(|(id, name)| format!("{id} is {name}")).collect();
                f.write_str(&names.join(", "))
            }
            ErrorKind::NotInDirectory { path, table } => write!(
                f,
                "{}: there is no table {table}: expected a directory written by heapquarry, with all tables of the format",
                path.display()
            ),
            ErrorKind::NoTable(name) => {
                write!(f, "there is no table {name:?}; tables are: ")?;
                let names: Vec<_> = heapquarry_tables::all().map(|table| table.name).collect();
                f.write_str(&names.join(", "))
            }
            ErrorKind::NotConverted(path) => {
                write!(f, "{}: is no directory that heapquarry wrote: ", path.display())?;
                f.write_str("expected a _manifest.json with its inputs")
            }
            ErrorKind::Document { path, document, names } => documents(f, path, *document, names),
            ErrorKind::Budget(error) => error.fmt(f),
            ErrorKind::Limit(error) => write!(f, "limit {error}"),
            ErrorKind::Partial(path) => {
                let path = path.display();
                write!(f, "{path}: its end is missing: a part cannot be held against limits")
            }
            ErrorKind::NotThere { path, what } => {
                write!(f, "{}: there is no {what}", path.display())
            }
            ErrorKind::NoColumn { name, known } if known.is_empty() => {
                write!(f, "expected a column as TABLE.COLUMN, found {name:?}")
            }
            ErrorKind::NoColumn { name, known } => {
                write!(f, "there is no column {name:?}; columns are: {}", known.join(", "))
            }
            ErrorKind::Batch { table, source } => write!(f, "{table}: {source}"),
            ErrorKind::Cancelled => f.write_str("interrupted"),
        }
    }
}

fn documents(
    f: &mut fmt::Formatter<'_>,
    path: &std::path::Path,
    document: Option<usize>,
    names: &[(usize, String)],
) -> fmt::Result {
    write!(f, "{}: ", path.display())?;
    match names.len() {
        0 => return f.write_str("holds no document"),
        1 => f.write_str("holds 1 document")?,
        n => write!(f, "holds {n} documents")?,
    }
    match document {
        Some(n) => write!(f, ", there is no #{n}: ")?,
        None => f.write_str(", say which: ")?,
    }
    let list: Vec<_> = names.iter().map(|(n, name)| format!("#{n} is {name}")).collect();
    f.write_str(&list.join(", "))
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Input { source, .. } => Some(source),
            ErrorKind::Format { source, .. } => Some(source),
            ErrorKind::Output(source) => Some(source),
            ErrorKind::Batch { source, .. } => Some(source),
            _ => None,
        }
    }
}
