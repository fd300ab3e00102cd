//! What the values of a profile are.

/// The kinds of profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Time by function; weights are microseconds.
    #[default]
    Cpu,
    /// Sampled allocations by function; weights are bytes.
    Heap,
    /// Samples that a page took of itself; weights are numbers of samples.
    SelfProfile,
    /// Values of several types, which the profile names: times, bytes, counts.
    Pprof,
}
