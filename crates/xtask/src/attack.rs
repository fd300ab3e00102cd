//! The test of damaged inputs, for as many runs as are wanted.

use crate::workspace::{Error, Workspace};

/// `args` are options of the test: `--runs=N`, `--minutes=N`, `--seed=N`, `--first=N` and `--scratch=DIR`.
pub(crate) fn attack(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    let args = if args.is_empty() { &["--runs=2000"] } else { args };
    workspace.run(
        workspace
            .cargo_for_all("test")
            .args(["--quiet", "--test", "attack", "damaged_inputs", "--", "--nocapture"])
            .env("HEAPQUARRY_ATTACK", args.join(" ")),
    )
}
