//! Which record of one section owns each record of another. Owners only declare, in order, how many records they own.
//! Nodes own edges in this way.

use super::records::{Column, Value};
use std::collections::BTreeMap;

/// Distance between owners for which the sum of all counts before is stored.
const OWNERS_PER_START: usize = 4096;
/// Counts from here on are stored in the map of large counts.
const COUNT_IN_MAP: u8 = u8::MAX;

/// The counts of one task of owners.
#[derive(Debug, Default)]
pub(crate) struct OwnershipPart {
    counts: Vec<u8>,
    large: Vec<(u64, u64)>,
    total: u64,
}

impl OwnershipPart {
    /// From the counts of a task. `first` is the position of its first owner.
    pub(crate) fn new<T: Value>(first: u64, rows: usize, count: &Column<T>) -> Self {
        if let Some(narrow) = T::narrow(&count.values).filter(|_| count.is_whole(rows)) {
            let counts: Vec<u8> =
                narrow.iter().map(|&c| c.min(COUNT_IN_MAP.into()) as u8).collect();
            let large = memchr::memchr_iter(COUNT_IN_MAP, &counts);
            let large = large.map(|row| (first + row as u64, narrow[row].into())).collect();
            let total = narrow.iter().map(|&count| u64::from(count)).sum();
            return OwnershipPart { counts, large, total };
        }
        let mut large = Vec::new();
        let mut total = 0u64;
        let counts = (0..rows).map(|row| {
            let count = count.get(row).map_or(0, |count| count.max(0)) as u64;
            total = total.saturating_add(count);
            if count >= u64::from(COUNT_IN_MAP) {
                large.push((first + row as u64, count));
                return COUNT_IN_MAP;
            }
            count as u8
        });
        let counts = counts.collect();
        OwnershipPart { counts, large, total }
    }

    /// Number of owners.
    pub(crate) fn owners(&self) -> u64 {
        self.counts.len() as u64
    }
}

/// How many records each owner owns: one byte for nearly all of them.
#[derive(Debug, Default)]
pub(crate) struct Ownership {
    counts: Vec<u8>,
    large: BTreeMap<u64, u64>,
    /// Number of records before every `OWNERS_PER_START`-th owner.
    starts: Vec<u64>,
    /// Sum of all counts.
    pub(crate) total: u64,
}

/// An owner, and a range of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Its position in its section.
    pub(crate) position: u64,
    /// Number of its records before the range.
    pub(crate) skipped: u64,
    /// Number of records in the range, at least 1.
    pub(crate) records: u64,
}

impl Ownership {
    /// With room for this many owners.
    pub(crate) fn with_capacity(owners: usize) -> Self {
        let mut ownership = Ownership::default();
        ownership.counts.reserve_exact(owners);
        ownership
    }

    /// Adds the next owners.
    pub(crate) fn push(&mut self, part: OwnershipPart) {
        self.counts.extend_from_slice(&part.counts);
        self.large.extend(part.large);
        self.total = self.total.saturating_add(part.total);
    }

    /// Gives records to an owner that had none, before [`Ownership::finish`].
    pub(crate) fn give(&mut self, owner: u64, records: u64) {
        if let Some(count) = usize::try_from(owner).ok().and_then(|at| self.counts.get_mut(at)) {
            *count = records.min(COUNT_IN_MAP.into()) as u8;
            if *count == COUNT_IN_MAP {
                self.large.insert(owner, records);
            }
            self.total = self.total.saturating_add(records);
        }
    }

    /// Prepares [`Ownership::of`] once all owners have been added.
    pub(crate) fn finish(&mut self) {
        let owners = self.counts.len();
        let mut sum = 0u64;
        self.starts.reserve_exact(owners / OWNERS_PER_START + 1);
        for (i, counts) in self.counts.chunks(OWNERS_PER_START).enumerate() {
            self.starts.push(sum);
            let first = (i * OWNERS_PER_START) as u64;
            let small: u64 =
                counts.iter().map(|&c| if c == COUNT_IN_MAP { 0 } else { u64::from(c) }).sum();
            let large = self.large.range(first..first + OWNERS_PER_START as u64);
            // Damaged counts can have any value.
            sum =
                large.fold(sum.saturating_add(small), |sum, (_, count)| sum.saturating_add(*count));
        }
    }

    fn count(&self, owner: usize) -> u64 {
        match self.counts[owner] {
            COUNT_IN_MAP => self.large[&(owner as u64)],
            count => u64::from(count),
        }
    }

    /// The owners of the records from `record` on, up to the last owner of a record.
    pub(crate) fn of(&self, record: u64) -> impl Iterator<Item = Owner> {
        let stride = self.starts.partition_point(|&start| start <= record).saturating_sub(1);
        let mut owner = stride * OWNERS_PER_START;
        let mut before = self.starts.get(stride).copied().unwrap_or(0);
        while owner < self.counts.len() && before.saturating_add(self.count(owner)) <= record {
            before += self.count(owner);
            owner += 1;
        }
        let mut skip = record - before.min(record);
        (owner..self.counts.len()).filter_map(move |owner| {
            let skipped = std::mem::take(&mut skip);
            let records = self.count(owner) - skipped;
            (records > 0).then_some(Owner { position: owner as u64, skipped, records })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ownership<T: Value>(counts: &[u64], part: usize) -> Ownership {
        let mut ownership = Ownership::with_capacity(counts.len());
        for (i, chunk) in counts.chunks(part).enumerate() {
            let mut column = Column::<T>::default();
            column.values.extend(chunk.iter().map(|&c| T::from_wide(c as i64).expect("it fits")));
            ownership.push(OwnershipPart::new((i * part) as u64, chunk.len(), &column));
        }
        ownership.finish();
        ownership
    }

    #[test]
    fn owners_from_any_record_are_those_of_the_plain_list() {
        let counts: Vec<u64> = (0..10_000u64)
            .map(|i| match i % 97 {
                5 => 0,
                6 => 254 + i % 4,
                i => i % 3,
            })
            .collect();
        let owned = |(owner, &count): (usize, &u64)| (0..count).map(move |nth| (owner as u64, nth));
        let plain: Vec<_> = counts.iter().enumerate().flat_map(owned).collect();
        for ownership in [ownership::<u32>(&counts, 1000), ownership::<i64>(&counts, 1000)] {
            assert_eq!(ownership.total, plain.len() as u64);
            for record in (0..plain.len()).step_by(37).chain([plain.len() - 1]) {
                let some: Vec<_> = ownership
                    .of(record as u64)
                    .flat_map(|owner| {
                        let nth = owner.skipped..owner.skipped + owner.records;
                        nth.map(move |nth| (owner.position, nth))
                    })
                    .take(600)
                    .collect();
                let end = (record + 600).min(plain.len());
                assert_eq!(some, plain[record..end], "from record {record}");
            }
            assert_eq!(ownership.of(plain.len() as u64).count(), 0);
            assert_eq!(ownership.of(u64::MAX).count(), 0);
        }
    }

    #[test]
    fn counts_beyond_all_sums_own_whatever_there_is() {
        let mut counts = vec![i64::MAX as u64; 4];
        counts[0] = 1;
        counts.extend([1; 3 * OWNERS_PER_START]);
        let ownership = ownership::<i64>(&counts, 1000);
        assert_eq!(ownership.total, u64::MAX);
        for (record, position, skipped) in
            [(0, 0, 0), (1, 1, 0), (9, 1, 8), (u64::MAX - 9, 2, (1 << 63) - 10)]
        {
            let first = ownership.of(record).next().expect("an owner");
            assert_eq!((first.position, first.skipped), (position, skipped), "of record {record}");
        }
    }
}
