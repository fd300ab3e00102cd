//! Integer types for values of records: 32 bits if all fit, 64 otherwise.

use arrow_array::{
    ArrayRef, Int64Array, UInt32Array,
    cast::AsArray,
    types::{Int64Type, UInt32Type},
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use heapquarry_scan::Number;
use heapquarry_tables::pool::Pool;
use std::sync::Arc;

/// Type of the values of a task. `u32` serves if all values are plain numbers that fit, as in nearly all tasks of
/// nearly all files. Otherwise the task is decoded again with `i64`, which also represents unusual values.
pub(crate) trait Value: Copy + Default + Ord + Into<i64> {
    /// What the tokenizer returns.
    type Token: Number;

    /// Converts a token.
    fn from_token(token: Self::Token) -> Self;

    /// Converts a number of 32 bits.
    fn from_narrow(narrow: u32) -> Self;

    /// Converts any value; `None` if it does not fit.
    fn from_wide(wide: i64) -> Option<Self>;

    /// Whether all of them, as unsigned numbers, are below `limit`.
    fn all_below(values: &[Self], limit: u64) -> bool;

    /// Whether all of them are multiples of `W` and stay below `W * count`.
    fn all_multiples<const W: u32>(values: &[Self], count: usize) -> bool;

    /// The quotient; `None` if it is negative or not a multiple of `divisor`.
    fn divided(self, divisor: u32) -> Option<Self>;

    /// Bitwise OR of all of them.
    fn bits(values: &[Self]) -> u64;

    /// Memory for this many values.
    fn take(pool: &Pool<u32>, capacity: usize) -> Vec<Self>;

    /// Returns the memory to the pool.
    fn give(values: Vec<Self>, pool: &Pool<u32>);

    /// The values, if the type has 32 bits.
    fn narrow(values: &[Self]) -> Option<&[u32]>;

    /// The values as an INT64 array.
    fn int64(values: Vec<Self>, nulls: Option<NullBuffer>, pool: &Pool<u32>) -> ArrayRef;

    /// The values of an array made by [`Value::int64`], as keys. A value that does not fit becomes some other key.
    fn keys(array: &ArrayRef) -> ScalarBuffer<i32>;

    /// The values as INT32; all of them must fit.
    fn int32(values: Vec<Self>, pool: &Pool<u32>) -> ScalarBuffer<i32>;
}

impl Value for u32 {
    type Token = u32;

    #[inline]
    fn from_token(token: u32) -> Self {
        token
    }

    #[inline]
    fn from_narrow(narrow: u32) -> Self {
        narrow
    }

    #[inline]
    fn from_wide(wide: i64) -> Option<Self> {
        wide.try_into().ok()
    }

    #[inline(always)]
    fn all_below(values: &[Self], limit: u64) -> bool {
        let Some(last) = limit.checked_sub(1) else { return values.is_empty() };
        let last = u32::try_from(last).unwrap_or(u32::MAX);
        values.iter().fold(0, |largest, &value| value.max(largest)) <= last
    }

    #[inline(always)]
    fn all_multiples<const W: u32>(values: &[Self], count: usize) -> bool {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let bad = values.iter().fold(0, |bad, &value| {
            let quotient = value / W;
            bad | (value - quotient * W) | u32::from(quotient >= count)
        });
        bad == 0
    }

    #[inline]
    fn divided(self, divisor: u32) -> Option<Self> {
        self.is_multiple_of(divisor).then_some(self / divisor)
    }

    #[inline(always)]
    fn bits(values: &[Self]) -> u64 {
        values.iter().fold(0, |bits, value| bits | value).into()
    }

    fn take(pool: &Pool<u32>, capacity: usize) -> Vec<Self> {
        pool.take(capacity)
    }

    fn give(values: Vec<Self>, pool: &Pool<u32>) {
        pool.give(values);
    }

    fn narrow(values: &[Self]) -> Option<&[u32]> {
        Some(values)
    }

    fn int64(values: Vec<Self>, nulls: Option<NullBuffer>, pool: &Pool<u32>) -> ArrayRef {
        Arc::new(UInt32Array::new(pool.buffer(values), nulls))
    }

    fn keys(array: &ArrayRef) -> ScalarBuffer<i32> {
        array.as_primitive::<UInt32Type>().values().inner().clone().into()
    }

    fn int32(values: Vec<Self>, pool: &Pool<u32>) -> ScalarBuffer<i32> {
        pool.buffer(values)
    }
}

impl Value for i64 {
    type Token = u64;

    #[inline]
    fn from_token(token: u64) -> Self {
        token as i64
    }

    #[inline]
    fn from_narrow(narrow: u32) -> Self {
        narrow.into()
    }

    #[inline]
    fn from_wide(wide: i64) -> Option<Self> {
        Some(wide)
    }

    #[inline(always)]
    fn all_below(values: &[Self], limit: u64) -> bool {
        values.iter().all(|&value| (value as u64) < limit)
    }

    fn all_multiples<const W: u32>(_: &[Self], _: usize) -> bool {
        // Some value is unusual: the caller then checks each.
        false
    }

    #[inline]
    fn divided(self, divisor: u32) -> Option<Self> {
        let divisor = i64::from(divisor);
        (self >= 0 && self % divisor == 0).then_some(self / divisor)
    }

    #[inline(always)]
    fn bits(values: &[Self]) -> u64 {
        values.iter().fold(0, |bits, value| bits | value) as u64
    }

    fn take(_: &Pool<u32>, capacity: usize) -> Vec<Self> {
        Vec::with_capacity(capacity)
    }

    fn give(_: Vec<Self>, _: &Pool<u32>) {}

    fn narrow(_: &[Self]) -> Option<&[u32]> {
        None
    }

    fn int64(values: Vec<Self>, nulls: Option<NullBuffer>, _: &Pool<u32>) -> ArrayRef {
        Arc::new(Int64Array::new(values.into(), nulls))
    }

    fn keys(array: &ArrayRef) -> ScalarBuffer<i32> {
        let values = array.as_primitive::<Int64Type>().values();
        values.iter().map(|&value| value as i32).collect()
    }

    fn int32(values: Vec<Self>, _: &Pool<u32>) -> ScalarBuffer<i32> {
        values.iter().map(|&value| value as i32).collect()
    }
}
