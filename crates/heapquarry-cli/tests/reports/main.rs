//! What `summary`, `why`, `diff` and `check` say of small heaps, profiles and traces that are made here, and of
//! recorded ones, and how they exit. What they print is kept in `tests/golden`; `UPDATE_GOLDEN=1` writes what comes
//! now.

mod brief;
mod ci_page;
mod foreign_files;
mod foreign_traces;
mod leaks;
mod limits;
mod profile_runs;
mod profiles;
mod several;
mod starter;
mod strict;
mod trace_diffs;
mod trace_parts;
mod traces;

use serde_json::{Value, json};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// A folder of snapshots of one invented program, one after the other, and of what else a test needs.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, sessions) in [("1", 2), ("2", 5), ("3", 9)] {
            folder.write(&format!("{name}.heapsnapshot"), &snapshot(sessions));
        }
        folder
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// Runs the command in the folder, so that no path of this machine is printed.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapquarry"));
        command.args(args).current_dir(self.0.path()).env_remove("GITHUB_STEP_SUMMARY");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Exit code and standard output; nothing else is said.
    fn answer(&self, args: &[&str]) -> (i32, String) {
        let output = self.run(args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.is_empty(), "{args:?}: {error}");
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    fn text(&self, args: &[&str]) -> String {
        let (code, text) = self.answer(args);
        assert_eq!(code, 0, "{args:?}: {text}");
        text
    }

    fn json(&self, args: &[&str]) -> Value {
        anonymous(serde_json::from_str(&self.text(args)).unwrap())
    }

    /// Exit code 2, and one line that says why.
    fn failure(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    }
}

/// A program whose `cache` holds so many sessions, each with a detached element; two equal strings.
fn snapshot(sessions: u64) -> String {
    const TYPES: [&str; 5] = ["synthetic", "object", "string", "native", "closure"];
    const EDGES: [&str; 4] = ["element", "property", "shortcut", "context"];
    let mut strings = vec![String::new()];
    let mut string = |text: &str| {
        strings.iter().position(|s| s == text).unwrap_or_else(|| {
            strings.push(text.into());
            strings.len() - 1
        })
    };
    // Type, name, id, size, state; edges: type, name or index, position of the target.
    let mut nodes: Vec<(&str, usize, u64, u64, u64)> = Vec::new();
    let mut edges: Vec<Vec<(&str, usize, usize)>> = Vec::new();
    let mut node = |kind, name: usize, id, size, state| {
        nodes.push((kind, name, id, size, state));
        nodes.len() - 1
    };
    let global = (string("Window"), string("cache"), string("handler"), string("Cache"));
    let (session, element, user) = (string("Session"), string("element"), string("user"));
    let (div, text) = (string("<div class=\"panel\">"), string("the same text"));
    let top = node("synthetic", 0, 1, 0, 0);
    let window = node("object", global.0, 3, 40, 0);
    let handler = node("closure", global.2, 5, 64, 0);
    let cache = node("object", global.3, 7, 100, 0);
    let texts = [node("string", text, 9, 32, 0), node("string", text, 11, 32, 0)];
    edges.extend([
        vec![("shortcut", 1, window)],
        vec![("property", global.2, handler)],
        vec![("context", global.1, cache)],
        Vec::new(),
        Vec::new(),
        Vec::new(),
    ]);
    for i in 0..sessions {
        let held = node("object", session, 101 + 2 * i, 1000, 0);
        let detached = node("native", div, 1000 + 2 * i, 200, 2);
        edges[cache].push(("element", i as usize, held));
        edges
            .push(vec![("property", element, detached), ("property", user, texts[i as usize % 2])]);
        edges.push(Vec::new());
    }
    let number = |list: &[&str], name: &str| list.iter().position(|n| *n == name).unwrap() as u64;
    let flat: Vec<u64> = nodes
        .iter()
        .zip(&edges)
        .flat_map(|((kind, name, id, size, state), edges)| {
            [number(&TYPES, kind), *name as u64, *id, *size, edges.len() as u64, 0, *state]
        })
        .collect();
    let flat_edges: Vec<u64> = edges
        .iter()
        .flatten()
        .flat_map(|(kind, name, to)| [number(&EDGES, kind), *name as u64, *to as u64 * 7])
        .collect();
    assert_eq!(top, 0);
    let meta = json!({
        "node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
        "node_types": [TYPES, "string", "number", "number", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [EDGES, "string_or_number", "node"],
    });
    // Not through `json!`: in an object it would sort `edges` before `snapshot`.
    format!(
        "{{\"snapshot\":{{\"meta\":{meta},\"node_count\":{},\"edge_count\":{}}},\n\"nodes\":{},\n\"edges\":{},\n\"strings\":{}}}",
        nodes.len(),
        flat_edges.len() / 3,
        json!(flat),
        json!(flat_edges),
        json!(strings)
    )
}

/// An answer without the names of its inputs.
fn anonymous(mut answer: Value) -> Value {
    if let Some(members) = answer.as_object_mut() {
        members.remove("inputs");
    }
    answer
}

/// The rows of a list of an answer.
fn list<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    let list = &answer[name];
    list.get("rows").unwrap_or(list).as_array().unwrap_or_else(|| panic!("{name}: {list}"))
}

/// The caveats of an answer, as people see them.
fn caveats(answer: &Value) -> Vec<String> {
    let text = |caveat: &Value| match (caveat.as_str(), caveat["input"].as_str()) {
        (Some(note), _) => note.into(),
        (None, Some(input)) => format!("{input}: {}", caveat["text"].as_str().unwrap()),
        (None, None) => caveat["text"].as_str().unwrap().into(),
    };
    let all = answer.get("caveats").unwrap_or(&answer["notes"]);
    all.as_array().unwrap().iter().map(text).collect()
}

fn golden(name: &str, now: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    // A line for each value, so that a change can be read.
    let indented = |now: &str| format!("{:#}\n", serde_json::from_str::<Value>(now).unwrap());
    let now = &if name.ends_with(".json") { indented(now) } else { now.into() };
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, now).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == *now, "{name} differs:\n{now}");
}

const BUDGET: &str = r#"
[noise]
bytes = "1 kB"

[total]
size = ["10 kB", "+20%"]
detached_count = 4

[class.Session]
count = "+2"

[class."Detached *"]
count = 100

[type.string]
size = 64
[category.strings]
size = "1 kB"
"#;

#[test]
fn answers_are_as_kept() {
    let folder = Folder::new();
    folder.write("heap.toml", BUDGET);
    for (name, code, args) in [
        ("summary.txt", 0, &["summary", "3.heapsnapshot"][..]),
        ("summary.json", 0, &["summary", "3.heapsnapshot", "--json"]),
        ("summary.md", 0, &["summary", "3.heapsnapshot", "--top", "2", "--format", "markdown"]),
        ("why-class.txt", 0, &["why", "3.heapsnapshot", "--class", "Detached *", "--top", "1"]),
        ("why-node.txt", 0, &["why", "3.heapsnapshot", "--node", "@9"]),
        ("why-node.json", 0, &["why", "3.heapsnapshot", "--node", "101", "--json"]),
        (
            "why-classes.txt",
            0,
            &["why", "3.heapsnapshot", "--class", "Session", "--class", "C*", "--top", "2"],
        ),
        (
            "why-shortest.txt",
            0,
            &["why", "3.heapsnapshot", "--class", "Detached *", "--top", "1", "--shortest"],
        ),
        ("show-node.txt", 0, &["show", "3.heapsnapshot", "--node", "@7", "--top", "3"]),
        ("show-node.json", 0, &["show", "3.heapsnapshot", "--node", "105", "--json"]),
        ("show-class.txt", 0, &["show", "3.heapsnapshot", "--class", "Session", "--top", "2"]),
        (
            "show-class.md",
            0,
            &[
                "show",
                "3.heapsnapshot",
                "--class",
                "S*",
                "--class",
                "Cache",
                "--format",
                "markdown",
            ],
        ),
        ("find-class.txt", 0, &["find", "3.heapsnapshot", "--class", "Session", "--top", "2"]),
        (
            "find-text.txt",
            0,
            &["find", "3.heapsnapshot", "--text", "e", "--sort", "own", "--top", "3"],
        ),
        (
            "find-text.json",
            0,
            &["find", "3.heapsnapshot", "--regex", "^.{3,}$", "--top", "2", "--json"],
        ),
        ("find-strings.txt", 0, &["find", "3.heapsnapshot", "--strings", "--top", "3"]),
        (
            "find-new.md",
            0,
            &["find", "3.heapsnapshot", "--new-since", "2.heapsnapshot", "--format", "markdown"],
        ),
        ("diff.txt", 0, &["diff", "1.heapsnapshot", "3.heapsnapshot"]),
        ("diff.json", 0, &["diff", "1.heapsnapshot", "3.heapsnapshot", "--json"]),
        ("diff-three.txt", 0, &["diff", "1.heapsnapshot", "2.heapsnapshot", "3.heapsnapshot"]),
        (
            "diff-fail.txt",
            1,
            &["diff", "1.heapsnapshot", "3.heapsnapshot", "--fail-on", "retained>+5%"],
        ),
        (
            "check.txt",
            1,
            &["check", "3.heapsnapshot", "--budget", "heap.toml", "--baseline", "1.heapsnapshot"],
        ),
        (
            "check.json",
            1,
            &[
                "check",
                "3.heapsnapshot",
                "--budget",
                "heap.toml",
                "--baseline",
                "1.heapsnapshot",
                "--json",
            ],
        ),
        (
            "check.xml",
            1,
            &[
                "check",
                "3.heapsnapshot",
                "--budget",
                "heap.toml",
                "--baseline",
                "1.heapsnapshot",
                "--format",
                "junit",
            ],
        ),
        (
            "check.md",
            1,
            &[
                "check",
                "3.heapsnapshot",
                "--budget",
                "heap.toml",
                "--baseline",
                "1.heapsnapshot",
                "--format",
                "markdown",
            ],
        ),
        (
            "check.github",
            1,
            &[
                "check",
                "3.heapsnapshot",
                "--budget",
                "heap.toml",
                "--baseline",
                "1.heapsnapshot",
                "--format",
                "github",
            ],
        ),
        ("check-kept.txt", 0, &["check", "1.heapsnapshot", "--budget", "heap.toml"]),
    ] {
        let (found, text) = folder.answer(args);
        assert_eq!(found, code, "{args:?}: {text}");
        golden(name, &text);
    }
}

#[test]
fn the_documentation_names_every_member_of_the_json() {
    let folder = Folder::new();
    folder.write("heap.toml", BUDGET);
    for args in [
        &["summary", "3.heapsnapshot", "--json"][..],
        &["why", "3.heapsnapshot", "--node", "101", "--json"],
        &["why", "3.heapsnapshot", "--class", "Session", "--json"],
        &["show", "3.heapsnapshot", "--node", "5", "--json"],
        &["show", "3.heapsnapshot", "--class", "Session", "--json"],
        &["find", "3.heapsnapshot", "--class", "Session", "--json"],
        &["find", "3.heapsnapshot", "--strings", "--json"],
        &["diff", "1.heapsnapshot", "2.heapsnapshot", "3.heapsnapshot", "--json"],
        &["check", "3.heapsnapshot", "--budget", "heap.toml", "--json"],
    ] {
        all_members_are_documented(&folder.answer(args).1);
    }
}

/// Each member of some JSON stands in the documentation.
fn all_members_are_documented(json: &str) {
    let page = |name| fs::read_to_string(root().join("docs").join(name)).unwrap();
    let page = page("commands.md") + &page("answers.md");
    let mut values: Vec<Value> = vec![serde_json::from_str(json).unwrap()];
    while let Some(value) = values.pop() {
        match value {
            Value::Array(items) => values.extend(items),
            Value::Object(members) => {
                for (key, value) in members {
                    let named = [format!("`{key}`"), format!(".{key}`"), format!("[].{key}")];
                    assert!(named.iter().any(|name| page.contains(name)), "{key}");
                    values.push(value);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn recorded_heaps_have_the_numbers_of_devtools() {
    let folder = Folder::new();
    let path = root().join("corpus/chromium.heapsnapshot.gz");
    let path = path.to_str().unwrap();
    // Nothing of a class is cut unless that is asked for, single objects and strings are.
    let lengths = |summary: &Value| {
        ["classes", "retainers"].map(|list| summary[list]["rows"].as_array().unwrap().len())
    };
    assert_eq!(lengths(&folder.json(&["summary", path, "--json", "--top", "3"])), [3, 3]);
    let summary = folder.json(&["summary", path, "--json"]);
    let [classes, retainers] = lengths(&summary);
    assert!(classes > 100 && summary["classes"]["total"] == classes, "{classes}");
    assert!(retainers == 20 && summary["retainers"]["total"].as_u64().unwrap() > 20);
    let detached = summary["detached"]["rows"].as_array().unwrap();
    let section = detached.iter().find(|row| row["class_name"] == "Detached <section>");
    assert_eq!(section.unwrap()["count"], 5);
    // The page keeps them in `window.detached`.
    let why = folder.json(&["why", path, "--class", "Detached <section>", "--json"]);
    let steps = why["objects"][0]["paths"][0]["steps"].as_array().unwrap();
    let edges: Vec<_> = steps.iter().map(|step| step["edge"].as_str().unwrap()).collect();
    assert_eq!(edges[0], "element");
    assert!(edges.contains(&"detached"), "{edges:?}");
}

#[test]
fn new_objects_are_those_that_the_base_does_not_have() {
    let folder = Folder::new();
    let why = |base: &[&str]| {
        let args = ["why", "3.heapsnapshot", "--class", "Session", "--json"];
        folder.json(&[&args[..], base].concat())
    };
    for (base, count) in [
        (&[][..], 9),
        (&["--new-since", "1.heapsnapshot"], 7),
        (&["--new-since", "2.heapsnapshot"], 4),
        (&["--new-since", "2.heapsnapshot", "--shortest"], 4),
    ] {
        let report = why(base);
        assert_eq!(report["groups"]["total"], 1, "{base:?}");
        assert_eq!(report["groups"]["rows"][0]["count"], count, "{base:?}");
        let object = &report["objects"][0]["object"];
        assert_eq!(
            (&object["count"], object["ids"].as_array().unwrap().len()),
            (&json!(count), count)
        );
        // The handler's variable.
        assert_eq!(object["way"], "variable cache[]");
    }
    let error = folder.failure(&[
        "why",
        "1.heapsnapshot",
        "--class",
        "Session",
        "--new-since",
        "3.heapsnapshot",
    ]);
    assert!(error.contains("no object of these that is new"), "{error}");
}

#[test]
fn pages_of_an_object_are_all_of_it() {
    let folder = Folder::new();
    let page = |offset: &str, top: &str| {
        let args = ["show", "3.heapsnapshot", "--node", "7", "--offset", offset, "--top", top];
        folder.json(&[&args[..], &["--json"]].concat())
    };
    let whole = page("0", "100");
    // The sessions, and two texts that they share.
    for (list, count) in [("elements", 9), ("dominated", 11)] {
        let all = whole[list]["rows"].as_array().unwrap();
        assert_eq!(all.len(), count);
        let pages: Vec<Value> = ["0", "4", "8", "12"]
            .iter()
            .flat_map(|offset| page(offset, "4")[list]["rows"].as_array().unwrap().clone())
            .collect();
        assert_eq!(&pages, all, "{list}");
    }
    assert_eq!(page("8", "1")["elements"]["total"], 9);
    assert_eq!(page("0", "0")["object"], whole["object"]);
    let text =
        folder.text(&["show", "3.heapsnapshot", "--node", "7", "--offset", "3", "--top", "2"]);
    assert!(text.contains("… and 4 more"), "{text}");
}

#[test]
fn any_form_of_a_heap_gives_the_same_answer() {
    let folder = Folder::new();
    let packed = |name: &str, program: &str| {
        let input = fs::File::open(folder.0.path().join("3.heapsnapshot")).unwrap();
        let output = fs::File::create(folder.0.path().join(name)).unwrap();
        Command::new(program)
            .arg("-c")
            .stdin(input)
            .stdout(output)
            .status()
            .is_ok_and(|s| s.success())
    };
    let expected = folder.json(&["summary", "3.heapsnapshot", "--json"]);
    let mut sources = vec![("one.tables", "3.heapsnapshot"), ("two.tables#1", "3.heapsnapshot")];
    if packed("3.heapsnapshot.gz", "gzip") {
        sources.push(("3.heapsnapshot.gz", "3.heapsnapshot"));
    }
    let quiet = |args: &[&str]| assert!(folder.run(args).status.success(), "{args:?}");
    quiet(&["convert", "3.heapsnapshot", "-o", "one.tables", "-q"]);
    quiet(&["convert", "1.heapsnapshot", "3.heapsnapshot", "-o", "two.tables", "-q"]);
    quiet(&["convert", "3.heapsnapshot", "-o", "ids.tables", "-q", "--names", "id"]);
    sources.push(("ids.tables", "3.heapsnapshot"));
    quiet(&[
        "convert",
        "1.heapsnapshot",
        "3.heapsnapshot",
        "-o",
        "hive.tables",
        "-q",
        "--layout",
        "hive",
    ]);
    sources.push(("hive.tables#1", "3.heapsnapshot"));
    for (source, _) in sources {
        assert_eq!(folder.json(&["summary", source, "--json"]), expected, "{source}");
        let diff = |current| {
            folder.json(&["diff", "1.heapsnapshot", current, "--json"])["classes"].clone()
        };
        assert_eq!(diff(source), diff("3.heapsnapshot"), "{source}");
    }
    let mut stdin = folder.command(&["summary", "-", "--json"]);
    stdin.stdin(fs::File::open(folder.0.path().join("3.heapsnapshot")).unwrap());
    let output: Value = serde_json::from_slice(&stdin.output().unwrap().stdout).unwrap();
    assert_eq!(anonymous(output), expected);
    let error = folder.failure(&["summary", "two.tables"]);
    assert!(error.contains("#0 is 1.heapsnapshot, #1 is 3.heapsnapshot"), "{error}");
}

#[test]
fn what_cannot_be_answered_exits_with_2_and_one_line() {
    let folder = Folder::new();
    for name in ["bare", "folder"] {
        fs::create_dir(folder.0.path().join(name)).unwrap();
    }
    for (name, budget) in [
        ("empty.toml", ""),
        ("key.toml", "[total]\nsise = 5\n"),
        ("unit.toml", "[total]\nsize = \"5 MM\"\n"),
        ("syntax.toml", "[total\n"),
        ("fine.toml", "[total]\nsize = \"5 MB\"\n"),
    ] {
        folder.write(name, budget);
    }
    folder.write("png", "\u{89}PNG");
    folder.write(
        "folder/_manifest.json",
        &json!({"inputs": [{"file_id": 0, "name": "a.xyz", "format": "xyz"}]}).to_string(),
    );
    for (args, message) in [
        (&["summary", "none"][..], "cannot open input (none): "),
        (&["summary", "png"], "unknown format (png, byte 0): "),
        (
            &["summary", "bare"],
            "not a heapquarry output directory (bare): it has no valid _manifest.json",
        ),
        (
            &["summary", "folder"],
            "missing table (folder): there is no source; convert the input again",
        ),
        (&["summary", "1.heapsnapshot#1"], "no document #1 (1.heapsnapshot): #0 is 1.heapsnapshot"),
        (&["why", "1.heapsnapshot", "--node", "77"], "no object with id 77 (1.heapsnapshot)"),
        (
            &["why", "1.heapsnapshot", "--class", "No*"],
            "no object of class \"No*\" (1.heapsnapshot)",
        ),
        (
            &["diff", "1.heapsnapshot", "2.heapsnapshot", "--fail-on", "sise>5"],
            "invalid limit (\"sise>5\", column 1): expected a scope (total, class, type, category, package) or a quantity (size, ",
        ),
        (
            &["diff", "1.heapsnapshot", "2.heapsnapshot", "--fail-on", "size>+5 ms"],
            "invalid limit (\"size>+5 ms\", column 9): expected a unit (B, ",
        ),
        (
            &["diff", "1.heapsnapshot", "2.heapsnapshot", "-o", "folder"],
            "output already exists (folder); use --force to replace it",
        ),
        (&["check", "1.heapsnapshot", "--budget", "none.toml"], "cannot read input (none.toml): "),
        (
            &["check", "1.heapsnapshot", "--budget", "empty.toml"],
            "invalid budget (empty.toml:1:1): expected at least one limit",
        ),
        (
            &["check", "1.heapsnapshot", "--budget", "key.toml"],
            "invalid budget (key.toml:2:1): expected a quantity of total (size, ",
        ),
        (
            &["check", "1.heapsnapshot", "--budget", "unit.toml"],
            "invalid budget (unit.toml:2:8): expected a unit",
        ),
        (
            &["check", "1.heapsnapshot", "--budget", "syntax.toml"],
            "invalid budget (syntax.toml:1:7): ",
        ),
        (&["check", "none", "--budget", "fine.toml"], "cannot open input (none): "),
        (
            &["check", "1.heapsnapshot", "--budget", "fine.toml", "--baseline", "none"],
            "cannot open input (none): ",
        ),
    ] {
        let error = folder.failure(args);
        assert!(error.contains(message), "{args:?}: {error}");
    }
    for usage in [
        &["summary"][..],
        &["why", "1.heapsnapshot"],
        &["why", "1.heapsnapshot", "--node", "1", "--class", "A"],
        &["why", "1.heapsnapshot", "--node", "one"],
        &["diff", "1.heapsnapshot"],
        &["check", "1.heapsnapshot"],
        &["summary", "1.heapsnapshot", "--format", "junit"],
        &["summary", "1.heapsnapshot", "--json", "--format", "text"],
    ] {
        assert_eq!(folder.run(usage).status.code(), Some(2), "{usage:?}");
    }
}

#[test]
fn truncated_heaps_have_a_note_and_are_not_checked_against_limits() {
    let folder = Folder::new();
    let whole = snapshot(9);
    let cut = whole.find("\"strings\"").unwrap() + 30;
    folder.write("cut.heapsnapshot", &whole[..cut]);
    folder.write("heap.toml", "[total]\nsize = \"5 MB\"\n");
    let note = "cut.heapsnapshot: truncated; the numbers cover only the part that was read";
    for args in [
        &["summary", "cut.heapsnapshot", "--json"][..],
        &["why", "cut.heapsnapshot", "--node", "7", "--json"],
        &["diff", "cut.heapsnapshot", "3.heapsnapshot", "--json"],
        &["diff", "1.heapsnapshot", "cut.heapsnapshot", "--json"],
    ] {
        assert_eq!(caveats(&folder.json(args)), [note], "{args:?}");
    }
    for args in [
        &["check", "cut.heapsnapshot", "--budget", "heap.toml"][..],
        &["check", "3.heapsnapshot", "--budget", "heap.toml", "--baseline", "cut.heapsnapshot"],
        &["diff", "1.heapsnapshot", "cut.heapsnapshot", "--fail-on", "size>1"],
        &["diff", "cut.heapsnapshot", "3.heapsnapshot", "--fail-on", "size>1", "-o", "never"],
    ] {
        let error = folder.failure(args);
        assert!(
            error.contains("input is truncated (cut.heapsnapshot): limits cannot be checked"),
            "{error}"
        );
    }
    assert!(!folder.0.path().join("never").exists());
}

#[test]
fn snapshots_of_different_processes_are_said_to_be() {
    let folder = Folder::new();
    // Every session has become a string.
    let other = snapshot(9)
        .replace("[\"synthetic\",\"object\",\"string\"", "[\"synthetic\",\"string\",\"object\"");
    assert_ne!(other, snapshot(9));
    folder.write("other.heapsnapshot", &other);
    for (base, notes) in [("1.heapsnapshot", 0), ("other.heapsnapshot", 1)] {
        let report = folder.json(&["diff", base, "3.heapsnapshot", "--json"]);
        assert_eq!(caveats(&report).len(), notes, "{base}");
    }
}

#[test]
fn the_summary_of_a_step_is_appended() {
    let folder = Folder::new();
    let page = folder.write("page.md", "before\n");
    let args = [
        "diff",
        "1.heapsnapshot",
        "3.heapsnapshot",
        "--format",
        "github",
        "--fail-on",
        "size>+1 kB",
    ];
    for _ in 0..2 {
        let status =
            folder.command(&args).env("GITHUB_STEP_SUMMARY", &page).output().unwrap().status;
        assert_eq!(status.code(), Some(1));
    }
    let page = fs::read_to_string(page).unwrap();
    assert!(page.starts_with("before\n## heapquarry diff: "), "{page}");
    assert_eq!(page.matches("❌ 1 of 1 limit exceeded").count(), 2, "{page}");
    // What cannot be appended to is said.
    let output =
        folder.command(&args).env("GITHUB_STEP_SUMMARY", "no/such/folder").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("GITHUB_STEP_SUMMARY"));
}

#[test]
fn who_stops_reading_changes_no_verdict() {
    let folder = Folder::new();
    for (limit, code) in [("size>+1 kB", 1), ("size>+1 GB", 0)] {
        let mut child = folder
            .command(&["diff", "1.heapsnapshot", "3.heapsnapshot", "--json", "--fail-on", limit])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut error = String::new();
        child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
        assert_eq!((child.wait().unwrap().code(), error.as_str()), (Some(code), ""));
    }
}

#[test]
fn help_names_every_flag() {
    let folder = Folder::new();
    for (verb, flags) in [
        ("summary", &["--top", "--json", "--format", "--threads", "--quiet"][..]),
        ("why", &["--node", "--class", "--new-since", "--shortest", "--top", "--json", "--format"]),
        ("show", &["--node", "--class", "--offset", "--top", "--json", "--format", "--threads"]),
        (
            "find",
            &[
                "--class",
                "--name",
                "--text",
                "--regex",
                "--node",
                "--min-size",
                "--detached",
                "--new-since",
                "--strings",
            ],
        ),
        ("find", &["--sort", "--offset", "--top", "--thread", "--sample-type", "--json"]),
        ("diff", &["--fail-on", "--output", "--force", "--top", "--engine", "--json", "--format"]),
        ("check", &["--budget", "--baseline", "--json", "--format", "GITHUB_STEP_SUMMARY"]),
    ] {
        let help = folder.text(&[verb, "--help"]);
        for flag in flags {
            assert!(help.contains(flag), "{verb} {flag}");
        }
    }
    assert!(folder.text(&["--help"]).contains("  1    a limit was exceeded"));
}
