//! Whose memory it is: each byte belongs to exactly one package, script or function.

use heapquarry::{RunOptions, Source};
use heapquarry_query::{
    By, Check, Leaks, Question, Session, Summary, SummaryAnswer,
    heap::{owners::OwnerKind, summary::HeapSummary},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn summary(session: &Session, by: By) -> HeapSummary {
    let answered = Summary::default().by(by).ask(session).unwrap();
    let SummaryAnswer::Heap(heap) = answered.answer else { panic!("it is a heap") };
    *heap
}

/// All heaps of the corpus, recorded ones and handmade ones.
fn heaps() -> Vec<PathBuf> {
    let mut heaps = Vec::new();
    for folder in ["", "leak", "handmade", "jsc"] {
        for file in fs::read_dir(corpus().join(folder)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_heap = [".heapsnapshot", ".heaptimeline"].iter().any(|part| name.contains(part));
            if is_heap || folder == "jsc" && name.ends_with(".json") {
                heaps.push(path);
            }
        }
    }
    heaps.sort_unstable();
    heaps
}

#[test]
fn sizes_of_owners_add_up_to_the_heap() {
    let heaps = heaps();
    assert!(heaps.len() >= 46, "{}", heaps.len());
    for path in heaps {
        let name = path.display();
        let session = Session::new([Source::path(&path)], &RunOptions::default());
        for by in [By::Package, By::Script, By::Function] {
            let found = summary(&session, by);
            let owners = found.owners.unwrap().owners.rows;
            let sizes: u64 = owners.iter().map(|row| row.size.0).sum();
            let nodes: u64 = owners.iter().map(|row| row.count).sum();
            let expected = (found.totals.size.0, found.totals.node_count);
            assert_eq!((sizes, nodes), expected, "{name} by {by:?}");
            let of_code = owners.iter().filter(|row| row.owner.kind == OwnerKind::Code);
            // Those that were recorded tell the scripts of their functions; JavaScriptCore does not.
            let has_code = of_code.clone().count() > 0;
            let extension = path.extension().unwrap_or_default();
            assert!(has_code || extension != "gz", "{name} by {by:?}");
            assert!(!has_code || extension != "json", "{name} by {by:?}");
            for row in of_code {
                assert!(row.retained_size.is_some_and(|retained| retained >= row.size), "{row:?}");
            }
            let others = owners.iter().filter(|row| row.owner.kind != OwnerKind::Code);
            assert!(others.map(|row| row.retained_size).all(|size| size.is_none()));
        }
    }
}

#[test]
fn growth_of_owners_adds_up_to_that_of_the_heap() {
    let snapshots = [1, 2, 3].map(|number| corpus().join(format!("leak/{number}.heapsnapshot.gz")));
    let session = Session::new(snapshots.map(Source::path), &RunOptions::default());
    let answer = Leaks::default().by(By::Package).ask(&session).unwrap().answer;
    let owners = answer.owners.unwrap().owners.rows;
    assert_eq!(owners.iter().map(|row| row.size_delta.0).sum::<i64>(), answer.growth.0);
    // 800 more sessions with what is in them.
    assert_eq!(owners[0].owner.name, "(own scripts)");
    assert!(owners[0].size_delta.0 > answer.growth.0 * 9 / 10);
    assert_eq!(owners.iter().filter(|row| row.size_delta.0 > 10_000).count(), 1);
}

#[test]
fn each_own_value_of_a_profile_belongs_to_one_package() {
    for name in ["profiles/current.cpuprofile", "profiles/node12.heapprofile"] {
        let session = Session::new([Source::path(corpus().join(name))], &RunOptions::default());
        let answered = Summary::default().by(By::Package).ask(&session).unwrap();
        let SummaryAnswer::Profile(found) = answered.answer else { panic!("{name}") };
        let by_script: i64 = found.urls.rows.iter().map(|row| row.self_value.number).sum();
        let by_package: i64 = found.packages.rows.iter().map(|row| row.self_value.number).sum();
        assert_eq!(by_package, by_script, "{name}");
        assert!(
            found
                .packages
                .rows
                .iter()
                .all(|row| row.total_value.number <= found.totals.value.number)
        );
    }
}

/// Budget, whether it is kept; none if there is no answer.
#[test]
fn packages_have_budgets() {
    let folder = env::temp_dir().join(format!("heapquarry-owners-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (budget, saved) = (folder.join("heap.toml"), folder.join("base.json"));
    let first = corpus().join("leak/1.heapsnapshot.gz");
    let (last, jsc) = (corpus().join("leak/3.heapsnapshot.gz"), corpus().join("jsc/version2.json"));
    let options = RunOptions::default();
    let check = Check::default().save_baseline(saved.clone());
    check.ask(&Session::new([Source::path(&first)], &options)).unwrap();
    // As it was before packages had limits.
    let old = folder.join("old.json");
    let text = fs::read_to_string(&saved).unwrap();
    let scope = text.find(",\n\"package\":").unwrap();
    fs::write(&old, format!("{}}}}}\n", &text[..scope])).unwrap();
    for (limits, input, baseline, kept) in [
        ("[package.\"node:\"]\nretained = '10 MB'", &last, None, Some(true)),
        ("[package.\"node:\"]\nretained = '1 MB'", &last, None, Some(false)),
        ("[package.\"*\"]\nsize = '+10 kB'", &last, Some(&first), Some(false)),
        ("[package.\"*\"]\nsize = '+10 kB'", &last, Some(&saved), Some(false)),
        ("[package.\"node:\"]\nsize = '+10 kB'", &last, Some(&saved), Some(true)),
        ("[package.\"node:\"]\nsize = '+10 kB'", &last, Some(&old), None),
        ("[total]\nsize = '+10 MB'", &last, Some(&old), Some(true)),
        ("[package.lodash]\nretained = '5 MB'", &last, None, None),
        ("[package.lodash]\nretained = '5 MB'\noptional = true", &last, None, Some(true)),
        ("[package.\"*\"]\nretained = '5 MB'", &jsc, None, None),
    ] {
        fs::write(&budget, limits).unwrap();
        let check = Check::default().budget(budget.clone());
        let check = check.baseline(baseline.map(Source::path));
        let answered = check.ask(&Session::new([Source::path(input)], &options));
        let found = answered.ok().and_then(|answered| answered.answer.limits.passed);
        assert_eq!(found, kept, "{limits} of {input:?} from {baseline:?}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
