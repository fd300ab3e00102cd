//! Names that people gave: source maps.

use clap::Args;
use std::path::PathBuf;

// Source maps. Not a documentation comment: the help is that of the question.
#[derive(Args, Debug)]
pub(crate) struct NameMaps {
    /// Source maps, to name functions and classes as their sources do: a .map file, a folder with such, a pattern as
    /// `dist/**/*.map`, or a script with its map in it; can be repeated [default: HEAPQUARRY_SOURCE_MAPS]
    #[arg(long, value_name = "PATH")]
    pub(crate) source_map: Vec<PathBuf>,
}
