//! Names that people gave: source maps.

use clap::Args;
use heapquarry::{Error, ErrorKind, RunOptions, SourceMaps};
use std::{env, path::PathBuf, sync::Arc};

/// Lists source maps as --source-map does, as PATH lists folders.
const VARIABLE: &str = "HEAPQUARRY_SOURCE_MAPS";

// Source maps. Not a documentation comment: the help is that of the question.
#[derive(Args, Debug)]
pub(crate) struct NameMaps {
    /// Source maps, to name functions and classes of heaps as their sources do: a .map file, a folder with such, a
    /// pattern as `dist/**/*.map`, or a script with its map in it; can be repeated [default: HEAPQUARRY_SOURCE_MAPS]
    #[arg(long, value_name = "PATH")]
    pub(crate) source_map: Vec<PathBuf>,
}

impl NameMaps {
    /// These options with the source maps, if there are any.
    pub(crate) fn add_to(&self, options: &RunOptions) -> heapquarry::Result<RunOptions> {
        let named = env::var_os(VARIABLE).filter(|_| self.source_map.is_empty());
        let named: Vec<PathBuf> = named.iter().flat_map(env::split_paths).collect();
        let paths: Vec<PathBuf> =
            named.into_iter().chain(self.source_map.iter().cloned()).collect();
        let paths: Vec<&PathBuf> =
            paths.iter().filter(|path| !path.as_os_str().is_empty()).collect();
        if paths.is_empty() {
            return Ok(options.clone());
        }
        let maps = SourceMaps::list(&paths).map_err(|not_found| {
            let what = format!("source maps: {}", not_found.why);
            Error::from(ErrorKind::NotFound { path: not_found.path, what })
        })?;
        Ok(options.clone().source_maps(Arc::new(maps)))
    }
}
