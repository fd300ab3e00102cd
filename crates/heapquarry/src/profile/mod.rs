//! Profiles in memory, from a file or from tables.

mod load;

pub use load::{LoadedProfile, load};

use heapquarry_profile::Kind;
use heapquarry_report::Unit;

/// Unit of the weights of a kind of profile.
pub fn unit(kind: Kind) -> Unit {
    match kind {
        Kind::Cpu => Unit::Micros,
        Kind::Heap => Unit::Bytes,
        Kind::SelfProfile | Kind::Pprof => Unit::Count,
    }
}
