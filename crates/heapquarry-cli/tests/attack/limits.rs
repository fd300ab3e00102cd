//! Limits of the system are errors, not signals.

use super::{command, corpus, duckdb, ended, failing, heapquarry, verbs};
use std::{
    fs,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// SIGXFSZ used to end the process, and to leave a partial directory.
#[test]
fn a_limit_for_the_size_of_files_is_an_error() {
    for (input, blocks) in
        [("node18.heapsnapshot.gz", 200), ("handmade/v8-timeline.heaptimeline", 1)]
    {
        let dir = tempfile::tempdir().unwrap();
        let input = fs::canonicalize(corpus().join(input)).unwrap();
        let limited = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
        let output = Command::new("sh")
            .args(["-c", &limited, env!("CARGO_BIN_EXE_heapquarry"), "convert", "-q"])
            .arg(&input)
            .args(["-o", "out"])
            .current_dir(&dir)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{input:?}: {error}");
        assert!(error.contains("File too large") && error.lines().count() == 1, "{error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{input:?}: something is left");
    }
}

/// Each verb that reads an input.
const ASKED: &[&[&str]] = &[
    &["convert", "-q", "IN", "-o", "out"],
    &["convert", "-q", "--analyze", "IN", "-o", "out"],
    &["info", "IN"],
    &["summary", "-q", "IN"],
    &["show", "-q", "IN", "--class", "Object"],
    &["why", "-q", "IN", "--class", "Object"],
    &["find", "-q", "IN", "--text", "a"],
    &["diff", "-q", "IN", "IN"],
    &["leaks", "-q", "IN", "IN"],
    &["check", "-q", "IN", "--budget", "BUDGET"],
    &["report", "-q", "IN", "-o", "out"],
    &["open", "-q", "--no-browser", "IN"],
    &["export", "IN", "--to", "collapsed"],
    &["extract", "IN", "-o", "out"],
    &["query", "-q", "IN", "SELECT 1"],
    &["redact", "-q", "IN", "out"],
    &["redact", "-q", "--audit", "IN"],
    &["index", "-q", "IN"],
];

/// Verbs that read what is no file. Other tests hold their limits: those of live processes, and of clients.
const ELSEWHERE: &[&str] = &["capture", "mcp"];

/// The verbs that have an option, as they are asked about this input.
fn asked(option: &str, input: &Path, budget: &Path) -> Vec<Vec<String>> {
    let of = |word: &&str| match *word {
        "IN" => input.display().to_string(),
        "BUDGET" => budget.display().to_string(),
        word => word.to_string(),
    };
    let with: Vec<String> = verbs::with(option);
    let asked = ASKED.iter().filter(|args| with.iter().any(|verb| verb == args[0]));
    for verb in with.iter().filter(|verb| !ELSEWHERE.contains(&verb.as_str())) {
        assert!(ASKED.iter().any(|args| args[0] == verb), "{verb} --{option} has no case");
    }
    let is_there = |args: &&&[&str]| args[0] != "query" || duckdb().is_some();
    asked.filter(is_there).map(|args| args.iter().map(of).collect()).collect()
}

/// What is in a folder besides the cache, which is kept.
fn left(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| !name.contains("cache")).collect()
}

/// Each is given a value that its input exceeds, and says which option to use. Nothing is left.
#[test]
fn each_limit_holds_in_each_verb_that_has_it() {
    let (dir, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let heap = fs::canonicalize(corpus().join("node18.heapsnapshot.gz")).unwrap();
    let profile = fs::canonicalize(corpus().join("profiles/node26.cpuprofile")).unwrap();
    let budget = kept.path().join("budget.toml");
    fs::write(&budget, "[total]\nsize = \"1 GB\"\n").unwrap();
    for (option, value, told) in [
        ("max-spool", "10kB", "would exceed 10000 bytes; use --max-spool"),
        ("memory", "1kB", "; use --memory SIZE to set another limit\n"),
        ("threads", "0", "--threads"),
    ] {
        for mut args in asked(option, &heap, &budget) {
            // Only profiles are exported, and keep anything.
            if args[0] == "export" && option == "memory" {
                args[1] = profile.display().to_string();
            }
            args.extend([format!("--{option}"), value.into()]);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let refused = failing(dir.path(), &args);
            let error = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(2), "{args:?}: {error}");
            assert!(error.contains(told), "{args:?}: {error}");
            assert_eq!(left(dir.path()), [""; 0], "{args:?}: something is left");
        }
    }
}

/// While it reads what nobody writes.
#[test]
fn each_verb_ends_when_it_is_interrupted() {
    use nix::{
        sys::{
            signal::{Signal, kill},
            stat::Mode,
        },
        unistd::{Pid, mkfifo},
    };
    let (dir, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (fifo, budget) = (kept.path().join("fifo"), kept.path().join("budget.toml"));
    mkfifo(&fifo, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
    fs::write(&budget, "[total]\nsize = \"1 GB\"\n").unwrap();
    for args in asked("max-spool", &fifo, &budget) {
        // What can be read only once has no index.
        if args[0] == "index" {
            continue;
        }
        let mut command = command(dir.path());
        command.args(&args).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut run = command.spawn().unwrap();
        // It opens once somebody reads.
        let until = Instant::now() + Duration::from_secs(60);
        let writer = loop {
            let mut options = fs::File::options();
            let how = options.write(true).custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits());
            match how.open(&fifo) {
                Ok(writer) => break writer,
                Err(_) if Instant::now() < until && run.try_wait().unwrap().is_none() => {
                    thread::sleep(Duration::from_millis(5));
                }
                Err(error) => {
                    let _ = run.kill();
                    panic!("{args:?}: {error}: {:?}", run.wait_with_output());
                }
            }
        };
        kill(Pid::from_raw(run.id().cast_signed()), Signal::SIGINT).unwrap();
        let done = ended(run);
        drop(writer);
        let error = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(130), "{args:?}: {error}");
        assert_eq!(left(dir.path()), [""; 0], "{args:?}: something is left");
    }
}

/// A packed snapshot with its header as the last member.
fn header_last(packed: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let extracted = heapquarry(dir.path(), &["extract", packed, "-o", "."]);
    let path = String::from_utf8(extracted.stdout).unwrap();
    let text = fs::read_to_string(dir.path().join(path.trim_end())).unwrap();
    let nodes = text.find("\"nodes\":").unwrap();
    let header = text[1..nodes].trim_end().trim_end_matches(',');
    let rest = text[nodes..].trim_end().strip_suffix('}').unwrap();
    format!("{{{rest},{header}}}")
}

#[test]
fn an_analysis_that_needs_more_memory_than_allowed_is_refused() {
    let (dir, inputs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let input = fs::canonicalize(corpus().join("node18.heapsnapshot.gz")).unwrap();
    let input = input.to_str().unwrap();
    // Its header comes last, so nothing tells before how much there is.
    let reversed = inputs.path().join("reversed.heapsnapshot");
    fs::write(&reversed, header_last(input)).unwrap();
    let converted = inputs.path().join("converted");
    let made = ["convert", "-q", "--names", "id", input, "-o", converted.to_str().unwrap()];
    assert!(heapquarry(dir.path(), &made).status.success());
    let [reversed, converted] = [&reversed, &converted].map(|path| path.to_str().unwrap());
    for args in [
        &["convert", "-q", "--analyze", input, "-o", "out"][..],
        &["summary", "-q", input],
        &["why", "-q", input, "--class", "Object"],
        &["diff", "-q", input, input],
        &["leaks", "-q", input, input],
        &["convert", "-q", "--analyze", reversed, "-o", "out"],
        &["summary", "-q", reversed],
        &["summary", "-q", converted],
        &["diff", "-q", converted, converted],
    ] {
        let with = |memory| heapquarry(dir.path(), &[args, &["--memory", memory]].concat());
        let refused = with("100kB");
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.starts_with("error: not enough memory ("), "{error}");
        assert!(error.contains("the limit is 100000 bytes"), "{error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{args:?}: something is left");
        let done = with("1GB");
        let error = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{args:?}: {error}");
        let _ = fs::remove_dir_all(dir.path().join("out"));
    }
    // What is kept of the first heap is in memory while the last is read, and both while those between are.
    let stderr = |args: &[&str], memory: u64| {
        let run = heapquarry(dir.path(), &[args, &["--memory", &memory.to_string()]].concat());
        (run.status.code(), String::from_utf8(run.stderr).unwrap())
    };
    let number_after = |words: &str, error: &str| -> u64 {
        let (_, number) = error.split_once(words).expect(error);
        number.split([' ', ';']).next().unwrap().parse().unwrap()
    };
    let (_, error) = stderr(&["summary", "-q", input], 1);
    let needed = number_after("takes about ", &error);
    let nodes = number_after("the analysis of ", &error);
    let (two, three) = (&["diff", "-q", input, input][..], &["diff", "-q", input, input, input]);
    let base = 32 * nodes;
    let (_, error) = stderr(three, needed + base);
    let held = number_after("of which other inputs take about ", &error);
    assert!((needed / 2..needed).contains(&(held - base)), "{error}");
    for (args, memory, held) in [(two, needed + base, base), (three, needed + held, held)] {
        let expected = format!("of which other inputs take about {held};");
        let (code, error) = stderr(args, memory - 1);
        assert!(code == Some(2) && error.contains(&expected), "{error}");
        assert_eq!(stderr(args, memory), (Some(0), String::new()), "{args:?}");
    }
    for (args, memory) in [
        (&["summary", "-q", input][..], needed),
        // Which reads one after the other.
        (&["leaks", "-q", input, input, input], needed),
    ] {
        assert_eq!(stderr(args, memory), (Some(0), String::new()), "{args:?}");
    }
    let trace = fs::canonicalize(corpus().join("traces/node26.trace.json.gz")).unwrap();
    let trace = trace.to_str().unwrap();
    for args in [
        &["convert", "-q", trace, "-o", "out"][..],
        &["summary", "-q", trace],
        &["diff", "-q", trace, trace],
    ] {
        let with = |memory| heapquarry(dir.path(), &[args, &["--memory", memory]].concat());
        let refused = with("1kB");
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(" events takes about ") && error.contains("1000 bytes"), "{error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{args:?}: something is left");
        let done = with("100MB");
        let error = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{args:?}: {error}");
        let _ = fs::remove_dir_all(dir.path().join("out"));
    }
    // A trace that is read with few claims: other threads may have found its end before its events are gathered.
    let ftrace = fs::canonicalize(corpus().join("ftrace/tgid.ftrace")).unwrap();
    let ftrace = ftrace.to_str().unwrap();
    for threads in ["1", "2", "3", "4"] {
        let args = ["convert", "-q", "--memory", "10kB", "--threads", threads, ftrace, "-o", "out"];
        let refused = heapquarry(dir.path(), &args);
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{threads} threads: {error}");
        let expected = "the analysis of the first 251 events takes about 10040 bytes";
        assert!(error.contains(expected), "{threads} threads: {error}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{threads} threads: something is left");
    }
    let tables =
        ["convert", "-q", "--memory", "1kB", "--tables", "trace_event", trace, "-o", "out"];
    let plain = heapquarry(dir.path(), &tables);
    assert_eq!(plain.status.code(), Some(0), "{}", String::from_utf8_lossy(&plain.stderr));
    fs::remove_dir_all(dir.path().join("out")).unwrap();
    // Without an analysis and names as text a heap takes no more memory than its row groups.
    let ids = ["convert", "-q", "--memory", "1kB", "--names", "id", input, "-o", "out"];
    let plain = heapquarry(dir.path(), &ids);
    assert_eq!(plain.status.code(), Some(0), "{}", String::from_utf8_lossy(&plain.stderr));
}
