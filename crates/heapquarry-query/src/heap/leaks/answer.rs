//! What leaks.

use crate::{
    answer::{Bytes, BytesChange, Limits, NodeId, Share, SourceLocation, answer},
    heap::owners::OwnerChanges,
};

answer! {
    /// What leaks between snapshots of one process.
    pub struct LeaksAnswer {
        /// The snapshots, in the order of time.
        pub snapshots: Vec<SnapshotSize>,
        /// Growth of the heap from the first snapshot to the last.
        pub growth: BytesChange,
        /// Growth of all findings together.
        pub explained: Bytes,
        /// Number of places that grow and were ignored.
        pub ignored_count: u64,
        /// Growth of the places that were ignored.
        pub ignored: Bytes,
        /// The places that grow in every step, the worst first; all of them.
        pub findings: Vec<Leak>,
        /// What holds or gathers much in the last snapshot, where there are one or two: of more, growth says more. What
        /// the program's own code holds comes first, then that of packages, then that of the engine. None is a finding,
        /// and no limit counts them.
        pub suspicions: Vec<Suspicion>,
        /// What grew by package, script or function, whether in every step or not; absent unless asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub owners: Option<OwnerChanges>,
        /// Limits.
        #[serde(flatten)]
        pub limits: Limits,
    }

    /// The size of a snapshot.
    pub struct SnapshotSize {
        /// Its name as given; of a directory with several documents with its number.
        pub name: String,
        /// Shallow size of all nodes.
        pub size: Bytes,
        /// Change of the size since the first snapshot.
        pub size_delta: BytesChange,
        /// Number of nodes.
        pub node_count: u64,
        /// Change of this number since the first snapshot.
        pub node_count_delta: i64,
        /// Resident memory of its process right before; absent if it is not stored with it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rss: Option<Bytes>,
    }

    /// A place that grows in every step.
    pub struct Leak {
        /// What grows: objects (`count`), references to objects that were there already (`references`), an object or
        /// its storage (`bytes`), objects that move between several places (`moving`), or objects that nothing is
        /// shown to hold, so that the owner is a guess (`unheld`).
        pub kind: LeakKind,
        /// How sure it is: `low` of two snapshots, `medium` if growth is uneven, or it is not known what stays or who
        /// holds it, else `high`.
        pub confidence: Confidence,
        /// The finding in one paragraph: what grows, who holds it, where it is made, what usually frees it.
        pub text: String,
        /// What usually frees what leaks, by what holds it; `null` where the structure does not tell.
        pub cure: Option<Cure>,
        /// Who holds it: `Class.field`, a variable or a global.
        pub owner: String,
        /// The way to the owner from a variable, the global object or a function: `variable shop.store.sessions of
        /// leak.js`.
        pub way: String,
        /// What the objects are in; of several the one that holds most.
        pub container: Container,
        /// Class of the objects, or function as `name()`; of several classes that of most. Records are told by their
        /// properties, `?` behind those that not all are known to have. `null` where no objects are counted.
        pub leaked: Option<String>,
        /// How many of the objects that were added are of that class; `null` if all are.
        pub leaked_percent: Option<Share>,
        /// What is in the objects, if these are containers themselves.
        pub content: Option<LeakContent>,
        /// Number of objects in each snapshot; `null` where bytes grow.
        pub counts: Option<Vec<u64>>,
        /// Number of objects in the last snapshot less that in the first.
        pub added: Option<i64>,
        /// Growth from the first snapshot to the last, with all that the objects hold and the room of their container.
        pub growth: Bytes,
        /// Growth divided by the number of objects that were added.
        pub growth_each: Option<Bytes>,
        /// Growth in each step, in bytes, without the room of the container, which grows in leaps.
        pub steps: Vec<BytesChange>,
        /// The least step as a share of the greatest: 100 is even growth.
        pub even_percent: Share,
        /// Survivors of the first snapshot: the share of its objects that the last one has; `null` if that is not
        /// known.
        pub kept_percent: Option<Share>,
        /// Where the objects are made: the constructor of their class, the function, or the first function that sees
        /// the variable. A place of the program comes before one in a package.
        pub made_at: Option<SourceLocation>,
        /// Where a package makes them, if `made_at` is a part of it that says more: the program's callback in a
        /// package's listener, or the function that a task of a package is to run.
        pub stored_by: Option<SourceLocation>,
        /// The code of who holds them, where that is another place.
        pub held_at: Option<SourceLocation>,
        /// Owners that hold most of the same objects, too: all of them must let go.
        pub also_held_by: Vec<String>,
        /// Other fields of the same object, of numbers or strings, that grow with it; their bytes are included.
        pub grows_with: Vec<String>,
        /// The places that grow, one for each class and way.
        pub groups: Vec<LeakGroup>,
        /// What holds the container, what holds that, and so on up to the root.
        pub path: Vec<HoldingStep>,
    }

    /// What holds or gathers much in one snapshot: a place to look at. Whether it grows, nobody knows.
    pub struct Suspicion {
        /// What is suspicious.
        pub kind: SuspicionKind,
        /// The suspicion in one sentence.
        pub text: String,
        /// What it is called: the object, the class of the collection, the event of the listeners, or the class of all
        /// listeners or timers.
        pub name: String,
        /// The way from the root to who holds them; `null` for all objects of a class.
        pub way: Option<String>,
        /// What the code belongs to that holds it: `(own scripts)`, a package, `node:` of the runtime; `null` if it is
        /// not known, or of global variables, which any script can have made.
        pub package: Option<String>,
        /// The id of who holds them.
        pub id: Option<NodeId>,
        /// Number of entries, listeners or timers; `null` of what holds much.
        pub count: Option<u64>,
        /// What it holds with all that is below it; `null` for all objects of a class.
        pub retained: Option<Bytes>,
    }

    /// What usually frees what leaks: a guess from what holds it, as nobody has read the program.
    pub struct Cure {
        /// What kind of edit it is.
        pub kind: CureKind,
        /// The edit, in words.
        pub text: String,
    }

    /// What leaked objects are in.
    pub struct Container {
        /// Its class; empty where it has no name of its own.
        pub class_name: String,
        /// Its id in the last snapshot.
        pub id: Option<NodeId>,
        /// Number of containers of this place.
        pub count: u64,
    }

    /// What is in leaked objects that are containers.
    pub struct LeakContent {
        /// Class, or function as `name()`.
        pub class_name: String,
        /// Number of objects in each snapshot.
        pub counts: Vec<u64>,
    }

    /// A place that grows.
    pub struct LeakGroup {
        /// What leads to it: a name, `[]` for an element of a collection, `~` for what several hold.
        pub label: String,
        /// Class of what is there.
        pub class_name: String,
        /// Number of objects in each snapshot.
        pub counts: Vec<u64>,
        /// Their size in each snapshot in bytes, with all that they hold.
        pub sizes: Vec<Bytes>,
    }

    /// A reference on the way up, and the object that has it.
    pub struct HoldingStep {
        /// Name of the property or variable; of an element its index in brackets.
        pub edge: String,
        /// Type of the edge: `property`, `element`, `context`, `internal` and others.
        pub edge_type: &'static str,
        /// Class of the object that has the reference; `scope` for the variables of a function.
        pub class_name: String,
        /// Its id.
        pub id: Option<NodeId>,
        /// Whether it is mere storage of the object above it.
        pub is_storage: bool,
    }
}

answer! {
    /// What grows at a place.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum LeakKind {
        /// The number of objects.
        Count,
        /// The number of references, to objects that were there already.
        References,
        /// The size of an object, or of its storage.
        Bytes,
        /// The number of objects that move between several places.
        Moving,
        /// The number of objects that nothing is shown to hold: the owner is a guess.
        Unheld,
    }
}

answer! {
    /// What is suspicious in one snapshot.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum SuspicionKind {
        /// An object that holds much, spread over many others.
        Holder,
        /// A Map, Set, array or dictionary with 1,000 entries or more.
        Collection,
        /// More than 10 listeners of one event, or 100 listeners of a class in a page.
        Listeners,
        /// 100 timers of a class or more.
        Timers,
    }
}

answer! {
    /// Edits that free what leaks.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum CureKind {
        /// Remove a listener from an emitter or target of events.
        RemoveListener,
        /// Clear a timer.
        ClearTimer,
        /// Settle a promise, or wait for another one.
        SettlePromise,
        /// Take back what was registered with a FinalizationRegistry.
        Unregister,
        /// Do not add again what is there already.
        AddOnce,
        /// Bound a string or buffer.
        BoundSize,
        /// Let go of the key of a WeakMap.
        ReleaseKey,
        /// Bound a cache.
        BoundCache,
        /// Delete an entry of a Map or Set.
        DeleteEntry,
        /// Delete a property of an object that is used as a dictionary.
        DeleteProperty,
        /// Take an element out of an array.
        TakeOut,
        /// Unlink an element of a list or tree.
        Unlink,
        /// Wrap a function once: each wrapper keeps the one before it.
        WrapOnce,
    }
}

answer! {
    /// How sure it is that something leaks.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum Confidence {
        /// Three snapshots or more, even growth, and what was there stays.
        High,
        /// Three snapshots or more; growth is uneven, or it is not known what stays or who holds it.
        Medium,
        /// Two snapshots: a cache that fills once looks like a leak.
        Low,
    }
}
