//! The test of damaged inputs, for as many runs as are wanted.

use crate::workspace::{Error, Workspace, run};

/// `args` are options of the test: `--runs=N`, `--minutes=N`, `--seed=N`, `--first=N` and `--scratch=DIR`.
pub(crate) fn attack(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    let args = if args.is_empty() { &["--runs=2000"] } else { args };
    let test = ["test", "--quiet", "--workspace", "--test", "attack", "damaged_inputs"];
    let mut command = workspace.cargo_command(&test);
    run(command.args(["--", "--nocapture"]).env("HEAPQUARRY_ATTACK", args.join(" ")))
}
