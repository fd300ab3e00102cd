//! The maps of a process by what they are for: `/proc/PID/smaps` and `/proc/PID/maps`, proc_pid_smaps(5).
//!
//! The rules are those of Node 20 to 26 with glibc on Linux. Sums over all kinds are the whole.

use heapquarry_base::Order;
use serde::{Deserialize, Serialize};

/// What maps are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapKind {
    /// Programs, libraries and other files.
    File,
    /// The main arena of malloc.
    Brk,
    /// Addresses without memory: guards, and room to grow.
    Reserved,
    /// Memories of WebAssembly.
    Wasm,
    /// Code that the engine made.
    Code,
    /// Pages of heaps, of all isolates.
    V8,
    /// Stacks.
    Stack,
    /// Further arenas of malloc, of its threads.
    Arena,
    /// Large blocks of malloc, and memory that the program mapped itself.
    Mmap,
    /// Memory without a file whose purpose cannot be told: without `smaps`, heaps and large blocks look the same.
    Anonymous,
    /// Other maps, such as those of the kernel.
    Other,
}

impl MapKind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [MapKind; 11] = [
        MapKind::V8,
        MapKind::Code,
        MapKind::Wasm,
        MapKind::Brk,
        MapKind::Arena,
        MapKind::Mmap,
        MapKind::Stack,
        MapKind::File,
        MapKind::Anonymous,
        MapKind::Reserved,
        MapKind::Other,
    ];

    /// The kind of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        MapKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            MapKind::File => "file",
            MapKind::Brk => "brk",
            MapKind::Reserved => "reserved",
            MapKind::Wasm => "wasm",
            MapKind::Code => "code",
            MapKind::V8 => "v8",
            MapKind::Stack => "stack",
            MapKind::Arena => "arena",
            MapKind::Mmap => "mmap",
            MapKind::Anonymous => "anonymous",
            MapKind::Other => "other",
        }
    }
}

/// The maps of a kind. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapTotal {
    /// What they are for.
    pub kind: MapKind,
    /// How many there are.
    pub count: u64,
    /// Addresses.
    pub size: u64,
    /// Resident memory; `None` if it is not known.
    pub rss: Option<u64>,
    /// Resident memory, of which each page that several processes share counts in part; `None` if it is not known.
    pub pss: Option<u64>,
}

/// A map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) rss: Option<u64>,
    pss: Option<u64>,
    /// The flags of the kernel; `None` without `smaps`.
    flags: Option<Flags>,
    is_read_write: bool,
    is_executable: bool,
    is_inaccessible: bool,
    has_inode: bool,
    path: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flags {
    /// `dc`: not copied at fork. V8 maps its pages so.
    is_not_forked: bool,
    /// `nh`: without huge pages. Stacks of threads are so.
    is_without_huge_pages: bool,
}

/// Heaps of arenas begin at multiples of this: `HEAP_MAX_SIZE` of glibc.
pub(crate) const ARENA: u64 = 64 << 20;
/// WebAssembly memories are followed by at least so many guarded bytes.
const WASM_GUARD: u64 = 2 << 30;

/// The maps in the text of `maps` or `smaps`, in the order of addresses. Lines that are neither are left out.
pub(crate) fn parse(text: &str) -> Vec<Map> {
    let mut maps: Vec<Map> = Vec::new();
    for line in text.lines() {
        if let Some(map) = header(line) {
            maps.push(map);
            continue;
        }
        let (Some(map), Some((name, value))) = (maps.last_mut(), line.split_once(':')) else {
            continue;
        };
        let bytes = || value.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024);
        match name {
            "Rss" => map.rss = bytes(),
            "Pss" => map.pss = bytes(),
            "VmFlags" => {
                let has = |flag: &str| value.split_whitespace().any(|found| found == flag);
                map.flags =
                    Some(Flags { is_not_forked: has("dc"), is_without_huge_pages: has("nh") });
            }
            _ => {}
        }
    }
    maps
}

/// `55d0c000-55d0e000 rw-p 00000000 00:00 0    [heap]`.
fn header(line: &str) -> Option<Map> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let address = |text: &str| u64::from_str_radix(text, 16).ok();
    let (start, end) = (address(start)?, address(end)?);
    let permissions = fields.next().filter(|text| text.len() == 4)?;
    let inode: u64 = fields.nth(2)?.parse().ok()?;
    Some(Map {
        start,
        end: end.max(start),
        is_read_write: permissions.starts_with("rw-"),
        is_executable: permissions.contains('x'),
        is_inaccessible: permissions.starts_with("---"),
        has_inode: inode != 0,
        path: fields.next().unwrap_or_default().into(),
        ..Map::default()
    })
}

impl Map {
    pub(crate) fn size(&self) -> u64 {
        self.end - self.start
    }

    /// `next` is the map after this one.
    pub(crate) fn kind(&self, next: Option<&Map>) -> MapKind {
        let guard = next.filter(|next| next.is_inaccessible && next.start == self.end);
        let guard = guard.map_or(0, Map::size);
        let flags = self.flags.unwrap_or_default();
        match self {
            map if map.has_inode && !map.path.is_empty() => MapKind::File,
            map if map.path == "[heap]" => MapKind::Brk,
            map if map.is_inaccessible && map.rss.unwrap_or(0) == 0 => MapKind::Reserved,
            map if map.path == "[stack]" => MapKind::Stack,
            map if map.path.starts_with('[') && !map.path.starts_with("[anon") => MapKind::Other,
            map if flags.is_not_forked && map.is_read_write && guard >= WASM_GUARD => MapKind::Wasm,
            map if map.is_executable => MapKind::Code,
            _ if flags.is_not_forked => MapKind::V8,
            _ if flags.is_without_huge_pages => MapKind::Stack,
            map if map.is_read_write
                && map.start.is_multiple_of(ARENA)
                && map.size().saturating_add(guard).is_multiple_of(ARENA) =>
            {
                MapKind::Arena
            }
            map if map.flags.is_none() => MapKind::Anonymous,
            map if map.is_read_write => MapKind::Mmap,
            _ => MapKind::Other,
        }
    }
}

/// Sums by kind.
pub(crate) fn totals(maps: &[Map]) -> Vec<MapTotal> {
    let mut totals: Vec<MapTotal> = Vec::new();
    for (at, map) in maps.iter().enumerate() {
        let kind = map.kind(maps.get(at + 1));
        let total = match totals.iter_mut().find(|total| total.kind == kind) {
            Some(total) => total,
            None => {
                let (rss, pss) = (map.rss.map(|_| 0), map.pss.map(|_| 0));
                totals.push(MapTotal { kind, count: 0, size: 0, rss, pss });
                totals.last_mut().expect("it was pushed")
            }
        };
        let add = |sum: Option<u64>, more: Option<u64>| Some(sum?.saturating_add(more?));
        total.count += 1;
        total.size = total.size.saturating_add(map.size());
        total.rss = add(total.rss, map.rss);
        total.pss = add(total.pss, map.pss);
    }
    let rank = |kind| MapKind::ALL.iter().position(|listed| *listed == kind);
    totals.order_by_key(|total| rank(total.kind));
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_in_json() {
        for kind in MapKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(MapKind::by_name(kind.name()), Some(kind));
        }
    }

    const SMAPS: &str = "\
00400000-00500000 r-xp 00000000 08:01 12 /usr/bin/node
Rss: 8 kB
Pss: 4 kB
VmFlags: rd ex mr mw me
01000000-01100000 rw-p 00000000 00:00 0 [heap]
Rss: 512 kB
Pss: 512 kB
VmFlags: rd wr mr mw me ac
10000000-10040000 rw-p 00000000 00:00 0
Rss: 256 kB
Pss: 256 kB
VmFlags: rd wr mr mw me dc nr
20000000-20010000 rw-p 00000000 00:00 0
Rss: 64 kB
Pss: 64 kB
VmFlags: rd wr mr mw me dc nr
20010000-a0010000 ---p 00000000 00:00 0
Rss: 0 kB
Pss: 0 kB
VmFlags: mr mw me dc nr
b0000000-b0100000 rw-p 00000000 00:00 0
Rss: 100 kB
Pss: 100 kB
VmFlags: rd wr mr mw me nr
b0100000-b4000000 ---p 00000000 00:00 0
Rss: 0 kB
Pss: 0 kB
VmFlags: mr mw me nr
c0000000-c0800000 rw-p 00000000 00:00 0
Rss: 16 kB
Pss: 16 kB
VmFlags: rd wr mr mw me ac nh
c1000000-c1100000 rw-p 00000000 00:00 0
Rss: 1024 kB
Pss: 1024 kB
VmFlags: rd wr mr mw me ac
d0000000-d0100000 rwxp 00000000 00:00 0
Rss: 56 kB
Pss: 56 kB
VmFlags: rd wr ex
ffff0000-ffff1000 r--p 00000000 00:00 0 [vvar]
Rss: 0 kB
Pss: 0 kB
VmFlags: rd
";

    #[test]
    fn kinds_of_maps() {
        let found = totals(&parse(SMAPS));
        let found: Vec<_> =
            found.iter().map(|t| (t.kind.name(), t.count, t.rss.unwrap() >> 10)).collect();
        assert_eq!(
            found,
            [
                ("v8", 1, 256),
                ("code", 1, 56),
                ("wasm", 1, 64),
                ("brk", 1, 512),
                ("arena", 1, 100),
                ("mmap", 1, 1024),
                ("stack", 1, 16),
                ("file", 1, 8),
                ("reserved", 2, 0),
                ("other", 1, 0),
            ]
        );
    }

    #[test]
    fn without_smaps_what_cannot_be_told_apart_is_anonymous() {
        let lines = SMAPS.lines().filter(|line| header(line).is_some());
        let maps = lines.collect::<Vec<_>>().join("\n");
        let found = totals(&parse(&maps));
        let found: Vec<_> = found.iter().map(|t| (t.kind.name(), t.count, t.rss)).collect();
        let kinds = ["code", "brk", "arena", "file", "anonymous", "reserved", "other"];
        assert_eq!(found.iter().map(|t| t.0).collect::<Vec<_>>(), kinds);
        assert!(found.iter().all(|t| t.2.is_none()));
    }

    #[test]
    fn nonsense_is_no_map() {
        for text in ["", "x", "1-2", "1-2 rw-p", "Rss: 4 kB", "zz-1 rw-p 0 0 0", "1-2 rw-p 0 0 x"] {
            assert_eq!(parse(text), [], "{text}");
        }
    }
}
