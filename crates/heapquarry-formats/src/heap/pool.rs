//! Buffers of columns, used again when the batch made of them is gone.
//!
//! A row group's columns take half a megabyte each. Allocators give memory of that size back to the system,
//! which then has to clear it for the next row group: that cost a tenth of the whole conversion.

use arrow_buffer::{Buffer, ScalarBuffer, ToByteSlice};
use bytes::Bytes;
use std::sync::{Arc, Mutex, PoisonError};

/// Most buffers that are kept: more than the columns of any table.
const KEPT: usize = 16;

/// The buffers of one worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool(Arc<Mutex<Vec<Vec<u32>>>>);

impl Pool {
    /// An empty vector with room for that many values.
    pub(crate) fn take(&self, capacity: usize) -> Vec<u32> {
        let mut values = self.kept().pop().unwrap_or_default();
        values.reserve_exact(capacity);
        values
    }

    /// Takes a vector back.
    pub(crate) fn give(&self, mut values: Vec<u32>) {
        let mut kept = self.kept();
        if kept.len() < KEPT && values.capacity() > 0 {
            values.clear();
            kept.push(values);
        }
    }

    /// The values as an Arrow buffer; its memory comes back when it is dropped.
    pub(crate) fn unsigned(&self, values: Vec<u32>) -> ScalarBuffer<u32> {
        self.buffer(values).into()
    }

    /// The same of values that fit an `i32`.
    pub(crate) fn signed(&self, values: Vec<u32>) -> ScalarBuffer<i32> {
        debug_assert!(values.iter().all(|&value| i32::try_from(value).is_ok()));
        self.buffer(values).into()
    }

    fn buffer(&self, values: Vec<u32>) -> Buffer {
        Buffer::from(Bytes::from_owner(Pooled { values, home: self.clone() }))
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<Vec<u32>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Values on their way through Arrow.
struct Pooled {
    values: Vec<u32>,
    home: Pool,
}

impl AsRef<[u8]> for Pooled {
    fn as_ref(&self) -> &[u8] {
        self.values.to_byte_slice()
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        self.home.give(std::mem::take(&mut self.values));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_when_the_last_user_is_gone() {
        let pool = Pool::default();
        let mut values = pool.take(1000);
        values.extend(0..1000);
        let place = values.as_ptr();
        let buffer = pool.signed(values);
        let copy = buffer.clone();
        drop(buffer);
        let other = pool.take(1000);
        assert_ne!(other.as_ptr(), place);
        assert_eq!(copy[999], 999);
        drop(copy);
        let again = pool.take(500);
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
    }

    #[test]
    fn only_so_many_are_kept() {
        let pool = Pool::default();
        let buffers: Vec<_> = (0..2 * KEPT).map(|_| pool.unsigned(vec![1])).collect();
        drop(buffers);
        assert_eq!(pool.kept().len(), KEPT);
    }
}
