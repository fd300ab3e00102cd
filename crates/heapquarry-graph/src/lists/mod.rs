//! A heap and its analysis as plain lists of numbers and text, to be stored and taken back.
//!
//! `as_written` is for lists that are known to be what `put_lists` gave: it looks at few of them, so those of a mapped
//! file are not read before a question needs them. Whether they are, whoever stores them must know.

mod analysis;
mod by_class;
mod equal_strings;
mod heap;
mod known;
mod native_contexts;
mod ready;

pub(crate) use crate::text_list::Texts;
use crate::{Column, HashMap, Packed, PackedColumn, passes::Release};
use std::ops::Deref;

/// Receives lists, each under its own name.
pub trait ListSink {
    /// Why a list could not be stored.
    type Error;

    /// A list of numbers.
    ///
    /// # Errors
    /// If it cannot be stored.
    fn list<N: Number>(
        &mut self,
        name: &'static str,
        values: impl Iterator<Item = N>,
    ) -> Result<(), Self::Error>;
}

/// A number of a list: of 8, 16, 32 or 64 bits.
pub trait Number: Copy {
    /// An array of bytes.
    type Bytes: AsRef<[u8]>;

    /// Its bytes in the order of this machine.
    fn bytes(self) -> Self::Bytes;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            type Bytes = [u8; size_of::<$number>()];

            #[inline]
            fn bytes(self) -> Self::Bytes {
                self.to_ne_bytes()
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64);

/// A list that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// Bytes.
    Bytes(Column<u8>),
    /// Numbers of 16 bits.
    Shorts(Column<u16>),
    /// Numbers of 32 bits.
    Words(Column<u32>),
    /// Numbers of 64 bits.
    Longs(Column<u64>),
}

/// Lists do not make a heap or an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The list that is missing or does not fit.
    pub list: &'static str,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the list {} is missing or does not fit the others", self.list)
    }
}

impl std::error::Error for Unfit {}

/// Lists by name. Each is taken once.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    by_name: HashMap<String, List>,
    release: Release,
}

impl FromIterator<(String, List)> for Lists {
    fn from_iter<I: IntoIterator<Item = (String, List)>>(lists: I) -> Self {
        Lists { by_name: lists.into_iter().collect(), release: Release::default() }
    }
}

impl Lists {
    /// These lists, which lie in a mapped file. `release` takes what was read of it out of the memory of this process,
    /// if it is more than so many bytes; it is called again and again, and while others read.
    #[must_use]
    pub fn mapped(self, release: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Lists { release: Release::new(release), ..self }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(crate) fn bytes(&mut self, name: &'static str) -> Result<Column<u8>, Unfit> {
        match self.by_name.remove(name) {
            Some(List::Bytes(bytes)) => Ok(bytes),
            _ => Err(Unfit { list: name }),
        }
    }

    pub(crate) fn shorts(&mut self, name: &'static str) -> Result<Column<u16>, Unfit> {
        match self.by_name.remove(name) {
            Some(List::Shorts(shorts)) => Ok(shorts),
            _ => Err(Unfit { list: name }),
        }
    }

    pub(crate) fn words(&mut self, name: &'static str) -> Result<Column<u32>, Unfit> {
        match self.by_name.remove(name) {
            Some(List::Words(words)) => Ok(words),
            _ => Err(Unfit { list: name }),
        }
    }

    pub(crate) fn longs(&mut self, name: &'static str) -> Result<Column<u64>, Unfit> {
        match self.by_name.remove(name) {
            Some(List::Longs(longs)) => Ok(longs),
            _ => Err(Unfit { list: name }),
        }
    }

    pub(crate) fn packed(&mut self, name: &'static str) -> Result<PackedColumn, Unfit> {
        match self.by_name.remove(name) {
            Some(List::Words(words)) => Ok(Packed::Narrow(words)),
            Some(List::Longs(longs)) => Ok(Packed::Wide(longs)),
            _ => Err(Unfit { list: name }),
        }
    }

    /// A list that heaps without such a field do not have.
    pub(crate) fn optional<T>(
        &mut self,
        name: &'static str,
        take: fn(&mut Self, &'static str) -> Result<T, Unfit>,
    ) -> Result<Option<T>, Unfit> {
        self.has(name).then(|| take(self, name)).transpose()
    }

    /// Texts, and where each ends.
    fn texts(&mut self, [text, ends]: [&'static str; 2]) -> Result<Texts, Unfit> {
        Ok(Texts::new(self.bytes(text)?, self.packed(ends)?))
    }
}

/// An error in the name of a list unless that is so.
fn ensure(is_so: bool, list: &'static str) -> Result<(), Unfit> {
    if is_so { Ok(()) } else { Err(Unfit { list }) }
}

fn put_packed<S: ListSink, N: Deref<Target = [u32]>, W: Deref<Target = [u64]>>(
    sink: &mut S,
    name: &'static str,
    values: &Packed<N, W>,
) -> Result<(), S::Error> {
    match values {
        Packed::Narrow(words) => sink.list(name, words.iter().copied()),
        Packed::Wide(longs) => sink.list(name, longs.iter().copied()),
    }
}

/// Texts as one, and where each ends.
fn put_texts<'a, S: ListSink>(
    sink: &mut S,
    [text, ends]: [&'static str; 2],
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), S::Error> {
    sink.list(text, texts.clone().flat_map(str::bytes))?;
    let mut end = 0;
    let all: Packed = texts
        .map(|text| {
            end += text.len() as u64;
            end
        })
        .collect();
    put_packed(sink, ends, &all)
}
