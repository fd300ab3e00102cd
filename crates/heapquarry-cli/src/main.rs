//! The `heapquarry` command: see the library of this crate.
#![forbid(unsafe_code)]

use std::process::ExitCode;

// Column buffers of a megabyte come and go with every row group; the system's allocator would give
// each back to the kernel and take it again page by page.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    heapquarry_cli::command(std::env::args_os().collect()).into()
}
