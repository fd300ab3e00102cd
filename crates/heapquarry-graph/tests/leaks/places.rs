//! Where leaked objects were made.

use crate::program::{SCRIPT, SIZE, Snapshot, leaks, only};
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

/// Keys are larger, but only values have a place.
#[test]
fn of_keys_and_values_one_place_is_enough() {
    let leak = only(leaks(3, |round, s| {
        s.variable("map", "Map");
        let table = s.table("map");
        for i in 0..round * 4 {
            s.node(&format!("k{i}"), "object", "Key", 2 * SIZE);
            s.edge(&table, EdgeType::Internal, &format!("{}", 2 * i), &format!("k{i}"));
            s.node(&format!("v{i}"), "object", "Value", SIZE);
            s.edge(&table, EdgeType::Internal, &format!("{}", 2 * i + 1), &format!("v{i}"));
            s.made(&format!("v{i}"), 5);
        }
    }));
    assert_eq!(leak.leaked.as_deref(), Some("Key"));
    let place = leak.made_at.expect("told");
    assert_eq!((&*place.what, place.to_string()), ("Value", "app.js:5".into()));
}

/// What has no place was made by a function that sees the variable: the first of them in the source, or by what has the
/// container as a field.
#[test]
fn what_has_no_place_is_told_with_that_of_its_holder() {
    fn strings(round: usize, s: &mut Snapshot<'_>) {
        for i in 0..round * 4 {
            let key = format!("o{i}");
            s.node(&key, "string", "text", SIZE);
            s.element("texts", &key);
        }
    }
    for (has_field, expected) in
        [(false, ("seen by add()", "app.js:8")), (true, ("Log", "app.js:4"))]
    {
        let leak = only(leaks(3, |round, s| {
            if has_field {
                s.variable("log", "Log");
                s.made("log", 4);
                s.property("log", "texts", "texts", "Array", 32);
            } else {
                s.variable("texts", "Array");
            }
            for (name, line, column) in [("clear", 20, 0), ("add", 8, 2), ("each", 8, 30)] {
                s.node(name, "closure", name, 32);
                s.edge("main", EdgeType::Property, name, name);
                s.edge(name, EdgeType::Internal, "context", "scope");
                s.edge(name, EdgeType::Internal, "shared", "code");
                s.builder.location(s.nodes[name], SCRIPT, line - 1, column);
            }
            s.made("main", 30);
            strings(round, s);
        }));
        let place = leak.made_at.expect("told");
        assert_eq!((&*place.what, &*place.to_string()), expected);
    }
}

/// Objects without a place that lead to each other in circles.
#[test]
fn circles_have_no_place_and_end() {
    let leak = only(leaks(3, |round, s| {
        s.variable("rows", "Array");
        for i in 0..round * 4 {
            let (row, cell) = (format!("r{i}"), format!("c{i}"));
            s.node(&row, "object", "Row", SIZE);
            s.element("rows", &row);
            s.property(&row, "cell", &cell, "Cell", 32);
            s.edge(&cell, EdgeType::Property, "row", &row);
        }
    }));
    assert_eq!(leak.made_at.map(|place| place.to_string()).as_deref(), Some("app.js:1"));
}

/// The class of all tasks of a package says less than the function that a task is to run, which another file of a
/// package made.
#[test]
fn what_a_task_is_to_run_comes_before_the_class_of_tasks() {
    for (function, is_new, expected, stored_by) in [
        ("observeOn.js", true, "rx/observeOn.js:20", Some("rx/Action.js:36")),
        // Of the file of the class, and one that was there before.
        ("Action.js", true, "rx/Action.js:36", None),
        ("observeOn.js", false, "rx/Action.js:36", None),
    ] {
        let leak = only(leaks(3, |round, s| {
            for (at, file) in ["Action.js", "observeOn.js"].into_iter().enumerate() {
                let script = format!("/srv/node_modules/rx/{file}");
                s.node(file, "code", &script, 16);
                let (code, function) = (format!("{file} code"), format!("{file} function"));
                s.node(&code, "code", "f", 16);
                s.edge(&code, EdgeType::Internal, "script", file);
                s.node(&function, "closure", "f", 32);
                s.edge(&function, EdgeType::Internal, "shared", &code);
                s.edge("scope", EdgeType::Context, file, &function);
                s.builder.location(s.nodes[&function], SCRIPT + 1 + at as i32, 19, 0);
            }
            s.variable("tasks", "Array");
            for i in 0..round * 4 {
                let (key, work) = (format!("t{i}"), format!("w{i}"));
                s.node(&key, "object", "Action", SIZE);
                s.builder.location(s.nodes[&key], SCRIPT + 1, 35, 0);
                s.element("tasks", &key);
                if !is_new {
                    s.edge(&key, EdgeType::Property, "work", &format!("{function} function"));
                    continue;
                }
                s.node(&work, "closure", "f", 32);
                s.edge(&work, EdgeType::Internal, "shared", &format!("{function} code"));
                s.edge(&key, EdgeType::Property, "work", &work);
                let script = SCRIPT + 1 + i32::from(function != "Action.js");
                s.builder.location(s.nodes[&work], script, 19, 0);
            }
        }));
        let text =
            |place: Option<heapquarry_graph::SourcePlace>| place.map(|place| place.to_string());
        assert_eq!(text(leak.made_at).as_deref(), Some(expected), "{function} {is_new}");
        assert_eq!(text(leak.stored_by).as_deref(), stored_by, "{function} {is_new}");
    }
}

/// Where a package makes all its listeners says less than the callback of another package that one keeps in its
/// variables, or in those around them.
#[test]
fn a_callback_comes_before_the_function_of_a_package_around_it() {
    for (package, variable_of, expected, stored_by) in [
        ("msw", "inner", "msw/index.js:20", Some("emitter/index.js:36")),
        ("msw", "outer", "msw/index.js:20", Some("emitter/index.js:36")),
        ("emitter", "inner", "emitter/index.js:36", None),
    ] {
        let leak = only(leaks(3, |round, s| {
            for (code, package) in [("listener", "emitter"), ("callback", package)] {
                let (code, script) = (format!("{code} code"), format!("{code} script"));
                s.node(&code, "code", "f", 16);
                s.node(&script, "code", &format!("/srv/node_modules/{package}/index.js"), 16);
                s.edge(&code, EdgeType::Internal, "script", &script);
            }
            s.variable("listeners", "Array");
            for i in 0..round * 4 {
                let [listener, callback, inner, outer] =
                    ["listener", "callback", "inner", "outer"].map(|part| format!("{part} {i}"));
                for (key, code, line) in [(&listener, "listener", 35), (&callback, "callback", 19)]
                {
                    s.node(key, "closure", "f", SIZE);
                    s.edge(key, EdgeType::Internal, "shared", &format!("{code} code"));
                    s.builder.location(s.nodes[key], SCRIPT + line, line, 0);
                }
                for scope in [&inner, &outer] {
                    s.node(scope, "object", "system / Context", 32);
                }
                s.edge(&listener, EdgeType::Internal, "context", &inner);
                s.edge(&inner, EdgeType::Internal, "previous", &outer);
                s.edge(&format!("{variable_of} {i}"), EdgeType::Context, "callback", &callback);
                s.element("listeners", &listener);
            }
        }));
        let text =
            |place: Option<heapquarry_graph::SourcePlace>| place.map(|place| place.to_string());
        assert_eq!(text(leak.made_at).as_deref(), Some(expected), "{package} {variable_of}");
        assert_eq!(text(leak.stored_by).as_deref(), stored_by, "{package} {variable_of}");
    }
}
