//! The parts of the memory of a process.

/// A part of the memory, whose growth is told. The parts up to `Free` do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Memories of WebAssembly.
    Wasm,
    /// What lives in the heap.
    Heap,
    /// Memory outside of the heap that objects own: buffers, large strings.
    Buffers,
    /// Heaps of other isolates: workers.
    Isolates,
    /// Memory that malloc has given out, without buffers.
    Native,
    /// Memory that malloc keeps, though it is free.
    Free,
    /// Anonymous resident memory without heap and buffers, where `Native` is not known; without `Free` if that is.
    Rest,
    /// Cache of files of the control group.
    Cache,
    /// Resident memory of the process, at any time.
    Rss,
    /// Used heap, at any time: what lives and what is not collected yet.
    HeapUsed,
}

impl Part {
    /// All parts: what lives first, then the rest of the process, then what is seen at any time.
    pub const ALL: [Part; 10] = [
        Part::Heap,
        Part::Buffers,
        Part::Wasm,
        Part::Isolates,
        Part::Native,
        Part::Free,
        Part::Rest,
        Part::Cache,
        Part::Rss,
        Part::HeapUsed,
    ];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Part::Wasm => "wasm",
            Part::Heap => "live_heap",
            Part::Buffers => "live_buffers",
            Part::Isolates => "other_isolates",
            Part::Native => "native",
            Part::Free => "allocator_free",
            Part::Rest => "rest",
            Part::Cache => "file_cache",
            Part::Rss => "rss",
            Part::HeapUsed => "heap_used",
        }
    }

    /// Change in bytes that is no growth: level series of measured programs changed by so much.
    pub(crate) fn floor(self) -> f64 {
        match self {
            Part::Heap | Part::Buffers => 1e6,
            Part::Wasm => 0.5e6,
            Part::Native | Part::Isolates => 4e6,
            Part::Free | Part::Rest | Part::Rss => 10e6,
            Part::Cache => 20e6,
            Part::HeapUsed => 0.0,
        }
    }
}
