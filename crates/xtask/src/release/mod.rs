//! A release as far as it goes without publishing: everything is packed, handed to registries on loopback, and
//! installed from them as users install it. What is handed out is collected with checksums.

mod artifacts;
mod crates;
mod loopback;
mod python;
mod versions;

use crate::{
    npm, wheel,
    workspace::{Error, Workspace, run},
};
use std::{fs, path::PathBuf};

const USAGE: &str =
    "usage: cargo xtask release --dry-run [--profile=dev|release|dist] [--only=STEP,...] [--tag=TAG]
steps: versions, crates, wheel, python, npm, artifacts
With a tag, it must be that of the version, and the changelog must have a section of that.
It publishes nothing: RELEASING.md says how a person does.";

/// What a step needs.
struct Release<'a> {
    workspace: &'a Workspace,
    version: &'static str,
    /// The profile of wheels and npm packages.
    profile: &'a str,
    /// The tag that starts the release, if there is one.
    tag: Option<&'a str>,
    /// Where steps keep their files: below the folder of builds.
    folder: PathBuf,
}

/// One step: its name for `--only`, what it shows, and the work.
type Step = (&'static str, &'static str, fn(&Release<'_>) -> Result<(), Error>);

const STEPS: [Step; 6] = [
    ("versions", "one version everywhere, and changes to tell", versions::check),
    ("crates", "crates, packed and installed from a registry", crates::check),
    ("wheel", "wheel and sdist, built and tested", |release| {
        wheel::wheel(release.workspace, &[&format!("--profile={}", release.profile)])
    }),
    ("python", "wheel and sdist, uploaded and installed by pip and uv", python::check),
    ("npm", "npm packages, installed from a registry by npm, pnpm and yarn", |release| {
        npm::npm(release.workspace, &[&format!("--profile={}", release.profile)])?;
        npm::test_installation(release.workspace)
    }),
    (
        "artifacts",
        "files to hand out, with checksums, a list of contents, and sizes",
        artifacts::check,
    ),
];

/// `cargo xtask release --dry-run`.
///
/// # Errors
///
/// The first step that fails; or anything else than a dry run is asked for.
pub(crate) fn release(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    let (mut is_dry, mut profile, mut only, mut tag) = (false, "dist", None, None);
    for arg in args {
        match arg.split_once('=') {
            None if *arg == "--dry-run" => is_dry = true,
            Some(("--profile", name @ ("dev" | "release" | "dist"))) => profile = name,
            Some(("--tag", name)) => tag = Some(name),
            Some(("--only", steps)) => only = Some(steps.split(',').collect::<Vec<_>>()),
            _ => return Err(Error(format!("unexpected argument {arg}\n{USAGE}"))),
        }
    }
    if !is_dry {
        return Err(Error(USAGE.into()));
    }
    let is_step = |name: &&str| STEPS.iter().any(|step| step.0 == *name);
    if let Some(unknown) = only.iter().flatten().find(|name| !is_step(name)) {
        return Err(Error(format!("unknown step {unknown}\n{USAGE}")));
    }
    let folder = workspace.target().join("dry-run");
    fs::create_dir_all(&folder).map_err(|e| Error::about(&folder, &e))?;
    let release = Release { workspace, version: env!("CARGO_PKG_VERSION"), profile, tag, folder };
    for (name, what, step) in STEPS {
        if only.as_ref().is_none_or(|only| only.contains(&name)) {
            println!("\n== {name}: {what}");
            step(&release).map_err(|e| Error(format!("release, step {name}: {e}")))?;
        }
    }
    println!("\nNothing was published. RELEASING.md has the commands that do.");
    Ok(())
}

impl Release<'_> {
    /// Runs an installed command as a new user does: its version, and a first answer.
    fn try_command(&self, command: &std::path::Path) -> Result<(), Error> {
        let mut version = self.workspace.command(command);
        let output = version.arg("--version").output();
        let output = output.map_err(|e| Error::about(command, &e))?;
        let said = String::from_utf8_lossy(&output.stdout);
        if said.trim() != format!("heapquarry {}", self.version) {
            return Err(Error(format!("{} --version says {said:?}", command.display())));
        }
        run(self
            .workspace
            .command(command)
            .args(["summary", "corpus/node24-numeric.heapsnapshot.gz"])
            .stdout(std::process::Stdio::null()))
    }
}
