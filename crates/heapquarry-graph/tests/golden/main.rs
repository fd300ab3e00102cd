//! What Chrome DevTools' own engine computes of real snapshots, compared node by node and class by class.

mod snapshot;

use heapquarry_graph::{
    Analysis, Bits, ClassDiff, CodeOwners, Confidence, DiffBase, EdgeName, EdgeType, Heap,
    LeakKind, Leaks, NodeIndex, NodeType, OwnedBy, analyze, display_name, page_owned,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

/// A whole column in one number.
fn fold61(values: impl IntoIterator<Item = i128>) -> String {
    const MODULUS: i128 = (1 << 61) - 1;
    let fold = |sum: i128, value: i128| (sum * 1_000_003 + value + 7).rem_euclid(MODULUS);
    values.into_iter().fold(0, fold).to_string()
}

/// Compares an analysis with what stands in a golden file.
fn check(name: &str, heap: &Heap, analysis: &Analysis, golden: &Value) {
    let fold = &golden["fold61"];
    let compare = |column: &str, values: &mut dyn Iterator<Item = i128>| {
        assert_eq!(fold[column], fold61(values), "{name}: {column}");
    };
    compare("distance", &mut analysis.distances.iter().map(|&v| v.into()));
    compare("self_after_shallow", &mut analysis.shallow_sizes.iter().map(Into::into));
    compare("dominator_ordinal", &mut analysis.dominators.iter().map(|&v| v.0.into()));
    compare("retained", &mut analysis.retained_sizes.iter().map(|v| v.into()));
    compare("detachedness", &mut analysis.detachedness.iter().map(|&v| v.into()));

    let statistics = &analysis.statistics;
    let golden_statistics = &golden["statistics"];
    for (value, path) in [
        (statistics.total, "/total"),
        (statistics.native, "/native/total"),
        (statistics.typed_arrays, "/native/typedArrays"),
        (statistics.v8_heap, "/v8heap/total"),
        (statistics.code, "/v8heap/code"),
        (statistics.js_arrays, "/v8heap/jsArrays"),
        (statistics.strings, "/v8heap/strings"),
        (statistics.system, "/v8heap/system"),
    ] {
        assert_eq!(golden_statistics.pointer(path), Some(&value.into()), "{name}: {path}");
    }
    if let Some(count) = golden["interfaces"].as_u64() {
        assert_eq!(analysis.interfaces.len() as u64, count, "{name}: interfaces");
    }
    assert_eq!(golden["aggregate_count"], analysis.aggregates.len(), "{name}: classes");
    let by_key: BTreeMap<&str, _> = analysis
        .aggregates
        .iter()
        .map(|a| (analysis.classes.classes[a.class as usize].key.as_str(), a))
        .collect();
    let expected = golden["aggregates"].as_array().unwrap();
    assert!(!expected.is_empty());
    for row in expected {
        let key = row["key"].as_str().unwrap();
        let found = by_key.get(key).unwrap_or_else(|| panic!("{name}: no class {key}"));
        let what = format!("{name}: {key}");
        assert_eq!(row["name"], analysis.classes.classes[found.class as usize].name, "{what}");
        assert_eq!(row["count"], found.count, "{what}: count");
        assert_eq!(row["distance"], found.distance, "{what}: distance");
        assert_eq!(row["self"], found.shallow_size, "{what}: shallow size");
        assert_eq!(row["maxRet"], found.retained_size, "{what}: retained size");
    }
    check_duplicates(name, heap, analysis, &golden["duplicated_strings"]);
    assert_eq!(heap.nodes().len(), analysis.classes.of.len());
}

/// DevTools' duplicates by their visible texts, and which of them are really the same, both by a plain search.
fn check_duplicates(name: &str, heap: &Heap, analysis: &Analysis, golden: &Value) {
    let nodes = heap.nodes();
    let kinds = [NodeType::String, NodeType::ConsString];
    let text = |node| display_name(heap, &analysis.detachedness, node);
    // A concatenated string with an empty half shares the memory of its other half.
    let is_flat = |node| {
        let half =
            |edge: &usize| matches!(heap.edge_name(*edge), EdgeName::Text("first" | "second"));
        let halves = heap.edges().of(node).filter(half).map(|edge| heap.edges().target(edge));
        nodes.kind(node) == NodeType::ConsString && halves.map(text).any(|text| text.is_empty())
    };
    let mut by_text: BTreeMap<String, Vec<NodeIndex>> = BTreeMap::new();
    for node in nodes.all().filter(|&node| kinds.contains(&nodes.kind(node)) && !is_flat(node)) {
        by_text.entry(text(node)).or_default().push(node);
    }
    let (mut count, mut size) = (0, 0);
    let mut expected = Vec::new();
    for (text, same) in &by_text {
        let own = |node: &NodeIndex| analysis.shallow_sizes.get(node.position());
        let counted = |sizes: &[u64]| {
            let with_size = sizes.iter().filter(|&&size| size > 0).count() as u64;
            (with_size, sizes.iter().sum::<u64>())
        };
        if same.len() > 1 {
            let sizes: Vec<u64> = same.iter().map(own).collect();
            let (with_size, sum) = counted(&sizes);
            (count, size) = (count + with_size, size + sum);
        }
        let units = text.encode_utf16().count();
        let is_whole = |node: &&NodeIndex| {
            nodes.kind(**node) == NodeType::String
                || units < 1024 && !text.contains("(sliced string)")
        };
        let mut sizes: Vec<u64> = same.iter().filter(is_whole).map(own).collect();
        sizes.sort_unstable();
        let groups: Vec<&[u64]> = match units {
            1024 => sizes.chunk_by(|a, b| a == b).collect(),
            _ => vec![&sizes],
        };
        let groups = groups.into_iter().filter(|sizes| sizes.len() > 1).map(counted);
        expected.extend(groups.filter(|&(count, _)| count > 0).map(|sums| (text.clone(), sums)));
    }
    assert_eq!((&golden["count"], &golden["self"]), (&count.into(), &size.into()), "{name}");
    let found = &analysis.duplicate_strings;
    let mut found: Vec<_> =
        found.iter().map(|found| (found.string.clone(), (found.count, found.size))).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{name}: duplicate strings");
}

/// Compares a difference with what stands in the golden file of the current snapshot.
fn check_diff(name: &str, found: &[ClassDiff], golden: &Value) {
    let rows = golden.as_array().unwrap();
    let mut expected: BTreeMap<&str, &Value> = BTreeMap::new();
    for row in rows {
        expected.insert(row["key"].as_str().unwrap(), row);
    }
    let keys: Vec<&str> = found.iter().map(|diff| diff.class_key.as_str()).collect();
    assert!(!keys.is_empty());
    assert_eq!(keys, expected.keys().copied().collect::<Vec<_>>(), "{name}: classes that differ");
    for diff in found {
        let row = expected[diff.class_key.as_str()];
        let what = format!("{name}: {}", diff.class_key);
        assert_eq!(row["added"], diff.added_count, "{what}");
        assert_eq!(row["removed"], diff.removed_count, "{what}");
        assert_eq!(row["added_size"], diff.added_size, "{what}");
        assert_eq!(row["removed_size"], diff.removed_size, "{what}");
        assert_eq!(row["count_delta"], diff.count_delta(), "{what}");
        assert_eq!(row["size_delta"], diff.size_delta(), "{what}");
    }
}

/// Compares the snapshots below a folder with the golden files of another; the number of golden files.
fn check_all(snapshots: &Path, goldens: &Path) -> usize {
    let files = files(snapshots);
    let find = |name: &str| {
        let found = files.iter().find(|path| path.file_name().unwrap().to_str() == Some(name));
        found.unwrap_or_else(|| panic!("{}: no {name}", snapshots.display()))
    };
    let mut goldens: Vec<_> = fs::read_dir(goldens).unwrap().map(|e| e.unwrap().path()).collect();
    goldens.retain(|path| path.extension().is_some_and(|e| e == "json"));
    goldens.sort();
    for path in &goldens {
        let golden: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let name = golden["file"].as_str().unwrap();
        eprintln!("{name}");
        let heap = snapshot::heap(find(name));
        let analysis = analyze(&heap, 2);
        check(name, &heap, &analysis, &golden);
        if let Some(against) = golden["diff_against"].as_str() {
            let base = snapshot::heap(find(against));
            let kept = analyze(&base, 2);
            let found = DiffBase::new(base, kept, 2).compare(&heap, &analysis, 2);
            check_diff(name, &found.classes, &golden["diff"]);
        }
    }
    goldens.len()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn the_corpus_is_as_devtools_says() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    assert!(check_all(&corpus, &corpus.join("devtools")) >= 8);
}

/// `HEAPQUARRY_EXTRA_DATA` names a folder of recordings too large or not free to be part of the repository.
#[test]
fn extra_data_is_as_devtools_says() {
    let Some(folder) = env::var_os("HEAPQUARRY_EXTRA_DATA").map(PathBuf::from) else {
        eprintln!("skipped: HEAPQUARRY_EXTRA_DATA is not set");
        return;
    };
    assert!(check_all(&folder.join("v8"), &folder.join("v8/golden")) > 0);
}

/// What packages and scripts retain: without their nodes, what does the root no longer reach?
#[test]
fn sets_retain_what_is_not_reached_without_them() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for name in [
        "chromium",
        "node8",
        "node18",
        "node20-internals",
        "node22",
        "node24-numeric",
        "node26",
        "leak/1",
        "leak/3",
    ] {
        let heap = snapshot::heap(&corpus.join(format!("{name}.heapsnapshot.gz")));
        let analysis = analyze(&heap, 2);
        let (dominators, sizes) = (&analysis.dominators, &analysis.shallow_sizes);
        let owners = CodeOwners::new(&heap, dominators, 2);
        let page = page_owned(&heap);
        for by in [OwnedBy::Package, OwnedBy::Script] {
            let sums = owners.sums(&heap, dominators, sizes, by, usize::MAX, 2);
            let whole: u64 = sums.iter().map(|sum| sum.size).sum();
            assert_eq!(whole, analysis.statistics.total, "{name}");
            let told = sums.iter().filter(|sum| sum.retained_size.is_some());
            for sum in told {
                let is_in_set =
                    |node: NodeIndex| owners.owner(node, by).as_ref() == Some(&sum.owner);
                let freed = freed(&heap, &page, is_in_set);
                let size: u64 = freed.into_iter().map(|node| sizes.get(node.position())).sum();
                assert_eq!(sum.retained_size, Some(size), "{name}: {}", sum.owner);
            }
        }
    }
}

/// The nodes of a set, and those that are reached only through it.
fn freed(heap: &Heap, page: &Bits, is_in_set: impl Fn(NodeIndex) -> bool) -> Vec<NodeIndex> {
    let in_set: Vec<bool> = heap.nodes().all().map(is_in_set).collect();
    let edges = heap.edges();
    let reach = |with_set: bool| {
        let mut reached = vec![false; heap.nodes().len()];
        let mut work = vec![heap.root()];
        while let Some(node) = work.pop() {
            if reached[node.position()] || !with_set && in_set[node.position()] {
                continue;
            }
            reached[node.position()] = true;
            let is_root = node == heap.root();
            let held = edges.of(node).filter(|&edge| {
                let enters = page.get(edges.target(edge)) && !page.get(node);
                edges.is_strong(edge)
                    && !edges.is_spare(edge)
                    && (is_root || edges.kind(edge) != EdgeType::Shortcut && !enters)
            });
            work.extend(held.map(|edge| edges.target(edge)));
        }
        reached
    };
    let (before, after) = (reach(true), reach(false));
    let goes = |node: &NodeIndex| {
        let at = node.position();
        in_set[at] || before[at] && !after[at]
    };
    heap.nodes().all().filter(goes).collect()
}

/// What `corpus/generate/leak.js` says of itself: nothing removes a session; prices and log are bounded.
#[test]
fn the_leak_of_the_corpus_is_found() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/leak");
    let heaps =
        [1, 2, 3].map(|number| snapshot::heap(&corpus.join(format!("{number}.heapsnapshot.gz"))));
    for threads in [1, 2] {
        let mut leaks = Leaks::new();
        let folded = heaps.each_ref().map(|heap| leaks.add(heap, threads));
        let sizes = heaps
            .each_ref()
            .map(|heap| heap.nodes().all().map(|node| heap.nodes().self_size(node)).sum::<u64>());
        assert_eq!(leaks.sizes().collect::<Vec<_>>(), sizes);
        let [.., last] = folded;
        let found = leaks.find(&heaps[2], last);
        let [leak] = &found[..] else { panic!("{found:#?}") };
        assert_eq!(leak.owner, "SessionStore.sessions");
        assert_eq!(leak.via, "variable shop.store.sessions of leak.js");
        assert_eq!(leak.leaked.as_deref(), Some("Session"));
        // 400 requests in each round, the first of which was to warm up.
        assert_eq!(leak.counts.as_deref(), Some(&[800, 1200, 1600][..]));
        assert_eq!((leak.kind, leak.confidence), (LeakKind::Count, Confidence::High));
        assert_eq!((leak.containers, leak.container.as_str()), (1, "Map"));
        let made_at = leak.made_at.as_ref().expect("its constructor has a place");
        assert_eq!((made_at.line, made_at.what.as_str()), (13, "Session"));
        assert!(made_at.script.ends_with("/leak.js"), "{made_at:?}");
        let path = leak.path.iter().map(|step| (step.holder.as_str(), step.edge.as_str()));
        let path: Vec<_> = path.collect();
        let expected = [("SessionStore", "sessions"), ("Shop", "store"), ("scope", "shop")];
        assert_eq!(path[..3], expected);
        let storage = leak.path.iter().position(|step| step.is_storage);
        assert_eq!(storage, Some(3), "{path:?}");
        let id = leak.container_id.expect("V8 has ids");
        let map = heaps[2].node_by_id(id).expect("it is a node");
        assert_eq!(heaps[2].node_name(map), "Map");
        let groups = leak.groups.iter().map(|group| (group.class.as_str(), &group.counts[..]));
        let counts = &[800, 1200, 1600][..];
        assert_eq!(groups.collect::<Vec<_>>(), [("Session", counts), ("(string)", counts)]);
    }
}
