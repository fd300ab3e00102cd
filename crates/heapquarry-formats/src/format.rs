//! The supported formats, declared once: names, tables, and how to open them.
//!
//! [`open`] is the only `match` over [`Format`] in the workspace. A new format is an entry in `formats!`, an arm in
//! [`open`] and a module with a [`Reader`]; without the arm it does not compile.

use crate::{
    ByteOffset, Input, ReadOptions, Reader, Recount, Result,
    cpu_profile::CpuProfile,
    ftrace::{self, Ftrace},
    heap::{self, Recounted, Snapshot},
    heap_profile::HeapProfile,
    jsc,
    pprof::Pprof,
    self_profile::SelfProfiles,
    trace::Document,
};
use heapquarry_profile::Kind as ProfileKind;
use heapquarry_tables::{
    FTRACE_TABLES, FileId, JS_CPU_PROFILER_FILES, JS_CPU_PROFILER_TABLES, JS_HEAP_ANALYSIS_TABLES,
    JS_HEAP_SAMPLING_TABLES, JS_HEAP_TABLES, MEMORY_TABLES, PPROF_TABLES, SELF_PROFILE_TABLES,
    TIMELINE_TABLES, TRACE_METADATA, TRACE_TABLES, Table,
};
use std::sync::Arc;

/// The kind of content, which determines the queries that a document supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Objects that refer to each other.
    Heap,
    /// A tree of call frames with weights.
    Profile(ProfileKind),
    /// Events on a time line.
    Trace,
}

/// Where the text of a document is, for a copy with other text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// In one array of JSON, at the end. Records refer to its elements by index.
    Table,
    /// In the call frames of a JSON document.
    Frames,
    /// In the events of a JSON document.
    Events,
    /// In a form that nothing here can copy.
    Other,
}

/// Properties of a format, except its reader.
struct Spec {
    /// Its names in `source.format`. The first one applies until the content is known.
    names: &'static [&'static str],
    description: &'static str,
    extension: &'static str,
    kind: Kind,
    text: Text,
    tables: &'static [&'static [&'static Table]],
    derived: &'static [&'static [&'static Table]],
}

macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident { $($field:ident: $value:expr,)+ })+) => {
        /// The supported formats.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $($(#[$doc])* $format,)+
        }

        impl Format {
            /// All of them.
            pub const ALL: [Format; [$(stringify!($format)),+].len()] = [$(Format::$format),+];

            fn spec(self) -> &'static Spec {
                match self {
                    $(Format::$format => {
                        static SPEC: Spec = Spec { $($field: $value),+ };
                        &SPEC
                    })+
                }
            }
        }
    };
}

formats! {
    /// A heap snapshot or timeline.
    Heap {
        names: &["heapsnapshot", "heaptimeline"],
        description: "a heap snapshot or timeline (an object that begins with \"snapshot\")",
        extension: ".heapsnapshot",
        kind: Kind::Heap,
        text: Text::Table,
        tables: &[&JS_HEAP_TABLES, &JS_HEAP_ANALYSIS_TABLES],
        derived: heap::DERIVED,
    }
    /// A heap snapshot of JavaScriptCore.
    Jsc {
        names: &["jscsnapshot"],
        description: "a heap snapshot of JavaScriptCore (an object with \"nodeClassNames\")",
        extension: ".json",
        kind: Kind::Heap,
        text: Text::Other,
        tables: &[&JS_HEAP_TABLES, &JS_HEAP_ANALYSIS_TABLES],
        derived: jsc::DERIVED,
    }
    /// A CPU profile.
    CpuProfile {
        names: &["cpuprofile"],
        description: "a CPU profile (an object with \"nodes\" or \"head\")",
        extension: ".cpuprofile",
        kind: Kind::Profile(ProfileKind::Cpu),
        text: Text::Frames,
        tables: &[&JS_CPU_PROFILER_TABLES],
        derived: &[],
    }
    /// A sampling heap profile.
    HeapProfile {
        names: &["heapprofile"],
        description: "a sampling heap profile (an object with \"head\")",
        extension: ".heapprofile",
        kind: Kind::Profile(ProfileKind::Heap),
        text: Text::Frames,
        tables: &[&JS_HEAP_SAMPLING_TABLES],
        derived: &[],
    }
    /// Traces of the JS Self-Profiling API.
    SelfProfile {
        names: &["selfprofile"],
        description: "self-profiling traces (objects with \"frames\" and \"stacks\")",
        extension: ".json",
        kind: Kind::Profile(ProfileKind::SelfProfile),
        text: Text::Frames,
        tables: &[&SELF_PROFILE_TABLES],
        derived: &[],
    }
    /// A profile in the format of pprof.
    Pprof {
        names: &["pprof"],
        description: "a pprof profile (a message \"perftools.profiles.Profile\")",
        extension: ".pb",
        kind: Kind::Profile(ProfileKind::Pprof),
        text: Text::Other,
        tables: &[&PPROF_TABLES],
        derived: &[],
    }
    /// A trace in the Trace Event Format, as JSON.
    Trace {
        names: &["trace"],
        description: "a trace (an object with \"traceEvents\", or events with \"ph\")",
        extension: ".json",
        kind: Kind::Trace,
        text: Text::Events,
        tables: &[&TRACE_TABLES, &TIMELINE_TABLES, &MEMORY_TABLES, &JS_CPU_PROFILER_TABLES],
        derived: ftrace::DERIVED,
    }
    /// Text of the Linux kernel's tracer (ftrace).
    Ftrace {
        names: &["ftrace"],
        description: "ftrace text (\"# tracer:\", or lines like \"name-1 [000] 1.5: event: …\")",
        extension: ".json",
        kind: Kind::Trace,
        text: Text::Other,
        tables: &[&FTRACE_TABLES, &TIMELINE_TABLES, &[&TRACE_METADATA]],
        derived: ftrace::DERIVED,
    }
}

impl Format {
    /// The format with this name in `source.format`.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.spec().names.contains(&name))
    }

    /// Its name in `source.format`, as far as that is known before the document is read.
    pub fn name(self) -> &'static str {
        self.spec().names[0]
    }

    /// A description, and how it is detected.
    pub fn describe(self) -> &'static str {
        self.spec().description
    }

    /// Its file name extension, with the dot.
    pub fn extension(self) -> &'static str {
        self.spec().extension
    }

    /// Its kind of content.
    pub fn kind(self) -> Kind {
        self.spec().kind
    }

    /// Where its text is.
    pub fn text(self) -> Text {
        self.spec().text
    }

    /// Whether a document is one JSON object, behind which another document can follow. Readers of other formats read
    /// what follows.
    pub fn is_one_object(self) -> bool {
        match self.kind() {
            Kind::Heap => true,
            Kind::Profile(kind) => matches!(kind, ProfileKind::Cpu | ProfileKind::Heap),
            Kind::Trace => false,
        }
    }

    /// Whether a document of it can contain CPU profiles, which become documents of their own.
    pub fn holds_profiles(self) -> bool {
        self.kind() == Kind::Trace && self.tables().contains(&&JS_CPU_PROFILER_FILES)
    }

    /// The tables of a document, even if they have no rows; tables of an analysis come last.
    pub fn tables(self) -> Vec<&'static Table> {
        self.spec().tables.concat()
    }

    /// The tables that an analysis derives from the gathered columns. Those that only batches have are not among
    /// [`tables`](Self::tables).
    pub fn derived(self) -> Vec<&'static Table> {
        self.spec().derived.concat()
    }
}

/// A document of an input whose format is known.
#[derive(Clone, Copy)]
pub struct Located<'a> {
    /// The bytes of the input.
    pub input: &'a dyn Input,
    /// Offset of the document's object in the input, in bytes.
    pub offset: ByteOffset,
    /// Number of the document, which goes into every row. Further documents of the same input have the next numbers.
    pub file_id: FileId,
    /// Its name, for the table with one row per document.
    pub name: &'a str,
}

/// Uses a reader, whatever its type.
pub trait Visit {
    /// Type of the result.
    type Output;

    /// Uses the reader of the document.
    fn visit<R: Reader>(self, reader: R) -> Self::Output;
}

/// Opens a document of a known format, and passes its reader to the visitor.
///
/// # Errors
/// If the input cannot be read.
pub fn open<V: Visit>(
    format: Format,
    document: Located<'_>,
    options: &ReadOptions,
    visitor: V,
) -> Result<V::Output> {
    let Located { input, offset, file_id, name } = document;
    Ok(match format {
        Format::Heap if options.recount == Recount::First => {
            let recounted = Arc::new(Recounted::new(input, options.window)?);
            let mended = recounted.mended(input);
            let snapshot = Snapshot::recounted(&mended, file_id, name, options, recounted.clone())?;
            visitor.visit(snapshot)
        }
        Format::Heap => visitor.visit(Snapshot::new(input, file_id, name, options)?),
        Format::Jsc => visitor.visit(jsc::Snapshot::new(input, file_id, name, options)?),
        Format::CpuProfile => {
            visitor.visit(CpuProfile::new(input, offset, file_id, name, options)?)
        }
        Format::HeapProfile => {
            visitor.visit(HeapProfile::new(input, offset, file_id, name, options)?)
        }
        Format::SelfProfile => visitor.visit(SelfProfiles::new(input, file_id, name, options)?),
        Format::Pprof => visitor.visit(Pprof::new(input, file_id, name, options)),
        Format::Trace => visitor.visit(Document::new(input, offset, file_id, options)?),
        Format::Ftrace => visitor.visit(Ftrace::new(input, file_id, options)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        for format in Format::ALL {
            for name in format.spec().names {
                assert_eq!(Format::by_name(name), Some(format));
            }
            let tables = format.tables();
            assert!(!tables.is_empty(), "{format:?}");
            assert!(format.extension().starts_with('.'), "{format:?}");
        }
        assert_eq!(Format::by_name("zip"), None);
    }
}
