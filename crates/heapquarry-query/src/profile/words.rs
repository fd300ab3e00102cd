//! Names of the numbers of each kind of profile, for people.

use heapquarry_profile::Kind;

/// What people read.
pub(super) struct Words {
    /// The kind of profile.
    pub(super) title: &'static str,
    /// The unit of a number in tables.
    pub(super) unit: &'static str,
    /// The sum of all values.
    pub(super) whole: &'static str,
    /// The part that was not idle, if profiles of the kind tell.
    pub(super) busy: Option<&'static str>,
    /// Whether the number of samples differs from the total.
    pub(super) counts_apart: bool,
    pub(super) by_own: &'static str,
    pub(super) by_total: &'static str,
    pub(super) by_url: &'static str,
    pub(super) by_package: &'static str,
    pub(super) grown_by_own: &'static str,
    pub(super) grown_by_total: &'static str,
    pub(super) changed: &'static str,
}

macro_rules! words {
    ($title:literal, $unit:literal, $what:literal, $whole:literal, $busy:expr) => {
        Words {
            title: $title,
            unit: $unit,
            whole: $whole,
            busy: $busy,
            counts_apart: true,
            by_own: concat!("Functions by self ", $what),
            by_total: concat!("Functions by total ", $what),
            by_url: concat!("Scripts by self ", $what),
            by_package: concat!("Packages by self ", $what),
            grown_by_own: concat!("Functions by growth of self ", $what),
            grown_by_total: concat!("Functions by growth of total ", $what),
            changed: concat!("Functions whose self ", $what, " changed"),
        }
    };
}

static CPU: Words = words!("CPU profile", "us", "time", "Time", Some("Not idle"));

static HEAP: Words = words!("Sampling heap profile", "bytes", "size", "Size", None);

static SELF_PROFILE: Words = Words {
    counts_apart: false,
    ..words!("Self-profiling traces", "samples", "samples", "Samples", Some("With a stack"))
};

static PPROF: Words = words!("Profile", "count", "value", "Value", None);

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
