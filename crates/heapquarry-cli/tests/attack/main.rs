//! What strangers can put into files, and what a system can refuse: neither acts on who looks at the result, nor leaves
//! anything half done.

#![cfg(unix)]

mod hostile;
mod limits;

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn heapquarry(dir: &Path, args: &[&str]) -> Output {
    let output =
        Command::new(env!("CARGO_BIN_EXE_heapquarry")).args(args).current_dir(dir).output();
    output.unwrap()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}
