//! Modules of different folders do not import each other in circles, except where `docs/architecture.md` says why.
//!
//! At each folder its parts are looked at: files, and folders as a whole. A circle of which one part is a folder is
//! found; one of files beside each other is not. Paths are followed through re-exports to the module that has the item.

mod modules;

use modules::{Modules, Part};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The parts of `query/src` that import each other in circles; no other part does.
const OF_QUESTIONS: &[&str] = &[
    "check/", "diff/", "find/", "heap/", "process/", "profile/", "question", "session", "subjects",
    "trace/",
];

/// Folders whose parts import each other in circles. `docs/architecture.md` names each with the reason.
const STAY: &[&str] = &[
    "formats/src/heap",
    "heapquarry/src/heap",
    "query/src",
    "query/src/heap",
    "query/src/profile",
    "query/src/trace",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// Parts of a folder that lead to each other, by whatever way.
fn circles(graph: &BTreeMap<Part, BTreeSet<Part>>) -> BTreeSet<BTreeSet<Part>> {
    let reached = |start: &Part| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(part) = open.pop() {
            for next in graph.get(part).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Part, BTreeSet<Part>> =
        graph.keys().map(|part| (part, reached(part))).collect();
    let circle_of = |(part, to): (&&Part, &BTreeSet<Part>)| {
        let back = |other: &&Part| reached.get(other).is_some_and(|from| from.contains(part));
        to.contains(part).then(|| to.iter().filter(back).cloned().collect())
    };
    reached.iter().filter_map(circle_of).collect()
}

#[test]
fn folders_do_not_import_each_other_in_circles() {
    let architecture = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut questions: BTreeSet<String> = BTreeSet::new();
    let mut crates: Vec<PathBuf> =
        fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.sort();
    for folder in crates {
        let name = folder.file_name().unwrap().to_string_lossy().replace("heapquarry-", "");
        for (within, graph) in Modules::read(&folder.join("src")).graphs() {
            for circle in circles(&graph).into_iter().filter(|c| c.iter().any(Part::is_folder)) {
                let place = [&[name.clone(), "src".into()], &within[..]].concat().join("/");
                if place == "query/src" {
                    questions.extend(circle.iter().map(ToString::to_string));
                }
                found.entry(place).or_default().push_str(&edges(&graph, &circle));
            }
        }
    }
    let known: BTreeSet<String> = OF_QUESTIONS.iter().map(ToString::to_string).collect();
    assert_eq!(questions, known, "the circle of query/src has other parts");
    let new = found.iter().filter(|(folder, _)| !STAY.contains(&&folder[..]));
    let new: String = new.map(|(folder, edges)| format!("{folder}:\n{edges}")).collect();
    assert!(new.is_empty(), "modules of different folders import each other in circles:\n{new}");
    for folder in STAY {
        assert!(found.contains_key(*folder), "{folder} has no circle any more");
        assert!(architecture.contains(&format!("`{folder}/`")), "{folder} has no reason");
    }
}

fn edges(graph: &BTreeMap<Part, BTreeSet<Part>>, circle: &BTreeSet<Part>) -> String {
    let inner = circle.iter().flat_map(|from| {
        graph[from]
            .iter()
            .filter(|to| circle.contains(to))
            .map(move |to| format!("  {from} -> {to}\n"))
    });
    inner.collect()
}

#[test]
fn circles_are_found() {
    let graph = |edges: &[(&str, &str)]| {
        let part = |name: &str| match name.strip_suffix('/') {
            Some(folder) => Part::Folder(folder.into()),
            None => Part::File(name.into()),
        };
        let mut graph: BTreeMap<Part, BTreeSet<Part>> = BTreeMap::new();
        for (from, to) in edges {
            graph.entry(part(to)).or_default();
            graph.entry(part(from)).or_default().insert(part(to));
        }
        graph
    };
    for (edges, expected) in [
        (&[("a", "b/"), ("b/", "c")][..], vec![]),
        (&[("a", "b/"), ("b/", "c"), ("c", "a"), ("a", "d")], vec![vec!["a", "b/", "c"]]),
        (
            &[("a", "b/"), ("b/", "a"), ("c", "d"), ("d", "c"), ("a", "c")],
            vec![vec!["a", "b/"], vec!["c", "d"]],
        ),
    ] {
        let found = circles(&graph(edges));
        let mut found: Vec<Vec<String>> =
            found.iter().map(|circle| circle.iter().map(ToString::to_string).collect()).collect();
        found.iter_mut().for_each(|circle| circle.sort());
        found.sort();
        assert_eq!(found, expected, "{edges:?}");
    }
}
