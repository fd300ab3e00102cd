//! Numbers with units. In JSON they are plain numbers; the schema says the unit.

use heapquarry_graph::{SYSTEM, UNREACHED};
use heapquarry_report::Unit;
use serde::{Serialize, Serializer};

/// Declares a number with a unit.
macro_rules! number {
    ($(#[$doc:meta])+ $name:ident($number:ty), $unit:literal) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, extend("unit" = $unit)))]
        #[serde(transparent)]
        pub struct $name(pub $number);
    };
}

number! {
    /// Bytes.
    Bytes(u64), "bytes"
}
number! {
    /// A change in bytes.
    BytesChange(i64), "bytes"
}
number! {
    /// Bytes per hour.
    BytesPerHour(i64), "bytes per hour"
}
number! {
    /// A count, or a change of one.
    Count(i64), "count"
}
number! {
    /// A change of a count.
    CountChange(i64), "count"
}
number! {
    /// The id of a node of a heap, as the engine numbers them; in text `@123`.
    NodeId(i64), "id"
}

/// A part of a whole, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, with = "f64", extend("unit" = "percent")))]
pub struct Share {
    /// Ten-thousandths of a percent.
    pub(crate) parts: i64,
}

impl Share {
    /// A part of a whole; `None` if the whole is 0.
    pub(crate) fn of(part: u64, whole: u64) -> Option<Self> {
        let parts = (u128::from(part) * 1_000_000).checked_div(u128::from(whole))?;
        Some(Share { parts: i64::try_from(parts).unwrap_or(i64::MAX) })
    }

    /// A share in thousandths.
    pub(crate) fn of_thousandths(thousandths: u32) -> Self {
        Share { parts: i64::from(thousandths) * 1000 }
    }

    /// The number of percent, rounded to a whole one.
    pub(crate) fn rounded(self) -> i64 {
        (self.parts + 5_000) / 10_000
    }

    /// The number of percent.
    pub fn percent(self) -> f64 {
        self.parts as f64 / 10_000.0
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.percent())
    }
}

/// A change of a part of a whole, in percentage points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, with = "f64", extend("unit" = "percentage points")))]
pub struct ShareChange {
    /// Ten-thousandths of a percentage point.
    pub(crate) parts: i64,
}

impl Serialize for ShareChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Share { parts: self.parts }.serialize(serializer)
    }
}

/// Edges on the shortest path from the root to a node, as DevTools counts them. 100,000,000 and more: reached only
/// through the engine's own nodes. -5: not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Distance(pub i32);

impl Distance {
    /// A word for what is no number of edges.
    pub(crate) fn word(self) -> Option<&'static str> {
        match self.0 {
            UNREACHED => Some("unreached"),
            SYSTEM.. => Some("system"),
            _ => None,
        }
    }
}

number! {
    /// Nanoseconds.
    Nanos(i64), "ns"
}

impl Nanos {
    /// The time between start and end, if these are known.
    pub(crate) fn of_span(span: Option<(i64, i64)>) -> Option<Self> {
        span.map(|(start, end)| Nanos(end.saturating_sub(start)))
    }
}

/// An id of a process or thread, or a value of a counter: traces have numbers and texts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum NumberOrText {
    /// A whole number.
    Number(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    Text(String),
}

/// A number whose unit the answer names elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Amount {
    /// The number.
    pub number: i64,
    #[serde(skip)]
    pub(crate) unit: Unit,
}

/// A change of a number whose unit the answer names elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct AmountChange {
    /// The change.
    pub number: i64,
    #[serde(skip)]
    pub(crate) unit: Unit,
}

/// Any number, in the unit that its name says: in JSON a whole one without a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct AnyNumber(pub f64);

/// Up to this all whole numbers have a form of their own.
const EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;

impl Serialize for AnyNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            true => serializer.serialize_i64(self.0 as i64),
            false => serializer.serialize_f64(self.0),
        }
    }
}

/// Rounded, as the median of two runs can lie between.
impl From<AnyNumber> for Count {
    fn from(number: AnyNumber) -> Self {
        Count(number.0.round() as i64)
    }
}

/// Rounded, as medians and means can lie between.
impl From<AnyNumber> for Nanos {
    fn from(number: AnyNumber) -> Self {
        Nanos(number.0.round() as i64)
    }
}
