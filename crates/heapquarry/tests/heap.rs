//! Heaps that are read into memory are those that DevTools sees.

use heapquarry::{
    BatchOptions, ConvertOptions, Error, Layout, LoadedHeap, Names, RunOptions, Source, batches,
    convert, graph, load_heap,
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The heap of a file or a directory, or that of the document of this number.
fn load(path: &Path, document: Option<usize>, threads: usize) -> Result<LoadedHeap, Error> {
    let mut source = Source::path(path);
    source.document = document;
    load_heap(&source, &RunOptions::default().threads(threads))
}

/// A whole column in one number, see `corpus/README.md`.
fn fold61(values: impl IntoIterator<Item = i128>) -> String {
    const MODULUS: i128 = (1 << 61) - 1;
    let fold = |sum: i128, value: i128| (sum * 1_000_003 + value + 7).rem_euclid(MODULUS);
    values.into_iter().fold(0, fold).to_string()
}

/// The golden files of the corpus, with the snapshot that each is about.
fn goldens() -> Vec<(PathBuf, Value)> {
    let files = fs::read_dir(corpus().join("devtools")).unwrap().map(|e| e.unwrap().path());
    let golden = |path: PathBuf| {
        let golden: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        (corpus().join(golden["file"].as_str().unwrap()), golden)
    };
    files.map(golden).collect()
}

fn assert_as_devtools_says(heap: &graph::Heap, golden: &Value) {
    let analysis = graph::analyze(heap, 2);
    let name = golden["file"].as_str().unwrap();
    let fold = &golden["fold61"];
    let check = |column: &str, values: &mut dyn Iterator<Item = i128>| {
        assert_eq!(fold[column], fold61(values), "{name}: {column}");
    };
    check("distance", &mut analysis.distances.iter().map(|&v| v.into()));
    check("self_after_shallow", &mut analysis.shallow_sizes.iter().map(Into::into));
    check("retained", &mut analysis.retained_sizes.iter().map(|v| v.into()));
    check("dominator_ordinal", &mut analysis.dominators.iter().map(|&v| v.0.into()));
    check("detachedness", &mut analysis.detachedness.iter().map(|&v| v.into()));
    assert_eq!(golden["statistics"]["total"], analysis.statistics.total, "{name}");
    assert_eq!(golden["interfaces"], analysis.interfaces.len(), "{name}");
    assert_eq!(golden["aggregate_count"], analysis.aggregates.len(), "{name}");
    // DevTools also counts texts that only look alike; the tests of heapquarry-graph compare them one by one.
    let strings = &analysis.duplicate_strings;
    let count: u64 = strings.iter().map(|s| s.count).sum();
    let looking_alike = golden["duplicated_strings"]["count"].as_u64();
    assert!(looking_alike.is_some_and(|alike| count <= alike), "{name}: {count}");
}

#[test]
fn snapshots_are_as_devtools_says() {
    let goldens = goldens();
    assert!(goldens.len() >= 8);
    for (path, golden) in goldens {
        let loaded = load(&path, None, 3).unwrap();
        assert_eq!(loaded.producer.as_deref(), Some("v8"));
        assert_as_devtools_says(&loaded.heap, &golden);
    }
}

#[test]
fn converted_snapshots_are_as_devtools_says() {
    let goldens = goldens();
    let inputs: Vec<&PathBuf> = goldens.iter().map(|(path, _)| path).collect();
    let dir = tempfile::tempdir().unwrap();
    for (layout, names) in [(Layout::Flat, Names::Text), (Layout::Hive, Names::Id)] {
        let output = dir.path().join(layout.to_string());
        // Some row groups end within a snapshot, and some of the small ones hold several.
        let options = ConvertOptions::default().layout(layout).names(names).row_group_rows(5000);
        convert(&inputs, &output, &options).unwrap();
        for (file_id, (_, golden)) in (0..).zip(&goldens) {
            let loaded = load(&output, Some(file_id), 3).unwrap();
            assert!(golden["file"].as_str().unwrap().starts_with(&loaded.name));
            assert_as_devtools_says(&loaded.heap, golden);
        }
        let error = load(&output, None, 3).unwrap_err().to_string();
        assert!(error.contains("several documents ("), "{error}");
    }
}

/// Files of other engines, odd ones, damaged ones: the tables and the snapshot give the same heap.
#[test]
fn tables_give_the_same_heap_as_the_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let mut inputs: Vec<PathBuf> =
        fs::read_dir(corpus().join("handmade")).unwrap().map(|e| e.unwrap().path()).collect();
    let cut = fs::read(corpus().join("handmade/v8-timeline.heaptimeline")).unwrap();
    let damaged = dir.path().join("cut.heapsnapshot");
    fs::write(&damaged, &cut[..cut.len() * 3 / 4]).unwrap();
    inputs.push(damaged);
    for path in inputs {
        let output = dir.path().join("tables");
        let options = ConvertOptions::default().force(true);
        convert(&[&path], &output, &options).unwrap();
        let (direct, stored) = (load(&path, None, 2).unwrap(), load(&output, None, 2).unwrap());
        assert_eq!(direct.producer, stored.producer, "{}", path.display());
        assert_eq!(direct.heap.root(), stored.heap.root(), "{}", path.display());
        let analysis = |heap| format!("{:?}", graph::analyze(heap, 1));
        assert_eq!(analysis(&direct.heap), analysis(&stored.heap), "{}", path.display());
        let edges = |heap: &graph::Heap| {
            let edges = heap.edges();
            let row = |edge| {
                (heap.edge_name(edge).to_string(), edges.kind(edge).name(), edges.target(edge))
            };
            (0..edges.len()).map(row).collect::<Vec<_>>()
        };
        assert_eq!(edges(&direct.heap), edges(&stored.heap), "{}", path.display());
    }
}

/// The files of a directory, by name.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap());
    let file =
        |e: fs::DirEntry| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap());
    let mut files: Vec<_> = entries.map(file).collect();
    files.sort();
    files
}

#[test]
fn tables_of_the_analysis_do_not_depend_on_threads() {
    let dir = tempfile::tempdir().unwrap();
    let inputs =
        [corpus().join("node22.heapsnapshot.gz"), corpus().join("chromium.heapsnapshot.gz")];
    let outputs: Vec<_> = [1, 2, 5]
        .map(|n| {
            let output = dir.path().join(n.to_string());
            let run = RunOptions::default().threads(n);
            let options = ConvertOptions::default().analyze(true).row_group_rows(3000).run(run);
            convert(&inputs, &output, &options).unwrap();
            files(&output)
        })
        .into();
    assert!(outputs[0].iter().any(|(name, _)| name == "js_heap_analysis.parquet"));
    assert!(outputs.iter().all(|output| *output == outputs[0]));
}

#[test]
fn tables_of_the_analysis_are_written_when_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("out");
    for (analyze, tables, expected) in [
        (false, &[][..], 0),
        (true, &[][..], 7),
        (false, &["js_heap_class"][..], 1),
        (true, &["js_heap_nodes"][..], 0),
    ] {
        let names = tables.iter().map(|name| name.to_string()).collect();
        let options = ConvertOptions::default().force(true).analyze(analyze).tables(names);
        let report = convert(&[corpus().join("node8.heapsnapshot.gz")], &output, &options).unwrap();
        let names: Vec<_> =
            heapquarry::tables::JS_HEAP_ANALYSIS_TABLES.iter().map(|t| t.name).collect();
        let written = report.tables.iter().filter(|t| names.contains(&t.table.name));
        let rows: Vec<_> = written.map(|table| (table.table.name, table.rows)).collect();
        assert_eq!(rows.len(), expected, "{analyze} {tables:?}");
        assert!(rows.iter().all(|(_, rows)| *rows > 0), "{analyze} {tables:?}: {rows:?}");
    }
}

/// Lost files and tables that were left out look alike to a reader of one table: both are errors, not 0 rows.
#[test]
fn a_table_that_is_wanted_by_its_name_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("tables");
    let input = corpus().join("handmade/v8-timeline.heaptimeline");
    let read = |table: &str| -> Result<usize, String> {
        let options = BatchOptions::default().tables(vec![table.into()]);
        let found = batches(&[dir.as_path()], &options).map_err(|error| error.to_string())?;
        found.map(|batch| batch.map(|(_, rows)| rows.num_rows()).map_err(|e| e.to_string())).sum()
    };
    convert(&[input.as_path()], &dir, &ConvertOptions::default()).unwrap();
    assert!(read("js_heap_nodes").is_ok_and(|rows| rows > 0));
    fs::remove_file(dir.join("js_heap_nodes.parquet")).unwrap();
    assert!(read("js_heap_edges").is_ok_and(|rows| rows > 0));
    for missing in ["js_heap_nodes", "js_heap_class"] {
        let error = read(missing).unwrap_err();
        assert!(error.starts_with("missing table") && error.contains(missing), "{error}");
    }
}

/// Objects in an array, each with references to six others, and at the end one object that holds a text.
fn ring() -> String {
    let mut nodes = vec!["3,0,1,0,401".to_owned()];
    let mut edges: Vec<String> = (1..=400).map(|node| format!("1,{node},{}", node * 5)).collect();
    edges.push("2,1,2005".into());
    for node in 1..=400 {
        nodes.push(format!("3,1,{},{},6", node * 2 + 1, 16 + node));
        let to = |e: usize| (node * 7 + e * 13) % 400 + 1;
        edges.extend((0..6).map(|e| format!("2,1,{}", to(e) * 5)));
    }
    nodes.extend(["3,2,803,16,1".into(), "2,3,805,100000,0".into()]);
    edges.push("2,3,2010".into());
    let [node_count, edge_count] = [nodes.len(), edges.len()];
    let [nodes, edges] = [nodes, edges].map(|rows| rows.join("\n,"));
    format!(
        r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","array","string","object"]],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property"]]}},"node_count":{node_count},"edge_count":{edge_count}}},
"nodes":[{nodes}],
"edges":[{edges}],
"strings":["","Item","Owner","the payload"]}}"#
    )
}

/// Behind a hole that can be seen, edges have their owners. Otherwise there is no heap, rather than a wrong one.
#[test]
fn owners_behind_a_hole_are_right_or_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let text = ring();
    let [nodes, edges] = ["\"nodes\"", "\"edges\""].map(|name| text.find(name).unwrap());
    let hole = |at: usize, len: usize, is_lost: bool| {
        let mut bytes = text.clone().into_bytes();
        match is_lost {
            true => drop(bytes.drain(at..at + len)),
            false => bytes[at..at + len].fill(0),
        }
        bytes
    };
    let paths = ["snapshot.heapsnapshot", "tables"].map(|name| folder.path().join(name));
    let [snapshot, tables] = &paths;
    for (at, len, is_lost) in [
        (edges + 5000, 1024, false),
        (nodes + 2000, 1024, false),
        (edges + 5000, 1024, true),
        (nodes + 2000, 1024, true),
        (edges + 5000, 7, true),
    ] {
        let what = format!("{len} bytes at {at}, lost: {is_lost}");
        fs::write(snapshot, hole(at, len, is_lost)).unwrap();
        let options = ConvertOptions::default().force(true);
        convert(&[snapshot.as_path()], tables, &options).unwrap();
        for path in &paths {
            match load(path, None, 2) {
                Ok(loaded) if !is_lost => {
                    let heap = &loaded.heap;
                    let analysis = graph::analyze(heap, 2);
                    let [owner, payload] = [803, 805].map(|id| heap.node_by_id(id).expect(&what));
                    assert_eq!(analysis.dominators[payload.position()], owner, "{what}");
                    assert_eq!(analysis.retained_sizes.get(owner.position()), 100_016, "{what}");
                    assert_eq!(analysis.dominators[owner.position()], heap.root(), "{what}");
                    assert!(loaded.log.iter().any(|e| e.code.name() == "records_lost"), "{what}");
                }
                Err(error) if is_lost => {
                    assert!(error.to_string().starts_with("input is damaged"), "{what}: {error}");
                }
                found => panic!("{what}, {}: {:?}", path.display(), found.map(|loaded| loaded.log)),
            }
        }
    }
}
