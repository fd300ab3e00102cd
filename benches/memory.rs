//! Peak memory of conversions, and the size of what they write, on generated heap snapshots.
//!
//! ```text
//! cargo bench -p heapquarry-benches --bench memory               1 and 4 million nodes
//! cargo bench -p heapquarry-benches --bench memory -- 16         up to 16 million nodes
//! cargo bench -p heapquarry-benches --bench memory -- --test     only whether it runs
//! ```
//!
//! Every conversion is a process of its own, with the allocator of the command; its peak is what Linux says
//! of it, so elsewhere there is no figure.

use heapquarry::{ConvertOptions, Names, RunOptions, convert};
use heapquarry_benches::snapshot;
use std::{
    env,
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::Command,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MODES: [(&str, Names); 2] = [("id", Names::Id), ("text", Names::Text)];

fn main() {
    // `cargo bench` adds `--bench`.
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["convert", input, names, threads] => convert_here(Path::new(input), names, threads),
        ["--test"] => table([1_000, 2_000]),
        [] => table([1_000_000, 4_000_000]),
        [millions] => match millions.parse::<u64>() {
            Ok(millions @ 1..) => table([millions * 250_000, millions * 1_000_000]),
            _ => panic!("{millions} is no number of millions"),
        },
        _ => panic!("expected one number"),
    }
}

/// Prints a row for each conversion; with the larger snapshot also how much each further node took.
fn table(sizes: [u64; 2]) {
    println!("| nodes | JSON | names | threads | peak memory | bytes a further node | output |");
    println!("| ---: | ---: | --- | ---: | ---: | ---: | ---: |");
    let inputs = sizes.map(|nodes| (nodes, generated(nodes)));
    for (name, _) in MODES {
        for threads in ["1", "2", "4"] {
            let mut before = None;
            for (nodes, input) in &inputs {
                let json = fs::metadata(input).expect("it was made").len() as f64;
                let [peak, written] = convert_elsewhere(input, name, threads);
                let peak = (peak > 0.0).then_some(peak);
                let further = before.zip(peak).map(|((fewer, less), peak)| {
                    format!("{:.1}", (peak - less) / (nodes - fewer) as f64)
                });
                let in_mb = |bytes: f64| format!("{:.1} MB", bytes / 1e6);
                println!(
                    "| {nodes} | {} | {name} | {threads} | {} | {} | {}, {:.1} % |",
                    in_mb(json),
                    peak.map_or("unknown".into(), in_mb),
                    further.unwrap_or_default(),
                    in_mb(written),
                    written / json * 100.0
                );
                before = peak.map(|peak| (*nodes, peak));
            }
        }
    }
}

/// A snapshot below `target/`, made if need be.
fn generated(nodes: u64) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory");
    fs::create_dir_all(&folder).expect("a folder for snapshots");
    let path = folder.join(format!("{nodes}.heapsnapshot"));
    if !path.exists() {
        let part = path.with_extension("part");
        let mut file = BufWriter::new(File::create(&part).expect("a file for a snapshot"));
        snapshot::write(nodes, &mut file).and_then(|()| file.flush()).expect("room for a snapshot");
        fs::rename(&part, &path).expect("its name");
    }
    path
}

/// In a process of its own: its peak memory, 0 if unknown, and the bytes that it wrote.
fn convert_elsewhere(input: &Path, names: &str, threads: &str) -> [f64; 2] {
    let this = env::current_exe().expect("the path of this program");
    let output = Command::new(this).arg("convert").arg(input).args([names, threads]).output();
    let output = output.expect("this program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("numbers");
    let mut numbers = text.split_whitespace().map(|number| number.parse().expect("a number"));
    [(); 2].map(|()| numbers.next().expect("two numbers"))
}

/// Prints the peak memory of this process, 0 if unknown, and the bytes that it wrote.
fn convert_here(input: &Path, name: &str, threads: &str) {
    let names = MODES.into_iter().find(|mode| mode.0 == name).expect("id or text").1;
    let run = RunOptions::default().threads(threads.parse().expect("a number of threads"));
    let options = ConvertOptions::default().names(names).force(true).run(run);
    let output = input.with_extension("tables");
    let report = convert(&[input], &output, &options).expect("a sound snapshot");
    let files = fs::read_dir(report.path).expect("a directory");
    let bytes = files.map(|file| file.and_then(|file| file.metadata()).expect("a file").len());
    println!("{} {}", peak().unwrap_or(0), bytes.sum::<u64>());
}

fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
