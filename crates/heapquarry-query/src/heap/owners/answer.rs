//! What belongs to packages, scripts and functions.

use crate::{
    By,
    answer::{Bytes, BytesChange, CountChange, List, Share, answer},
};

answer! {
    /// What belongs to each package, script or function of a heap. Each byte belongs to exactly one owner: the sizes
    /// add up to the size of the heap.
    pub struct Owners {
        /// What it is put together by.
        pub by: By,
        /// The owners by what they take themselves, the largest first.
        pub owners: List<OwnerSize>,
        /// Whether any function of the heap tells its script.
        #[serde(skip)]
        pub(crate) is_known: bool,
    }

    /// What belongs to an owner.
    pub struct OwnerSize {
        /// The owner.
        pub owner: Owner,
        /// Number of its objects.
        pub count: u64,
        /// What they take themselves.
        pub size: Bytes,
        /// Share of the heap.
        pub share_percent: Option<Share>,
        /// What would be freed if all of them went. Of several owners it may count the same bytes: what one holds can
        /// belong to another. Absent of what is no code, and of owners after the first 4,096.
        pub retained_size: Option<Bytes>,
        /// Share of the heap that they retain.
        pub retained_percent: Option<Share>,
    }

    /// A package, script or function, or what is no code.
    #[derive(Eq, Hash)]
    pub struct Owner {
        /// What it is.
        pub kind: OwnerKind,
        /// Its name: of a package, the path or URL of a script, of a function.
        pub name: String,
        /// Path or URL of a function's script; with a source map of its source.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub script: Option<String>,
        /// A function's line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub line: Option<i64>,
        /// A function's column, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub column: Option<i64>,
    }

    /// What belongs to each package, script or function, and how it changed from the first to the last snapshot.
    pub struct OwnerChanges {
        /// What it is put together by.
        pub by: By,
        /// The owners by growth of what they take themselves, the largest first.
        pub owners: List<OwnerChange>,
        /// Whether any function of the heaps tells its script.
        #[serde(skip)]
        pub(crate) is_known: bool,
    }

    /// How what belongs to an owner changed.
    pub struct OwnerChange {
        /// The owner.
        pub owner: Owner,
        /// Change of the number of its objects.
        pub count_delta: CountChange,
        /// What they took themselves in the first snapshot.
        pub base_size: Bytes,
        /// What they take themselves in the last.
        pub size: Bytes,
        /// Change of this size. The changes of all owners add up to that of the heap.
        pub size_delta: BytesChange,
        /// What would be freed if all of its objects went; absent of what is no code, and of owners after the first
        /// 4,096 of a snapshot.
        pub retained_size: Option<Bytes>,
        /// Change of what they retain; absent where it is not known of one of the snapshots.
        pub retained_delta: Option<BytesChange>,
    }
}

answer! {
    /// Kinds of owners.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum OwnerKind {
        /// A package, script or function.
        Code,
        /// The engine: code, hidden objects and roots that no script holds alone.
        Engine,
        /// What a program made, and no part of it holds alone; and what functions of the engine hold.
        Unattributed,
        /// Native memory outside the heap.
        Outside,
    }
}
