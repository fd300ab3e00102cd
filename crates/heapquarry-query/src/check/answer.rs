//! Whether the limits of a budget are kept.

use crate::answer::{Figure, Limits, UnknownQuantity, answer};

answer! {
    /// Whether the limits of a budget are kept.
    pub struct CheckAnswer {
        /// What the inputs are: `heap`, `cpu_profile`, `heap_profile`, `self_profile`, `profile`, `trace` or `process`.
        pub kind: &'static str,
        /// The input, or the file of figures, that growth is measured from; absent without one.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub baseline: Option<String>,
        /// The limits.
        #[serde(flatten)]
        pub limits: Limits,
        /// Figures of the whole input, then those that limits are about.
        pub figures: Vec<Figure>,
        /// What is not known of the inputs.
        pub unknown: Vec<UnknownQuantity>,
    }
}
