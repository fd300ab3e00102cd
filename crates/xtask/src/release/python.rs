//! Wheel and sdist: checked and uploaded by twine to pypiserver, and installed from there by pip and uv.

use super::{Release, loopback::Server};
use crate::{npm::fresh, python::virtual_environment, workspace::Error};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

/// twine, pypiserver and uv.
const TOOLS: &str = "crates/xtask/release/requirements.txt";

/// A query over a heap in the environment of a new user, who has installed the package and DuckDB.
const FIRST_ANSWER: &str = "import heapquarry as hq
path = 'corpus/node24-numeric.heapsnapshot.gz'
[(nodes,)] = hq.sql(path, 'SELECT count(*) FROM js_heap_nodes').fetchall()
assert nodes == hq.summary(path).totals.node_count, nodes
print(nodes, 'nodes')";

pub(super) fn check(release: &Release<'_>) -> Result<(), Error> {
    let workspace = release.workspace;
    let tools = release.folder.join("python-tools");
    let python = virtual_environment(workspace, &tools, &workspace.root.join(TOOLS))?
        .ok_or_else(|| Error("there is no usable `python3`".into()))?;
    let files = files(&workspace.target().join("wheels"))?;
    workspace
        .run(workspace.command(&python).args(["-m", "twine", "check", "--strict"]).args(&files))?;

    let packages = fresh(&release.folder.join("python-packages"))?;
    let server = Server::start(|port| {
        let mut command = workspace.command(python.with_file_name("pypi-server"));
        // Without passwords. What it has not, it leaves to the public index.
        command.args(["run", "--interface", "127.0.0.1", "--port", &port.to_string()]);
        command.args(["--passwords", ".", "--authenticate", "."]).arg(&packages);
        command
    })?;
    let url = format!("http://127.0.0.1:{}/", server.port);
    workspace.run(
        workspace
            .command(&python)
            .args(["-m", "twine", "upload", "--non-interactive", "--repository-url", &url])
            .args(["--username", "nobody", "--password", "none"])
            .args(&files),
    )?;
    let index = format!("{url}simple/");
    for installer in [Installer::Pip, Installer::Uv] {
        install(release, &python, installer, &index)?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Installer {
    Pip,
    Uv,
}

/// Installs the package and DuckDB into an empty environment, and asks for a first answer.
fn install(
    release: &Release<'_>,
    tools: &Path,
    installer: Installer,
    index: &str,
) -> Result<(), Error> {
    let workspace = release.workspace;
    let environment = fresh(&release.folder.join("python-environment"))?;
    let python = environment.join("bin/python3");
    // The uploaded version: the server leaves other names and versions to the public index.
    let wanted = format!("heapquarry=={}", release.version);
    let uv = tools.with_file_name("uv");
    let install = |packages: &[&str]| {
        let mut command = match installer {
            Installer::Pip => workspace.command(&python),
            Installer::Uv => workspace.command(&uv),
        };
        match installer {
            Installer::Pip => command
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .arg("--no-cache-dir"),
            Installer::Uv => {
                command.args(["pip", "install", "--quiet", "--no-cache", "--python"]).arg(&python)
            }
        };
        workspace.run(command.args(["--index-url", index]).args(packages))
    };
    match installer {
        Installer::Pip => {
            workspace.run(workspace.command("python3").args(["-m", "venv"]).arg(&environment))?;
        }
        Installer::Uv => {
            workspace.run(
                workspace.command(&uv).args(["venv", "--quiet", "--clear"]).arg(&environment),
            )?;
        }
    }
    let began = Instant::now();
    install(&[&wanted])?;
    release.try_new_command(&environment.join("bin/heapquarry"), began)?;
    // From the public index.
    install(&["duckdb"])?;
    workspace.run(workspace.command(&python).args(["-c", FIRST_ANSWER]))
}

/// The wheel and the sdist.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(|e| Error::about(folder, &e))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let has = |ending| files.iter().any(|file| file.to_string_lossy().ends_with(ending));
    if has(".whl") && has(".tar.gz") {
        return Ok(files);
    }
    Err(Error(format!("{}: expected a wheel and an sdist: run the step wheel", folder.display())))
}
