//! Memory of columns and pages, used again when whoever had it is done.
//!
//! A row group's columns and pages take some megabytes. Allocators give memory in such pieces back to the system,
//! which then has to clear it for the next row group: that cost a tenth of a whole conversion.

use crate::sync::unpoisoned;
use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer, ToByteSlice};
use bytes::Bytes;
use std::sync::{Arc, Mutex, MutexGuard};

/// Most vectors that are kept: about the columns of a table.
const KEPT: usize = 8;

/// Vectors of one worker. Those that were made into [`Bytes`] or buffers come back when the last user drops them,
/// in whatever thread that is.
#[derive(Debug)]
pub struct Pool<T>(Arc<Mutex<Vec<Vec<T>>>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool(Arc::default())
    }
}

impl<T: ArrowNativeType> Pool<T> {
    /// An empty vector with room for that many values.
    pub fn take(&self, capacity: usize) -> Vec<T> {
        let mut values = self.kept().pop().unwrap_or_default();
        values.reserve_exact(capacity);
        values
    }

    /// Takes a vector back.
    pub fn give(&self, mut values: Vec<T>) {
        let mut kept = self.kept();
        if kept.len() < KEPT && values.capacity() > 0 {
            values.clear();
            kept.push(values);
        }
    }

    /// The bytes of the values.
    pub fn bytes(&self, values: Vec<T>) -> Bytes {
        Bytes::from_owner(Pooled { values, home: Pool(self.0.clone()) })
    }

    /// The values as an Arrow buffer, of the same type or of one of the same size.
    pub fn buffer<U: ArrowNativeType>(&self, values: Vec<T>) -> ScalarBuffer<U> {
        const { assert!(size_of::<T>() == size_of::<U>()) };
        Buffer::from(self.bytes(values)).into()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Vec<T>>> {
        unpoisoned(self.0.lock())
    }
}

/// Values in use, on their way back to the pool.
struct Pooled<T: ArrowNativeType> {
    values: Vec<T>,
    home: Pool<T>,
}

impl<T: ArrowNativeType> AsRef<[u8]> for Pooled<T> {
    fn as_ref(&self) -> &[u8] {
        self.values.to_byte_slice()
    }
}

impl<T: ArrowNativeType> Drop for Pooled<T> {
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
        values.extend(0..1000u32);
        let place = values.as_ptr();
        let buffer = pool.buffer::<i32>(values);
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
        let all: Vec<_> = (0..2 * KEPT).map(|_| pool.bytes(vec![1u8])).collect();
        drop(all);
        assert_eq!(pool.kept().len(), KEPT);
    }
}
