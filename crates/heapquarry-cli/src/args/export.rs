//! The verb `export`.

use super::{
    names::NameMaps,
    only::Only,
    values::{INPUT_HELP, size, source},
    work::Unpack,
};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use heapquarry::Source;
use heapquarry_export::ExportFormat;

/// Convert a profile or a trace for a viewer, to standard output
#[derive(Args, Debug)]
pub(crate) struct Export {
    #[arg(value_name = "INPUT", value_parser = source(), help = INPUT_HELP)]
    pub(crate) input: Source,

    /// A later profile, for a differential flame graph of the changes since INPUT (collapsed: the weights before and
    /// after; speedscope: both profiles, growth and decline)
    #[arg(value_name = "LATER", value_parser = source())]
    pub(crate) later: Option<Source>,

    /// Refuse what needs more memory by an estimate, such as 8GB [default: the limit of the container]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,

    #[command(flatten)]
    pub(crate) unpack: Unpack,

    #[command(flatten)]
    pub(crate) names: NameMaps,

    /// Output format. collapsed: stacks for flamegraph.pl and inferno; speedscope: for speedscope.app; pprof: for
    /// `go tool pprof` and compatible services; cpuprofile: one profile of times, CPU or pprof, for Chrome DevTools and
    /// editors; chrome: events of a trace for ui.perfetto.dev and chrome://tracing
    #[arg(long, value_name = "VIEWER", value_parser = viewer())]
    pub(crate) to: ExportFormat,

    #[command(flatten)]
    pub(crate) only: Only,
}

/// A viewer, by its name.
fn viewer() -> impl TypedValueParser<Value = ExportFormat> {
    let names = ExportFormat::ALL.map(ExportFormat::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<ExportFormat>())
}
