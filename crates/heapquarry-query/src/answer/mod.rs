//! What all answers share: the envelope, caveats, numbers with units, lists that may be cut.

pub(crate) mod brief;
mod caveat;
mod figure;
mod issue;
mod limits;
mod list;
mod numbers;
mod original;
mod source;

pub use crate::answered::{Answer, Answered, VERSION};
pub(crate) use caveat::lost_times;
pub use caveat::{Caveat, CaveatKind};
pub use figure::{Figure, UnknownQuantity};
pub use issue::Issue;
pub(crate) use issue::issues;
pub use limits::{LimitCheck, LimitFinding, LimitOutcome, Limits, Measured};
pub use list::List;
pub use numbers::{
    Amount, AmountChange, AnyNumber, Bytes, BytesChange, BytesPerHour, Count, CountChange,
    Distance, Nanos, NodeId, NumberOrText, Share, ShareChange,
};
pub use original::Original;
pub(crate) use original::{called, function_called};
pub use source::SourceLocation;

/// Declares types of answers: plain data that can be written as JSON. Their doc comments describe them in the JSON
/// Schema, and in the types of the npm and Python packages.
macro_rules! answer {
    ($($item:item)+) => {$(
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $item
    )+};
}
pub(crate) use answer;
