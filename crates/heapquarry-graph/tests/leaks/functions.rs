//! Functions that are leaked, with their code.

use crate::program::{Program, Snapshot, leaks, only};
use heapquarry_graph::EdgeType;

/// A function of a script of its own, as `new Function` makes it, with compiled code.
fn compiled(s: &mut Snapshot<'_>, key: &str, name: &str, script: &str) {
    let [shared, code, file] = ["shared", "code", "script"].map(|part| format!("{key} {part}"));
    s.node(key, "closure", name, 64);
    s.node(&shared, "code", "(shared function info)", 100);
    s.node(&code, "code", "(bytecode)", 1000);
    s.node(&file, "code", script, 200);
    s.edge(key, EdgeType::Internal, "shared", &shared);
    s.edge(&shared, EdgeType::Internal, "function_data", &code);
    s.edge(&shared, EdgeType::Internal, "script_or_debug_info", &file);
    // Each name stands at a line of its own.
    s.made(key, name.trim_end_matches(|c: char| c.is_ascii_digit()).len() as i32);
}

/// What is leaked, and by how many bytes it grows: eight more in all.
const PROGRAMS: &[(&str, Program, &str, u64)] = &[
    (
        "functions made of texts, in an array",
        |round, s| {
            s.variable("templates", "Array");
            for i in 0..round * 4 {
                let key = format!("f{i}");
                compiled(s, &key, "anonymous", "");
                s.element("templates", &key);
            }
        },
        "anonymous()",
        8 * 1364,
    ),
    (
        "numbered functions",
        |round, s| {
            s.variable("validators", "Array");
            for i in 0..round * 4 {
                let key = format!("f{i}");
                compiled(s, &key, &format!("validate{i}"), "");
                s.element("validators", &key);
            }
        },
        "validate11()",
        8 * 1364,
    ),
    (
        "a file that is loaded again and again",
        |round, s| {
            s.variable("modules", "Array");
            for i in 0..round * 4 {
                let key = format!("f{i}");
                compiled(s, &key, "setUp", "/srv/app/setup.js");
                s.element("modules", &key);
            }
        },
        "setUp()",
        8 * 1364,
    ),
    (
        "objects that have such functions",
        |round, s| {
            s.variable("rules", "Array");
            for i in 0..round * 4 {
                let (rule, key) = (format!("rule {i}"), format!("f{i}"));
                s.push("rules", &rule, "Rule");
                compiled(s, &key, "anonymous", "");
                s.edge(&rule, EdgeType::Property, "run", &key);
            }
        },
        "Rule",
        8 * 2364,
    ),
    (
        "bound functions, beside some of another kind",
        |round, s| {
            s.variable("listeners", "Array");
            for (name, count) in [("onExit", round * 4), ("onWarning", 4)] {
                let target = format!("target {name}");
                compiled(s, &target, name, "/srv/app/listeners.js");
                s.edge("scope", EdgeType::Context, &target, &target);
                for i in 0..count {
                    let key = format!("{name} {i}");
                    s.node(&key, "closure", "native_bind", 1000);
                    s.edge(&key, EdgeType::Internal, "bound_function", &target);
                    s.element("listeners", &key);
                }
            }
        },
        "bound onExit()",
        8 * 1000,
    ),
];

#[test]
fn functions_are_leaked_with_their_code() {
    for &(what, program, leaked, bytes) in PROGRAMS {
        let leak = only(leaks(3, program));
        let told = (leak.leaked.as_deref(), leak.counts.as_deref(), leak.bytes);
        assert_eq!(told, (Some(leaked), Some(&[4, 8, 12][..]), bytes), "{what}: {leak:#?}");
    }
}

/// Code of functions that were there is compiled when they are called, and thrown away.
#[test]
fn code_alone_is_no_leak() {
    let found = leaks(3, |round, s| {
        s.variable("routes", "Array");
        for i in 0..12 {
            let (key, code) = (format!("f{i}"), format!("code {i}"));
            compiled(s, &key, "route", "/srv/app/routes.js");
            s.element("routes", &key);
            if i < round * 4 {
                s.node(&code, "code", "(instruction stream)", 2000);
                s.edge(&key, EdgeType::Internal, "code", &code);
            }
        }
    });
    assert!(found.is_empty(), "{found:#?}");
}

/// A class that a minifier named is told by the name that the program gave to its constructor.
#[test]
fn minified_classes_are_told_by_the_name_of_their_constructor() {
    for (class, given, expected) in [
        ("_", Some("ZodString"), "ZodString"),
        ("_", Some(""), "_"),
        ("_", None, "_"),
        ("Schema", Some("ZodString"), "Schema"),
    ] {
        let leak = only(leaks(3, |round, s| {
            s.variable("all", "Array");
            s.node("constructor", "closure", class, 32);
            s.node("prototype", "object", class, 32);
            s.edge("scope", EdgeType::Context, "f", "constructor");
            s.edge("constructor", EdgeType::Property, "prototype", "prototype");
            s.edge("prototype", EdgeType::Property, "constructor", "constructor");
            if let Some(given) = given {
                s.node("given", "string", given, 16);
                s.edge("constructor", EdgeType::Property, "name", "given");
            }
            for i in 0..round * 4 {
                let key = format!("o{i}");
                s.push("all", &key, class);
                s.edge(&key, EdgeType::Property, "__proto__", "prototype");
            }
        }));
        assert_eq!(leak.leaked.as_deref(), Some(expected), "{class} {given:?}");
    }
}
