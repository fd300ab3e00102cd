use super::*;
use crate::map::tests::map_text;

const TEXT: &str = "function one() {}\nfunction two() {}\n";

/// A map of two functions whose source has this name.
fn map(source: &str) -> String {
    map_text(&[((0, 0), Some((source, 0, 9))), ((0, 30), Some((source, 1, 9)))], &[(source, TEXT)])
}

/// Writes files into a new folder.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The source of the first function of a script.
fn source(maps: &SourceMaps, script: Script<'_>) -> Option<String> {
    let found =
        maps.originals(&[(script, vec![Place { line: 0, column: 5 }])], &[], Access::default());
    let original = found.originals[0][0].as_ref()?;
    assert_eq!(original.name.as_deref(), Some("one"));
    Some(original.source.to_string())
}

/// A map takes twice its text and 28 bytes for each mapping.
#[test]
fn a_map_for_which_there_is_no_room_is_not_used() {
    let text = map("beside.ts");
    let needed = needed(text.as_bytes());
    assert!(needed > 2 * text.len() as u64);
    let folder = folder(&[("app.js.map", &text)]);
    let script = Script { name: "/srv/app.js", ..Script::default() };
    for (room, is_used) in [
        (None, true),
        (Some(u64::MAX), true),
        (Some(needed), true),
        (Some(needed - 1), false),
        (Some(0), false),
    ] {
        let maps = SourceMaps::list(&[folder.path()]).unwrap();
        let places = [(script, vec![Place { line: 0, column: 5 }])];
        let found = maps.originals(&places, &[], Access { room, ..Access::default() });
        assert_eq!(found.originals.first().is_some_and(|of| of[0].is_some()), is_used, "{room:?}");
        let told = room.map(|room| format!("the limit leaves {room}"));
        let warned =
            found.warnings.iter().any(|why| told.as_ref().is_some_and(|told| why.contains(told)));
        assert_eq!(warned, !is_used, "{room:?}: {:?}", found.warnings);
    }
}

#[test]
fn maps_are_found_by_what_scripts_and_maps_say() {
    let with = |key: &str, map: String| map.replacen('{', &format!("{{{key},"), 1);
    let id = "85314830-023f-4cf1-a267-535f4e37bb17";
    let folder = folder(&[
        ("dist/app.js.map", &map("beside.ts")),
        ("other/app.js.map", &map("other.ts")),
        ("maps/hidden.map", &map("hidden.ts")),
        ("dist/id.map", &with(&format!(r#""debugId":"{id}""#), map("id.ts"))),
        ("dist/file.map", &with(r#""file":"out/renamed.js""#, map("file.ts"))),
        ("dist/a b.mjs.map", &map("space.ts")),
        ("dist/style.css", "p {}"),
    ]);
    let maps = SourceMaps::list(&[folder.path()]).unwrap();
    for (name, map_url, debug_id, expected) in [
        ("/srv/dist/app.js", None, None, Some("/srv/dist/beside.ts")),
        ("file:///srv/dist/app.js", None, None, Some("file:///srv/dist/beside.ts")),
        (
            "https://example.org/other/app.js?v=3",
            None,
            None,
            Some("https://example.org/other/other.ts"),
        ),
        (r"C:\srv\dist\app.js", None, None, Some("C:/srv/dist/beside.ts")),
        ("file:///srv/dist/a%20b.mjs", None, None, Some("file:///srv/dist/space.ts")),
        // Two maps fit as well.
        ("/srv/app.js", None, None, None),
        ("/srv/dist/main.js", Some("../maps/hidden.map"), None, Some("/srv/maps/hidden.ts")),
        ("/srv/x.js", None, Some("85314830023F4CF1A267535F4E37BB17"), Some("/srv/id.ts")),
        ("/srv/renamed.js", None, None, Some("/srv/file.ts")),
        // A map of another build.
        ("/srv/dist/id", None, Some("00000000-023f-4cf1-a267-535f4e37bb17"), None),
        ("/srv/none.js", None, None, None),
        ("", None, None, None),
    ] {
        let script = Script { name, map_url, debug_id, ..Script::default() };
        assert_eq!(source(&maps, script).as_deref(), expected, "{name}");
    }
}

#[test]
fn maps_in_scripts_need_no_file() {
    let text = map("inline.ts");
    let escaped = text.replace('%', "%25");
    let maps = SourceMaps::default();
    let url = format!("data:application/json,{escaped}");
    let script =
        Script { name: "/srv/a.ts", map_url: Some(&url), debug_id: None, ..Script::default() };
    assert_eq!(source(&maps, script).as_deref(), Some("/srv/inline.ts"));
    let inline =
        format!("one();\n//# sourceMappingURL={}", url.replace(' ', "%20").replace('\n', "%0A"));
    let folder =
        folder(&[("app.js", &inline), ("main.js", "//# sourceMappingURL=m.map"), ("m.map", &text)]);
    let cut = format!("data:application/json;base64,{}", "e".repeat(LONGEST_URL));
    for (file, name, map_url) in [
        ("app.js", "/srv/app.js", None),
        ("app.js", "/srv/app.js", Some(&*cut)),
        ("main.js", "/srv/main.js", None),
    ] {
        let maps = SourceMaps::list(&[folder.path().join(file)]).unwrap();
        let script = Script { name, map_url, debug_id: None, ..Script::default() };
        assert_eq!(source(&maps, script).as_deref(), Some("/srv/inline.ts"), "{file}");
    }
}

#[test]
fn a_broken_map_is_one_warning() {
    let folder = folder(&[("a.js.map", "{"), ("b.js.map", &map("b.ts"))]);
    let maps = SourceMaps::list(&[folder.path()]).unwrap();
    let cut = format!("data:application/json;base64,{}", "e".repeat(LONGEST_URL));
    let places = vec![Place { line: 0, column: 5 }];
    let script = |name, map_url| {
        (Script { name, map_url, debug_id: None, ..Script::default() }, places.clone())
    };
    let beyond = Script { name: "/other/b.js", ..Script::default() };
    let found = maps.originals(
        &[
            script("/srv/a.js", None),
            script("/old/a.js", None),
            script("/srv/b.js", None),
            script("/srv/c.js", Some(&cut)),
            (beyond, vec![Place { line: 7, column: 0 }]),
            script("/srv/d.js", Some("data:application/json;base64,*")),
        ],
        &[],
        Access::default(),
    );
    assert_eq!(found.with_map, [false, false, true, false, false, false]);
    let warnings: Vec<String> = found
        .warnings
        .iter()
        .map(|warning| warning.replace(&*folder.path().to_string_lossy(), "DIR"))
        .collect();
    assert_eq!(
        warnings,
        [
            "the source map DIR/a.js.map cannot be used: bad json: EOF while parsing an object at line 1 column 1",
            "the source map DIR/b.js.map does not fit /other/b.js: it is perhaps the map of another build",
            "a source map in a script cannot be used: the file has only its first 1,024 characters",
            "a source map in a script cannot be used: it is no base64",
        ]
    );
}

#[test]
fn a_named_file_that_no_script_asks_for_is_read_too() {
    let empty = r#"{"version":3,"sources":[],"names":[],"mappings":""}"#;
    let good = map("good.ts");
    let folder = folder(&[
        ("broken.js.map", "{"),
        ("blank.js.map", ""),
        ("empty.js.map", empty),
        ("script.js", "one();"),
        ("good.js.map", &good),
    ]);
    let told = |paths: &[&str], script: &str| {
        let paths: Vec<PathBuf> = paths.iter().map(|path| folder.path().join(path)).collect();
        let maps = SourceMaps::list(&paths).unwrap();
        let script = Script { name: script, ..Script::default() };
        let found =
            maps.originals(&[(script, vec![Place { line: 0, column: 5 }])], &[], Access::default());
        let start = folder.path().join("").to_string_lossy().into_owned();
        found.warnings.iter().map(|told| told.replace(&start, "")).collect::<Vec<_>>()
    };
    for (named, why) in [
        ("broken.js.map", "bad json: EOF while parsing an object at line 1 column 1"),
        ("blank.js.map", "bad json: EOF while parsing a value at line 1 column 0"),
        ("empty.js.map", "it names no sources"),
        ("script.js", "bad json: expected value at line 1 column 1"),
    ] {
        let expected = [format!("the source map {named} cannot be used: {why}")];
        assert_eq!(told(&[named], "/srv/other.js"), expected);
        assert_eq!(told(&["good.js.map", named], "/srv/good.js"), expected);
    }
    // A good one, and those that are only in a folder or fit a pattern, may be those of other scripts.
    for path in ["good.js.map", "", "*.map"] {
        assert_eq!(told(&[path], "/srv/other.js"), [""; 0], "{path}");
    }
}

#[test]
fn paths_are_files_folders_and_patterns() {
    let folder = folder(&[("a/one.js.map", "{}"), ("a/b/two.js.map", "{}"), ("c/none.txt", "")]);
    let names = |path: &str| {
        let maps = SourceMaps::list(&[folder.path().join(path)]);
        maps.map(|maps| {
            maps.files
                .iter()
                .map(|file| file.name.rsplit('/').next().unwrap().to_owned())
                .collect::<Vec<_>>()
        })
    };
    for (path, expected) in [
        ("a", &["two.js.map", "one.js.map"][..]),
        ("a/one.js.map", &["one.js.map"]),
        ("a/*.map", &["one.js.map"]),
        ("**/*.map", &["two.js.map", "one.js.map"]),
    ] {
        assert_eq!(names(path).unwrap(), expected, "{path}");
    }
    for path in ["c", "none", "none/*.map", "a/***.map"] {
        let error = names(path).expect_err(path).to_string();
        assert!(error.starts_with("source maps "), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn what_might_never_end_is_not_read() {
    let folder = folder(&[("named.js", "//# sourceMappingURL=pipe.js.map")]);
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.js.map")).status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink("/dev/null", folder.path().join("null.js.map")).unwrap();
    for (given, script) in [
        ("", "/srv/null.js"),
        ("", "/srv/pipe.js"),
        ("pipe.js.map", "/srv/pipe.js"),
        ("named.js", "/srv/named.js"),
    ] {
        let maps = SourceMaps::list(&[folder.path().join(given)]).unwrap();
        let script = Script { name: script, ..Script::default() };
        let found =
            maps.originals(&[(script, vec![Place { line: 0, column: 5 }])], &[], Access::default());
        assert_eq!(found.with_map, [false]);
        let [warning] = &found.warnings[..] else { panic!("{given}: {:?}", found.warnings) };
        assert!(warning.ends_with("cannot be used: it is no plain file"), "{given}: {warning}");
    }
}

#[test]
fn scripts_have_the_maps_that_are_stored_for_them() {
    let stored = [("file:///srv/a%20b/app.js", "one.ts"), ("/srv/app.js", "old.ts")];
    let stored =
        stored.iter().chain(&[("/srv/app.js", "two.ts"), ("https://example.org/x.js?1", "x.ts")]);
    let stored: Vec<StoredMap> = stored
        .map(|(script, source)| StoredMap { script: (*script).into(), map: map(source) })
        .chain([StoredMap { script: "/srv/broken.js".into(), map: "{".into() }])
        .collect();
    let folder = folder(&[("given.js.map", &map("given.ts"))]);
    let maps = SourceMaps::list(&[folder.path()]).unwrap();
    let cut = format!("data:application/json;base64,{}", "e".repeat(LONGEST_URL));
    for (name, map_url, expected) in [
        ("/srv/a b/app.js", None, Some("/srv/a b/one.ts")),
        // Its last one.
        ("file:///srv/app.js", None, Some("file:///srv/two.ts")),
        ("/srv/app.js", Some(&*cut), Some("/srv/two.ts")),
        ("https://example.org/x.js?1", None, Some("https://example.org/x.ts")),
        ("https://example.org/x.js?2", None, None),
        // Not by the end of a path, as those that are given.
        ("/other/app.js", None, None),
        ("/other/given.js", None, Some("/other/given.ts")),
        ("", None, None),
    ] {
        let script = Script { name, map_url, debug_id: None, ..Script::default() };
        let found = maps.originals(
            &[(script, vec![Place { line: 0, column: 5 }])],
            &stored,
            Access::default(),
        );
        let source = found.originals[0][0].as_ref().map(|original| &*original.source);
        assert_eq!(source, expected, "{name}");
    }
    let script = Script { name: "/srv/broken.js", ..Script::default() };
    let found =
        maps.originals(&[(script, vec![Place { line: 0, column: 5 }])], &stored, Access::default());
    let [warning] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
    assert!(warning.starts_with("the source map that was captured of /srv/broken.js"), "{warning}");
}

#[test]
fn variables_have_names_if_the_text_of_the_script_is_at_hand() {
    let text = "function one(o){let t=1;return()=>o+t}";
    // Names for `one`, `o` and `t`: minifiers name each place where a renamed variable is written.
    let map = r#"{"version":3,"sources":["a.ts"],"names":["add","order","total"],"mappings":"SAASA,IAAIC,OAAOC,cAAcD,EAAEC"}"#;
    let folder = folder(&[("dist/a.js.map", map), ("dist/a.js", text), ("maps/a.js.map", map)]);
    let at = |column| Owner::Function(Place { line: 0, column });
    let asked = [(at(12), "o"), (at(12), "t"), (at(12), "x"), (at(5), "o")];
    let own = folder.path().join("dist/a.js").display().to_string();
    let page = "https://example.org/a.js";
    let (told, none) = ([Some("order"), Some("total"), None, None], [None; 4]);
    for (path, name, own_files, start, expected) in [
        ("dist", page, true, Some(&text[..30]), told),
        ("dist", page, false, Some(&text[..30]), told),
        ("dist", page, true, Some("function two(o)"), none),
        ("dist", page, true, Some("f"), none),
        ("dist", page, true, None, none),
        ("maps", page, true, Some(text), none),
        // Where the script says that it is, unless that may not be read.
        ("maps", &own, true, Some(&text[..30]), told),
        ("maps", &own, false, Some(&text[..30]), none),
    ] {
        let maps = SourceMaps::list(&[folder.path().join(path)]).unwrap();
        let script = Script { name, text: start, variables: &asked, ..Script::default() };
        let places = vec![Place { line: 0, column: 12 }];
        let found = maps.originals(&[(script, places)], &[], Access { own_files, room: None });
        let found: Vec<_> = found.variables[0].iter().map(|name| name.as_deref()).collect();
        assert_eq!(found, expected, "{path} {name} {own_files} {start:?}");
    }
}
