//! Passes through long lists of a mapped heap.

use crate::{Heap, NodeIndex};
use heapquarry_base::threads;
use std::{fmt, ops::Range, sync::Arc};

/// Parts of a pass. What a question reads of one part is a megabyte or two of each list of a large heap.
const PARTS: usize = 64;

/// Bytes that may stay in memory between parts of a pass: it does not come back to them.
const OF_PASS: u64 = 64 << 20;
/// Bytes that may stay between what is looked up all over the heap, as much of it is looked at again.
const OF_SCATTERED: u64 = 208 << 20;

/// Takes what was read of lists in a mapped file out of the memory of this process, if it is more than so many bytes.
/// Lists in memory of their own stay.
#[derive(Clone, Default)]
pub(crate) struct Release(Option<Arc<dyn Fn(u64) + Send + Sync>>);

impl Release {
    pub(crate) fn new(release: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Release(Some(Arc::new(release)))
    }

    fn beyond(&self, most: u64) {
        if let Some(release) = &self.0 {
            release(most);
        }
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Release").finish_non_exhaustive()
    }
}

impl Heap {
    /// Consecutive parts of a range of positions in long lists, for a pass through them. Before each part, and after
    /// the last one, what was read of a mapped heap leaves the memory of this process if it is much, so a pass takes
    /// little more than a part does.
    pub fn parts(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut parts = threads::bounds(range.len(), PARTS);
        std::iter::from_fn(move || {
            self.release.beyond(OF_PASS);
            parts.next().map(|part| range.start + part.start..range.start + part.end)
        })
    }

    /// All nodes in file order, for such a pass.
    pub(crate) fn pass_nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.parts(0..self.nodes().len()).flat_map(NodeIndex::each)
    }

    /// The elements of a list about nodes in file order, for such a pass.
    pub fn pass<'a, T>(&'a self, all: &'a [T]) -> impl Iterator<Item = &'a T> {
        self.parts(0..all.len()).flat_map(|part| &all[part])
    }

    /// The elements of a list whose paths and names are looked up all over the heap: what was read of a mapped heap
    /// leaves the memory of this process between them.
    pub fn scattered<'a, T>(&'a self, all: &'a [T]) -> impl Iterator<Item = &'a T> {
        /// Each can touch 64 kB of some dozen places.
        const FEW: usize = 16;
        all.chunks(FEW).flat_map(|few| {
            self.release.beyond(OF_SCATTERED);
            few
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Release;
    use crate::{Heap, HeapBuilder};
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    };

    #[test]
    fn parts_cover_a_range_and_are_released() {
        let released = Arc::new(AtomicUsize::new(0));
        let of_heap = released.clone();
        let release = Release::new(move |_| {
            of_heap.fetch_add(1, Relaxed);
        });
        let heap = Heap { release, ..HeapBuilder::new().build() };
        for range in [0..0, 7..8, 5..100_000] {
            released.store(0, Relaxed);
            let parts: Vec<_> = heap.parts(range.clone()).collect();
            assert_eq!((parts[0].start, parts[parts.len() - 1].end), (range.start, range.end));
            assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
            assert!(parts.iter().all(|part| part.len() <= range.len() / 64 + 4096));
            assert_eq!(released.load(Relaxed), parts.len() + 1);
            let all: Vec<usize> = range.clone().collect();
            assert!(heap.pass(&all).eq(&all));
            released.store(0, Relaxed);
            assert!(heap.scattered(&all).eq(&all));
            assert_eq!(released.load(Relaxed), all.len().div_ceil(16));
        }
    }
}
