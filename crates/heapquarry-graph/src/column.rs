//! Lists that no longer change: in memory of their own, or a part of a mapped file.

use crate::{NodeIndex, StringIndex};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use bytes::Bytes;
use std::{fmt, ops::Deref};
use zerocopy::transmute_ref;

mod sealed {
    pub trait Sealed {}
}

/// What a [`Column`] can hold: numbers, and transparent types of numbers.
pub trait Plain: Copy + sealed::Sealed + 'static {
    /// The number that it is.
    type Number: ArrowNativeType;
    #[doc(hidden)]
    fn of_numbers(numbers: &[Self::Number]) -> &[Self];
    #[doc(hidden)]
    fn into_numbers(values: Vec<Self>) -> Vec<Self::Number>;
    #[doc(hidden)]
    fn from_numbers(numbers: Vec<Self::Number>) -> Vec<Self>;
}

macro_rules! plain {
    (numbers $($number:ty),+) => {$(
        impl sealed::Sealed for $number {}
        impl Plain for $number {
            type Number = $number;
            #[inline]
            fn of_numbers(numbers: &[$number]) -> &[Self] {
                numbers
            }
            fn into_numbers(values: Vec<Self>) -> Vec<$number> {
                values
            }
            fn from_numbers(numbers: Vec<$number>) -> Vec<Self> {
                numbers
            }
        }
    )+};
    // Lists are converted in their place: that compiles to nothing.
    (indices $($index:ident),+) => {$(
        impl sealed::Sealed for $index {}
        impl Plain for $index {
            type Number = u32;
            #[inline]
            fn of_numbers(numbers: &[u32]) -> &[Self] {
                transmute_ref!(numbers)
            }
            fn into_numbers(values: Vec<Self>) -> Vec<u32> {
                values.into_iter().map(|index| index.0).collect()
            }
            fn from_numbers(numbers: Vec<u32>) -> Vec<Self> {
                numbers.into_iter().map($index).collect()
            }
        }
    )+};
}
plain!(numbers u8, u16, u32, u64, i32);
plain!(indices NodeIndex, StringIndex);

/// A list that does not change. It is a slice; copies share it.
pub struct Column<T: Plain>(ScalarBuffer<T::Number>);

impl<T: Plain> Column<T> {
    /// The numbers that these bytes are, in the order of bytes of this machine. `None` if they do not lie in memory as
    /// such numbers do, or end within one.
    pub fn from_bytes(bytes: Bytes) -> Option<Self> {
        // Where nothing lies does not matter.
        if bytes.is_empty() {
            return Some(Column::default());
        }
        let width = size_of::<T::Number>();
        let len = bytes.len() / width;
        if !bytes.len().is_multiple_of(width)
            || bytes.as_ptr().align_offset(align_of::<T::Number>()) != 0
        {
            return None;
        }
        Some(Column(ScalarBuffer::new(bytes.into(), 0, len)))
    }

    /// This list as one of another type that has such numbers.
    pub(crate) fn cast<U: Plain<Number = T::Number>>(self) -> Column<U> {
        Column(self.0)
    }

    /// The list, to be changed. It is copied only if it is shared or in a file.
    pub fn into_vec(self) -> Vec<T> {
        T::from_numbers(self.0.into())
    }
}

impl Column<u32> {
    /// Numbers with a sign that have the same bits.
    pub(crate) fn to_signed(&self) -> Column<i32> {
        Column(ScalarBuffer::new(self.0.inner().clone(), 0, self.len()))
    }
}

impl<T: Plain> Deref for Column<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        T::of_numbers(&self.0)
    }
}

impl<T: Plain> AsRef<[T]> for Column<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Plain> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Column(T::into_numbers(values).into())
    }
}

impl<T: Plain> FromIterator<T> for Column<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

impl<'a, T: Plain> IntoIterator for &'a Column<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Plain> Default for Column<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Plain> Clone for Column<T> {
    fn clone(&self) -> Self {
        Column(self.0.clone())
    }
}

impl<T: Plain + fmt::Debug> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl<T: Plain + PartialEq, S: AsRef<[T]> + ?Sized> PartialEq<S> for Column<T> {
    fn eq(&self, other: &S) -> bool {
        self[..] == *other.as_ref()
    }
}

impl<T: Plain + Eq> Eq for Column<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_numbers_where_these_can_lie() {
        let numbers: Vec<u8> = [7u32, 1 << 30, u32::MAX].map(u32::to_ne_bytes).concat();
        let aligned = {
            let lists: Column<u64> = vec![u64::MAX; 2].into();
            assert_eq!(lists.into_vec(), [u64::MAX; 2]);
            // As long as the list of numbers of 64 bits, so that it lies as they do.
            let words: Vec<u64> = numbers.chunks(8).map(padded).collect();
            Bytes::from_owner(AsBytes(words)).slice(..numbers.len())
        };
        let column = Column::<NodeIndex>::from_bytes(aligned.clone()).unwrap();
        assert_eq!(column, [7, 1 << 30, u32::MAX].map(NodeIndex));
        assert_eq!(column, column.clone().into_vec());
        for (bytes, what) in
            [(aligned.slice(..11), "ends within a number"), (aligned.slice(1..9), "lies between")]
        {
            assert!(Column::<u32>::from_bytes(bytes).is_none(), "{what}");
        }
        assert_eq!(Column::<u8>::from_bytes(aligned.slice(1..9)).unwrap(), numbers[1..9]);
        assert_eq!(Column::<u64>::from_bytes(aligned.slice(..0)).unwrap(), []);
    }

    fn padded(bytes: &[u8]) -> u64 {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    }

    struct AsBytes(Vec<u64>);

    impl AsRef<[u8]> for AsBytes {
        fn as_ref(&self) -> &[u8] {
            let words: &[u64] = &self.0;
            zerocopy::IntoBytes::as_bytes(words)
        }
    }

    #[test]
    fn a_list_of_its_own_is_given_back_without_a_copy() {
        let values: Vec<NodeIndex> = (0..9).map(NodeIndex).collect();
        let at = values.as_ptr();
        let column: Column<NodeIndex> = values.into();
        assert_eq!(column.as_ptr(), at);
        let values = column.into_vec();
        assert_eq!(values.as_ptr(), at);
    }
}
