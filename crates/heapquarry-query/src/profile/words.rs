//! Names of the numbers of each kind of profile.

use heapquarry_formats::ProfileKind as Kind;

/// Names in JSON, and for people.
pub(super) struct Words {
    /// The kind of profile.
    pub(super) title: &'static str,
    /// The unit of a number in tables.
    pub(super) unit: &'static str,
    pub(super) own: &'static str,
    pub(super) total: &'static str,
    pub(super) base_own: &'static str,
    pub(super) base_total: &'static str,
    pub(super) own_delta: &'static str,
    pub(super) total_delta: &'static str,
    /// Names of the total, in JSON and text.
    pub(super) whole: (&'static str, &'static str),
    pub(super) whole_delta: &'static str,
    /// Names of the part that was not idle: the number, its change, and the name in text.
    pub(super) busy: Option<(&'static str, &'static str, &'static str)>,
    /// Whether the number of samples differs from the total.
    pub(super) counts_apart: bool,
    pub(super) by_own: &'static str,
    pub(super) by_total: &'static str,
    pub(super) by_url: &'static str,
    pub(super) grown_by_own: &'static str,
    pub(super) grown_by_total: &'static str,
}

macro_rules! words {
    ($title:literal, $unit:literal, $key:literal, $what:literal, $whole:literal, $whole_title:literal, $busy:expr) => {
        Words {
            title: $title,
            unit: $unit,
            own: concat!("self_", $key),
            total: concat!("total_", $key),
            base_own: concat!("base_self_", $key),
            base_total: concat!("base_total_", $key),
            own_delta: concat!("self_", $key, "_delta"),
            total_delta: concat!("total_", $key, "_delta"),
            whole: ($whole, $whole_title),
            whole_delta: concat!($whole, "_delta"),
            busy: $busy,
            counts_apart: true,
            by_own: concat!("Functions by self ", $what),
            by_total: concat!("Functions by total ", $what),
            by_url: concat!("Scripts by self ", $what),
            grown_by_own: concat!("Functions by growth of self ", $what),
            grown_by_total: concat!("Functions by growth of total ", $what),
        }
    };
}

static CPU: Words = words!(
    "CPU profile",
    "us",
    "time_us",
    "time",
    "time_us",
    "Time",
    Some(("busy_time_us", "busy_time_us_delta", "Not idle"))
);

static HEAP: Words = words!("Sampling heap profile", "bytes", "size", "size", "size", "Size", None);

static SELF_PROFILE: Words = Words {
    counts_apart: false,
    ..words!(
        "Self-profiling traces",
        "samples",
        "samples",
        "samples",
        "sample_count",
        "Samples",
        Some(("busy_sample_count", "busy_sample_count_delta", "With a stack"))
    )
};

static PPROF: Words = words!("Profile", "count", "value", "value", "value", "Value", None);

impl Words {
    pub(super) fn of(kind: Kind) -> &'static Words {
        match kind {
            Kind::Cpu => &CPU,
            Kind::Heap => &HEAP,
            Kind::SelfProfile => &SELF_PROFILE,
            Kind::Pprof => &PPROF,
        }
    }
}
