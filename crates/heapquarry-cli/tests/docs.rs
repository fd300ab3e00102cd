//! The documentation: lines fit, links resolve. What it says is held by the tests of the things that it describes.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

/// Columns of a line, tables and console output aside.
const WIDTH: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// All pages, with their text.
fn pages() -> Vec<(PathBuf, String)> {
    let root = root();
    let mut paths: Vec<PathBuf> = [
        "README.md",
        "CONTRIBUTING.md",
        "RELEASING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "corpus/README.md",
        "crates/heapquarry-formats/fuzz/README.md",
    ]
    .iter()
    .map(|name| root.join(name))
    .collect();
    for folder in ["docs", "docs/internals"] {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        paths.extend(entries.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    let pages = paths.into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    });
    pages.collect()
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Targets of the links in a page.
fn links(text: &str) -> Vec<&str> {
    let starts = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    starts.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

#[test]
fn lines_fit() {
    let mut long = Vec::new();
    for (path, text) in pages() {
        let mut in_console = false;
        for (number, line) in text.lines().enumerate() {
            if line.starts_with("```") {
                in_console = line == "```console";
            }
            if !in_console && !line.starts_with('|') && line.chars().count() > WIDTH {
                long.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "lines of more than {WIDTH} columns:\n{}", long.join("\n"));
}

/// The Rust in a folder, without what was built.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// rustfmt leaves comments as they are.
#[test]
fn comments_fit() {
    let mut paths = Vec::new();
    ["crates", "benches", "proto"].iter().for_each(|name| sources(&root().join(name), &mut paths));
    assert!(paths.len() > 100, "{paths:?}");
    let mut long = Vec::new();
    for path in paths {
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            // Tables and links cannot be broken.
            let text = comment.trim_start_matches(['/', '!', ' ']);
            if !text.starts_with(['|', '<']) && line.chars().count() > WIDTH {
                long.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "lines of more than {WIDTH} columns:\n{}", long.join("\n"));
}

/// The text of a line of a doc comment.
fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    Some(text.trim())
}

/// Wordings that new users stumbled over, and what they understand.
const REWORDED: [(&str, &str); 26] = [
    ("complete or not at all", "appears only when it is finished"),
    ("at the memory of the machine", "when memory runs out"),
    ("not told are:", "not reported:"),
    ("one of many", "an element of a collection"),
    ("where nothing else leads", "if no other path exists"),
    ("more room than entries", "spare capacity"),
    ("first snapshot's objects are still there", "survivors of the first snapshot"),
    ("is there if its constructor is", "counts as present if its constructor is in the snapshot"),
    ("if nothing of the name may be there", "if it may be absent"),
    ("last beyond 50 ms each", "total blocking time"),
    ("finding of its own", "listed separately"),
    ("findings of their own", "listed separately"),
    ("class global, nearest of", "closest of"),
    ("five runs a side", "five runs per side"),
    ("by the way to them", "by path"),
    ("seldom the shortest", "usually not the shortest path"),
    ("makes its tables anew", "reconverts"),
    ("a consumer of a c stream", "other arrow readers"),
    ("the bar and the engine around it", "including progress bar and DuckDB"),
    ("what fills once", "a cache that fills once"),
    ("exceeded limit is an answer", "an exceeded limit does not throw"),
    ("a leak of the test", "the test itself leaks"),
    ("more memory, and", "needs 19 to 42 MB more memory"),
    ("gives the snapshot up", "drops the snapshot and keeps running"),
    ("pass for whole", "look complete when it is not"),
    ("the farther of", "the larger of"),
];

/// The words of a file in one line, in lower case, without the marks of comments and of strings of several lines.
fn words(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.trim().trim_end_matches('\\');
        line.trim_start_matches(['/', '!', '*', '#', '|']).split_whitespace()
    });
    lines.flatten().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Text that people read: pages, help, messages, comments.
#[test]
fn what_new_users_stumbled_over_is_said_in_other_words() {
    let root = root();
    let mut texts = pages();
    let mut rest: Vec<PathBuf> =
        ["crates", "npm", "benches", "proto"].iter().map(|name| root.join(name)).collect();
    while let Some(path) = rest.pop() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules"].contains(&&*name) {
            rest.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if [".md", ".rs", ".py", ".js", ".mjs", ".ts"].iter().any(|end| name.ends_with(end))
            && !path.ends_with(file!())
        {
            texts.push((path.clone(), fs::read_to_string(path).unwrap()));
        }
    }
    assert!(texts.len() > 500, "{}", texts.len());
    let mut found = Vec::new();
    for (path, text) in texts {
        let words = words(&text);
        for (old, new) in REWORDED.iter().filter(|(old, _)| words.contains(old)) {
            found.push(format!("{}: {old:?}, better {new:?}", path.display()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What new users looked for and did not find.
#[test]
fn pages_say_what_new_users_missed() {
    for (page, said) in [
        ("docs/npm.md", "Vitest (`testTimeout`) and Jest (`testTimeout`) stop a test after 5 s"),
        ("docs/troubleshooting.md", "5 s"),
        ("docs/python.md", "pip install target/wheels/heapquarry-*.whl"),
        ("docs/npm.md", "../heapquarry/target/npm/heapquarry-linux-x64-0.1.0.tgz"),
    ] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said), "{page}: {said}");
    }
}

/// Whoever hovers over a name sees its comment, but not the item before it: "The same, but sorted" tells them nothing.
#[test]
fn comments_say_what_their_item_is() {
    let mut paths = Vec::new();
    ["crates", "benches", "proto"].iter().for_each(|name| sources(&root().join(name), &mut paths));
    let mut vague = Vec::new();
    for path in paths {
        // Whether a paragraph begins with the next line: the text of a comment, or that below a heading.
        let mut is_start = true;
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let text = doc_text(line);
            let words = ["The same ", "The same,", "The same;", "As "];
            if is_start && text.is_some_and(|text| words.iter().any(|word| text.starts_with(word)))
            {
                vague.push(format!("{}:{}", path.display(), number + 1));
            }
            is_start = text.is_none_or(|text| text.is_empty() || text.starts_with('#'));
        }
    }
    assert!(vague.is_empty(), "comments that point to another item:\n{}", vague.join("\n"));
}

#[test]
fn links_resolve() {
    let mut broken = Vec::new();
    for (path, text) in pages() {
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let found = target.exists()
                && (fragment.is_empty()
                    || fs::read_to_string(&target).is_ok_and(|page| {
                        page.lines()
                            .filter(|line| line.starts_with('#'))
                            .any(|line| anchor(line.trim_start_matches('#')) == fragment)
                    }));
            if !found {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// Pages without an example and limits, and why.
const OTHER_PAGES: [(&str, &str); 7] = [
    ("agents.md", "instructions, which an agent follows from the beginning"),
    ("answers.md", "generated: members of answers"),
    ("architecture.md", "for those who change heapquarry"),
    ("input-errors.md", "a list of codes, each with what is lost"),
    ("performance.md", "figures, each with its command"),
    ("schema.md", "generated: columns of tables"),
    ("trust.md", "what is promised, and what is not"),
];

#[test]
fn pages_begin_with_an_example_and_end_with_limits() {
    let folder = root().join("docs");
    let mut wrong = Vec::new();
    let mut guides = 0;
    for (path, text) in pages().into_iter().filter(|(path, _)| path.parent() == Some(&folder)) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if OTHER_PAGES.iter().any(|(other, _)| *other == name) {
            continue;
        }
        guides += 1;
        let (begin, _) = text.split_once("\n## ").unwrap();
        let last = text.rsplit("\n## ").next().unwrap();
        if !begin.contains("\n```") && !begin.contains("\n    heapquarry ") {
            wrong.push(format!("{name} has no example before its first heading"));
        }
        if !last.starts_with("Limits") {
            wrong.push(format!("{name} ends with {:?}", last.lines().next()));
        }
    }
    assert!(guides > 20 && wrong.is_empty(), "{guides}: {wrong:#?}");
    for (name, _) in OTHER_PAGES {
        assert!(folder.join(name).is_file(), "{name}");
    }
}

/// What people see is what they search for: the messages of the page are those of the programs.
#[test]
fn messages_of_the_troubleshooting_page_exist() {
    let mut all = String::new();
    let mut rest = vec![root().join("crates"), root().join("npm/heapquarry/lib")];
    while let Some(path) = rest.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["tests", "target"].contains(&&*name) {
            rest.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if [".rs", ".py", ".js"].iter().any(|end| name.ends_with(end)) {
            all += &fs::read_to_string(path).unwrap();
        }
    }
    // Texts of several lines.
    let parts: Vec<&str> = all.split("\\\n").map(str::trim_start).collect();
    let all = parts.concat();
    let page = fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let cells: Vec<&str> = rows.map(|row| row.split(" | ").next().unwrap()).collect();
    assert!(cells.len() > 20, "{cells:?}");
    let quoted = cells.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let pieces = quoted.flat_map(|message| message.split('…')).map(str::trim);
    let missing: Vec<&str> =
        pieces.filter(|piece| piece.len() > 4 && !all.contains(piece)).collect();
    assert!(missing.is_empty(), "no program says: {missing:?}");
}

/// Names of all tests: functions in Rust and Python, titles in JavaScript.
fn tests() -> HashSet<String> {
    let mut names = HashSet::new();
    let mut rest = vec![root().join("crates"), root().join("npm/test")];
    while let Some(path) = rest.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (begin, end) = match name.rsplit_once('.').map(|(_, ending)| ending) {
            _ if path.is_dir() => {
                rest.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            Some("rs") => ("fn ", '('),
            Some("py") => ("def ", '('),
            Some("mjs") => ("test('", '\''),
            _ => continue,
        };
        let text = fs::read_to_string(path).unwrap();
        let found = text.lines().filter_map(|line| line.trim_start().strip_prefix(begin));
        names.extend(found.filter_map(|f| f.split_once(end)).map(|(f, _)| f.to_owned()));
    }
    names
}

#[test]
fn tests_of_former_findings_exist() {
    let page = fs::read_to_string(root().join("docs/internals/testing.md")).unwrap();
    let tests = tests();
    for (heading, least) in [("attack", 30), ("what came", 20), ("what new users met", 20)] {
        let header = format!("| {heading} | test |");
        let tables = page.split(&header).skip(1);
        let rows =
            tables.flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with('|')));
        let cells = rows.map(|row| row.rsplit('|').nth(1).unwrap());
        let named: Vec<_> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        assert!(named.len() > least, "{heading}: {}", named.len());
        let missing: Vec<_> = named.iter().filter(|name| !tests.contains(**name)).collect();
        assert!(missing.is_empty(), "{heading}: no such tests: {missing:?}");
    }
}

#[test]
fn the_readme_is_short() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.lines().count() <= 120);
}

/// A release changes one place.
#[test]
fn only_the_readme_says_what_is_published() {
    let root = root();
    let others = ["npm/heapquarry/README.md", "action.yml"].map(|name| root.join(name));
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let crates = crates.map(|entry| entry.unwrap().path().join("README.md"));
    let shim = fs::read_dir(root.join("npm/heapquarry/lib")).unwrap();
    let shim = shim.map(|entry| entry.unwrap().path());
    let texts = others.into_iter().chain(crates).chain(shim).filter(|path| path.is_file());
    let texts = texts.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    });
    let told = ["not published", "published yet", "not on PyPI", "not on npm", "not on crates.io"];
    // That presumes it.
    let presumed = [
        "pip install heapquarry",
        "pip install 'heapquarry",
        "cargo install heapquarry-cli",
        "npm install --save-dev heapquarry",
        "npm install heapquarry",
    ];
    for (path, text) in pages().into_iter().chain(texts) {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        // What to do with it, and what happened in the past.
        if ["RELEASING.md", "CHANGELOG.md"].contains(&name) {
            continue;
        }
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for phrase in presumed {
            assert!(!words.contains(phrase), "{name} says {phrase:?}");
        }
        // The one place.
        for phrase in told.iter().filter(|_| name != "README.md") {
            assert!(!words.contains(phrase), "{name} says {phrase:?}: README.md does");
        }
    }
    assert!(
        fs::read_to_string(root.join("README.md")).unwrap().contains("\nNothing is published yet")
    );
}

/// The main job on a file of the corpus, and the tests, which CI runs too.
#[test]
fn the_readme_has_two_commands_for_a_fresh_machine() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let section = text.split_once("\n## On a fresh machine\n").unwrap().1;
    let block = section.split("```").nth(1).unwrap();
    let commands = block.lines().skip(1).map(|line| line.split('#').next().unwrap().trim());
    let commands: Vec<_> = commands.collect();
    let [job, tests] = commands[..] else { panic!("{commands:?}") };
    let input = job.strip_prefix("cargo run --release -- convert ").unwrap();
    assert!(input.starts_with("corpus/") && root().join(input).is_file(), "{input}");
    assert_eq!(tests, "cargo xtask test");
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.ends_with("\ncargo xtask ci\n"), "{ci}");
}

/// Crates that have a command line, or arguments of their own.
const FACES: [&str; 5] = ["cli", "explore", "mcp", "py", "xtask"];

/// Where the library names flags all the same, and why.
const NAMES_FLAGS: &[(&str, &str)] = &[
    ("heapquarry-capture/src/process.rs", "a flag of browsers"),
    ("heapquarry-input/src/cloud/profile.rs", "flags of another program"),
    ("heapquarry-input/src/foreign.rs", "flags of other programs"),
    (
        "heapquarry-query/src/process/watch/advice.rs",
        "the answer of `watch` has commands to run next",
    ),
    ("heapquarry-report/src/starter.rs", "a budget says which command made it"),
    ("heapquarry-store/src/cache/entry.rs", "an entry of the cache says how it was converted"),
    ("heapquarry-views/src/script.rs", "a message of a view in SQL, in files that users keep"),
];

/// Callers add what to do in words of their own: an error has a `Remedy`.
#[test]
fn messages_of_the_library_name_no_flags() {
    let crates = root().join("crates");
    let mut paths = Vec::new();
    sources(&crates, &mut paths);
    let mut named = Vec::new();
    for path in paths {
        let name = path.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/");
        let crate_name = name.split('/').next().unwrap().trim_start_matches("heapquarry-");
        // The declarations of tables say what options of a conversion do to them.
        let is_ours = !FACES.contains(&crate_name) && crate_name != "tables";
        if !is_ours || !name.contains("/src/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let is_flag = |line: &str| {
            let after = line.match_indices("--").map(|(at, _)| (&line[..at], &line[at + 2..]));
            after.into_iter().any(|(before, after)| {
                !before.ends_with('-') && after.starts_with(|c: char| c.is_ascii_lowercase())
            })
        };
        for line in lines.filter(|line| is_flag(line)) {
            named.push((name.clone(), line.trim().to_owned()));
        }
    }
    let is_known = |name: &str| NAMES_FLAGS.iter().any(|(known, _)| *known == name);
    let wrong: Vec<_> = named.iter().filter(|(name, _)| !is_known(name)).collect();
    assert!(wrong.is_empty(), "messages that name flags: {wrong:#?}");
    for (known, _) in NAMES_FLAGS {
        assert!(named.iter().any(|(name, _)| name == known), "{known} names no flags any more");
    }
}
