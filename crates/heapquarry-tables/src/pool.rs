//! Reuses the memory of columns and pages.
//!
//! The columns and pages of a row group take some megabytes. Allocators return pieces of that size to the system, which
//! then has to clear them for the next row group. That cost a tenth of a whole conversion.

use crate::sync::unpoisoned;
use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer, ToByteSlice};
use bytes::Bytes;
use std::sync::{Arc, Mutex, MutexGuard};

/// Vectors that a pool keeps at most: about the number of columns of a table.
const MAX_POOLED: usize = 8;

/// Vectors of one worker. A vector that was turned into [`Bytes`] or a buffer returns to the pool when its last user
/// drops it, in any thread.
#[derive(Debug)]
pub struct Pool<T>(Arc<Mutex<Vec<Vec<T>>>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool(Arc::default())
    }
}

impl<T: ArrowNativeType> Pool<T> {
    /// An empty vector with that capacity.
    pub fn take(&self, capacity: usize) -> Vec<T> {
        let mut values = self.free().pop().unwrap_or_default();
        values.reserve_exact(capacity);
        values
    }

    /// Returns a vector to the pool.
    pub fn give(&self, mut values: Vec<T>) {
        let mut free = self.free();
        if free.len() < MAX_POOLED && values.capacity() > 0 {
            values.clear();
            free.push(values);
        }
    }

    /// The values as bytes, without a copy.
    pub fn bytes(&self, values: Vec<T>) -> Bytes {
        Bytes::from_owner(Pooled { values, pool: Pool(self.0.clone()) })
    }

    /// The values as an Arrow buffer, of the same type or of one of the same size.
    pub fn buffer<U: ArrowNativeType>(&self, values: Vec<T>) -> ScalarBuffer<U> {
        const { assert!(size_of::<T>() == size_of::<U>()) };
        Buffer::from(self.bytes(values)).into()
    }

    fn free(&self) -> MutexGuard<'_, Vec<Vec<T>>> {
        unpoisoned(self.0.lock())
    }
}

/// Values in use. Dropping them returns the vector to the pool.
struct Pooled<T: ArrowNativeType> {
    values: Vec<T>,
    pool: Pool<T>,
}

impl<T: ArrowNativeType> AsRef<[u8]> for Pooled<T> {
    fn as_ref(&self) -> &[u8] {
        self.values.to_byte_slice()
    }
}

impl<T: ArrowNativeType> Drop for Pooled<T> {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.values));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_reused_after_the_last_user_drops_it() {
        let pool = Pool::default();
        let mut values = pool.take(1000);
        values.extend(0..1000u32);
        let address = values.as_ptr();
        let buffer = pool.buffer::<i32>(values);
        let copy = buffer.clone();
        drop(buffer);
        let other = pool.take(1000);
        assert_ne!(other.as_ptr(), address);
        assert_eq!(copy[999], 999);
        drop(copy);
        let again = pool.take(500);
        assert_eq!((again.as_ptr(), again.len()), (address, 0));
    }

    #[test]
    fn a_pool_keeps_a_limited_number() {
        let pool = Pool::default();
        let all: Vec<_> = (0..2 * MAX_POOLED).map(|_| pool.bytes(vec![1u8])).collect();
        drop(all);
        assert_eq!(pool.free().len(), MAX_POOLED);
    }
}
