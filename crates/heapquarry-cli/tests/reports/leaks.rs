//! What `leaks` says of the invented program's snapshots, in all forms, and how it exits.

use super::{Folder, all_members_are_documented, caveats, golden};

const ALL: [&str; 3] = ["1.heapsnapshot", "2.heapsnapshot", "3.heapsnapshot"];

fn with<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["leaks"][..], &ALL, args].concat()
}

#[test]
fn answers_are_as_kept() {
    let folder = Folder::new();
    for (name, code, args) in [
        ("leaks.txt", 0, &[][..]),
        ("leaks.json", 0, &["--json"]),
        ("leaks.md", 0, &["--format", "markdown"]),
        ("leaks-fail.txt", 1, &["--fail-on", "any"]),
        ("leaks.github", 1, &["--fail-on", "any", "--format", "github"]),
        ("leaks.xml", 1, &["--fail-on", "any", "--fail-on", "1 MB", "--format", "junit"]),
    ] {
        let (found, text) = folder.answer(&with(args));
        assert_eq!(found, code, "{args:?}: {text}");
        golden(name, &text);
    }
    for args in [&["--json"][..], &["--json", "--fail-on", "any"]] {
        all_members_are_documented(&folder.answer(&with(args)).1);
    }
}

#[test]
fn exit_codes_tell_whether_limits_are_kept() {
    let folder = Folder::new();
    for (limit, code) in [
        ("any", 1),
        ("1", 1),
        ("2", 0),
        ("1 kB", 1),
        ("1 MB", 0),
        ("leak[cache*].added > 6", 1),
        ("leak[cache*].added > 7", 0),
        ("leaks.bytes > 1 GB", 0),
        ("class[Session].count > +7", 0),
        ("class[Session].count > +6", 1),
        ("class[Session].count > 9", 0),
        ("size > +8400", 0),
        ("total.size > +8399", 1),
        ("total.nodes > +14", 0),
    ] {
        assert_eq!(folder.answer(&with(&["--fail-on", limit])).0, code, "{limit}");
    }
    for (pattern, code) in [("cac*", 0), ("variable cache", 0), ("cac", 1)] {
        let (found, text) = folder.answer(&with(&["--fail-on", "any", "--ignore", pattern]));
        assert_eq!((found, text.contains("1 place that grows is ignored")), (code, code == 0));
    }
    // What is ignored is no growth that did not come in every step.
    let text = folder.text(&with(&["--ignore", "cac*"]));
    let notes = ["is ignored: +8.3 kB", "note: 64 B of the growth did not come"];
    assert!(notes.iter().all(|note| text.contains(note)), "{text}");
    // These forms tell findings anyway.
    for form in ["github", "junit"] {
        let (code, text) = folder.answer(&with(&["--format", form]));
        assert!(code == 0 && text.contains("growth is"), "{text}");
    }
    let nothing = ["leaks", ALL[2], ALL[2], ALL[2], "--fail-on", "any"];
    let (code, text) = folder.answer(&nothing);
    assert!(code == 0 && text.contains("Nothing grows in every step."), "{text}");
}

#[test]
fn any_form_of_the_snapshots_gives_the_same_answer() {
    let folder = Folder::new();
    let findings = |args: &[&str]| folder.json(args)["findings"].clone();
    let expected = findings(&with(&["--json"]));
    folder.text(&["convert", "-q", ALL[0], ALL[1], ALL[2], "-o", "all"]);
    for args in [
        &["leaks", "all", "--json"][..],
        &["leaks", "all#0", "all#1", "all#2", "--json"],
        &["leaks", ALL[0], "all#1", ALL[2], "--json", "--threads", "1"],
    ] {
        assert_eq!(findings(args), expected, "{args:?}");
    }
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    let folder = Folder::new();
    folder.write("profile.cpuprofile", r#"{"nodes":[],"startTime":0,"endTime":1}"#);
    folder.write("new-ids.heapsnapshot", &with_new_ids(&folder.read(ALL[1])));
    for (args, says) in [
        (&["leaks", ALL[0], "--fail-on", "any"][..], "second snapshot"),
        (&["leaks", ALL[0], "profile.cpuprofile"], "profile.cpuprofile"),
        (&["leaks", ALL[0], "missing.heapsnapshot"], "missing.heapsnapshot"),
        (&["leaks", ALL[0], ALL[1], "--fail-on", "some"], "limit"),
        // A doubt must not pass for success.
        (&["leaks", ALL[2], ALL[1], ALL[0], "--fail-on", "any"], "order of time"),
        (&["leaks", ALL[0], "new-ids.heapsnapshot", "--fail-on", "any"], "under the same ids"),
    ] {
        let error = folder.failure(args);
        assert!(error.contains(says), "{args:?}: {error}");
    }
}

/// A snapshot of which the ids go the other way, as if counted anew.
fn with_new_ids(text: &str) -> String {
    let mut json: serde_json::Value = serde_json::from_str(text).expect("a snapshot");
    let fields = json["snapshot"]["meta"]["node_fields"].as_array().expect("fields");
    let (width, id) = (fields.len(), fields.iter().position(|field| field == "id").expect("ids"));
    let nodes = json["nodes"].as_array_mut().expect("nodes");
    let count = nodes.len() / width;
    for (at, node) in nodes.chunks_mut(width).enumerate() {
        node[id] = (2 * (count - at) + 1).into();
    }
    json.to_string()
}

/// Without ids the same place is told, less surely; and of objects, all instead of those that are new.
#[test]
fn snapshots_whose_ids_do_not_last_are_recognised() {
    let folder = Folder::new();
    let names = ["a.heapsnapshot", "b.heapsnapshot", "c.heapsnapshot"];
    for (at, (from, to)) in ALL.iter().zip(names).enumerate() {
        let text = folder.read(from);
        folder.write(to, &if at == 1 { with_new_ids(&text) } else { text });
    }
    let known = &folder.json(&with(&["--json"]))["findings"][0];
    let report = folder.json(&["leaks", names[0], names[1], names[2], "--json"]);
    let found = &report["findings"][0];
    for member in ["owner", "leaked", "counts", "growth"] {
        assert_eq!(found[member], known[member], "{member}");
    }
    assert_eq!(
        (&found["kept_percent"], &found["confidence"]),
        (&serde_json::Value::Null, &"medium".into())
    );
    for args in [
        &["leaks", names[0], names[1], names[2], "--json"][..],
        &["diff", names[0], names[1], "--json"],
        &["why", names[1], "--class", "Session", "--new-since", names[0], "--json"],
    ] {
        assert!(folder.text(args).contains("the inspector's session ended"), "{args:?}");
    }
}

/// What a colleague looks at first is what the program itself holds: not the tables of Node, which are larger.
#[test]
fn suspicions_begin_with_those_of_the_programs_own_code() {
    let folder = Folder::new();
    let file = super::root().join("corpus/leak/3.heapsnapshot.gz").display().to_string();
    let report = folder.json(&["leaks", &file, "--json"]);
    let all = report["suspicions"].as_array().expect("suspicions");
    let first = &all[0];
    for (member, expected) in [
        ("kind", "collection"),
        ("name", "Map"),
        ("way", "variable shop.store.sessions of leak.js"),
        ("package", "(own scripts)"),
    ] {
        assert_eq!(first[member], expected, "{first}");
    }
    assert_eq!(first["count"], 1600);
    let packages: Vec<bool> = all.iter().map(|one| one["package"] == "(own scripts)").collect();
    assert!(packages.is_sorted_by(|a, b| a >= b) && !packages[packages.len() - 1], "{all:#?}");
    // A collection that holds much is told once.
    let ids: Vec<_> = all.iter().filter_map(|one| one["id"].as_i64()).collect();
    assert!(ids.iter().all(|id| ids.iter().filter(|other| *other == id).count() == 1), "{ids:?}");
}

#[test]
fn what_makes_the_answer_doubtful_is_said() {
    let folder = Folder::new();
    let notes = |args: &[&str]| caveats(&folder.json(args)).join("\n");
    assert!(notes(&["leaks", ALL[0], ALL[1], "--json"]).contains("two snapshots only"));
    assert!(notes(&["leaks", ALL[2], ALL[1], ALL[0], "--json"]).contains("order of time"));
    assert_eq!(notes(&with(&["--json"])), "");
    // Notes are long, and are not cut, as wide as the terminal may be.
    let corpus = |name: &str| super::root().join("corpus").join(name).display().to_string();
    let others = ["node18.heapsnapshot.gz", "node22.heapsnapshot.gz"].map(corpus);
    let text = folder.text(&["leaks", &others[0], &others[1]]);
    assert!(text.contains("different processes") && text.contains("to be sure\n"), "{text}");
}
