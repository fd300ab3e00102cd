//! The `heapquarry` command: see the library of this crate.
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod allocator;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    allocator::prepare(heapquarry_cli::wants_json_errors(&args));
    heapquarry_cli::command(args).into()
}
