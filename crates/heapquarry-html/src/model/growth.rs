//! How classes grew from snapshot to snapshot.

use super::{Numbers, Texts};
use serde::Serialize;

/// Classes in several snapshots of one process. Lists of classes and snapshots have all snapshots of the first class,
/// then those of the second.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Growth {
    /// Names of the snapshots in order of time, as numbers of texts.
    pub snapshots: Numbers,
    /// Bytes of each snapshot.
    pub sizes: Numbers,
    /// Names of the classes that grew most, as numbers of texts.
    pub names: Numbers,
    /// Number of instances, by class and snapshot.
    pub counts: Numbers,
    /// Bytes that all instances retain together, by class and snapshot.
    pub retained: Numbers,
    /// Bytes by which each finding of the page has grown since the first snapshot, by finding and snapshot.
    pub findings: Numbers,
    /// Names.
    pub texts: Texts,
}
