//! One run: an input, a command line, and the rules that its outcome must keep.

use super::{
    Seed,
    mutate::{self, Random},
    stored, wrap,
};
use crate::verbs;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A run that takes longer hangs. Inputs are small, and machines may be busy.
const LONGEST: Duration = Duration::from_secs(60);

/// Kilobytes of address space: what needs more would take as much of any machine.
const MEMORY: &str = "6000000";

const BUDGET: &str = "budget.toml";
/// Of a heap, a profile and a trace.
const BUDGETS: [&str; 3] = [
    "[total]\nsize = [\"1 kB\", \"+5%\"]\ncount = 5\n[class.\"*\"]\nretained = \"+10% and +1 kB\"\n",
    "[function.\"*\"]\nself_share = \"10%\"\n[total]\nsamples = 1\n",
    "[process.\"*\"]\nslice_count = 1\n",
];

/// The list of inputs of a batch.
const LIST: &str = "list";
/// Directories that the command writes before they are damaged.
const TABLES: &str = "tables";
const CACHE: &str = "cache";

/// What is run.
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// The DuckDB command that `query` runs. Without one it ends before the input is opened.
    pub(super) duckdb: Option<PathBuf>,
}

/// A damaged input, and what is done with it.
pub(super) struct Trial {
    pub(super) verb: &'static str,
    pub(super) args: Vec<String>,
    /// What the command does before, and the directory that this writes, which is then damaged.
    before: Option<(Vec<String>, &'static str)>,
    /// The files that the command reads, by name.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// Name of the file that the input was.
    pub(super) seed: String,
}

/// A rule that was broken.
pub(super) struct Finding {
    pub(super) rule: &'static str,
    pub(super) what: String,
}

/// How a run ended.
struct Outcome {
    status: Option<ExitStatus>,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Trial {
    pub(super) fn new(seeds: &[Seed], random: &mut Random) -> Self {
        let seed = &seeds[random.below(seeds.len())];
        let by_value = random.percent(50).then(|| mutate::values(&seed.bytes, random)).flatten();
        let mut damaged = by_value.unwrap_or_else(|| mutate::bytes(&seed.bytes, seeds, random));
        if random.percent(15) {
            damaged = wrapped(&damaged, seeds, random);
        }
        let input = format!("damaged-{}", seed.name);
        let is = |kinds: &[&str]| kinds.iter().any(|kind| seed.name.contains(kind));
        let budget = BUDGETS[match () {
            () if random.percent(5) => random.below(3),
            () if is(&["heapsnapshot", "heaptimeline"]) => 0,
            () if is(&["profile"]) => 1,
            () => 2,
        }];
        let mut files = vec![
            (input.clone(), damaged),
            (seed.name.clone(), seed.bytes.clone()),
            (BUDGET.to_owned(), budget.as_bytes().to_vec()),
            (LIST.to_owned(), format!("{input}\n{}\n", seed.name).into_bytes()),
        ];
        if random.percent(3) {
            let damaged = mutate::bytes(&files[2].1, seeds, random);
            files[2].1 = damaged;
        }
        let before = random.percent(20).then(|| before(&seed.name, random));
        let input = if before.is_some() { TABLES.to_owned() } else { input };
        let (verb, args) = match &before {
            // The cache is what is damaged, not the input.
            Some((args, CACHE)) if args[0] == "index" => {
                ("summary", ["summary", "-q", &seed.name].map(String::from).into())
            }
            Some((args, CACHE)) if random.percent(80) => ("query", args.clone()),
            Some((_, CACHE)) => ("cache", ["cache", "list", "--json"].map(String::from).into()),
            _ => command(input, &seed.name, random),
        };
        Trial { verb, args, before, files, seed: seed.name.clone() }
    }

    /// Runs the command in `scratch`, which is emptied first. Returns the exit code, and the rule that was broken.
    pub(super) fn run(
        &self,
        program: &Program,
        seeds: &[Seed],
        scratch: &Path,
        random: &mut Random,
    ) -> io::Result<(i32, Option<Finding>)> {
        if scratch.exists() {
            fs::remove_dir_all(scratch)?;
        }
        fs::create_dir_all(scratch)?;
        for (name, bytes) in &self.files {
            fs::write(scratch.join(name), bytes)?;
        }
        if let Some((args, dir)) = &self.before {
            start(program, args, scratch)?;
            stored::damage(&scratch.join(dir), seeds, random)?;
        }
        let outcome = start(program, &self.args, scratch)?;
        let code = outcome.status.and_then(|status| status.code()).unwrap_or(-1);
        let mut finding = self.judge(&outcome, code, scratch)?;
        if finding.is_none() && self.verb == "convert" && code == 0 && random.percent(5) {
            finding = self.again(program, scratch)?;
        }
        if finding.is_none() && self.verb == "redact" && code < 2 {
            finding = self.audit(code, program, scratch)?;
        }
        Ok((code, finding))
    }

    fn judge(&self, outcome: &Outcome, code: i32, scratch: &Path) -> io::Result<Option<Finding>> {
        let Outcome { status, out, err } = outcome;
        let err = String::from_utf8_lossy(err);
        let told =
            |rule, what: &str| Ok(Some(Finding { rule, what: what.chars().take(400).collect() }));
        let Some(status) = status else { return told("it ends", "it took more than a minute") };
        let codes: &[i32] = match self.verb {
            "check" | "diff" | "leaks" | "redact" => &[0, 1, 2],
            // Of what is redacted on the way: it still has what looks like a secret.
            "convert" if self.args.iter().any(|arg| arg == "--redact") => &[0, 1, 2],
            // An input failed.
            "batch" => &[0, 2, 3],
            _ => &[0, 2],
        };
        if !codes.contains(&code) || err.contains("panicked") {
            return told("exit codes are documented, nothing panics", &format!("{status}: {err}"));
        }
        let mut lines = err.lines().skip_while(|line| line.starts_with("warning: "));
        // DuckDB quotes the query.
        let is_error = lines.next().is_some_and(|line| {
            let is_only = line.starts_with("error: DuckDB: ") || lines.next().is_none();
            line.starts_with("error: ") && is_only
        });
        if code == 2 && !is_error {
            return told("an error is one line", &err);
        }
        let acts = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
        // Of CSV, that is said in docs/query.md.
        let is_binary = self.args.iter().any(|arg| arg == "pprof" || arg == "csv");
        let text = String::from_utf8_lossy(out);
        if acts(&err) || !is_binary && acts(&text) {
            return told("nothing that is printed acts", &format!("{err:?} {text:?}"));
        }
        let is_json = self.args.iter().any(|arg| arg == "json" || arg == "--json");
        if code < 2 && is_json && serde_json::from_str::<serde_json::Value>(&text).is_err() {
            return told("JSON is JSON", &text);
        }
        let names = fs::read_dir(scratch)?.flatten().map(|entry| entry.file_name());
        let names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        if let Some(name) = names.iter().find(|name| name.starts_with('.')) {
            return told("nothing is left", name);
        }
        let is_there = names.iter().any(|name| name == "out");
        match (self.verb, code) {
            ("convert", 0) => self.check_output(scratch),
            ("convert" | "redact" | "report", 2) if is_there => {
                told("no output that is not whole", &err)
            }
            ("redact" | "report", 0 | 1) if !is_there => told("there is an output", &err),
            ("report", 0) => {
                let page = fs::read(scratch.join("out"))?;
                match page.starts_with(b"<!doctype html>") && page.ends_with(b"</html>\n") {
                    true => Ok(None),
                    false => told("a page is whole", &String::from_utf8_lossy(&page)),
                }
            }
            _ => Ok(None),
        }
    }

    /// Each file that the manifest names begins and ends as Parquet.
    fn check_output(&self, scratch: &Path) -> io::Result<Option<Finding>> {
        let out = scratch.join("out");
        let broken = |what: String| Some(Finding { rule: "the output is whole", what });
        let manifest = fs::read(out.join("_manifest.json")).unwrap_or_default();
        let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(&manifest) else {
            return Ok(broken("_manifest.json is no JSON".into()));
        };
        let Some(tables) = manifest["tables"].as_array() else {
            return Ok(broken("_manifest.json names no tables".into()));
        };
        for file in tables.iter().filter_map(|table| table["file"].as_str()) {
            let bytes = fs::read(out.join(file)).unwrap_or_default();
            if !bytes.starts_with(b"PAR1") || !bytes.ends_with(b"PAR1") {
                return Ok(broken(format!("{file} is no Parquet file")));
            }
        }
        Ok(None)
    }

    /// The copy is audited as it was when it was made. A copy whose end is missing is never clean: nobody looked at it.
    fn audit(&self, code: i32, program: &Program, scratch: &Path) -> io::Result<Option<Finding>> {
        let args = ["redact", "-q", "--audit", "out"].map(String::from);
        let outcome = start(program, &args, scratch)?;
        let what = String::from_utf8_lossy(&outcome.err).into_owned();
        let is_said = match outcome.status.and_then(|status| status.code()) {
            Some(2) => what.contains("what follows was not looked at"),
            status => status == Some(code),
        };
        Ok((!is_said).then_some(Finding { rule: "a copy can be audited again", what }))
    }

    /// Runs the command again with another number of threads: the bytes must be equal, and a command must read them.
    fn again(&self, program: &Program, scratch: &Path) -> io::Result<Option<Finding>> {
        let first = tree(&scratch.join("out"))?;
        let other = |thread: &String| if thread == "1" { "3" } else { "1" }.to_owned();
        let at = self.args.iter().position(|arg| arg == "--threads").map_or(0, |at| at + 1);
        let mut args = self.args.clone();
        args[at] = other(&args[at]);
        args.push("--force".into());
        let outcome = start(program, &args, scratch)?;
        let rule = "the output does not depend on the number of threads";
        let what = String::from_utf8_lossy(&outcome.err).into_owned();
        if outcome.status.and_then(|status| status.code()) != Some(0)
            || tree(&scratch.join("out"))? != first
        {
            return Ok(Some(Finding { rule, what }));
        }
        let outcome = start(program, &["info".into(), "--json".into(), "out".into()], scratch)?;
        let what = String::from_utf8_lossy(&outcome.err).into_owned();
        let is_read = outcome.status.and_then(|status| status.code()) == Some(0);
        Ok((!is_read).then_some(Finding { rule: "the output can be read", what }))
    }
}

/// A container of a damaged file and some others. It is damaged itself in turn.
fn wrapped(damaged: &[u8], seeds: &[Seed], random: &mut Random) -> Vec<u8> {
    let mut files = vec![damaged];
    for _ in 0..random.below(4) {
        files.push(&seeds[random.below(seeds.len())].bytes);
    }
    let container = match random.below(8) {
        0..4 => wrap::archive(&files, random).unwrap_or_default(),
        4..6 => wrap::page(&files, random),
        // What follows the first one is more of it, or does not belong there.
        6 => wrap::gzip(&files).unwrap_or_default(),
        _ => wrap::zstd(&files).unwrap_or_default(),
    };
    match random.percent(50) {
        true => mutate::bytes(&container, seeds, random),
        false => container,
    }
}

/// A command that writes a directory from an input, and that directory.
fn before(whole: &str, random: &mut Random) -> (Vec<String>, &'static str) {
    let (mut args, dir) = match random.percent(80) {
        true => (vec!["convert", "-q", whole, "-o", TABLES, "--threads", "1"], TABLES),
        false if random.percent(50) => (vec!["index", "-q", whole], CACHE),
        false => (vec!["query", "-q", whole, "FROM source"], CACHE),
    };
    if dir == TABLES {
        for (percent, words) in [
            (50, &["--analyze"][..]),
            (20, &["--layout", "hive"]),
            (20, &["--row-group-rows", "7"]),
            (10, &["--encodings", "modern"]),
        ] {
            if random.percent(percent) {
                args.extend(words);
            }
        }
    }
    (args.into_iter().map(String::from).collect(), dir)
}

/// A verb and its arguments. `whole` is the input before it was damaged.
fn command(input: String, whole: &str, random: &mut Random) -> (&'static str, Vec<String>) {
    let mut args: Vec<String> = Vec::new();
    let mut add = |words: &[&str]| args.extend(words.iter().map(|word| (*word).to_owned()));
    let one_of = |verb: &str, option: &str, random: &mut Random| {
        let values = verbs::values(verb, option);
        values[random.below(values.len())].clone()
    };
    let form = |verb: &str, random: &mut Random| one_of(verb, "format", random);
    let pair = |random: &mut Random| match random.percent(50) {
        true => [input.clone(), whole.to_owned()],
        false => [whole.to_owned(), input.clone()],
    };
    let threads = random.pick(&["1", "2", "4"]);
    let verb = match random.below(100) {
        0..3 => {
            add(&["convert", "-q", "--batch", LIST, "-o", "out", "--jobs", threads]);
            for (percent, words) in [
                (40, &["--keep", "summary"][..]),
                (20, &["--label", "a=b"]),
                (20, &["--redact", "full", "--redact-key", BUDGET]),
            ] {
                if random.percent(percent) {
                    add(words);
                }
            }
            "batch"
        }
        3..44 => {
            add(&["convert", "-q", &input, "-o", "out", "--threads", threads]);
            for (percent, words) in [
                (40, &["--analyze"][..]),
                (30, &["--names", "id"]),
                (20, &["--layout", "hive"]),
                (10, &["--encodings", "modern"]),
                (5, &["--strict"]),
                (5, &["--max-spool", "100kB"]),
                (5, &["--memory", "20kB"]),
                (5, &["--tables", "js_heap_nodes,js_cpu_profiler_node,slice"]),
                (5, &["--columns", "js_heap_nodes.id,js_cpu_profiler_node.node_id,slice.name"]),
                // With a key, the same tokens in each run.
                (5, &["--redact", "names", "--redact-key", BUDGET]),
            ] {
                if random.percent(percent) {
                    add(words);
                }
            }
            if random.percent(20) {
                add(&["--row-group-rows", random.pick(&["1", "3", "7", "100"])]);
            }
            if random.percent(10) {
                add(&["--compression", random.pick(&["none", "snappy", "lz4", "zstd:3"])]);
            }
            if random.percent(10) {
                add(&["--read-window", random.pick(&["1", "17", "1000"])]);
            }
            "convert"
        }
        44..50 => {
            add(&["redact", "-q", &input, "out", "--level", &one_of("redact", "level", random)]);
            "redact"
        }
        50..60 => {
            let form = form("summary", random);
            add(&["summary", "-q", &input, "--format", &form, "--threads", threads]);
            "summary"
        }
        60..63 => {
            add(&["report", "-q", &input, "-o", "out"]);
            "report"
        }
        63..64 => {
            add(&["views", &input]);
            "views"
        }
        64..65 => {
            add(&["index", "-q", &input]);
            "index"
        }
        65..72 => {
            add(&["info", &input]);
            if random.percent(50) {
                add(&["--json"]);
            }
            "info"
        }
        72..79 => {
            let form = form("check", random);
            add(&["check", "-q", &input, "--budget", BUDGET, "--format", &form]);
            if random.percent(50) {
                add(&["--baseline", whole]);
            }
            "check"
        }
        79..84 => {
            add(&["extract", &input, "-o", "out"]);
            "extract"
        }
        84..86 => {
            let verb = random.pick(&["show", "find"]);
            add(&[verb, "-q", &input, "--class", "*", "--format", &form(verb, random)]);
            verb
        }
        86..88 => {
            add(&["why", "-q", &input, "--class", "*", "--format", &form("why", random)]);
            "why"
        }
        88..93 => {
            let [base, current] = pair(random);
            add(&["diff", "-q", &base, &current, "--format", &form("diff", random)]);
            "diff"
        }
        93..95 => {
            let [base, current] = pair(random);
            let form = form("leaks", random);
            add(&["leaks", "-q", &base, &current, "--format", &form]);
            if random.percent(50) {
                add(&[&input]);
            }
            "leaks"
        }
        95..97 => {
            // The others are binary.
            let form = random.pick(&["table", "json", "csv", "markdown"]);
            let sql = random.pick(&[
                "FROM heap_object",
                "FROM thread_slice",
                "FROM source",
                "FROM import_log",
            ]);
            add(&["query", "-q", "--no-cache", &input, sql, "--format", form]);
            "query"
        }
        _ => {
            add(&["export", "--to", &one_of("export", "to", random), &input]);
            "export"
        }
    };
    (verb, args)
}

/// Runs the command with a limit of address space, where the system has one, and of time.
fn start(program: &Program, args: &[String], dir: &Path) -> io::Result<Outcome> {
    let mut command = if cfg!(unix) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -c 0 -v {MEMORY} 2>/dev/null; exec \"$0\" \"$@\"")]);
        shell.arg(&program.path);
        shell
    } else {
        Command::new(&program.path)
    };
    command.env("HEAPQUARRY_CACHE_DIR", dir.join(CACHE));
    if let Some(duckdb) = &program.duckdb {
        command.env("HEAPQUARRY_DUCKDB", duckdb);
    }
    // Into files, so that nobody has to read while it runs.
    let (out, err) = (dir.join("stdout"), dir.join("stderr"));
    command.args(args).current_dir(dir).stdin(Stdio::null());
    command.stdout(fs::File::create(&out)?).stderr(fs::File::create(&err)?);
    let status = wait(command.spawn()?)?;
    let outcome = Outcome { status, out: fs::read(&out)?, err: fs::read(&err)? };
    fs::remove_file(out)?;
    fs::remove_file(err)?;
    Ok(outcome)
}

/// Waits for the end; `None` if it had to be killed.
fn wait(mut child: Child) -> io::Result<Option<ExitStatus>> {
    let (start, mut pause) = (Instant::now(), Duration::from_micros(500));
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(4));
    }
}

/// The files below a directory.
fn tree(root: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut rest = vec![root.to_owned()];
    while let Some(dir) = rest.pop() {
        for entry in fs::read_dir(&dir)? {
            let path = entry?.path();
            if path.is_dir() {
                rest.push(path);
            } else {
                files.insert(path.to_string_lossy().into_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(files)
}
