//! What the thread that waits is told.

use heapquarry::Result;

/// What the thread that waits is told.
pub(crate) enum Event {
    /// The input is of a kind that can be opened, and is read now.
    Begun,
    /// The analysis has ended.
    Analysed(Result<()>),
    /// A page has been opened.
    Opened,
    /// A page has been closed.
    Closed,
}
