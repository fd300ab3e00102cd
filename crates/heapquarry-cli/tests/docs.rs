//! The documentation: lines fit, links resolve. What it says is held by the tests of the things that it describes.

use std::{
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
        "CHANGELOG.md",
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

#[test]
fn the_readme_is_short() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.lines().count() <= 120);
}
