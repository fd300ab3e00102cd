//! Profiles in the formats of viewers.

mod collapsed;
mod pprof;
mod speedscope;

use crate::{
    Error, ErrorKind, Result, RunOptions, Source,
    profile::{self, Profile},
};
use std::io::Write;

/// A format that viewers read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Stacks with their weights, one in each line, as flamegraph.pl and inferno take them.
    Collapsed,
    /// The file format of <https://www.speedscope.app>.
    Speedscope,
    /// The format of <https://github.com/google/pprof>, packed with gzip as its files are.
    Pprof,
}

/// Writes a profile for a viewer. Of a CPU profile weights are microseconds, of a sampling heap profile bytes, of
/// self-profiling traces samples. A trace stands for all CPU profiles in it: speedscope has each by itself, pprof has a
/// label of each on its samples, and collapsed stacks are those of all of them.
///
/// # Errors
/// If the input cannot be read, is no profile ([`ErrorKind::OtherFormat`]) or has none, or no node
/// ([`ErrorKind::NotFound`]), or `out` cannot be written.
pub fn export(
    source: &Source,
    to: Viewer,
    out: &mut dyn Write,
    options: &RunOptions,
) -> Result<()> {
    let profile =
        profile::load(source, source.locate(options)?, to == Viewer::Speedscope, options)?;
    let path = &source.path;
    if profile.of.is_empty() {
        let what = "node in this profile".into();
        return Err(Error::new(ErrorKind::NotFound { path: path.clone(), what }));
    }
    let written = match to {
        Viewer::Collapsed => collapsed::write(&profile, out),
        Viewer::Speedscope => speedscope::write(&profile, out),
        Viewer::Pprof => pprof::write(&profile, out),
    };
    written.and_then(|()| out.flush()).map_err(|source| {
        Error::new(ErrorKind::Input { path: path.clone(), doing: "export", source })
    })
}

/// The nodes that have something themselves.
fn weighty(profile: &Profile) -> impl Iterator<Item = (usize, i64)> {
    let weights = profile.weights.iter().copied().enumerate();
    weights.filter(|(_, weight)| *weight > 0)
}
