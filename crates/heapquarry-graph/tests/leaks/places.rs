//! Where leaked objects were made.

use crate::program::{SCRIPT, SIZE, leaks, only};
use heapquarry_graph::EdgeType;

/// An object without a place is told with that of something in it, if that is as new and belongs to the program.
#[test]
fn places_of_what_is_in_an_object_are_those_of_the_object() {
    use EdgeType::*;
    /// Type and name of a node between the object and what has a place.
    const NOTHING: Option<(&str, &str)> = None;
    for (kind, name, between, is_new, is_told) in [
        (Property, "x", NOTHING, true, true),
        (Element, "1", NOTHING, true, true),
        (Internal, "x", NOTHING, true, true),
        (Property, "__proto__", NOTHING, true, false),
        (Property, "constructor", NOTHING, true, false),
        (Weak, "x", NOTHING, true, false),
        (Property, "x", NOTHING, false, false),
        (Property, "x", Some(("object", "Object")), true, true),
        (Internal, "x", Some(("array", "")), true, true),
        (Internal, "x", Some(("code", "f")), true, false),
        (Internal, "x", Some(("hidden", "system / Map")), true, false),
        (Internal, "x", Some(("synthetic", "(Handles)")), true, false),
    ] {
        let leak = only(leaks(3, |round, s| {
            s.variable("rows", "Array");
            if !is_new {
                s.node("thing", "object", "Thing", 32);
                s.made("thing", 5);
                s.edge("main", Property, "thing", "thing");
            }
            for i in 0..round * 4 {
                let (row, mut from, mut thing) =
                    (format!("r{i}"), format!("r{i}"), format!("t{i}"));
                s.node(&row, "object", "Row", SIZE);
                s.element("rows", &row);
                if let Some((kind, name)) = between {
                    from = format!("b{i}");
                    s.node(&from, kind, name, 32);
                    s.edge(&row, Property, "between", &from);
                }
                if is_new {
                    s.node(&thing, "object", "Thing", 32);
                    s.made(&thing, 5);
                } else {
                    thing = "thing".into();
                }
                s.edge(&from, kind, name, &thing);
            }
        }));
        assert_eq!(leak.leaked.as_deref(), Some("Row"));
        // Otherwise that of the function whose variable holds it.
        let expected = if is_told { "app.js:5" } else { "app.js:1" };
        let found = leak.made_at.map(|place| place.to_string());
        assert_eq!(found.as_deref(), Some(expected), "{kind:?} {name} {between:?} {is_new}");
    }
}

/// A package's constructor says little to those who use the package: the function that they gave to it does.
#[test]
fn places_in_the_programs_own_files_come_first() {
    for (callback, expected) in [(true, "app.js:9"), (false, "router/layer.js:36")] {
        let leak = only(leaks(3, |round, s| {
            s.node("layer code", "code", "Layer", 16);
            s.node("package", "code", "/srv/node_modules/router/layer.js", 16);
            s.edge("layer code", EdgeType::Internal, "script", "package");
            s.node("Layer", "closure", "Layer", 32);
            s.edge("Layer", EdgeType::Internal, "shared", "layer code");
            s.edge("scope", EdgeType::Context, "Layer", "Layer");
            s.builder.location(s.nodes["Layer"], SCRIPT + 1, 35, 0);
            s.node("handler code", "code", "handler", 16);
            s.edge("handler code", EdgeType::Internal, "script", "script");
            s.variable("stack", "Array");
            for i in 0..round * 4 {
                let (key, handler) = (format!("l{i}"), format!("f{i}"));
                s.node(&key, "object", "Layer", SIZE);
                s.builder.location(s.nodes[&key], SCRIPT + 1, 35, 0);
                s.element("stack", &key);
                if callback {
                    s.node(&handler, "closure", "handler", 32);
                    s.edge(&handler, EdgeType::Internal, "shared", "handler code");
                    s.edge(&key, EdgeType::Property, "handle", &handler);
                    s.made(&handler, 9);
                }
            }
        }));
        assert_eq!(leak.made_at.map(|place| place.to_string()).as_deref(), Some(expected));
    }
}
