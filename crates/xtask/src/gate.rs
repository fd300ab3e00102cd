//! Instruction counts of kernels, encoders, conversions and questions, so that none becomes slower unnoticed.
//!
//! Instructions are not time, but they are the same on a busy machine as on an idle one, so a limit of 2 % can be
//! kept in CI. Valgrind counts them; the cases are those of `heapquarry_benches::cases`.

mod compare;

use crate::workspace::{Error, Workspace};
use compare::{Baseline, Counts, Tools, is_whole};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

/// What is done with the counts.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Gate {
    /// They must not exceed the baseline.
    Check,
    /// They must not exceed the baseline. Without valgrind, or a baseline for such a machine, a note says so instead.
    CheckIfPossible,
    /// They become the baseline.
    Update,
}

pub(crate) fn gate(workspace: &Workspace, gate: Gate) -> Result<(), Error> {
    let path = baseline(workspace);
    let missing = match tools() {
        Err(Error(missing)) => Err(missing),
        Ok(_) if gate == Gate::CheckIfPossible && !path.exists() => {
            Err(format!("there is no {}", path.display()))
        }
        Ok(tools) => Ok(tools),
    };
    let tools = match missing {
        Ok(tools) => tools,
        Err(missing) if gate == Gate::CheckIfPossible => {
            println!("\nSKIPPED the count of instructions: {missing}");
            return Ok(());
        }
        Err(missing) => return Err(Error(format!("cannot count instructions: {missing}"))),
    };

    // All of the workspace, and a benchmark, for the same features of dependencies as in the tests.
    let build = ["--bin", "gate", "--bench", "graph", "--config", "benches/gate.toml"];
    workspace.run(workspace.cargo_for_all("build").args(build))?;
    let counts = count(workspace)?;
    if gate == Gate::Update {
        let baseline = Baseline { tools, instructions: counts };
        let mut text = serde_json::to_string_pretty(&baseline).expect("texts and numbers");
        text.push('\n');
        fs::create_dir_all(path.parent().expect("a file in a folder"))
            .and_then(|()| fs::write(&path, text))
            .map_err(|e| Error::about(&path, &e))?;
        println!("{} is new: its commit says why", path.display());
        return Ok(());
    }
    let text = fs::read_to_string(&path).map_err(|e| Error::about(&path, &e))?;
    let baseline = serde_json::from_str::<Baseline>(&text)
        .map_err(|e| Error(format!("{}: {e}", path.display())))?;
    let comparison = baseline.compare(&tools, &counts);
    println!("\n{}", comparison.markdown());
    if comparison.outgrown() > 0 {
        println!(
            "{} cases became faster: `cargo xtask gate --update` keeps it so",
            comparison.outgrown()
        );
    }
    match comparison.failed() {
        0 => Ok(()),
        failed => Err(Error(format!(
            "{failed} cases differ too much from {}; if that is meant, `cargo xtask gate --update` and commit it \
             with the reason",
            path.display()
        ))),
    }
}

/// Other machines have other kernels and another C library.
fn baseline(workspace: &Workspace) -> PathBuf {
    let name = format!("{}-{}.json", env::consts::ARCH, env::consts::OS);
    workspace.root.join("benches/baseline").join(name)
}

/// What the counts depend on besides the code. The C compiler makes the compressors.
fn tools() -> Result<Tools, Error> {
    let variable = |name: &str, usual: &str| env::var(name).unwrap_or_else(|_| usual.to_owned());
    let rustc = variable("RUSTC", "rustc");
    let cc = variable("CC", "cc");
    let programs = [("rustc", rustc), ("cc", cc), ("valgrind", "valgrind".to_owned())];
    let version = |(name, program): (&str, String)| {
        let output = Command::new(&program).arg("--version").output();
        let output = output.map_err(|e| Error(format!("{program}: {e}")))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok((name.to_owned(), text.lines().next().unwrap_or_default().to_owned()))
    };
    programs.into_iter().map(version).collect()
}

/// Runs every case, as many at a time as there are cores.
fn count(workspace: &Workspace) -> Result<Counts, Error> {
    let target = workspace.target();
    let program = target.join("debug").join(format!("gate{}", env::consts::EXE_SUFFIX));
    let folder = target.join("tmp").join("gate");
    let output = Command::new(&program).arg(&folder).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| Error::about(&program, &e))?;
    if !output.status.success() {
        return Err(Error(format!("{}: {}", program.display(), output.status)));
    }
    let names = String::from_utf8_lossy(&output.stdout);
    println!("\n{} cases under callgrind", names.lines().count());

    let (names, counts) = (Mutex::new(names.lines()), Mutex::new(Counts::new()));
    let work = || {
        loop {
            let Some(name) = names.lock().expect("no panic").next() else { return Ok(()) };
            let count = count_one(&program, &folder, name)?;
            counts.lock().expect("no panic").insert(name.to_owned(), count);
        }
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
    })?;
    Ok(counts.into_inner().expect("no panic"))
}

fn count_one(program: &Path, folder: &Path, name: &str) -> Result<u64, Error> {
    // Not all characters of a name may stand in the name of a file, which to valgrind is a pattern.
    let stem = name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let file = folder.join(format!("{stem}.callgrind"));
    let mut command = Command::new("valgrind");
    // What is in the environment is on the stack, and whatever else could choose another path.
    command.env_clear().envs(env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("HEAPQUARRY_SIMD", "avx2");
    command.args(["--tool=callgrind", "--quiet"]);
    command.arg(format!("--callgrind-out-file={}", file.display()));
    // From end to end everything is counted: callgrind turns counting on in one thread only.
    if !is_whole(name) {
        command.arg("--toggle-collect=*counted_by_callgrind*");
    }
    let output = command.arg(program).arg(folder).arg(name).output();
    let output = output.map_err(|e| Error(format!("valgrind: {e}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error(format!("{name} under valgrind: {}\n{said}", output.status)));
    }
    let text = fs::read_to_string(&file).map_err(|e| Error::about(&file, &e))?;
    let total = text.lines().rev().find_map(|line| line.strip_prefix("totals: "));
    match total.and_then(|total| total.trim().parse().ok()) {
        Some(count) if count > 0 => Ok(count),
        _ => Err(Error(format!("{}: no instructions were counted", file.display()))),
    }
}
