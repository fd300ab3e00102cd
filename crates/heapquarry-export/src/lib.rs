//! Profiles and traces as files for viewers: speedscope, pprof, Chrome DevTools, Perfetto, flame graphs.
//!
//! A file per format. [`export()`] writes what one input has, [`export_difference`] what changed between two profiles.
#![forbid(unsafe_code)]

mod chrome;
mod collapsed;
mod cpuprofile;
mod difference;
mod pprof;
mod speedscope;

pub use difference::export_difference;
use heapquarry::{
    Error, ErrorKind, Result, RunOptions, Source,
    engine::{Locate, load_profile},
};
use heapquarry_profile::Profile;
use std::{
    fmt::Display,
    io::{self, Write},
    str::FromStr,
};

/// An export format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Stacks with their weights, one per line, for flamegraph.pl and inferno.
    Collapsed,
    /// The file format of <https://www.speedscope.app>.
    Speedscope,
    /// The format of <https://github.com/google/pprof>, compressed with gzip like pprof's own files.
    Pprof,
    /// A `.cpuprofile` file, for Chrome DevTools and editors: one profile of times, CPU or pprof.
    CpuProfile,
    /// The Trace Event Format: the events of a trace, or of a [part](Source::part) of it, for <https://ui.perfetto.dev>
    /// and chrome://tracing.
    Chrome,
}

impl ExportFormat {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Collapsed, Self::Speedscope, Self::Pprof, Self::CpuProfile, Self::Chrome];

    /// Its name: that of the viewer, or of the kind of file.
    pub const fn name(self) -> &'static str {
        match self {
            ExportFormat::Collapsed => "collapsed",
            ExportFormat::Speedscope => "speedscope",
            ExportFormat::Pprof => "pprof",
            ExportFormat::CpuProfile => "cpuprofile",
            ExportFormat::Chrome => "chrome",
        }
    }
}

impl FromStr for ExportFormat {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(ExportFormat::name).join(", ");
            format!("expected one of {names}, found {name:?}")
        })
    }
}

/// Writes a profile or a trace for a viewer. Weights are microseconds for CPU profiles, bytes for sampling heap
/// profiles and samples for self-profiling traces. For a trace, all its CPU profiles are written: speedscope has them
/// separately, pprof labels their samples, and collapsed stacks merge them.
///
/// # Errors
///
/// If the input cannot be read, is not a profile ([`ErrorKind::OtherFormat`]), has no profile or nothing in it
/// ([`ErrorKind::NotFound`]), or `out` cannot be written.
pub fn export(
    source: &Source,
    to: ExportFormat,
    out: &mut dyn Write,
    options: &RunOptions,
) -> Result<()> {
    let write: fn(&Profile, &mut dyn Write) -> io::Result<()> = match to {
        ExportFormat::Chrome => return chrome::export(source, out, options),
        ExportFormat::Collapsed => collapsed::write,
        ExportFormat::Speedscope => speedscope::write,
        ExportFormat::Pprof => pprof::write,
        ExportFormat::CpuProfile => cpuprofile::write,
    };
    source.refuse_part(
        "its samples belong to no events; only the format chrome has those of a part",
    )?;
    let samples = matches!(to, ExportFormat::Speedscope | ExportFormat::CpuProfile);
    let profile = load_profile(source, source.locate(options)?, samples, options)?.profile;
    let profile = profile.in_sources();
    if to == ExportFormat::CpuProfile {
        cpuprofile::refuse_other(source, &profile)?;
    }
    refuse_empty(source, &profile, to)?;
    finish(source, write(&profile, out), out)
}

/// Returns an error for a profile of nothing: a viewer would show an empty page, or refuse the file.
fn refuse_empty(source: &Source, profile: &Profile, to: ExportFormat) -> Result<()> {
    let any = |weights: &[i64]| weights.iter().any(|&weight| weight > 0);
    // Only pprof has the numbers of samples too, and all types of values.
    let any_other = || any(&profile.hits) || profile.measures.iter().any(|one| any(&one.weights));
    if any(&profile.weights) || to == ExportFormat::Pprof && any_other() {
        return Ok(());
    }
    let what = "sample to show: every weight in this profile is 0".into();
    Err(Error::new(ErrorKind::NotFound { path: source.path.clone(), what }))
}

/// Ends writing, whose errors belong to no input but name the one that was exported.
fn finish(source: &Source, written: io::Result<()>, out: &mut dyn Write) -> Result<()> {
    written.and_then(|()| out.flush()).map_err(|error| {
        let path = source.path.clone();
        Error::new(ErrorKind::Input { path, doing: "export", source: error })
    })
}

/// Writes values with commas between them.
fn commas(values: impl Iterator<Item = impl Display>, out: &mut dyn Write) -> io::Result<()> {
    for (i, value) in values.enumerate() {
        write!(out, "{}{value}", if i > 0 { "," } else { "" })?;
    }
    Ok(())
}

/// The nodes with a self value.
fn weights(profile: &Profile) -> impl Iterator<Item = (usize, i64)> {
    let weights = profile.weights.iter().copied().enumerate();
    weights.filter(|(_, weight)| *weight > 0)
}
