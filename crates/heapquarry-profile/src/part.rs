//! What a profile is made of: data from some rows of one of its tables.

use crate::{Function, Gaps, function};
use std::sync::Arc;

/// Data from some rows of a table.
#[derive(Debug)]
pub enum Part {
    /// Totals of a document.
    Whole {
        /// Number of samples.
        samples: i64,
        /// Sum over all samples, including those with an unknown node.
        whole: i64,
        /// Start and end in microseconds of the engine's clock.
        span: Option<(i64, i64)>,
        /// Names of documents, with their threads.
        names: Vec<(i32, String)>,
        /// What is not known of them.
        gaps: Gaps,
    },
    /// Nodes of the call tree.
    Nodes(Nodes),
    /// Ids of nodes with their documents, and durations.
    Samples(Vec<((i32, i64), i64)>),
    /// Stacks of a self-profiling trace.
    Stacks(Vec<Stack>),
    /// Frames of its stacks.
    Frames(Vec<(Id, Frame)>),
    /// Scripts of its frames.
    Resources(Vec<(Id, Arc<str>)>),
    /// The type of values that is shown unless another one is asked for.
    Default {
        /// Totals of the document.
        whole: Box<Part>,
        /// Position of the type.
        value: Option<i32>,
    },
    /// Types of values: position, name, unit.
    Types(Vec<(i32, String, String)>),
    /// Values of the types.
    Values(Vec<Values>),
}

impl Part {
    /// Memory that it takes, in bytes, about.
    pub fn memory(&self) -> u64 {
        let bytes = match self {
            Part::Nodes(nodes) => return nodes.memory(),
            Part::Samples(samples) => size_of_val(&samples[..]),
            Part::Stacks(stacks) => size_of_val(&stacks[..]),
            Part::Frames(frames) => {
                let names = frames.iter().map(|(_, frame)| frame.name.len());
                size_of_val(&frames[..]) + names.sum::<usize>()
            }
            Part::Resources(resources) => {
                let urls = resources.iter().map(|(_, url)| url.len());
                size_of_val(&resources[..]) + urls.sum::<usize>()
            }
            Part::Values(values) => {
                values.iter().map(|values| size_of_val(&values.values[..])).sum::<usize>()
            }
            // Of a document they are few.
            Part::Whole { .. } | Part::Default { .. } | Part::Types(_) => size_of::<Part>(),
        };
        bytes as u64
    }
}

/// Self values of a type: nodes with their values.
#[derive(Debug)]
pub struct Values {
    /// Position of the type.
    pub of: i32,
    /// Positions of nodes, and their values.
    pub values: Vec<(i64, i64)>,
}

/// An id that is unique within one document.
pub type Id = (i32, i32);

/// Nodes in file order, those of a document together; parents are positions in the document.
#[derive(Debug, Default)]
pub struct Nodes {
    /// The document of each.
    pub file_ids: Vec<i32>,
    /// The distinct functions.
    pub functions: Vec<Function>,
    /// The function of each, a position in `functions`.
    pub of: Vec<u32>,
    /// The caller of each, a position in its document; negative if it has none.
    pub parents: Vec<i64>,
    /// What samples call each; empty if there are no samples.
    pub ids: Vec<Option<i64>>,
    /// The self value of each, in the unit of the kind; empty for those with several types of values.
    pub weights: Vec<i64>,
    /// The number of samples of each; empty if the kind has none.
    pub hits: Vec<i64>,
    /// Nodes without a weight.
    pub unknown: u64,
}

impl Nodes {
    fn memory(&self) -> u64 {
        let Nodes { file_ids, functions, of, parents, ids, weights, hits, .. } = self;
        let places = size_of_val(&file_ids[..]) + size_of_val(&of[..]) + size_of_val(&parents[..]);
        let values = size_of_val(&ids[..]) + size_of_val(&weights[..]) + size_of_val(&hits[..]);
        (places + values) as u64 + function::memory(functions)
    }
}

/// A stack of a self-profiling trace.
#[derive(Debug)]
pub struct Stack {
    /// Its id.
    pub id: Id,
    /// Id of its innermost frame.
    pub frame: Option<i32>,
    /// Id of the stack below that frame; -1 if there is none.
    pub parent: i32,
    /// Number of samples.
    pub count: i64,
}

/// A frame of a self-profiling trace.
#[derive(Debug)]
pub struct Frame {
    /// Name of the function.
    pub name: Arc<str>,
    /// Id of its script.
    pub resource: Option<i32>,
    /// Line, from 1.
    pub line: Option<i32>,
    /// Column, from 1.
    pub column: Option<i32>,
}

impl Frame {
    /// Its function; `url` is that of its script, if it has one.
    pub fn function(&self, url: Option<&Arc<str>>) -> Function {
        let Frame { name, line, column, .. } = self;
        let (line, column) = (*line, *column);
        let url = url.cloned().unwrap_or_default();
        Function { name: name.clone(), url, line, column, original: None }
    }
}
