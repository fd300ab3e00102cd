//! The `heapquarry` command: see the library of this crate.
#![forbid(unsafe_code)]

use heapquarry_cli::allocator::Allocator;
use mimalloc::MiMalloc;
use std::process::ExitCode;

// Column buffers of a megabyte come and go with every row group; the system's allocator would give each back to the
// kernel and take it again page by page.
#[global_allocator]
static ALLOCATOR: Allocator<MiMalloc> = Allocator(MiMalloc);

fn main() -> ExitCode {
    heapquarry_cli::command_on_own_stack(std::env::args_os().collect()).into()
}
