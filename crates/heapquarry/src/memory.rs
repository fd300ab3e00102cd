//! Checks with an estimate whether an analysis fits into memory: that of a heap before it is read, those of traces and
//! profiles while they are read, and all when everything is gathered.

use crate::{Error, ErrorKind, Result, RunOptions};
use heapquarry_formats::{Gathered, Kept};
use heapquarry_graph::{Heap, Strings};
use heapquarry_input::Purpose;
use heapquarry_tables::{JS_HEAP_PACKAGE, JS_HEAP_SUSPECT, Projection, fallible};
use heapquarry_timeline::Events;
use std::{iter::Sum, path::Path, sync::OnceLock};

/// Bytes of memory that a heap and its analysis take for each node and each edge, with what the allocator keeps:
/// measured (docs/performance.md, "Memory").
const PER_NODE: u64 = 70;
const PER_EDGE: u64 = 9;
/// The part of it that a node of a heap takes before the analysis.
const PER_NODE_READ: u64 = 30;
/// Further bytes for each node if the analysis cannot reuse the memory of the heap: suspects and questions need both.
const PER_NODE_KEPT: u64 = 26;
/// Further bytes for each node if what belongs to each package is wanted, beside all that.
const PER_NODE_OF_PACKAGES: u64 = 26;
/// Further bytes for each node if several heaps are read: the allocator may still keep what the one before took.
const PER_NODE_OF_SEVERAL: u64 = 16;
/// Bytes for each node that are copied of a mapped index.
const PER_NODE_MAPPED: u64 = 4;
/// Bytes for each node that a comparison keeps of the first heap while others are read: its id, class, size and
/// retained size, and where it is by id and in the tree of dominators.
const PER_NODE_OF_BASE: u64 = 32;
/// For each string, besides its text: where it is, and what the analysis notes of it.
const PER_STRING: u64 = 16;
/// For each node of a mapped heap, of which neither edges nor text take memory: what questions make of it.
const PER_NODE_ASKED: u64 = 40;
/// For each node and each edge of a heap in memory, what further questions need: an index has it otherwise.
const PER_NODE_READY: u64 = 50;
const PER_EDGE_READY: u64 = 4;
/// For each string of the table: the nodes with its text, and what finding equal ones takes.
const PER_STRING_ASKED: u64 = 80;
/// For each event of a trace, besides its text.
const PER_EVENT: u64 = 40;
/// Further bytes for each event if questions are to be answered.
const PER_EVENT_KEPT: u64 = 32;
/// What the process itself takes of the limit of its control group, and each of its threads.
const OF_PROCESS: u64 = 32 << 20;
const OF_THREAD: u64 = 24 << 20;

/// The strings that a heap keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) strings: u64,
    /// Of all strings.
    pub(crate) bytes: u64,
}

impl Text {
    fn of(strings: &dyn Strings) -> Self {
        Text { strings: strings.len() as u64, bytes: strings.text_len() }
    }

    fn memory(self) -> u64 {
        self.strings.saturating_mul(PER_STRING).saturating_add(self.bytes)
    }
}

impl Sum for Text {
    fn sum<I: Iterator<Item = Text>>(texts: I) -> Self {
        texts.fold(Text::default(), |all, text| Text {
            strings: all.strings.saturating_add(text.strings),
            bytes: all.bytes.saturating_add(text.bytes),
        })
    }
}

/// What is counted of a heap. A conversion without an analysis keeps its text alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
    pub(crate) text: Text,
}

impl Size {
    fn memory(self, further: u64) -> u64 {
        let graph = self.nodes.saturating_mul(PER_NODE + further);
        let edges = self.edges.saturating_mul(PER_EDGE);
        graph.saturating_add(edges).saturating_add(self.text.memory())
    }

    /// In words.
    fn told(self) -> String {
        let Size { nodes, edges, text } = self;
        let strings = format!("{} strings with {} bytes", text.strings, text.bytes);
        match (nodes, edges, text.strings) {
            (0, 0, 1..) => format!("a table of {strings}"),
            (_, _, 0) => format!("the analysis of {nodes} nodes and {edges} edges"),
            _ => format!("the analysis of {nodes} nodes, {edges} edges and {strings}"),
        }
    }
}

/// Bytes that a heap and its analysis take while other heaps are read, about. Of a mapped one the system takes back
/// what it needs.
pub fn taken(heap: &Heap) -> u64 {
    if heap.ready().is_some() {
        return PER_NODE_MAPPED * heap.nodes().len() as u64;
    }
    let (nodes, edges) = (heap.nodes().len() as u64, heap.edges().len() as u64);
    Size { nodes, edges, text: Text::of(heap.strings()) }.memory(PER_NODE_OF_SEVERAL)
}

/// Bytes that a heap takes when it has been read, before its analysis. Source maps are read then.
pub(crate) fn taken_when_read(heap: &Heap) -> u64 {
    if heap.ready().is_some() {
        return PER_NODE_MAPPED * heap.nodes().len() as u64;
    }
    let (nodes, edges) = (heap.nodes().len() as u64, heap.edges().len() as u64);
    let graph = nodes.saturating_mul(PER_NODE_READ).saturating_add(edges.saturating_mul(PER_EDGE));
    graph.saturating_add(Text::of(heap.strings()).memory())
}

/// Bytes that what questions about single objects and whole classes need of a heap takes in memory, about.
pub fn taken_by_ready(heap: &Heap) -> u64 {
    let (nodes, edges) = (heap.nodes().len() as u64, heap.edges().len() as u64);
    nodes.saturating_mul(PER_NODE_READY).saturating_add(edges.saturating_mul(PER_EDGE_READY))
}

/// Bytes that strings by their texts, and summaries by package while they are made, take beside a heap and its index,
/// about.
pub fn taken_by_summaries(heap: &Heap) -> u64 {
    let (nodes, strings) = (heap.nodes().len() as u64, heap.strings().len() as u64);
    let packages = nodes.saturating_mul(PER_NODE_OF_PACKAGES);
    packages.saturating_add(strings.saturating_mul(PER_STRING_ASKED))
}

/// Bytes that the events of a trace take while questions about it are answered, about.
pub fn taken_by_events(events: &Events) -> u64 {
    let text = events.strings().memory();
    events.len().saturating_mul(PER_EVENT + PER_EVENT_KEPT).saturating_add(text)
}

/// Bytes that a comparison keeps of the first of several heaps, about.
pub fn taken_of_base(nodes: u64) -> u64 {
    PER_NODE_OF_BASE.saturating_mul(nodes)
}

/// Fails if the analysis would exceed `--memory`, the memory limit of the control group, or what the system gives this
/// process. The counts may be too low, for example because the header does not declare them.
pub(crate) fn check(path: &Path, size: Size, further: Further, run: &RunOptions) -> Result<()> {
    let needed = size.memory(further.of(run));
    let refused = || {
        // Reserved memory takes no space until it is written to. Reserving fails if the address space is limited.
        let bytes = usize::try_from(needed).unwrap_or(usize::MAX);
        fallible::reserve_exact(&mut Vec::<u8>::new(), bytes).is_err()
    };
    let by = match exceeded(needed, run) {
        Some(by) => by,
        None if refused() => {
            By { text: "the system refuses them".into(), limit: 0, is_callers: false }
        }
        None => return Ok(()),
    };
    Err(refusal(path, size.told(), needed, by))
}

/// Fails if questions about a heap that is mapped would exceed one of these limits.
pub(crate) fn check_mapped(path: &Path, nodes: u64, run: &RunOptions) -> Result<()> {
    let per_node = match run.purpose {
        Purpose::Leaks => PER_NODE + PER_NODE_OF_SEVERAL,
        Purpose::Tables | Purpose::Questions => PER_NODE_ASKED,
    };
    let needed = nodes.saturating_mul(per_node);
    let of = || format!("the analysis of {nodes} nodes of an index");
    exceeded(needed, run).map_or(Ok(()), |by| Err(refusal(path, of(), needed, by)))
}

/// Whether the limits leave room for a heap of this size.
pub(crate) fn fits(size: Size, further: Further, run: &RunOptions) -> bool {
    exceeded(size.memory(further.of(run)), run).is_none()
}

/// Fails if the analysis of these gathered parts would exceed one of the limits of [`check`]: there may be more of them
/// than the header declared. The system is not asked: it has given half of the memory.
pub(crate) fn check_gathered(
    path: &Path,
    gathered: &Gathered,
    further: Further,
    run: &RunOptions,
) -> Result<()> {
    let size = match gathered {
        Gathered::Heap(heap) => Size {
            nodes: heap.node_types.len() as u64,
            edges: heap.edge_targets.len() as u64,
            text: Text::of(&*heap.strings),
        },
        Gathered::Trace(trace) => return check_kept(path, Kept::of(&trace.events), run),
    };
    let needed = size.memory(further.of(run));
    exceeded(needed, run).map_or(Ok(()), |by| Err(refusal(path, size.told(), needed, by)))
}

/// Why so much is refused.
fn refusal(path: &Path, of: String, needed: u64, By { text, is_callers, .. }: By) -> Error {
    Error::new(ErrorKind::Memory { path: path.into(), of, needed, by: text, is_callers })
}

/// Fails if what has been kept of a trace or a profile so far, with its analysis, would exceed one of these limits. The
/// system is not asked: it has given the memory for most of it.
pub(crate) fn check_kept(path: &Path, kept: Kept, run: &RunOptions) -> Result<()> {
    let Kept { mut events, mut bytes } = kept;
    let is_asked = run.purpose == Purpose::Questions;
    let per_event = PER_EVENT + if is_asked { PER_EVENT_KEPT } else { 0 };
    let needed = |events: u64, bytes: u64| events.saturating_mul(per_event).saturating_add(bytes);
    let Some(by) = exceeded(needed(events, bytes), run) else { return Ok(()) };
    // How many events are gathered between two checks depends on timing: the first one that exceeds the limit is named,
    // if events alone do.
    let fit = (by.limit.saturating_sub(run.held)) / per_event;
    if events > fit {
        (events, bytes) = (fit + 1, 0);
    }
    let of = match (events, bytes) {
        (0, _) => "what is kept of what has been read so far".into(),
        (_, 0) => format!("the analysis of the first {events} events"),
        _ => format!("the analysis of the first {events} events, with {bytes} bytes for text,"),
    };
    Err(refusal(path, of, needed(events, bytes), by))
}

/// A limit that is exceeded.
struct By {
    /// In words.
    text: String,
    /// In bytes.
    limit: u64,
    /// Whether the caller has set it.
    is_callers: bool,
}

/// The limit that so many bytes exceed.
fn exceeded(needed: u64, run: &RunOptions) -> Option<By> {
    let (limit, name) = limit(run).filter(|(limit, _)| needed.saturating_add(run.held) > *limit)?;
    let held = match run.held {
        0 => String::new(),
        held => format!(", of which other inputs take about {held}"),
    };
    let is_callers = run.memory == Some(limit);
    Some(By { text: format!("{name} is {limit} bytes{held}"), limit, is_callers })
}

/// The lower limit, in bytes, and its name.
pub fn limit(run: &RunOptions) -> Option<(u64, &'static str)> {
    static GROUP: OnceLock<Option<u64>> = OnceLock::new();
    let group = *GROUP.get_or_init(group_limit);
    let group = group.map(|limit| left_by_process(limit, run.thread_count()));
    let of_group = "the memory limit of the control group, less what the process itself takes,";
    let limits = [(run.memory, "the limit"), (group, of_group)];
    let known = limits.into_iter().filter_map(|(limit, name)| Some((limit?, name)));
    known.min_by_key(|(limit, _)| *limit)
}

/// What the process itself leaves of the limit of its control group: three quarters at least, as it needs less for
/// small inputs.
fn left_by_process(limit: u64, threads: usize) -> u64 {
    let itself = OF_PROCESS.saturating_add(OF_THREAD.saturating_mul(threads as u64));
    limit - itself.min(limit / 4)
}

/// Tables whose analysis takes more memory than that of the others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Further {
    suspects: bool,
    packages: bool,
}

impl Further {
    pub(crate) fn wanted(projection: &Projection) -> Self {
        let wants = |table| projection.wants(table);
        Further { suspects: wants(&JS_HEAP_SUSPECT), packages: wants(&JS_HEAP_PACKAGE) }
    }

    /// Bytes for each node beyond those that every analysis takes.
    fn of(self, run: &RunOptions) -> u64 {
        let if_wanted = |is_wanted, bytes| if is_wanted { bytes } else { 0 };
        match run.purpose {
            Purpose::Tables => {
                if_wanted(self.suspects, PER_NODE_KEPT)
                    + if_wanted(self.packages, PER_NODE_OF_PACKAGES)
            }
            Purpose::Leaks => PER_NODE_OF_SEVERAL,
            Purpose::Questions => PER_NODE_KEPT,
        }
    }
}

/// The memory limit of the control group of this process, which containers have.
#[cfg(target_os = "linux")]
fn group_limit() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_of(&groups, |path| std::fs::read_to_string(path).ok())
}

#[cfg(not(target_os = "linux"))]
fn group_limit() -> Option<u64> {
    None
}

/// The lowest limit of the groups in `/proc/self/cgroup` and their parents: cgroups(7).
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
fn limit_of(groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        };
        let is_memory = controllers.is_empty() || controllers.split(',').any(|c| c == "memory");
        let of_group = |group: &Path| -> Option<u64> {
            let below = group.strip_prefix("/").unwrap_or(group);
            read(&Path::new(root).join(below).join(file))?.trim().parse().ok()
        };
        let ancestors = Path::new(group).ancestors().filter(|_| is_memory);
        ancestors.filter_map(of_group).collect::<Vec<_>>()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exceeds_a_limit_is_refused_with_what_it_needs() {
        let run = RunOptions::default();
        let check = |nodes, edges, run: &RunOptions| {
            let size = Size { nodes, edges, text: Text::default() };
            check(Path::new("a"), size, Further::default(), run)
        };
        assert!(check(100, 100, &run).is_ok());
        assert!(check(10, 10, &run.clone().memory(790)).is_ok());
        let error = check(10, 10, &run.clone().memory(789)).unwrap_err().to_string();
        assert!(error.contains("790 bytes") && error.contains("the limit is 789"), "{error}");
        // More than any address space.
        let error = check(u64::MAX, u64::MAX, &run).unwrap_err().to_string();
        assert!(error.starts_with("not enough memory (a): "), "{error}");
        let check =
            |events, run: &RunOptions| check_kept(Path::new("a"), Kept { events, bytes: 0 }, run);
        assert!(check(0, &run.clone().memory(0)).is_ok());
        assert!(check(10, &run.clone().memory(400)).is_ok());
        for events in [11, 12, 1_000_000, u64::MAX] {
            let error = check(events, &run.clone().memory(400)).unwrap_err().to_string();
            assert!(error.contains("the first 11 events takes about 440 bytes"), "{error}");
            assert!(error.contains("the limit is 400"), "{error}");
        }
    }

    #[test]
    fn text_of_traces_and_profiles_counts() {
        let check = |events, bytes, run: &RunOptions| {
            let checked = check_kept(Path::new("a"), Kept { events, bytes }, run);
            checked.map_err(|error| error.to_string())
        };
        let run = RunOptions::default().memory(1000);
        assert_eq!(check(10, 600, &run), Ok(()));
        for (events, bytes, expected) in [
            (10, 601, "the first 10 events, with 601 bytes for text, takes about 1001 bytes"),
            (26, 0, "the first 26 events takes about 1040 bytes"),
            (30, 900, "the first 26 events takes about 1040 bytes"),
            (0, 1001, "what is kept of what has been read so far takes about 1001"),
        ] {
            let error = check(events, bytes, &run).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let beside = run.beside(400);
        assert_eq!(check(0, 600, &beside), Ok(()));
        let error = check(16, 0, &beside).unwrap_err();
        assert!(error.contains("of which other inputs take about 400"), "{error}");
    }

    #[test]
    fn what_an_input_is_read_for_decides_how_much_it_takes() {
        let path = Path::new("a");
        for (purpose, suspects, packages, per_node, per_event) in [
            (Purpose::Tables, false, false, 70, 40),
            (Purpose::Tables, true, false, 96, 40),
            (Purpose::Tables, false, true, 96, 40),
            (Purpose::Tables, true, true, 122, 40),
            (Purpose::Leaks, false, false, 86, 40),
            (Purpose::Questions, false, false, 96, 72),
        ] {
            let further = Further { suspects, packages };
            let run = RunOptions::default().purpose(purpose);
            let size = Size { nodes: 10, edges: 10, text: Text { strings: 3, bytes: 1000 } };
            let heap = |memory| check(path, size, further, &run.clone().memory(memory));
            let needed = 10 * per_node + 90 + 3 * 16 + 1000;
            assert!(heap(needed).is_ok() && heap(needed - 1).is_err(), "{purpose:?}");
            let run_with = |memory| run.clone().memory(memory);
            assert!(fits(size, further, &run_with(needed)), "{purpose:?}");
            assert!(!fits(size, further, &run_with(needed - 1)), "{purpose:?}");
            let kept = Kept { events: 10, bytes: 0 };
            let events = |memory| check_kept(path, kept, &run.clone().memory(memory));
            let needed = 10 * per_event;
            assert!(events(needed).is_ok() && events(needed - 1).is_err(), "{purpose:?}");
        }
    }

    #[test]
    fn the_process_itself_takes_some_of_the_limit_of_its_group() {
        let mib = 1 << 20;
        for (limit, threads, left) in [
            (1024 * mib, 2, 944 * mib),
            (1024 * mib, 4, 896 * mib),
            (64 * mib, 2, 48 * mib),
            (1024 * mib, usize::MAX, 768 * mib),
            (0, 1, 0),
        ] {
            assert_eq!(left_by_process(limit, threads), left, "{limit}, {threads} threads");
        }
    }

    #[test]
    fn the_lowest_limit_of_a_group_and_its_parents_counts() {
        let files = [
            ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("/sys/fs/cgroup/a/memory.max", "4096\n"),
            ("/sys/fs/cgroup/memory.max", "8192\n"),
            ("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "100\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ];
        let read = |path: &Path| {
            let file = files.iter().find(|(name, _)| Path::new(name) == path);
            file.map(|(_, text)| (*text).to_owned())
        };
        for (groups, expected) in [
            ("0::/a/b\n", Some(4096)),
            ("0::/\n", Some(8192)),
            ("5:cpu,memory:/x\n1:name=systemd:/a\n", Some(100)),
            ("5:cpu:/x\n", None),
            ("0::/../../other", Some(8192)),
            ("", None),
            ("no group", Some(8192)),
        ] {
            assert_eq!(limit_of(groups, read), expected, "{groups}");
        }
    }
}
