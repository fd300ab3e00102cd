//! Dominators that `convert --analyze` stored are taken only if they are those of the nodes and edges beside them.

mod common;

use common::corpus;
use heapquarry::{
    ConvertOptions, Layout, LoadedHeap, Names, RunOptions, Source, Status, convert, graph,
    graph::NodeIndex, load_heap,
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};
use xxhash_rust::xxh3::xxh3_64;

fn load(path: &Path, document: usize) -> LoadedHeap {
    let mut source = Source::path(path);
    source.document = Some(document);
    load_heap(&source, &RunOptions::default().threads(2)).unwrap()
}

fn analyze(inputs: &[&Path], output: &Path, layout: Layout) {
    let options = ConvertOptions::default().analyze(true).layout(layout).force(true);
    convert(inputs, output, &options).unwrap();
}

/// Whether a document of a directory comes with dominators; they are right in any case.
fn is_trusted(dir: &Path, document: usize, input: &Path) -> bool {
    let (stored, direct) = (load(dir, document), load(input, 0));
    let [found, expected] = [&stored, &direct].map(|loaded| graph::analyze(&loaded.heap, 2));
    let what = format!("{} of {}", input.display(), dir.display());
    assert!(*found.dominators == *expected.dominators, "{what}");
    assert!(found.retained_sizes == expected.retained_sizes, "{what}");
    assert_eq!(found.aggregates, expected.aggregates, "{what}");
    stored.heap.given_dominators().is_some()
}

/// A change of a manifest.
type Change = Box<dyn Fn(&mut Value)>;

/// Changes the manifest of a directory.
fn edit(dir: &Path, change: impl Fn(&mut Value)) {
    let path = dir.join("_manifest.json");
    let mut manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, manifest.to_string()).unwrap();
}

/// The entry of a file in the manifest.
fn entry<'a>(manifest: &'a mut Value, file: &str) -> &'a mut Value {
    let tables = manifest["tables"].as_array_mut().unwrap();
    tables.iter_mut().find(|entry| entry["file"] == file).unwrap()
}

/// A snapshot of objects with these references; the root is one of them.
fn snapshot(nodes: usize, edges: &[(usize, usize)], root: usize) -> String {
    let count = |node| edges.iter().filter(|(from, _)| *from == node).count();
    let node = |node| format!("3,1,{},{},{}", node * 2 + 1, 16 + node, count(node));
    let node_rows: Vec<String> = (0..nodes).map(node).collect();
    let targets = (0..nodes).flat_map(|node| edges.iter().filter(move |(from, _)| *from == node));
    let edge_rows: Vec<String> = targets.map(|(_, to)| format!("2,1,{}", to * 5)).collect();
    let (node_rows, edge_rows, edge_count) =
        (node_rows.join("\n,"), edge_rows.join("\n,"), edges.len());
    format!(
        r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","array","string","object"]],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property"]]}},"node_count":{nodes},"edge_count":{edge_count},"root_index":{}}},
"nodes":[{node_rows}],
"edges":[{edge_rows}],
"strings":["","Item"]}}"#,
        root * 5
    )
}

/// Four heaps of the same nodes in a folder: a chain, a star, a chain in another order in which each node has as many
/// references as in the first, and a chain from the other end.
fn heaps(folder: &Path) -> [PathBuf; 4] {
    let chain: Vec<_> = (1..40).map(|node| (node - 1, node)).collect();
    let star: Vec<_> = (1..40).map(|node| (0, node)).collect();
    let order = |at| [0, 2, 1].get(at).copied().unwrap_or(at);
    let other: Vec<_> = (1..40).map(|at| (order(at - 1), order(at))).collect();
    let reversed: Vec<_> = (1..40).map(|node| (node, node - 1)).collect();
    let heaps = [(chain, 0), (star, 0), (other, 0), (reversed, 39)];
    let names = ["chain", "star", "other", "reversed"];
    let mut all = names.map(|name| folder.join(name).with_extension("heapsnapshot"));
    for (path, (edges, root)) in all.iter_mut().zip(heaps) {
        fs::write(path, snapshot(40, &edges, root)).unwrap();
    }
    all
}

/// All heaps of the corpus, of all engines, whole and odd.
#[test]
fn stored_dominators_are_those_of_the_heap() {
    let folder = tempfile::tempdir().unwrap();
    let (mut heaps, mut trusted) = (0, 0);
    let mut lacking = Vec::new();
    for input in common::inputs() {
        let Ok(direct) = load_heap(&Source::path(&input), &RunOptions::default()) else { continue };
        let dir = folder.path().join("tables");
        analyze(&[&input], &dir, Layout::Flat);
        heaps += 1;
        let mut ids: Vec<i64> =
            direct.heap.nodes().all().map(|node| direct.heap.nodes().id(node)).collect();
        ids.sort_unstable();
        let may_be = direct.status == Status::Complete
            && !direct.heap.edges().is_empty()
            && ids.windows(2).all(|two| two[0] < two[1]);
        let is_trusted = is_trusted(&dir, 0, &input);
        trusted += usize::from(is_trusted);
        if may_be && !is_trusted {
            lacking.push(input);
        } else {
            assert!(may_be || !is_trusted, "{}", input.display());
        }
    }
    assert!(lacking.is_empty(), "{lacking:?}");
    assert!(heaps > 12 && trusted > 8, "{heaps} {trusted}");
}

#[test]
fn each_document_of_a_directory_has_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let heaps = heaps(folder.path());
    let inputs: Vec<&Path> = heaps.iter().map(PathBuf::as_path).collect();
    for layout in [Layout::Flat, Layout::Hive] {
        let dir = folder.path().join(layout.to_string());
        analyze(&inputs, &dir, layout);
        for (document, input) in inputs.iter().enumerate() {
            assert!(is_trusted(&dir, document, input), "{} {layout}", input.display());
        }
    }
    // A file with many heaps is not read as a whole for a single one. Files of its own are.
    let large = corpus().join("node24-numeric.heapsnapshot.gz");
    for (layout, expected) in [(Layout::Flat, false), (Layout::Hive, true)] {
        let dir = folder.path().join(layout.to_string());
        let options = ConvertOptions::default().analyze(true).layout(layout).force(true);
        let options = options.row_group_rows(5000);
        convert(&[&large, &large, &large, &large, &large, &large], &dir, &options).unwrap();
        assert_eq!(is_trusted(&dir, 2, &large), expected, "{layout}");
    }
}

#[test]
fn options_decide_whether_there_are_any() {
    let folder = tempfile::tempdir().unwrap();
    let [heap, ..] = heaps(folder.path());
    let dir = folder.path().join("tables");
    let graph = || {
        let tables = ["nodes", "edges", "files", "info", "string", "location", "analysis"];
        tables.map(|name| format!("js_heap_{name}")).to_vec()
    };
    let columns = |kept: &[&str]| {
        let tables = graph();
        let (analysis, others) = tables.split_last().unwrap();
        let kept = kept.iter().map(|name| format!("{analysis}.{name}"));
        (others.to_vec(), kept.collect::<Vec<_>>())
    };
    let all = || ConvertOptions::default().force(true).analyze(true);
    let (others, dominators) = columns(&["file_id", "dominator_id"]);
    let (_, without_documents) = columns(&["dominator_id"]);
    let (_, sizes) = columns(&["file_id", "retained_size"]);
    for (what, options, expected) in [
        ("all", all(), true),
        ("names", all().names(Names::Id), true),
        ("row groups", all().row_group_rows(7), true),
        ("no analysis", all().analyze(false), false),
        ("tables", all().tables(graph()), true),
        ("tables, analysis by its name", all().tables(graph()).analyze(false), false),
        ("without redundant columns", all().tables(others.clone()).columns(dominators), true),
        ("without documents", all().tables(others.clone()).columns(without_documents), false),
        ("without dominators", all().tables(others.clone()).columns(sizes), false),
        ("without their table", all().tables(others), false),
    ] {
        convert(&[&heap], &dir, &options).unwrap();
        assert_eq!(is_trusted(&dir, 0, &heap), expected, "{what}");
    }
}

#[test]
fn what_the_manifest_does_not_vouch_for_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let [heap, ..] = heaps(folder.path());
    let dir = folder.path().join("tables");
    analyze(&[&heap], &dir, Layout::Flat);
    let manifest = fs::read(dir.join("_manifest.json")).unwrap();
    let tables = ["nodes", "edges", "files", "info", "string", "analysis"];
    let files = tables.map(|name| format!("js_heap_{name}.parquet"));
    edit(&dir, |_| ());
    assert!(is_trusted(&dir, 0, &heap));
    let mut changes: Vec<Change> = vec![
        Box::new(|manifest| manifest["heapquarry_version"] = "0.0.1".into()),
        Box::new(|manifest| manifest["options"]["analyze"] = false.into()),
        Box::new(|manifest| _ = manifest.as_object_mut().unwrap().remove("options")),
        // As of an older version.
        Box::new(|manifest| {
            for table in manifest["tables"].as_array_mut().unwrap() {
                table.as_object_mut().unwrap().remove("xxh3").unwrap();
            }
        }),
    ];
    for file in files.clone() {
        let of = file.clone();
        changes.push(Box::new(move |manifest| entry(manifest, &of)["xxh3"] = 7.into()));
        let of = file.clone();
        changes.push(Box::new(move |manifest| entry(manifest, &of)["xxh3"] = "no number".into()));
        changes.push(Box::new(move |manifest| entry(manifest, &file)["bytes"] = 7.into()));
    }
    for (number, change) in changes.iter().enumerate() {
        fs::write(dir.join("_manifest.json"), &manifest).unwrap();
        edit(&dir, change);
        assert!(!is_trusted(&dir, 0, &heap), "change {number}");
    }
    // One bit of each file, in the first place where the table can still be read.
    fs::write(dir.join("_manifest.json"), &manifest).unwrap();
    for file in files {
        let path = dir.join(&file);
        let bytes = fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        // The name of the writer, which no reader looks at.
        let name = changed.windows(10).rposition(|part| part == b"heapquarry").unwrap();
        changed[name] ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(!is_trusted(&dir, 0, &heap), "{file}");
        fs::write(&path, bytes).unwrap();
    }
    assert!(is_trusted(&dir, 0, &heap));
    // Values of the analysis that cannot even be read do not matter.
    let path = dir.join("js_heap_analysis.parquet");
    let mut bytes = fs::read(&path).unwrap();
    bytes[4..40].fill(0xff);
    fs::write(path, bytes).unwrap();
    assert!(!is_trusted(&dir, 0, &heap));
}

/// Files of another directory, of heaps with the same nodes.
#[test]
fn files_of_another_heap_are_not_taken_for_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let heaps = heaps(folder.path());
    let [chain, _, other, reversed] = heaps.each_ref().map(PathBuf::as_path);
    for layout in [Layout::Flat, Layout::Hive] {
        let file = |table: &str, name: &str| match layout {
            Layout::Flat => format!("{table}.parquet"),
            Layout::Hive => format!("{table}/source={name}/part-0.parquet"),
        };
        let dirs = heaps.each_ref().map(|heap| {
            let dir = folder.path().join(heap.file_stem().unwrap());
            analyze(&[heap], &dir, layout);
            dir
        });
        let [of_chain, of_star, of_other, of_reversed] = dirs.each_ref().map(PathBuf::as_path);
        let take = |from: &Path, name: &str, table: &str| {
            let content = fs::read(from.join(file(table, name))).unwrap();
            fs::write(of_chain.join(file(table, "chain")), &content).unwrap();
            content
        };
        // The manifest says now that this is what was written.
        let vouch = |table: &str, content: &[u8]| {
            edit(of_chain, |manifest| {
                let entry = entry(manifest, &file(table, "chain"));
                entry["bytes"] = content.len().into();
                entry["xxh3"] = format!("{:016x}", xxh3_64(content)).into();
            });
        };
        assert!(is_trusted(of_chain, 0, chain), "{layout}");
        let analysis = take(of_star, "star", "js_heap_analysis");
        assert!(!is_trusted(of_chain, 0, chain), "{layout}");
        // All of the test rests on this: dominators are taken if the manifest vouches for them.
        vouch("js_heap_analysis", &analysis);
        let wrong = graph::analyze(&load(of_chain, 0).heap, 1);
        assert_eq!(wrong.dominators[39], NodeIndex(0), "{layout}");
        // Those that are no tree below the root of the heap are not.
        let analysis = take(of_reversed, "reversed", "js_heap_analysis");
        vouch("js_heap_analysis", &analysis);
        let loaded = load(of_chain, 0);
        let expected = graph::analyze(&load(chain, 0).heap, 1);
        assert!(loaded.heap.given_dominators().is_some(), "{layout}");
        assert_eq!(*graph::analyze(&loaded.heap, 1).dominators, *expected.dominators, "{layout}");
        // Other edges have other dominators.
        analyze(&[chain], of_chain, layout);
        take(of_other, "other", "js_heap_edges");
        let loaded = load(of_chain, 0);
        let expected = graph::analyze(&load(other, 0).heap, 1);
        assert!(loaded.heap.given_dominators().is_none(), "{layout}");
        assert_eq!(*graph::analyze(&loaded.heap, 1).dominators, *expected.dominators, "{layout}");
        assert_ne!(load(reversed, 0).heap.root(), NodeIndex(0));
    }
}

/// A file that the manifest does not name can have rows of a document.
#[test]
fn files_beside_those_that_were_written_count() {
    let folder = tempfile::tempdir().unwrap();
    let [chain, star, ..] = heaps(folder.path());
    let dirs = [&chain, &star].map(|heap| {
        let dir = folder.path().join(heap.file_stem().unwrap());
        analyze(&[heap], &dir, Layout::Hive);
        dir
    });
    let added = dirs[0].join("js_heap_edges/source=more");
    fs::create_dir(&added).unwrap();
    let edges = dirs[1].join("js_heap_edges/source=star/part-0.parquet");
    fs::copy(edges, added.join("part-0.parquet")).unwrap();
    assert!(load(&dirs[0], 0).heap.given_dominators().is_none());
}

/// What is left of a damaged heap is analysed as what it is.
#[test]
fn dominators_of_damaged_heaps_are_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(corpus().join("handmade/v8-timeline.heaptimeline")).unwrap();
    let cut = folder.path().join("cut.heapsnapshot");
    fs::write(&cut, &whole[..whole.len() * 3 / 4]).unwrap();
    let dir = folder.path().join("tables");
    analyze(&[&cut], &dir, Layout::Flat);
    assert!(!is_trusted(&dir, 0, &cut));
}
