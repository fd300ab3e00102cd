//! The sections of a snapshot that become tables.
//!
//! A new section of records is one entry in the table below, and one file with a [`Decode`].

mod decoder;
mod edges;
mod locations;
mod names;
mod nodes;
mod references;
mod samples;
mod scope_context_vars;
mod scope_owners;
mod scope_uses;
mod scopes;
mod trace_functions;
pub(crate) mod trace_tree;

pub(crate) use decoder::{Decode, RecordDecoder, RecordTask};

use super::{DERIVED, fields::FieldList};
use crate::{Names, ReadOptions};
use heapquarry_tables::{
    JS_HEAP_EDGES, JS_HEAP_LOCATION, JS_HEAP_NODES, JS_HEAP_SAMPLE, JS_HEAP_SCOPE,
    JS_HEAP_SCOPE_CONTEXT_VAR, JS_HEAP_SCOPE_USE, JS_HEAP_STRING, JS_HEAP_TRACE_FUNCTION_INFO,
    JS_HEAP_TRACE_NODE, Projection, Table, Type,
};

/// A section that becomes a table.
#[derive(Debug)]
pub(crate) struct Section {
    /// The name of the top-level member.
    pub(crate) name: &'static str,
    /// The table of its rows.
    pub(crate) table: &'static Table,
    /// Whether every snapshot has it. If so, its absence is logged.
    pub(crate) required: bool,
    /// What must be complete before it is decoded.
    pub(crate) needs: &'static [Dependency],
    /// What becomes complete with it.
    pub(crate) provides: Option<Dependency>,
    /// Its content, and how to decode it.
    pub(crate) content: Content,
}

/// Data that one section provides for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependency {
    /// Number of nodes, their ids, and the number of edges each owns.
    Nodes,
    /// The strings, for names as text.
    Strings,
    /// Number of variables and uses that each scope owns.
    Scopes,
}

/// Content of a section.
#[derive(Debug)]
pub(crate) enum Content {
    /// Records of integers, one after the other.
    Records(RecordDecoder),
    /// The tree of allocation stacks: nested records.
    TraceTree(&'static FieldList),
    /// Strings.
    Strings,
}

impl Content {
    /// The fields of its records, if it has records.
    fn fields(&self) -> Option<&'static FieldList> {
        match self {
            Content::Records(decoder) => Some(decoder.fields),
            Content::TraceTree(fields) => Some(fields),
            Content::Strings => None,
        }
    }
}

macro_rules! sections {
    ($($section:ident { $($field:ident: $value:expr,)+ })+) => {
        $(pub(crate) static $section: Section = Section { $($field: $value),+ };)+

        /// All sections, in the order of V8.
        pub(crate) static SECTIONS: &[&Section] = &[$(&$section),+];
    };
}

sections! {
    NODES {
        name: "nodes",
        table: &JS_HEAP_NODES,
        required: true,
        needs: &[Dependency::Strings],
        provides: Some(Dependency::Nodes),
        content: Content::Records(RecordDecoder::of::<nodes::Nodes>()),
    }
    EDGES {
        name: "edges",
        table: &JS_HEAP_EDGES,
        required: true,
        needs: &[Dependency::Nodes, Dependency::Strings],
        provides: None,
        content: Content::Records(RecordDecoder::of::<edges::Edges>()),
    }
    TRACE_FUNCTIONS {
        name: "trace_function_infos",
        table: &JS_HEAP_TRACE_FUNCTION_INFO,
        required: false,
        needs: &[Dependency::Strings],
        provides: None,
        content: Content::Records(RecordDecoder::of::<trace_functions::TraceFunctions>()),
    }
    TRACE_TREE {
        name: "trace_tree",
        table: &JS_HEAP_TRACE_NODE,
        required: false,
        needs: &[],
        provides: None,
        content: Content::TraceTree(&trace_tree::FIELDS),
    }
    SAMPLES {
        name: "samples",
        table: &JS_HEAP_SAMPLE,
        required: false,
        needs: &[],
        provides: None,
        content: Content::Records(RecordDecoder::of::<samples::Samples>()),
    }
    LOCATIONS {
        name: "locations",
        table: &JS_HEAP_LOCATION,
        required: false,
        needs: &[Dependency::Nodes],
        provides: None,
        content: Content::Records(RecordDecoder::of::<locations::Locations>()),
    }
    SCOPES {
        name: "scopes",
        table: &JS_HEAP_SCOPE,
        required: false,
        needs: &[Dependency::Nodes],
        provides: Some(Dependency::Scopes),
        content: Content::Records(RecordDecoder::of::<scopes::Scopes>()),
    }
    SCOPE_CONTEXT_VARS {
        name: "scope_context_vars",
        table: &JS_HEAP_SCOPE_CONTEXT_VAR,
        required: false,
        needs: &[Dependency::Scopes, Dependency::Strings],
        provides: None,
        content: Content::Records(RecordDecoder::of::<scope_context_vars::ScopeContextVars>()),
    }
    SCOPE_USES {
        name: "scope_uses",
        table: &JS_HEAP_SCOPE_USE,
        required: false,
        needs: &[Dependency::Scopes],
        provides: None,
        content: Content::Records(RecordDecoder::of::<scope_uses::ScopeUses>()),
    }
    STRINGS {
        name: "strings",
        table: &JS_HEAP_STRING,
        required: true,
        needs: &[],
        provides: Some(Dependency::Strings),
        content: Content::Strings,
    }
}

impl Dependency {
    /// All dependencies.
    pub(crate) const ALL: [Dependency; 3] =
        [Dependency::Nodes, Dependency::Strings, Dependency::Scopes];
}

impl Section {
    /// The section of that name.
    pub(crate) fn by_name(name: &str) -> Option<&'static Section> {
        SECTIONS.iter().copied().find(|section| section.name == name)
    }
}

impl PartialEq for Section {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Whether any section needs names as text: then the strings are read first.
pub(crate) fn wants_names(projection: &Projection) -> bool {
    let named = SECTIONS.iter().filter(|section| section.needs.contains(&Dependency::Strings));
    named.map(|section| section.table).any(|table| {
        let wanted = projection.columns(table);
        wanted.of(table).any(|column| table.columns[column].ty == Type::Text)
    })
}

/// Whether the strings are kept until the end: for names as text, and for an analysis.
pub fn keeps_strings(options: &ReadOptions) -> bool {
    let names = options.names == Names::Text && wants_names(&options.projection);
    names || options.gathers(&DERIVED.concat())
}

/// The fields of all sections, for parsing the header.
pub(crate) fn field_lists() -> impl Iterator<Item = &'static FieldList> {
    SECTIONS.iter().filter_map(|section| section.content.fields())
}
