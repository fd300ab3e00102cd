//! Other readers on the files of heapquarry-sink: old and new versions of each, in virtual environments.
//!
//! What they read is random batches, as heapquarry-sink writes them and as the parquet crate does.

use crate::{
    python::{python_minor, with_packages},
    workspace::{Error, Workspace},
};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Readers that are installed together.
struct Generation {
    name: &'static str,
    /// What pip gets.
    packages: &'static [&'static str],
    readers: &'static str,
    /// Those of the readers that take `Encodings::Modern`.
    modern: &'static str,
    /// Python from this minor version on has no such packages.
    python_below: u32,
}

impl Generation {
    /// The interpreter of its environment.
    fn interpreter(&self, workspace: &Workspace) -> Result<PathBuf, Error> {
        let folder = workspace.target().join("readers").join(self.name);
        with_packages(workspace, &folder, self.packages)
    }
}

const GENERATIONS: [Generation; 4] = [
    Generation {
        name: "2024",
        packages: &[
            "duckdb==1.0.0",
            "pyarrow==15.0.2",
            "polars==1.0.0",
            "pandas==2.2.3",
            "numpy<2",
        ],
        readers: "duckdb,pyarrow,polars,pandas",
        modern: "polars",
        python_below: 13,
    },
    Generation {
        name: "2025",
        packages: &["duckdb==1.4.1", "pyarrow==21.0.0"],
        readers: "duckdb",
        modern: "",
        python_below: 14,
    },
    Generation {
        name: "newest",
        packages: &["duckdb==2.0.0", "pyarrow==26.0.1", "polars==2.1.0", "pandas==3.1.1"],
        readers: "duckdb,pyarrow,polars,pandas",
        modern: "duckdb,pyarrow,polars,pandas",
        python_below: u32::MAX,
    },
    Generation {
        name: "spark",
        packages: &["pyspark==4.3.0", "pyarrow==21.0.0", "pandas==2.2.3"],
        readers: "pyspark",
        modern: "pyspark",
        python_below: 14,
    },
];

const SCRIPT: &str = "crates/heapquarry-sink/tests/other_readers.py";

/// Makes the files, has all readers compare them, and fails if one of them sees a difference.
pub(crate) fn readers(workspace: &Workspace) -> Result<(), Error> {
    let pairs = workspace.target().join("pairs");
    if pairs.exists() {
        fs::remove_dir_all(&pairs).map_err(|e| Error::about(&pairs, &e))?;
    }
    let test = ["--test", "other_readers", "--", "--ignored"];
    workspace.run(workspace.cargo_for_all("test").args(test).env("PAIRS", &pairs))?;

    let (mut passed, mut failed) = (0, 0);
    for generation in &GENERATIONS {
        if let Some(why) = skipped(generation) {
            println!("\nSKIPPED {} ({}): {why}", generation.name, generation.readers);
            continue;
        }
        let interpreter = generation.interpreter(workspace)?;
        let mut command = workspace.command(&interpreter);
        command.arg(SCRIPT).arg(&pairs);
        command.args(["--readers", generation.readers, "--modern", generation.modern]);
        let output = command.stderr(Stdio::inherit()).output();
        let output = output.map_err(|e| Error(format!("cannot run {SCRIPT}: {e}")))?;
        let mut table = format!(
            "\n$ {SCRIPT} in {}\n{:<20} {:<10} {:>7} {:>7} {:>9}",
            generation.name, "check", "version", "equal", "skipped", "different"
        );
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (row, is_equal) = verdict(line)?;
            table.push_str(&row);
            if is_equal { passed += 1 } else { failed += 1 }
        }
        println!("{table}");
        if !output.status.success() {
            return Err(Error(format!("{SCRIPT} failed: {}", output.status)));
        }
    }
    println!("\n{passed} passed, {failed} failed");
    match failed {
        0 => Ok(()),
        _ => Err(Error("readers do not see what was written".to_owned())),
    }
}

/// The environments of all that can be had here.
pub(crate) fn environments(workspace: &Workspace) -> Result<(), Error> {
    let mut usable = GENERATIONS.iter().filter(|generation| skipped(generation).is_none());
    usable.try_for_each(|generation| generation.interpreter(workspace).map(drop))
}

/// A line of the script as one of the table, and whether the check passed.
fn verdict(line: &str) -> Result<(String, bool), Error> {
    let [check, version, equal, skipped, different, note] =
        line.split('\t').collect::<Vec<_>>()[..]
    else {
        return Err(Error(format!("{SCRIPT} printed `{line}`")));
    };
    let row = format!("\n{check:<20} {version:<10} {equal:>7} {skipped:>7} {different:>9} {note}");
    // A check that compared nothing has proved nothing.
    Ok((row, different == "0" && equal != "0"))
}

/// Why the generation cannot be had here.
fn skipped(generation: &Generation) -> Option<String> {
    let Some(minor) = python_minor() else {
        return Some("there is no usable `python3`".to_owned());
    };
    if minor >= generation.python_below {
        return Some(format!("its packages are for Python below 3.{}", generation.python_below));
    }
    let java = || Command::new("java").arg("-version").output().is_ok_and(|o| o.status.success());
    (generation.readers == "pyspark" && !java()).then(|| "there is no `java`".to_owned())
}
