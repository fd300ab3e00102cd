//! Python and its packages, in environments of their own.

use crate::workspace::{self, Error, Workspace};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Options of pytest: four processes, each with whole files of tests; what was skipped and why; the slowest tests.
pub(crate) const PYTEST: [&str; 6] = [
    "-q",
    "-rs",
    "--durations=5",
    // Seconds. A test that hangs fails, and the others go on.
    "--timeout=900",
    // Of two processes, two cores are idle for almost half of the time: tests wait for servers, pages and disks.
    "--numprocesses=4",
    "--dist=loadfile",
];
/// The file of a folder of tests that pins their packages. A copy of such a file in the virtual environment tells what
/// is installed there.
pub(crate) const REQUIREMENTS: &str = "requirements.txt";

/// Whether the tests may do without Python.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Python {
    IfPresent,
    Required,
}

/// The interpreter of the virtual environment in `folder`, which is made or renewed if need be to hold these
/// `requirements`; `None` without a `python3` that can make one.
pub(crate) fn virtual_environment(
    workspace: &Workspace,
    folder: &Path,
    requirements: &Path,
) -> Result<Option<PathBuf>, Error> {
    let interpreter = if cfg!(windows) {
        folder.join("Scripts").join("python.exe")
    } else {
        folder.join("bin").join("python3")
    };
    let installed = folder.join(REQUIREMENTS);
    let wanted = fs::read(requirements).map_err(|e| Error::about(requirements, &e))?;
    if fs::read(&installed).is_ok_and(|present| present == wanted) && succeeds(&interpreter) {
        return Ok(Some(interpreter));
    }

    let can_make_one = Command::new("python3").args(["-c", "import venv, ensurepip"]).output();
    if !can_make_one.is_ok_and(|output| output.status.success()) {
        return Ok(None);
    }
    workspace.run(workspace.command("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    workspace.run(pip_install(workspace, &interpreter).arg("--requirement").arg(requirements))?;
    fs::write(&installed, wanted).map_err(|e| Error::about(&installed, &e))?;
    Ok(Some(interpreter))
}

/// The interpreter of the virtual environment in `folder`, which is made or renewed if need be to hold these packages.
pub(crate) fn with_packages(
    workspace: &Workspace,
    folder: &Path,
    packages: &[&str],
) -> Result<PathBuf, Error> {
    let interpreter = folder.join("bin").join("python3");
    // Tells what is installed.
    let installed = folder.join("packages.txt");
    let wanted = packages.join("\n");
    if fs::read_to_string(&installed).is_ok_and(|present| present == wanted)
        && succeeds(&interpreter)
    {
        return Ok(interpreter);
    }
    workspace.run(workspace.command("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    workspace.run(pip_install(workspace, &interpreter).args(packages))?;
    fs::write(&installed, wanted).map_err(|e| Error::about(&installed, &e))?;
    Ok(interpreter)
}

/// `pip install` without what to install. Modules are compiled when they are imported: of those of the packages, few
/// ever are, and to compile all takes half of the time.
fn pip_install(workspace: &Workspace, interpreter: &Path) -> Command {
    let mut command = workspace.command(interpreter);
    command.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
    ]);
    command
}

/// The minor version of the `python3` that can make virtual environments.
pub(crate) fn python_minor() -> Option<u32> {
    let script = "import sys, venv, ensurepip; print(sys.version_info[1])";
    let output = Command::new("python3").args(["-c", script]).output().ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// Whether this interpreter runs at all: the Python under a virtual environment may be gone.
pub(crate) fn succeeds(interpreter: &Path) -> bool {
    workspace::succeeds(Command::new(interpreter).arg("--version"))
}
