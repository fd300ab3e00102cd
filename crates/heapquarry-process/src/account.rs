//! What the resident memory of a process is for, at one moment.

use crate::{Malloc, MapKind, Sample};
use heapquarry_base::Order;

/// What memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// The heap of the isolate that was asked.
    Heap,
    /// Other pages of V8: heaps of workers, and what the engine has not given back.
    OtherHeaps,
    /// `ArrayBuffer` and `SharedArrayBuffer`, as far as they were touched.
    ArrayBuffers,
    /// Other memory outside of the heap that objects own, such as large strings.
    External,
    /// Memories of WebAssembly.
    Wasm,
    /// Code that the engine made.
    Code,
    /// Programs, libraries and other files.
    Files,
    /// Stacks of threads.
    Stacks,
    /// What malloc keeps, though it is free.
    Free,
    /// All else: native memory, and whatever is not known of the above.
    Rest,
}

impl Use {
    /// All of them, the rest last.
    pub const ALL: [Use; 10] = [
        Use::Heap,
        Use::OtherHeaps,
        Use::ArrayBuffers,
        Use::External,
        Use::Wasm,
        Use::Code,
        Use::Files,
        Use::Stacks,
        Use::Free,
        Use::Rest,
    ];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Use::Heap => "heap",
            Use::OtherHeaps => "other_heaps",
            Use::ArrayBuffers => "array_buffers",
            Use::External => "external",
            Use::Wasm => "wasm",
            Use::Code => "code",
            Use::Files => "files",
            Use::Stacks => "stacks",
            Use::Free => "allocator_free",
            Use::Rest => "rest",
        }
    }
}

/// Resident memory by use. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// All of it.
    pub rss: u64,
    /// What each part takes; those that are not known are not there. The last one is [`Use::Rest`]. They add up to
    /// `rss`.
    pub parts: Vec<(Use, u64)>,
    /// What the process says that its buffers have, beyond what can be resident: never touched, or swapped out.
    pub untouched: u64,
    /// Whether the rest has what malloc keeps free.
    pub has_free_in_rest: bool,
}

impl Account {
    /// The account of a sample; `None` if its resident memory or its heap is not known.
    pub fn of(sample: &Sample) -> Option<Self> {
        let (inside, system) = (&sample.inside, &sample.system);
        let rss = system.status.rss.or(inside.rss)?;
        let heap = inside.heap_physical.or(inside.heap_total)?;
        let kinds = Kinds::of(sample);
        let resident = |kind| kinds.as_ref().map(|kinds| kinds.rss(kind));
        let malloc = system.malloc.filter(Malloc::is_whole);
        let mut account =
            Account { rss, parts: Vec::new(), untouched: 0, has_free_in_rest: malloc.is_none() };
        let mut left = rss;
        let mut add = |part, size: Option<u64>| {
            let Some(size) = size else { return 0 };
            let counted = size.min(left);
            left -= counted;
            account.parts.push((part, counted));
            size - counted
        };
        add(Use::Files, resident(MapKind::File).or(system.status.file));
        add(Use::Stacks, resident(MapKind::Stack));
        add(Use::Code, resident(MapKind::Code));
        add(Use::Wasm, resident(MapKind::Wasm));
        // Pages of V8 are exact where there are any: the isolate can count some that were given back.
        let v8 = resident(MapKind::V8).filter(|v8| *v8 > 0);
        add(Use::Heap, Some(v8.map_or(heap, |v8| heap.min(v8))));
        add(Use::OtherHeaps, v8.map(|v8| v8.saturating_sub(heap)));
        // Buffers are from malloc; what was never touched, or swapped out, is not resident.
        let malloc_kinds = [MapKind::Brk, MapKind::Arena, MapKind::Mmap];
        let mut room = kinds.as_ref().map_or(u64::MAX, |kinds| {
            malloc_kinds.into_iter().map(|kind| kinds.rss(kind)).fold(0, u64::saturating_add)
        });
        let mut untouched = 0_u64;
        let mut within = |size: u64| {
            let counted = size.min(room);
            room -= counted;
            untouched = untouched.saturating_add(size - counted);
            counted
        };
        let buffers = inside.array_buffers.map(&mut within);
        let wasm = resident(MapKind::Wasm).unwrap_or(0);
        let others = inside.external.map(|external| {
            let named = inside.array_buffers.unwrap_or(0).saturating_add(wasm);
            external.saturating_sub(named)
        });
        let others = others.map(&mut within);
        let free = malloc.map(|malloc| malloc.free.min(room));
        let beyond = [add(Use::ArrayBuffers, buffers), add(Use::External, others)];
        add(Use::Free, free);
        account.untouched = beyond.into_iter().fold(untouched, u64::saturating_add);
        account.parts.order_by_key(|(part, _)| *part as u8);
        account.parts.push((Use::Rest, left));
        Some(account)
    }

    /// What a part takes; `None` if that is not known.
    pub fn size(&self, part: Use) -> Option<u64> {
        self.parts.iter().find(|(found, _)| *found == part).map(|(_, size)| *size)
    }
}

/// Resident memory by kind of map, where each can be told.
struct Kinds<'a>(&'a Sample);

impl<'a> Kinds<'a> {
    fn of(sample: &'a Sample) -> Option<Self> {
        let maps = &sample.system.maps;
        let is_known =
            maps.iter().all(|total| total.kind != MapKind::Anonymous && total.rss.is_some());
        (is_known && !maps.is_empty()).then_some(Kinds(sample))
    }

    fn rss(&self, kind: MapKind) -> u64 {
        let found = self.0.system.maps.iter().find(|total| total.kind == kind);
        found.and_then(|total| total.rss).unwrap_or(0)
    }
}

/// How resident memory grew, and how much of that is in the heap or owned by objects of it. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgrowth {
    /// Growth of resident memory, without what malloc keeps free.
    pub rss: u64,
    /// Growth of the heap, and of the buffers and other memory that its objects own.
    pub heap: i64,
}

/// Growth that is told, and from which share of the resident memory on. What malloc keeps free after one snapshot is
/// that of the next one, too; where it is not known, more is needed.
const LEAST: u64 = 10_000_000;
const LEAST_UNKNOWN: u64 = 20_000_000;
const SHARE: u64 = 20;

/// The growth of resident memory between snapshots, in the order of time, if most of it is not in the heap.
///
/// A snapshot itself takes memory, and malloc keeps that. It is left out if it is known; otherwise the figures before
/// the first snapshot of all are.
pub fn outgrowth(samples: &[&Sample]) -> Option<Outgrowth> {
    let figures = |sample: &&Sample| {
        let account = Account::of(sample)?;
        let inside = &sample.inside;
        let owned = inside.external.unwrap_or(0).max(inside.array_buffers.unwrap_or(0));
        let heap = inside.heap_used?.saturating_add(owned);
        Some((account.rss, account.size(Use::Free), heap))
    };
    let all: Vec<_> = samples.iter().map(figures).collect::<Option<_>>()?;
    let knows_free = all.iter().all(|(_, free, _)| free.is_some());
    let all = if knows_free { &all[..] } else { all.get(1..)? };
    let [first, .., last] = all else { return None };
    let taken = |(rss, free, _): &(u64, Option<u64>, u64)| match knows_free {
        true => rss.saturating_sub(free.unwrap_or(0)),
        false => *rss,
    };
    let rss = taken(last).checked_sub(taken(first))?;
    let heap = i64::try_from(last.2).ok()?.saturating_sub(i64::try_from(first.2).ok()?);
    let least = if knows_free { LEAST } else { LEAST_UNKNOWN };
    let is_much = rss > least.max(first.0 / SHARE);
    let is_heap = u64::try_from(heap).is_ok_and(|heap| heap >= rss / 2);
    (is_much && !is_heap).then_some(Outgrowth { rss, heap })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inside, MapTotal, Status, System};

    const MB: u64 = 1_000_000;

    fn sample(rss: u64, inside: [u64; 3], maps: &[(MapKind, u64)], malloc: Option<u64>) -> Sample {
        let [heap, buffers, external] = inside.map(|size| size * MB);
        let total = |&(kind, rss): &(MapKind, u64)| {
            let rss = rss * MB;
            MapTotal { kind, count: 1, size: rss, rss: Some(rss), pss: None }
        };
        Sample {
            inside: Inside {
                rss: Some(rss * MB),
                heap_used: Some(heap),
                heap_physical: Some(heap),
                external: Some(external),
                array_buffers: Some(buffers),
                ..Inside::default()
            },
            system: System {
                status: Status { rss: (!maps.is_empty()).then_some(rss * MB), ..Status::default() },
                maps: maps.iter().map(total).collect(),
                malloc: malloc.map(|free| Malloc { used: 60 * MB, free: free * MB, unknown: 0 }),
                ..System::default()
            },
            ..Sample::default()
        }
    }

    /// RSS, what the process says (heap, array buffers, external), maps, what malloc keeps; and the account in MB.
    #[test]
    fn what_is_named_and_the_rest_are_the_resident_memory() {
        use MapKind::{Anonymous, Arena, Brk, Code, File, Mmap, Stack, V8};
        let maps = [(V8, 220), (Code, 12), (Brk, 100), (Mmap, 450), (Stack, 3), (File, 115)];
        let all = [
            ("heap", 210),
            ("other_heaps", 10),
            ("array_buffers", 400),
            ("external", 20),
            ("wasm", 0),
            ("code", 12),
            ("files", 115),
            ("stacks", 3),
            ("allocator_free", 80),
            ("rest", 50),
        ];
        let buffers = [(V8, 220), (Mmap, 30), (Brk, 10), (File, 40)];
        for (name, sample, untouched, expected) in [
            ("all is known", sample(900, [210, 400, 420], &maps, Some(80)), 0, &all[..]),
            (
                "only the process itself",
                sample(900, [210, 400, 420], &[], None),
                0,
                &[("heap", 210), ("array_buffers", 400), ("external", 20), ("rest", 270)],
            ),
            (
                "buffers that were never touched",
                sample(300, [220, 400, 420], &buffers, None),
                380,
                &[
                    ("heap", 220),
                    ("other_heaps", 0),
                    ("array_buffers", 40),
                    ("external", 0),
                    ("wasm", 0),
                    ("code", 0),
                    ("files", 40),
                    ("stacks", 0),
                    ("rest", 0),
                ],
            ),
            (
                "without kinds",
                sample(300, [50, 100, 90], &[(Anonymous, 260), (Brk, 40)], Some(10)),
                0,
                &[
                    ("heap", 50),
                    ("array_buffers", 100),
                    ("external", 0),
                    ("allocator_free", 10),
                    ("rest", 140),
                ],
            ),
            (
                "more heap than resident memory",
                sample(100, [200, 50, 70], &[], None),
                70,
                &[("heap", 100), ("array_buffers", 0), ("external", 0), ("rest", 0)],
            ),
            (
                "another engine",
                sample(100, [20, 5, 5], &[(Arena, 50), (File, 50)], None),
                0,
                &[
                    ("heap", 20),
                    ("array_buffers", 5),
                    ("external", 0),
                    ("wasm", 0),
                    ("code", 0),
                    ("files", 50),
                    ("stacks", 0),
                    ("rest", 25),
                ],
            ),
        ] {
            let account = Account::of(&sample).unwrap();
            let found: Vec<_> =
                account.parts.iter().map(|(part, size)| (part.name(), size / MB)).collect();
            assert_eq!(found, expected, "{name}");
            assert_eq!(account.untouched, untouched * MB, "{name}");
            assert_eq!(account.parts.iter().map(|part| part.1).sum::<u64>(), account.rss, "{name}");
        }
        assert_eq!(Account::of(&Sample::default()), None);
    }

    /// RSS, heap, buffers and what malloc keeps of each snapshot; and the growth that is told.
    #[test]
    fn growth_outside_of_the_heap_is_told() {
        let free = Some;
        for (name, snapshots, expected) in [
            ("a heap leak", &[(100, 20, 5, free(5)), (160, 80, 5, free(5))][..], None),
            ("buffers", &[(100, 20, 5, free(5)), (160, 20, 65, free(5))], None),
            ("native", &[(100, 20, 5, free(5)), (160, 22, 5, free(5))], Some((60, 2))),
            ("native, less heap", &[(100, 20, 5, free(5)), (160, 10, 5, free(5))], Some((60, -10))),
            ("what a snapshot left", &[(100, 20, 5, free(5)), (160, 20, 5, free(65))], None),
            ("little", &[(100, 20, 5, free(5)), (105, 20, 5, free(5))], None),
            ("two, malloc unknown", &[(100, 20, 5, None), (160, 20, 5, None)], None),
            (
                "three, malloc unknown",
                &[(100, 20, 5, None), (160, 20, 5, None), (190, 20, 5, None)],
                Some((30, 0)),
            ),
            ("one", &[(100, 20, 5, free(5))], None),
            ("none", &[], None),
        ] {
            let samples: Vec<_> = snapshots
                .iter()
                .map(|&(rss, heap, buffers, free)| {
                    let maps = [(MapKind::V8, heap), (MapKind::Brk, rss - heap)];
                    sample(rss, [heap, buffers, buffers], &maps, free)
                })
                .collect();
            let found = outgrowth(&samples.iter().collect::<Vec<_>>());
            let found = found.map(|growth| (growth.rss / MB, growth.heap / 1_000_000));
            assert_eq!(found, expected, "{name}");
        }
    }
}
