//! How well `heapquarry leaks` does on programs of which it is known what they leak. `benches/leaks/run.mjs` runs
//! them, takes snapshots below `target/leaks`, asks, and scores; `real.mjs` does so with leaks that were reported of
//! packages.

use crate::workspace::{Error, Workspace, run};

/// `args` are options of `run.mjs`, or with `--real` of `real.mjs`, as `--NAME=VALUE`.
pub(crate) fn leaks(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    workspace.build_binary()?;
    let mut command = workspace.command("node");
    let driver = if args.contains(&"--real") { "real.mjs" } else { "run.mjs" };
    command.arg(workspace.root.join("benches/leaks").join(driver));
    command.arg(format!("--heapquarry={}", workspace.binary().display()));
    command.arg(format!("--scratch={}", workspace.target().join("leaks").display()));
    run(command.args(args))
}
