//! The figures that Chrome DevTools shows for a heap snapshot, at any size: distances, dominators, retained sizes,
//! classes, statistics, differences, retaining paths.
//!
//! Input and output are flat arrays: this crate knows no JSON, no Arrow and no files. A [`Heap`] is the snapshot as
//! vectors. Each algorithm has its own file and can be called alone; [`analyze`] runs all of them, independent ones in
//! parallel.
//!
//! ```
//! use heapquarry_graph::{EdgeType, Heap, HeapBuilder, analyze};
//!
//! // root ─shortcut─► global ─property "cache"─► Cache ─property "big"─► big
//! let mut builder = HeapBuilder::new();
//! let root = builder.node("synthetic", "", 0);
//! let global = builder.node("object", "Window", 10);
//! let cache = builder.node("object", "Cache", 20);
//! let big = builder.node("string", "big", 3000);
//! builder.edge(root, EdgeType::Shortcut, "1", global);
//! builder.edge(global, EdgeType::Property, "cache", cache);
//! builder.edge(cache, EdgeType::Property, "big", big);
//! let heap: Heap = builder.build();
//!
//! let analysis = analyze(&heap, 2);
//! assert_eq!(analysis.distances, [100_000_000, 1, 2, 3]);
//! assert!(analysis.retained_sizes.iter().eq([3030, 3030, 3020, 3000]));
//! assert_eq!(analysis.dominators, [root, root, global, cache]);
//! ```
//!
//! The rules are those of DevTools' heap snapshot worker,
//! <https://github.com/ChromeDevTools/devtools-frontend/blob/138048f/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts>;
//! each file names the functions that it follows. Two differences are intended: sizes have 64 bits, while those of
//! DevTools have 32 and wrap at 4 GiB; and classes are distinguished by the text of their names, not by its position in
//! the string table.
#![forbid(unsafe_code)]

mod aggregates;
mod analysis;
mod attribution;
mod bits;
mod builder;
mod by_class;
mod by_id;
mod captured;
mod class_names;
mod classes;
mod column;
mod crowds;
mod detached;
mod diff;
mod distance;
mod dominated;
mod dominators;
mod duplicates;
mod edge_names;
mod edges;
mod entries;
mod equal_strings;
mod heap;
mod highest;
mod id_sample;
mod index;
mod interfaces;
mod known;
mod largest;
mod leaks;
mod lists;
mod locations;
mod names;
mod native_contexts;
mod nested;
mod off_heap;
mod originals;
mod ownership;
mod package;
mod packed;
mod page;
mod passes;
mod paths;
mod prepare;
mod ready;
mod retained;
mod retained_by;
mod retained_sets;
mod retainers;
mod roots;
mod scopes;
mod sources;
mod statistics;
mod suspects;
mod text_list;
mod text_search;
mod texts;
mod top_dominators;
mod unnamed;
mod variables;
mod ways;

/// Maps with a lookup per node. The hash of the standard library resists chosen keys, which would cost more than the
/// rest.
type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
type HashSet<K> = std::collections::HashSet<K, foldhash::fast::RandomState>;

pub use aggregates::{Aggregate, aggregates};
pub use analysis::{
    Analysis, PackageOwners, analyze, analyze_attributed, analyze_in_place, analyze_like,
    analyze_with_packages,
};
pub use attribution::Attribution;
pub use bits::{Bits, FixedBits};
pub use builder::HeapBuilder;
pub use by_class::{ByClass, FieldSum, Fields, MOST_FIELDS, MemberGroup, Members, count_fields};
pub use by_id::{Lookup, RetainedById};
pub use captured::{CapturedVariable, Unread, captured_variables};
pub use class_names::ClassNames;
pub use classes::{Class, Classes, classify};
pub use column::{Column, Plain};
pub use crowds::{Crowd, CrowdKind, crowds};
pub use detached::{ATTACHED, DETACHED, detachedness};
pub use diff::{ClassDiff, ClassTotals, Compared, DiffBase};
pub use distance::{SYSTEM, UNREACHED, distances};
pub use dominated::Dominated;
pub use dominators::{Dominators, dominators};
pub use duplicates::{Duplicate, duplicate_strings};
pub use edge_names::{EdgeNames, EdgeNamesBuilder, EncodedNames, NameCodes};
pub use edges::{EdgeName, EdgeType, Edges};
pub use entries::{Entry, entries};
pub use equal_strings::{EqualStrings, TextSum, TopTexts};
pub use heap::{Heap, HeapParts, NodeType, Nodes, Strings};
pub use highest::{Highest, highest};
pub use id_sample::{IdSample, LostIds};
pub use index::{NodeIndex, StringIndex};
pub use interfaces::{Interface, interfaces};
pub use largest::bound_of_largest;
pub use leaks::{Confidence, Content, FoldedHeap, Leak, LeakGroup, LeakKind, LeakStep, Leaks};
pub use lists::{List, ListSink, Lists, Number, Unfit};
pub use locations::{Locations, Place, Places};
pub use names::display_name;
pub use native_contexts::{NativeContexts, Realm, RealmSum, Realms, native_contexts};
pub use nested::nested;
pub use off_heap::{OffHeap, OffHeapKind, OffHeaps, off_heap};
pub use originals::{Original, Originals, ScriptVariable};
pub use ownership::{owners, shallow_sizes};
pub use package::{Package, script_file, shown_data};
pub use packed::{Packed, PackedColumn};
pub use page::page_owned;
pub use paths::{Path, Step, retaining_paths};
pub use prepare::prepare;
pub use ready::Ready;
pub use retained::retained_sizes;
pub use retained_by::{Keeper, RetainedBy, retained_by, stack_roots, unreachable};
pub use retained_sets::{NO_SET, retained_sets};
pub use retainers::{Retainer, Retainers};
pub use roots::{has_user_root, user_roots};
pub use scopes::{ScopeRecord, ScopeRecords, ScopeUse};
pub use sources::{
    CodeOwner, CodeOwners, Functions, KnownSources, MappableScript, OwnedBy, OwnerSum, Party,
    SourcePlace, Sources,
};
pub use statistics::{Statistics, statistics};
pub use suspects::{SUSPECTS, Suspect, suspects};
pub use text_search::{search_texts, text_of};
pub use texts::{Fit, Texts};
pub use top_dominators::{DominatedGroup, Reference, TopDominators};
pub use variables::{ScopeVariable, scope_variables};
pub use ways::{WayGroup, Ways};
