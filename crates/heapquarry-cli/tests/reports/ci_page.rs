//! The commands and budgets that docs/ci.md shows, run as they are printed, by a shell.
#![cfg(unix)]

use super::{Folder, root, starter::cpu_profile};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Output},
};

/// Files of the names that the page uses. Those of one program are its runs.
fn files(folder: &Folder) {
    let copy =
        |from: &str, to: &str| fs::copy(root().join(from), folder.0.path().join(to)).unwrap();
    for name in ["current.heapsnapshot", "base.heapsnapshot"] {
        copy("corpus/leak/1.heapsnapshot.gz", name);
    }
    let profile = cpu_profile(&[("parse", 400), ("render", 30)]);
    for name in
        ["before", "after", "main-1", "main-2", "main-3", "branch-1", "branch-2", "branch-3"]
    {
        folder.write(&format!("{name}.cpuprofile"), &profile);
        copy("corpus/traces/node26.trace.json.gz", &format!("{name}.json"));
    }
}

/// A program of the folder `bin`, a script of the shell.
fn program(folder: &Folder, name: &str, script: &str) {
    fs::create_dir_all(folder.0.path().join("bin")).unwrap();
    let path = folder.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a line in the folder, with the command and `npx` in PATH.
fn shell(folder: &Folder, line: &str) -> Output {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bin = folder.0.path().join("bin");
    let path = std::iter::once(bin).chain(std::env::split_paths(&path));
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder.0.path())
        .env("PATH", std::env::join_paths(path).unwrap())
        .env_remove("GITHUB_STEP_SUMMARY")
        .output()
        .unwrap()
}

/// Writes the budgets of the page, each as its first line says (`# cpu.toml`), or else numbered; tells the names.
fn budgets(folder: &Folder, page: &str) -> Vec<String> {
    let blocks = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let write = |(number, block): (usize, &str)| {
        let first = block.lines().next().and_then(|line| line.strip_prefix("# "));
        let name = first.filter(|first| first.ends_with(".toml") && !first.contains(' '));
        let name = name.map_or_else(|| format!("{number}.toml"), str::to_owned);
        folder.write(&name, block);
        name
    };
    blocks.enumerate().map(write).collect()
}

/// Commands in blocks of the page. `console` blocks have their output too, which the test of first budgets compares.
fn commands(page: &str) -> Vec<&str> {
    let mut is_console = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        }
        let line = line.trim_start();
        let step = ["- run: ", "script: "].iter().find_map(|key| line.strip_prefix(key));
        let line = step.unwrap_or(line);
        if !is_console && (line.starts_with("heapquarry ") || line.starts_with("npx heapquarry ")) {
            found.push(line);
        }
    }
    found
}

/// A command of the page is understood: what it finds may exceed a limit, but it is no error.
#[test]
fn commands_of_the_docs_run_as_printed() {
    let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let folder = Folder::new();
    files(&folder);
    let mut lines = Vec::new();
    for name in budgets(&folder, &page) {
        // The others are budgets of profiles and traces: commands of the page use them.
        if !["cpu.toml", "trace.toml"].contains(&&*name) {
            lines.push(format!("heapquarry check current.heapsnapshot --budget {name}"));
        }
    }
    assert_eq!(lines.len(), 3, "{lines:?}");
    lines.extend(commands(&page).into_iter().map(str::to_owned));
    program(&folder, "heapquarry", &format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_heapquarry")));
    // The command of the npm package, without npm.
    program(&folder, "npx", "exec \"$@\"");
    assert!(lines.len() >= 3 + 8, "{lines:#?}");
    for line in lines {
        let output = shell(&folder, &line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().unwrap() < 2, "{line}: {said}");
    }
}
