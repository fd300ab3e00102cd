//! How well `heapquarry leaks` does on programs of which it is known what they leak. `benches/leaks/run.mjs` runs
//! them, takes snapshots below `target/leaks`, asks, and scores; `real.mjs` does so with leaks that were reported of
//! packages, and `rivals.mjs` asks other tools about these.

use crate::workspace::{Error, Workspace};

/// Options that choose another driver than `run.mjs`.
const DRIVERS: [(&str, &str); 2] = [("--real", "real.mjs"), ("--rivals", "rivals.mjs")];

/// `args` are options of `run.mjs`, or of the driver that one of them chooses, as `--NAME=VALUE`.
pub(crate) fn leaks(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    workspace.build_binary()?;
    let mut command = workspace.command("node");
    let driver = DRIVERS.iter().find(|(option, _)| args.contains(option));
    let driver = driver.map_or("run.mjs", |(_, driver)| driver);
    command.arg(workspace.root.join("benches/leaks").join(driver));
    command.arg(format!("--heapquarry={}", workspace.binary().display()));
    command.arg(format!("--scratch={}", workspace.target().join("leaks").display()));
    workspace.run(command.args(args))
}
