use heapquarry_base::Order;
use heapquarry_formats::{ByteOffset, Locate, ReadOptions, Recount};
use heapquarry_report::near;
use heapquarry_tables::fallible;
use std::{
    borrow::Cow,
    fmt,
    path::{Path, PathBuf},
};

/// The result of heapquarry's work.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this library; one word wide. Its text is one line.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An input could not be opened, decompressed or read.
    Input {
        /// The input as given.
        path: PathBuf,
        /// What was tried, to follow "cannot": `open`, `read`, `spool`.
        doing: &'static str,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The content of an input is of no supported format.
    Unknown {
        /// The input as given.
        path: PathBuf,
        /// The supported formats.
        tried: Vec<&'static str>,
        /// The beginning of the content.
        found: String,
    },
    /// The format of an input does not support the operation.
    OtherFormat {
        /// The input as given.
        path: PathBuf,
        /// The formats that do.
        wanted: &'static str,
        /// The format of the input.
        found: &'static str,
    },
    /// An input is so damaged that nothing can be kept, or reading it failed.
    Format {
        /// The input as given.
        path: PathBuf,
        /// Offset, expected and found content.
        source: heapquarry_formats::Error,
    },
    /// The output could not be written.
    Output(heapquarry_sink::Error),
    /// Data was lost, and `strict` is set.
    Strict {
        /// The input as given.
        path: PathBuf,
        /// Number of defects.
        defects: u64,
        /// The first defect.
        first: heapquarry_formats::Entry,
    },
    /// A heap has too many nodes for the analysis.
    TooManyNodes {
        /// The input as given.
        path: PathBuf,
        /// Number of nodes.
        nodes: u64,
    },
    /// An analysis needs more memory than the limit.
    Memory {
        /// The input as given.
        path: PathBuf,
        /// What takes it: the analysis of so many nodes and edges that a heap declares, or of events that have been
        /// read, or a table of strings.
        of: String,
        /// Estimated bytes.
        needed: u64,
        /// The limit that is exceeded.
        by: String,
        /// Whether the caller has set that limit.
        is_callers: bool,
    },
    /// A converted directory does not have a required table.
    NotInDirectory {
        /// The directory.
        path: PathBuf,
        /// The table.
        table: &'static str,
    },
    /// No table has that name.
    NoTable(String),
    /// Heapquarry did not write the directory.
    NotConverted(PathBuf),
    /// An input has several documents and none was selected, or the selected one does not exist.
    Document {
        /// The input as given.
        path: PathBuf,
        /// The selected document, from 0.
        document: Option<usize>,
        /// Numbers and names of the documents.
        names: Vec<(usize, String)>,
    },
    /// A budget file is invalid.
    Budget(heapquarry_report::budget::Error),
    /// A limit is invalid.
    Limit(heapquarry_report::SyntaxError),
    /// Limits are for another kind of input.
    OtherLimits {
        /// The budget, or the expression.
        limits: String,
        /// What they are for: `heaps`.
        wanted: &'static str,
        /// The format of the input.
        found: &'static str,
    },
    /// A limit applies to nothing.
    Unmatched(heapquarry_report::Unmatched),
    /// A limit is on a quantity that is not known of the input.
    UnknownQuantity(heapquarry_report::Unknown),
    /// A file of figures cannot be the baseline.
    Baseline {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A truncated input cannot be checked against limits.
    Truncated(PathBuf),
    /// So much of an input is lost that an answer would be wrong.
    Damaged {
        /// The input as given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The input does not have what was asked for.
    NotFound {
        /// The input as given.
        path: PathBuf,
        /// The requested object.
        what: String,
    },
    /// A table has no such column.
    NoColumn {
        /// The requested column, as `TABLE.COLUMN`.
        name: String,
        /// The columns of the table; empty if the name has no dot.
        known: Vec<&'static str>,
    },
    /// A batch cannot be converted to the plain schema.
    Batch {
        /// The table.
        table: &'static str,
        /// Arrow's error.
        source: arrow_schema::ArrowError,
    },
    /// The cache, or a temporary directory in its place, cannot be used.
    Cache {
        /// The folder, or the environment variable that names it.
        path: PathBuf,
        /// What was tried, to follow "cannot".
        doing: &'static str,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The destination of a batch, or one in object storage, cannot be used.
    Destination {
        /// The folder.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// Inputs of these formats cannot be compared.
    Incomparable {
        /// The earlier input as given.
        path: PathBuf,
        /// Its format.
        found: &'static str,
        /// That of the later one.
        other: &'static str,
    },
    /// Snapshots that are not of one process in the order of time cannot be checked against limits.
    Snapshots {
        /// The later input as given.
        path: PathBuf,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A part of a trace was selected, where it cannot be.
    Part {
        /// The input as given.
        path: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// One document of a converted directory was selected, where only the whole directory can be used.
    Selected(String),
    /// A regular expression is invalid.
    Pattern(String),
    /// The caller cancelled the operation.
    Cancelled,
}

/// What is found in an input of no bytes.
pub(crate) const EMPTY: &str = "an empty file";

/// What is known about an [`Error`] besides its text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ErrorDetails<'a> {
    /// What went wrong, as one word: `malformed`, `unknown_format`, `not_found`.
    pub kind: &'static str,
    /// The input or directory as given.
    pub path: Option<&'a Path>,
    /// Offset in bytes in the decompressed document.
    pub offset: Option<ByteOffset>,
    /// Line of a budget, from 1.
    pub line: Option<usize>,
    /// What was expected there.
    pub expected: Option<Cow<'a, str>>,
    /// What was found instead. It can quote the input.
    pub found: Option<Cow<'a, str>>,
    /// The operating system's answer.
    pub cause: Option<&'a std::io::Error>,
}

impl Error {
    #[cold]
    /// An error of this kind.
    pub fn new(kind: ErrorKind) -> Self {
        Error(Box::new(kind))
    }

    /// The options with which a document is to be read again, if that helps.
    pub fn retry(&self, options: &ReadOptions) -> Option<ReadOptions> {
        use heapquarry_formats::ErrorKind::{Miscounted, Misplaced};
        let ErrorKind::Format { source, .. } = self.kind() else { return None };
        match source.kind() {
            Misplaced => Some(options.clone().locate(Locate::Walk)),
            Miscounted => Some(options.clone().recount(Recount::First)),
            _ => None,
        }
    }

    /// Whether there is not enough memory: an analysis needs more than the limit, or the system gives no more.
    pub fn is_of_memory(&self) -> bool {
        matches!(self.kind(), ErrorKind::Memory { .. }) || self.is_refusal()
    }

    /// Whether the system gave no memory to a library that asks for it by itself.
    pub(crate) fn is_refusal(&self) -> bool {
        std::error::Error::source(self).is_some_and(fallible::is_refusal)
    }

    /// Whether it is only the consequence of another error.
    fn is_consequence(&self) -> bool {
        matches!(self.kind(), ErrorKind::Output(error) if error.is_cancelled())
    }

    /// The result of work on several threads: of all errors one that is no consequence of another, if there is one.
    pub fn cause(results: Vec<Result<()>>) -> Result<()> {
        let mut errors: Vec<Error> = results.into_iter().filter_map(Result::err).collect();
        errors.order_by_key(Error::is_consequence);
        errors.into_iter().next().map_or(Ok(()), Err)
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Where the error is, and what was expected there and found, as far as its kind has these.
    pub fn details(&self) -> ErrorDetails<'_> {
        let mut details =
            ErrorDetails { kind: self.word(), path: self.path(), ..ErrorDetails::default() };
        match self.kind() {
            ErrorKind::Input { source, .. } => details.cause = Some(source),
            ErrorKind::Unknown { tried, found, .. } => {
                details.offset = Some(ByteOffset::START);
                details.expected = Some(tried.join(" or ").into());
                details.found = Some(found.into());
            }
            ErrorKind::OtherFormat { wanted, found, .. } => {
                details.expected = Some((*wanted).into());
                details.found = Some((*found).into());
            }
            ErrorKind::Format { source, .. } => match source.kind() {
                heapquarry_formats::ErrorKind::Malformed { offset, expected, found } => {
                    details.offset = Some(*offset);
                    details.expected = Some(expected.into());
                    details.found = Some(found.into());
                }
                heapquarry_formats::ErrorKind::Io { offset, source }
                | heapquarry_formats::ErrorKind::Spool { offset, source } => {
                    details.offset = Some(*offset);
                    details.cause = Some(source);
                }
                _ => {}
            },
            ErrorKind::Strict { first, .. } => details.offset = first.offset,
            ErrorKind::Budget(error) => details.line = Some(error.line),
            ErrorKind::Limit(error) => {
                details.expected = Some((&*error.expected).into());
                details.found = Some((&*error.found).into());
            }
            ErrorKind::OtherLimits { limits: _, wanted, found } => {
                details.expected = Some((*wanted).into());
                details.found = Some((*found).into());
            }
            ErrorKind::UnknownQuantity(error) => details.found = Some(error.why.clone().into()),
            ErrorKind::Unmatched(error) => {
                details.expected = (!error.near.is_empty()).then(|| error.near.join(" or ").into());
                details.found = Some(error.rule.pattern.to_string().into());
            }
            ErrorKind::Baseline { expected, found, .. } => {
                details.expected = Some(expected.into());
                details.found = Some(found.into());
            }
            ErrorKind::NoColumn { name, known } => {
                details.expected = Some(match known[..] {
                    [] => "TABLE.COLUMN".into(),
                    _ => known.join(", ").into(),
                });
                details.found = Some(name.into());
            }
            ErrorKind::NoTable(name) => details.found = Some(name.into()),
            _ => {}
        }
        details
    }

    fn word(&self) -> &'static str {
        if self.is_refusal() {
            return "memory";
        }
        match self.kind() {
            ErrorKind::Input { .. } => "unreadable",
            ErrorKind::Unknown { .. } => "unknown_format",
            ErrorKind::OtherFormat { .. } => "wrong_format",
            ErrorKind::Format { source, .. } => match source.kind() {
                heapquarry_formats::ErrorKind::Io { .. } => "unreadable",
                heapquarry_formats::ErrorKind::Spool { .. } => "output",
                _ => "malformed",
            },
            ErrorKind::Output(_) => "output",
            ErrorKind::Strict { .. } => "defects",
            ErrorKind::TooManyNodes { .. } | ErrorKind::Memory { .. } => "memory",
            ErrorKind::NotInDirectory { .. } => "missing_table",
            ErrorKind::NoTable(_) => "unknown_table",
            ErrorKind::NotConverted(_) => "not_converted",
            ErrorKind::Document { .. } => "document",
            ErrorKind::Budget(_) => "budget",
            ErrorKind::Limit(_) => "limit",
            ErrorKind::OtherLimits { .. } => "limit",
            ErrorKind::Unmatched(_) => "unmatched",
            ErrorKind::UnknownQuantity(_) => "unknown_quantity",
            ErrorKind::Baseline { .. } => "baseline",
            ErrorKind::Truncated(_) => "truncated",
            ErrorKind::Damaged { .. } => "damaged",
            ErrorKind::NotFound { .. } => "not_found",
            ErrorKind::NoColumn { .. } => "unknown_column",
            ErrorKind::Batch { .. } => "batch",
            ErrorKind::Cache { .. } => "cache",
            ErrorKind::Destination { .. } => "output",
            ErrorKind::Selected(_) => "document",
            ErrorKind::Part { .. } => "part",
            ErrorKind::Pattern(_) => "pattern",
            ErrorKind::Incomparable { .. } => "wrong_format",
            ErrorKind::Snapshots { .. } => "wrong_order",
            ErrorKind::Cancelled => "interrupted",
        }
    }

    fn path(&self) -> Option<&Path> {
        match self.kind() {
            ErrorKind::Input { path, .. }
            | ErrorKind::Unknown { path, .. }
            | ErrorKind::OtherFormat { path, .. }
            | ErrorKind::Format { path, .. }
            | ErrorKind::Strict { path, .. }
            | ErrorKind::TooManyNodes { path, .. }
            | ErrorKind::Memory { path, .. }
            | ErrorKind::NotInDirectory { path, .. }
            | ErrorKind::NotConverted(path)
            | ErrorKind::Document { path, .. }
            | ErrorKind::Truncated(path)
            | ErrorKind::Baseline { path, .. }
            | ErrorKind::Part { path, .. }
            | ErrorKind::Incomparable { path, .. }
            | ErrorKind::Snapshots { path, .. }
            | ErrorKind::Damaged { path, .. }
            | ErrorKind::NotFound { path, .. } => Some(path),
            ErrorKind::Cache { path, .. } | ErrorKind::Destination { path, .. } => Some(path),
            ErrorKind::Budget(error) => Some(Path::new(&error.path)),
            ErrorKind::Output(error) => error.path(),
            ErrorKind::Selected(source) => Some(Path::new(source)),
            ErrorKind::NoTable(_)
            | ErrorKind::Limit(_)
            | ErrorKind::OtherLimits { .. }
            | ErrorKind::Unmatched(_)
            | ErrorKind::UnknownQuantity(_)
            | ErrorKind::NoColumn { .. }
            | ErrorKind::Batch { .. }
            | ErrorKind::Pattern(_)
            | ErrorKind::Cancelled => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error::new(kind)
    }
}

impl From<heapquarry_sink::Error> for Error {
    fn from(error: heapquarry_sink::Error) -> Self {
        Error::new(ErrorKind::Output(error))
    }
}

/// One line: `WHAT (WHERE): WHY`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_refusal() {
            let path = self.path().map(|path| format!(" ({})", path.display()));
            return write!(
                f,
                "not enough memory{}: the system refuses more",
                path.unwrap_or_default()
            );
        }
        match self.kind() {
            ErrorKind::Input { path, doing, source } => {
                write!(f, "cannot {doing} input ({}): {source}", path.display())
            }
            ErrorKind::Unknown { path, tried, found } => {
                // How each is recognised is among the details.
                let names = tried.iter().map(|of| of.split(" (").next().unwrap_or(of));
                let (path, names) = (path.display(), names.collect::<Vec<_>>().join(", "));
                match found.as_str() {
                    EMPTY => write!(f, "input is empty ({path}): expected one of {names}"),
                    _ => {
                        write!(f, "unknown format ({path}, byte 0): expected one of {names}; ")?;
                        write!(f, "found {found}")
                    }
                }
            }
            ErrorKind::OtherFormat { path, wanted, found } => {
                write!(f, "wrong format ({}): expected {wanted}, found {found}", path.display())
            }
            ErrorKind::Format { path, source } => format_error(f, path, source),
            ErrorKind::Output(source) => source.fmt(f),
            ErrorKind::Strict { path, defects, first } => {
                let s = if *defects == 1 { "" } else { "s" };
                write!(f, "{defects} defect{s} in strict mode ({}", path.display())?;
                if let Some(offset) = first.offset {
                    write!(f, ", byte {offset}")?;
                }
                write!(f, "): {}: {}", first.code.name(), first.message)
            }
            ErrorKind::TooManyNodes { path, nodes } => {
                let path = path.display();
                write!(f, "too many nodes ({path}): analysis takes fewer than 2^32, found {nodes}")
            }
            ErrorKind::Memory { path, of, needed, by, .. } => {
                let path = path.display();
                write!(f, "not enough memory ({path}): {of} takes about {needed} bytes, and {by}")
            }
            ErrorKind::NotInDirectory { path, table } => {
                write!(f, "missing table ({}): there is no {table}", path.display())
            }
            ErrorKind::NoTable(name) => {
                let names: Vec<_> = heapquarry_tables::all().map(|table| table.name).collect();
                match near(name, names.iter().copied())[..] {
                    [] => write!(f, "unknown table ({name:?}): expected {}", names.join(", ")),
                    ref near => {
                        write!(f, "unknown table ({name:?}): did you mean {}?", near.join(" or "))
                    }
                }
            }
            ErrorKind::NotConverted(path) => {
                write!(f, "not a heapquarry output directory ({}): ", path.display())?;
                f.write_str("it has no valid _manifest.json")
            }
            ErrorKind::Document { path, document, names } => documents(f, path, *document, names),
            ErrorKind::Budget(error) => error.fmt(f),
            ErrorKind::Limit(error) => write!(f, "{error}"),
            ErrorKind::OtherLimits { limits, wanted, found } => {
                write!(
                    f,
                    "limits do not fit the input ({limits}): they are for {wanted}, found {found}"
                )
            }
            ErrorKind::Unmatched(error) => error.fmt(f),
            ErrorKind::UnknownQuantity(error) => error.fmt(f),
            ErrorKind::Baseline { path, expected, found } => {
                write!(f, "wrong baseline ({}): expected {expected}, found {found}", path.display())
            }
            ErrorKind::Truncated(path) => {
                let path = path.display();
                write!(f, "input is truncated ({path}): limits cannot be checked")
            }
            ErrorKind::Damaged { path, found } => {
                write!(f, "input is damaged ({}): {found}", path.display())
            }
            ErrorKind::NotFound { path, what } => write!(f, "no {what} ({})", path.display()),
            ErrorKind::NoColumn { name, known } if known.is_empty() => {
                write!(f, "invalid column ({name:?}): expected TABLE.COLUMN")
            }
            ErrorKind::NoColumn { name, known } => {
                write!(f, "unknown column ({name:?}): expected {}", known.join(", "))
            }
            ErrorKind::Batch { table, source } => {
                write!(f, "cannot expand a batch ({table}): {source}")
            }
            ErrorKind::Cache { path, doing, source } => {
                write!(f, "cannot {doing} the cache ({}): {source}", path.display())
            }
            ErrorKind::Destination { path, why } => {
                write!(f, "cannot write output ({}): {why}", path.display())
            }
            ErrorKind::Selected(source) => {
                write!(f, "a converted directory is used whole ({source}): a document was selected")
            }
            ErrorKind::Incomparable { path, found, other } => {
                // Without how they are recognised.
                let [found, other] = [found, other].map(|of| of.split(" (").next().unwrap_or(of));
                write!(f, "cannot compare {found} with {other} ({})", path.display())
            }
            ErrorKind::Snapshots { path, why } => {
                write!(f, "limits cannot be checked ({}): {why}", path.display())
            }
            ErrorKind::Part { path, why } => {
                write!(f, "no part of this input can be selected ({}): {why}", path.display())
            }
            ErrorKind::Pattern(why) => write!(f, "invalid regular expression: {why}"),
            ErrorKind::Cancelled => f.write_str("interrupted"),
        }
    }
}

fn format_error(
    f: &mut fmt::Formatter<'_>,
    path: &Path,
    error: &heapquarry_formats::Error,
) -> fmt::Result {
    use heapquarry_formats::ErrorKind::{Io, Malformed, Spool};
    let path = path.display();
    match error.kind() {
        Malformed { offset, expected, found } => {
            write!(f, "invalid input ({path}, byte {offset}): expected {expected}, found {found}")
        }
        Io { offset, source } => write!(f, "cannot read input ({path}, byte {offset}): {source}"),
        Spool { offset, source } => {
            write!(f, "cannot write a temporary file ({path}, byte {offset}): {source}")
        }
        _ => write!(f, "invalid input ({path}): {error}"),
    }
}

/// Maximum number of documents that an error lists. A container may have very many.
const MAX_LISTED: usize = 20;

fn documents(
    f: &mut fmt::Formatter<'_>,
    path: &Path,
    document: Option<usize>,
    names: &[(usize, String)],
) -> fmt::Result {
    let path = path.display();
    match document {
        Some(n) => write!(f, "no document #{n} ({path}): ")?,
        None => write!(f, "several documents ({path}): ")?,
    }
    if names.is_empty() {
        return f.write_str("the input has no documents");
    }
    let list = names.iter().take(MAX_LISTED).map(|(n, name)| format!("#{n} is {name}"));
    f.write_str(&list.collect::<Vec<_>>().join(", "))?;
    match names.len().saturating_sub(MAX_LISTED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Input { source, .. } => Some(source),
            ErrorKind::Format { source, .. } => Some(source),
            ErrorKind::Output(source) => Some(source),
            ErrorKind::Batch { source, .. } => Some(source),
            ErrorKind::Cache { source, .. } => Some(source),
            _ => None,
        }
    }
}
