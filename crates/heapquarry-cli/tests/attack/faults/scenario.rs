//! A run of the command with failing calls, and what must hold after it.

use std::{
    collections::BTreeMap,
    fmt, fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// A call that fails.
#[derive(Clone)]
pub(crate) struct Fault(String);

impl Fault {
    /// Call number `n` of all, counted from 1.
    pub(crate) fn any(n: usize, what: &str) -> Self {
        Fault(format!("*:{n}:{what}"))
    }

    /// Call number `n` of a function.
    pub(crate) fn named(name: &str, n: usize, what: &str) -> Self {
        Fault(format!("{name}:{n}:{what}"))
    }

    /// Call number `n` of a function, and all later ones.
    pub(crate) fn named_from(name: &str, n: usize, what: &str) -> Self {
        Fault(format!("{name}:{n}+:{what}"))
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the command is told to do.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Its output is `out`.
    pub(crate) args: &'static [&'static str],
    /// What makes the directory that is there before.
    pub(crate) old: Option<&'static [&'static str]>,
    /// Faults of every run.
    pub(crate) always: &'static str,
}

/// How a run ended.
pub(crate) struct Outcome {
    /// `None` if it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
}

/// Files by their paths in a directory.
pub(crate) type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// The library that has calls fail; `None`, with a word, without a C compiler.
pub(crate) fn shim() -> Option<&'static Path> {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attack/faults/shim.c");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults.so");
        let options = ["-shared", "-fPIC", "-O1", "-o"];
        let made = Command::new("cc").args(options).arg(&library).arg(source).arg("-ldl").status();
        match made {
            Ok(status) => {
                assert!(status.success(), "shim.c does not compile");
                Some(library)
            }
            Err(error) => {
                eprintln!("skipped: there is no C compiler (cc): {error}");
                None
            }
        }
    };
    SHIM.get_or_init(make).as_deref()
}

impl Scenario {
    /// The calls of a run without faults of its own, by name.
    pub(crate) fn calls(&self) -> Vec<String> {
        let dir = self.begin();
        let always = (!self.always.is_empty()).then(|| Fault(self.always.to_owned()));
        calls_with(dir.path(), self.args, always.as_slice())
    }

    /// How a run ends.
    pub(crate) fn outcome(&self, faults: &[Fault]) -> Outcome {
        self.start(self.begin().path(), faults)
    }

    /// A run that these faults do not change.
    pub(crate) fn is_unchanged(&self, faults: &[Fault]) -> Result<(), String> {
        let dir = self.begin();
        let Outcome { code, stderr } = self.start(dir.path(), faults);
        let (now, strays) = (tree(&dir.path().join("out")), hidden(dir.path()));
        if code != Some(0)
            || !stderr.is_empty()
            || !strays.is_empty()
            || now.as_ref() != Some(self.trees().1)
        {
            return Err(format!(
                "ends with {code:?}, {stderr:?}, out: {:?}, leaves {strays:?}",
                names(now.as_ref())
            ));
        }
        Ok(())
    }

    /// A run with these faults, and one without after it. What does not hold is the error.
    pub(crate) fn run(&self, faults: &[Fault]) -> Result<(), String> {
        let dir = self.begin();
        let dir = dir.path();
        let (old, new) = self.trees();
        let Outcome { code, stderr } = self.start(dir, faults);
        let now = tree(&dir.join("out"));
        let stray = hidden(dir).into_iter().find(|name| !is_ours(name));
        if let Some(stray) = stray {
            return Err(format!("{stray} is left"));
        }
        let is_old = now == *old;
        let is_new = now.as_ref() == Some(new);
        let is_kept = now.is_none() && hidden(dir).iter().any(|name| name.ends_with(".old"));
        let holds = match code {
            Some(0) => is_new,
            Some(2) => {
                let line = stderr.strip_suffix('\n').unwrap_or_default();
                if !line.starts_with("error: ") || line.contains('\n') {
                    return Err(format!("says {stderr:?}"));
                }
                is_old || is_kept && line.contains("the next run with this output restores it")
            }
            None => is_old || is_new || is_kept,
            Some(_) => false,
        };
        if !holds {
            return Err(format!("ends with {code:?}, {stderr:?}, out: {:?}", names(now.as_ref())));
        }
        self.next(dir, is_kept)
    }

    /// The run after a failed one.
    fn next(&self, dir: &Path, is_kept: bool) -> Result<(), String> {
        let (old, new) = self.trees();
        if is_kept {
            // Without --force it does nothing but put the old one back.
            let args: Vec<_> = self.args.iter().copied().filter(|arg| *arg != "--force").collect();
            let Outcome { code, stderr } = run(dir, &args, &[]);
            if code != Some(2) || tree(&dir.join("out")) != *old {
                return Err(format!("the old one is not put back: {code:?}, {stderr:?}"));
            }
        }
        let args: Vec<_> = self.args.iter().copied().chain(["--force"]).collect();
        let args = if self.args.contains(&"--force") { self.args } else { &args[..] };
        let Outcome { code, stderr } = run(dir, args, &[]);
        let strays = hidden(dir);
        let now = tree(&dir.join("out"));
        if code != Some(0) || !strays.is_empty() || now.as_ref() != Some(new) {
            return Err(format!("the next run ends with {code:?}, {stderr:?}, leaves {strays:?}"));
        }
        Ok(())
    }

    /// What is there before the run, and after one without faults.
    fn trees(&self) -> (&Option<Tree>, &Tree) {
        static TREES: OnceLock<BTreeMap<Vec<&str>, Tree>> = OnceLock::new();
        let trees = TREES.get_or_init(|| {
            let all = super::scenarios();
            let all = all.iter().flat_map(|s| [Some(s.args), s.old]).flatten();
            all.map(|args| {
                let dir = inputs();
                let outcome = run(dir.path(), args, &[]);
                assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
                (args.to_vec(), tree(&dir.path().join("out")).unwrap())
            })
            .collect()
        });
        static NONE: Option<Tree> = None;
        static OLD: OnceLock<Option<Tree>> = OnceLock::new();
        let old = match self.old {
            None => &NONE,
            Some(old) => OLD.get_or_init(|| Some(trees[&old.to_vec()].clone())),
        };
        (old, &trees[&self.args.to_vec()])
    }

    /// A directory with the inputs, and the old output if there is one.
    fn begin(&self) -> tempfile::TempDir {
        let dir = inputs();
        for (path, content) in self.trees().0.iter().flatten() {
            let path = dir.path().join("out").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        dir
    }

    fn start(&self, dir: &Path, faults: &[Fault]) -> Outcome {
        let always = (!self.always.is_empty()).then(|| Fault(self.always.to_owned()));
        let faults: Vec<_> = always.into_iter().chain(faults.iter().cloned()).collect();
        start(dir, self.args, &faults)
    }
}

/// How a run with faults ends.
pub(crate) fn start(dir: &Path, args: &[&str], faults: &[Fault]) -> Outcome {
    start_with(dir, args, faults, None)
}

fn start_with(dir: &Path, args: &[&str], faults: &[Fault], log: Option<&Path>) -> Outcome {
    let faults = faults.iter().map(|fault| fault.0.as_str()).collect::<Vec<_>>().join(",");
    let mut variables = vec![
        ("LD_PRELOAD", shim().expect("checked by the test").as_os_str()),
        ("FAULTS", faults.as_ref()),
    ];
    variables.extend(log.map(|log| ("FAULTS_LOG", log.as_os_str())));
    run(dir, args, &variables)
}

/// The calls of a run without faults, by name, and its output, which is removed.
pub(crate) fn calls(dir: &Path, args: &[&str]) -> (Vec<String>, Tree) {
    let calls = calls_of(dir, args);
    let out = dir.join("out");
    let tree = tree(&out).unwrap();
    fs::remove_dir_all(out).unwrap();
    (calls, tree)
}

/// The calls of a run without faults, by name.
pub(crate) fn calls_of(dir: &Path, args: &[&str]) -> Vec<String> {
    calls_with(dir, args, &[])
}

fn calls_with(dir: &Path, args: &[&str], faults: &[Fault]) -> Vec<String> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let outcome = start_with(dir, args, faults, Some(log.path()));
    assert_eq!(outcome.code, Some(0), "{args:?}: {}", outcome.stderr);
    let calls = fs::read_to_string(log.path()).unwrap();
    calls.lines().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
}

/// Up to so many of the numbers from 1 to `count`, evenly chosen.
pub(crate) fn sample(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let wanted = count.min(most.max(1));
    (0..wanted).map(move |n| n * count / wanted + 1)
}

/// A directory with one file of the corpus, under that name.
pub(crate) fn one_input(input: &str, name: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    fs::copy(corpus.join(input), dir.path().join(name)).unwrap();
    dir
}

/// How many threads a run starts, without faults.
pub(crate) fn threads(dir: &Path, args: &[&str]) -> usize {
    let log = tempfile::NamedTempFile::new().unwrap();
    let shim = shim().expect("checked by the test").as_os_str();
    let variables = [("LD_PRELOAD", shim), ("FAULTS_LOG", log.path().as_os_str())];
    let outcome = run_as_told(dir, args, &variables);
    assert_eq!(outcome.code, Some(0), "{args:?}: {}", outcome.stderr);
    let calls = fs::read_to_string(log.path()).unwrap();
    calls.lines().filter(|line| line.ends_with(" pthread_create")).count()
}

/// Runs the command in a directory. Its output is `out`.
fn run(dir: &Path, args: &[&str], variables: &[(&str, &std::ffi::OsStr)]) -> Outcome {
    run_as_told(dir, &[args, &["-o", "out"]].concat(), variables)
}

fn run_as_told(dir: &Path, args: &[&str], variables: &[(&str, &std::ffi::OsStr)]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapquarry"));
    command.args(args).current_dir(dir).envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.signal().is_none_or(|signal| signal == 9), "{:?}", output.status);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Outcome { code: output.status.code(), stderr }
}

/// A directory with the inputs of all scenarios.
fn inputs() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    for name in ["bun.heapsnapshot", "v8-timeline.heaptimeline"] {
        fs::copy(corpus.join(name), dir.path().join(name)).unwrap();
    }
    dir
}

/// The files below a directory; `None` without one.
pub(crate) fn tree(root: &Path) -> Option<Tree> {
    let mut files = Tree::new();
    let mut rest = vec![root.to_owned()];
    while let Some(dir) = rest.pop() {
        for entry in fs::read_dir(&dir).ok()? {
            let path = entry.unwrap().path();
            if path.is_dir() {
                rest.push(path);
            } else {
                files.insert(path.strip_prefix(root).unwrap().into(), fs::read(path).unwrap());
            }
        }
    }
    Some(files)
}

fn names(tree: Option<&Tree>) -> Option<Vec<&PathBuf>> {
    tree.map(|tree| tree.keys().collect())
}

/// Hidden names in a directory.
fn hidden(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.')).collect()
}

/// Whether a hidden name is one that the next run knows.
fn is_ours(name: &str) -> bool {
    let token = name.strip_prefix(".out.heapquarry-").and_then(|rest| {
        [".lock", ".partial", ".old"].iter().find_map(|suffix| rest.strip_suffix(suffix))
    });
    token.is_some_and(|token| token.len() == 16 && token.bytes().all(|b| b.is_ascii_hexdigit()))
}
