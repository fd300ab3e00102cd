//! A release as far as it goes without publishing: everything is packed, handed to registries on loopback, and
//! installed from them as users install it. What is handed out is collected with checksums.

mod artifacts;
mod crates;
mod loopback;
mod python;
mod versions;

use crate::{
    npm, wheel,
    workspace::{Error, Workspace},
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

const USAGE: &str =
    "usage: cargo xtask release --dry-run [--profile=dev|release|dist] [--only=STEP,...] [--tag=TAG]
steps: versions, crates, wheel, python, npm, artifacts
With a tag, it must be that of the version, and the changelog must have a section of that.
It publishes nothing: RELEASING.md says how a person does.";

/// A heap of 5.5 MB, packed, and how many nodes V8 says that it has.
const HEAP: &str = "corpus/node24-numeric.heapsnapshot.gz";
const NODES: u64 = 62_767;
/// Longest time from the start of an installation to the first right answer. What is on loopback is not downloaded.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

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
        npm::test_installation(release.workspace, FIRST_ANSWER)
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
    /// Runs an installed command as a new user does: its version, and a first answer, which must be right.
    fn try_command(&self, command: &Path) -> Result<(), Error> {
        let say = |args: &[&str]| {
            let output = self.workspace.command(command).args(args).output();
            let output = output.map_err(|e| Error::about(command, &e))?;
            Ok::<_, Error>(String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let said = say(&["--version"])?;
        if said.trim() != format!("heapquarry {}", self.version) {
            return Err(Error(format!("{} --version says {said:?}", command.display())));
        }
        let said = say(&["summary", HEAP, "--json"])?;
        let answer: Value = serde_json::from_str(&said).unwrap_or_default();
        if answer["totals"]["node_count"] != NODES {
            let command = command.display();
            return Err(Error(format!("{command} summary {HEAP}: expected {NODES} nodes: {said}")));
        }
        Ok(())
    }

    /// Runs a command whose installation began then. Its first answer must be there soon.
    fn try_new_command(&self, command: &Path, began: Instant) -> Result<(), Error> {
        self.try_command(command)?;
        let time = began.elapsed();
        println!("first answer {:.1} s after the installation began", time.as_secs_f64());
        if time > FIRST_ANSWER {
            return Err(Error(format!("that is more than {} s", FIRST_ANSWER.as_secs())));
        }
        Ok(())
    }
}
