//! How well `heapquarry leaks` does on programs of which it is known what they leak. `benches/leaks/run.mjs` runs them,
//! takes snapshots below `target/leaks`, asks, and scores.

use crate::{Error, Workspace, run};

/// `args` are options of `run.mjs`, as `--NAME=VALUE`.
pub(crate) fn leaks(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    workspace.cargo(&["build", "-p", "heapquarry-cli"])?;
    let mut command = workspace.command("node");
    command.arg(workspace.root.join("benches/leaks/run.mjs"));
    command.arg(format!("--heapquarry={}", workspace.binary().display()));
    command.arg(format!("--scratch={}", workspace.target().join("leaks").display()));
    run(command.args(args))
}
