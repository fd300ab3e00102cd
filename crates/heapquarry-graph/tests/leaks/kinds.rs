//! What grows decides the kind of a leak.

use crate::program::{SIZE, leaks, only};
use heapquarry_graph::{EdgeType, LeakKind};

#[test]
fn what_grows_decides_the_kind() {
    let references = only(leaks(3, |round, s| {
        s.variable("listeners", "Array");
        s.variable("listener", "Listener");
        (0..round * 4).for_each(|i| {
            s.edge("listeners", EdgeType::Element, &i.to_string(), "listener");
        });
        let storage = format!("storage {round}");
        s.node(&storage, "array", "(object elements)", SIZE * round as u64);
        s.edge("listeners", EdgeType::Internal, "elements", &storage);
    }));
    assert_eq!(references.kind, LeakKind::References);
    assert_eq!(
        (&*references.owner, references.counts.as_deref()),
        ("listeners", Some(&[4, 8, 12][..]))
    );
    let bytes = only(leaks(3, |round, s| {
        s.variable("buffer", "Uint8Array");
        s.node("data", "native", "system / JSArrayBufferData", SIZE * round as u64);
        s.edge("buffer", EdgeType::Internal, "backing_store", "data");
    }));
    assert_eq!((bytes.kind, &*bytes.owner, bytes.counts), (LeakKind::Bytes, "buffer", None));
}

/// A queue that writes `null` over what it has handed out: references to `null` are none.
#[test]
fn elements_without_a_value_are_no_references() {
    for (kind, name, is_leak) in [
        ("hidden", "system / Oddball", false),
        ("hidden", "system / Oddball / null", false),
        ("hidden", "system / Foo", true),
        ("string", "system / Oddball", true),
    ] {
        let found = leaks(3, |round, s| {
            s.variable("queue", "Array");
            s.node("value", kind, name, 28);
            s.edge("queue", EdgeType::Internal, "read_only", "value");
            (0..round * 4).for_each(|i| {
                s.edge("queue", EdgeType::Element, &i.to_string(), "value");
            });
            // What they need is there from the start, and something else grows.
            s.node("elements", "array", "(object elements)", SIZE);
            s.edge("queue", EdgeType::Internal, "elements", "elements");
            s.node("text", "string", "", SIZE * round as u64);
            s.edge("queue", EdgeType::Property, "text", "text");
        });
        let is_told = found.iter().any(|leak| leak.kind == LeakKind::References);
        assert_eq!(is_told, is_leak, "{name}: {found:?}");
    }
}

/// One value under ever more keys of a Map: its table refers to it.
#[test]
fn references_from_the_table_of_a_map_are_counted() {
    use EdgeType::*;
    for (from, kind, is_entry) in [
        ("table", Internal, true),
        ("table", Hidden, true),
        ("table", Element, true),
        ("table", Property, false),
        ("table", Weak, false),
        // What else a Map has is no table.
        ("elements", Internal, false),
    ] {
        let found = leaks(3, |round, s| {
            s.variable("users", "Map");
            s.variable("nobody", "User");
            s.node("storage", "array", "", SIZE * round as u64);
            s.edge("users", Internal, from, "storage");
            (0..round * 4).for_each(|i| s.edge("storage", kind, &i.to_string(), "nobody"));
        });
        let counts = found.iter().map(|leak| (leak.kind, leak.counts.clone()));
        let expected = match is_entry {
            true => (LeakKind::References, Some(vec![4, 8, 12])),
            // All that is known is that it grows.
            false => (LeakKind::Bytes, None),
        };
        assert_eq!(counts.collect::<Vec<_>>(), [expected], "{from} {kind:?}");
    }
}
