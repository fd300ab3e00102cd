//! The memory of a running JavaScript process: what it says of itself and what the system says of it, as samples, and
//! what these show: which part of the memory grows, and how sure that is.
//!
//! [`judge`] is a function of the samples alone. It rests on figures after collections: between them, RSS and heap rise
//! for minutes in programs without a leak.
//!
//! Facts about the system are those of Linux; elsewhere [`Outside`] knows nothing.
#![forbid(unsafe_code)]

mod account;
mod allocations;
mod figures;
mod group;
mod isolate;
mod malloc;
mod maps;
mod needed;
mod outside;
mod part;
mod rate;
mod sample;
mod series;
mod sight;
mod status;
mod trend;
mod verdict;

pub use account::{Account, Outgrowth, Use, outgrowth};
pub use allocations::{AllocationCall, Allocations};
pub use group::Group;
pub use isolate::Isolate;
pub use malloc::Malloc;
pub use maps::{MapKind, MapTotal};
pub use needed::MOST_FIGURES;
pub use outside::{Depth, Outside, System};
pub use part::Part;
pub use rate::{Rate, peak, rate};
pub use sample::{Collection, Inside, LiveBy, Recording, Sample, Space};
pub use series::series;
pub use sight::{Sight, Walks, unsaid, walks};
pub use status::Status;
pub use trend::{Trend, trend};
pub use verdict::{Cause, Confidence, Doubt, Verdict, judge};
