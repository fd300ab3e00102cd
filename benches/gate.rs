//! One case of the gate, for callgrind: see `cargo xtask gate`.
//!
//! ```text
//! gate FOLDER          makes the files that cases need in FOLDER; prints the names of the cases
//! gate FOLDER CASE     runs a case
//! ```

use heapquarry_benches::cases::{self, Run};
use std::{hint::black_box, path::Path, process::ExitCode};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [folder] => {
            let folder = Path::new(folder);
            if let Err(error) = cases::make_files(folder) {
                eprintln!("gate: {}: {error}", folder.display());
                return ExitCode::FAILURE;
            }
            cases::all(folder).iter().for_each(|case| println!("{}", case.name));
            ExitCode::SUCCESS
        }
        [folder, name] => {
            let cases = cases::all(Path::new(folder));
            let Some(case) = cases.into_iter().find(|case| case.name == *name) else {
                eprintln!("gate: no case `{name}`");
                return ExitCode::FAILURE;
            };
            let is_whole = case.is_whole();
            let mut run = case.prepare();
            // What is set up by the first call is not counted. From end to end everything is: it has threads, and
            // callgrind turns counting on in one thread only.
            if !is_whole {
                black_box(run());
            }
            black_box(counted_by_callgrind(&mut run));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: gate FOLDER [CASE]");
            ExitCode::FAILURE
        }
    }
}

/// Callgrind counts what runs below a function of this name.
#[inline(never)]
fn counted_by_callgrind(run: &mut Run) -> usize {
    // The result is used after the call, so that it is one, and no jump.
    black_box(run()) + 1
}
