//! What the system says of a process, without asking the process: proc(5).
//!
//! Reading `smaps` holds up the page faults and maps of the process while its page tables are walked; `pagemap` lets it
//! go on after each 2 MB. A file of `/proc` can keep its reader for as long as the kernel likes, so another thread
//! reads, and who waits for it has a limit.

use crate::{Group, Malloc, MapTotal, Status};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

/// What the system says of a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct System {
    /// Its resident memory.
    pub status: Status,
    /// Its control group.
    pub group: Option<Group>,
    /// Its maps by kind, if they were to be read.
    pub maps: Vec<MapTotal>,
    /// Bytes that it has read from and written to files, pipes and sockets.
    pub transferred: Option<u64>,
    /// Its malloc, if that was to be read, and is that of glibc.
    pub malloc: Option<Malloc>,
}

/// How much is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Sums alone: 0.2 ms.
    Sums,
    /// Maps and malloc as well. Whatever would hold up the process longer than this is read in another way, which tells
    /// less.
    Maps {
        /// The longest time that the process may be held up, about.
        gap: Duration,
    },
}

/// How long a read may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process of this machine, from outside.
pub struct Outside {
    requests: Sender<Depth>,
    answers: Receiver<Option<System>>,
    /// Reads that are late.
    late: usize,
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outside").field("late", &self.late).finish_non_exhaustive()
    }
}

impl Outside {
    /// The process of that id; `None` where the system says nothing of processes, or there is none.
    pub fn open(pid: u32) -> Option<Self> {
        let mut process = linux::Process::open(pid)?;
        let (requests, wanted) = mpsc::channel();
        let (sender, answers) = mpsc::channel();
        let work = move || {
            for depth in wanted {
                if sender.send(process.read(depth)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("proc".into()).spawn(work).ok()?;
        Some(Outside { requests, answers, late: 0 })
    }

    /// Reads. `None` if that takes longer than 10 s, or the process has ended.
    pub fn read(&mut self, depth: Depth) -> Option<System> {
        while self.late > 0 && self.answers.try_recv().is_ok() {
            self.late -= 1;
        }
        // It is still at the last one.
        if self.late > 0 {
            return None;
        }
        self.requests.send(depth).ok()?;
        match self.answers.recv_timeout(PATIENCE) {
            Ok(system) => return system,
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        self.late += 1;
        None
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Depth, System};
    use crate::{
        Status,
        group::group,
        malloc,
        maps::{Map, MapKind, parse, totals},
    };
    use std::{
        fs::File,
        io::Read,
        os::unix::fs::FileExt,
        path::PathBuf,
        time::{Duration, Instant},
    };

    /// Longest text that is read: 65,530 maps, the default limit of the system, take 50 MB.
    const LONGEST: u64 = 64 << 20;
    /// How long reading `smaps` holds up the process, for each byte of resident memory: 177 ms at 4 GB.
    const SMAPS_NANOS_PER_MEGABYTE: u64 = 45_000;
    /// How long malloc may be followed: 110 ms for 4 GB, on a machine that has time.
    const WALK: Duration = Duration::from_secs(4);
    /// Size of a page, and of an entry of `pagemap`.
    const PAGE: u64 = 4096;
    const ENTRY: usize = 8;
    /// The bit of an entry that says that the page is present.
    const PRESENT: u8 = 0x80;
    /// Entries that are read at once: those of 2 MB.
    const ENTRIES: usize = 512;
    /// Reserved addresses beyond this are not looked through for pages.
    const LARGEST: u64 = 1 << 40;

    pub(super) struct Process {
        folder: PathBuf,
        groups: String,
    }

    impl Process {
        pub(super) fn open(pid: u32) -> Option<Self> {
            let mut process =
                Process { folder: PathBuf::from(format!("/proc/{pid}")), groups: String::new() };
            process.text("status")?;
            process.groups = process.text("cgroup").unwrap_or_default();
            Some(process)
        }

        fn text(&self, name: &str) -> Option<String> {
            let mut bytes = Vec::new();
            File::open(self.folder.join(name)).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }

        pub(super) fn read(&mut self, depth: Depth) -> Option<System> {
            let status = Status::parse(&self.text("status")?);
            let read = |path: &str| std::fs::read_to_string(path).ok();
            let mut system = System {
                status,
                group: group(&self.groups, &read),
                transferred: self.text("io").and_then(|text| transferred(&text)),
                ..System::default()
            };
            // A process that has ended, and was not waited for, has no memory.
            status.rss?;
            if let Depth::Maps { gap } = depth {
                let maps = self.maps(status.rss.unwrap_or(0), gap);
                system.malloc = self.malloc(&maps);
                system.maps = totals(&maps);
            }
            Some(system)
        }

        /// The maps with their resident memory, as far as that can be read.
        fn maps(&self, rss: u64, gap: Duration) -> Vec<Map> {
            let hold = Duration::from_nanos(rss / 1_000_000 * SMAPS_NANOS_PER_MEGABYTE);
            let smaps = (hold <= gap).then(|| self.text("smaps")).flatten();
            let found = parse(&smaps.unwrap_or_default());
            if !found.is_empty() {
                return found;
            }
            let mut maps = parse(&self.text("maps").unwrap_or_default());
            if let Ok(pages) = File::open(self.folder.join("pagemap")) {
                for map in &mut maps {
                    map.rss = present(&pages, map);
                }
            }
            maps
        }

        fn malloc(&self, maps: &[Map]) -> Option<crate::Malloc> {
            let memory = File::open(self.folder.join("mem")).ok()?;
            let mut read = |at: u64, buf: &mut [u8]| memory.read_exact_at(buf, at).is_ok();
            let kinds = maps.iter().enumerate().map(|(at, map)| (map.kind(maps.get(at + 1)), map));
            let (mut brk, mut arenas) = (None, Vec::new());
            for (kind, map) in kinds {
                match kind {
                    MapKind::Brk => brk = Some((map.start, map.end)),
                    MapKind::Arena => arenas.push((map.start, map.end)),
                    _ => {}
                }
            }
            malloc::walk(brk, &arenas, Instant::now() + WALK, &mut read)
        }
    }

    /// The bytes in `/proc/PID/io`: proc_pid_io(5).
    fn transferred(text: &str) -> Option<u64> {
        let number = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
        };
        number("rchar:")?.checked_add(number("wchar:")?)
    }

    /// The resident bytes of a map, by the pages that are present: pagemap of the kernel's documentation.
    fn present(pages: &File, map: &Map) -> Option<u64> {
        if map.size() > LARGEST {
            return None;
        }
        let mut buf = [0; ENTRIES * ENTRY];
        let (mut at, end) = (map.start / PAGE, map.end / PAGE);
        let mut found = 0;
        while at < end {
            let count = (end - at).min(ENTRIES as u64);
            let buf = &mut buf[..count as usize * ENTRY];
            pages.read_exact_at(buf, at * ENTRY as u64).ok()?;
            let present = buf.chunks_exact(ENTRY).filter(|entry| entry[ENTRY - 1] & PRESENT != 0);
            found += present.count() as u64;
            at += count;
        }
        Some(found * PAGE)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Both ways of reading maps agree about this process, which changes meanwhile.
        #[test]
        fn pages_that_are_present_are_resident() {
            let memory = vec![1_u8; 32 << 20];
            let process = Process::open(std::process::id()).unwrap();
            let of = |gap| {
                let maps = process.maps(memory.len() as u64, gap);
                assert!(!maps.is_empty());
                maps.iter().filter_map(|map| map.rss).sum::<u64>()
            };
            let (smaps, pagemap) = (of(Duration::MAX), of(Duration::ZERO));
            assert!(smaps > 32 << 20 && pagemap > 32 << 20);
            assert!(smaps.abs_diff(pagemap) < smaps / 5, "{smaps} {pagemap}");
            assert!(memory.iter().all(|byte| *byte == 1));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    use super::{Depth, System};

    pub(super) struct Process;

    impl Process {
        pub(super) fn open(_: u32) -> Option<Self> {
            None
        }

        pub(super) fn read(&mut self, _: Depth) -> Option<System> {
            None
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::MapKind;

    #[test]
    fn a_process_is_read_from_outside() {
        let mut outside = Outside::open(std::process::id()).unwrap();
        let sums = outside.read(Depth::Sums).unwrap();
        assert!(sums.status.rss > Some(0) && sums.maps.is_empty() && sums.malloc.is_none());
        let depth = Depth::Maps { gap: Duration::from_secs(10) };
        let maps = outside.read(depth).unwrap();
        let file = maps.maps.iter().find(|total| total.kind == MapKind::File).unwrap();
        assert!(file.rss > Some(0) && file.pss <= file.rss);
        assert!(Outside::open(u32::MAX).is_none());
    }

    #[test]
    fn a_process_that_has_ended_is_not_there() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let mut outside = Outside::open(child.id()).unwrap();
        assert!(outside.read(Depth::Sums).is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(outside.read(Depth::Sums), None);
    }
}
