//! The allocator of the command and of the Python package, and what happens when there is no memory.
//!
//! Of itself a Rust program prints a trace then, and ends with a signal. This one says it in one line, removes what is
//! unfinished, as the second interrupt does, and ends with the exit code for errors. An interpreter around it ends too:
//! work on several threads cannot be given up in the middle of an allocation. Whoever can go on without the memory says
//! so before: [`heapquarry::tables::fallible`].

use crate::{advice::MORE_MEMORY, exit::ExitCode};
use heapquarry::tables::fallible::may_fail;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fmt::Display,
    hint::black_box,
    io::{IsTerminal, Write},
    panic, ptr,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
    thread,
    time::Duration,
};

/// Another allocator. Allocations that it refuses end the process.
#[derive(Debug)]
pub struct Allocator<A>(pub A);

// SAFETY: all calls go to the other allocator as they are, and its answers back. A null pointer that nobody expects
// does not return.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Allocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        given(unsafe { self.0.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        given(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        given(unsafe { self.0.realloc(old, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the same contract.
        unsafe { self.0.dealloc(memory, layout) }
    }
}

#[inline]
fn given(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        refused(size);
    }
    memory
}

/// Ends the process, unless somebody expects that there may be no memory.
#[cold]
#[inline(never)]
fn refused(size: usize) {
    if !may_fail() {
        end(&format_args!("{size} bytes"));
    }
}

/// Address space that is kept for the end: removing files takes some.
const SPARE: Layout = match Layout::from_size_align(4 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};
static KEPT: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
/// Whether errors are JSON.
static IS_JSON: AtomicBool = AtomicBool::new(false);
/// Whether the process is ending for want of memory.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    static ENDS_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Prepares for the end: keeps some address space, once, and catches threads that get none.
pub fn prepare() {
    if KEPT.load(Ordering::Relaxed).is_null() {
        // SAFETY: the size is not 0. The system gives so much back to the kernel when it is freed.
        KEPT.store(unsafe { System.alloc(SPARE) }, Ordering::Relaxed);
        share_arena();
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let message = info.payload().downcast_ref::<String>();
            if message.is_some_and(|message| is_of_a_signal_stack(message)) {
                end(&"a stack for the signals of a thread");
            }
            before(info)
        }));
    }
}

/// Has all threads use the first arena of glibc. Each would take 64 MB of address space for its own otherwise. Where
/// that is refused, it takes a page for each allocation of libc, and aborts the process if it does not get the one for
/// its destructors (glibc, `malloc/arena.c` and `stdlib/cxa_thread_atexit_impl.c`). What is ours comes from another
/// allocator.
fn share_arena() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it changes one number of libc's allocator.
    unsafe {
        nix::libc::mallopt(nix::libc::M_ARENA_MAX, 1);
    }
}

/// Whether a panic says that a new thread got no signal stack. The thread has started then, so that whoever started it
/// gets no error, and the panic would abort the process (std, `stack_overflow/handler_signal.rs`).
fn is_of_a_signal_stack(message: &str) -> bool {
    ["failed to allocate an alternative stack", "failed to set up alternative stack guard page"]
        .iter()
        .any(|of_std| message.starts_with(of_std))
}

/// Whether the system gives that many bytes of address space. It says of a thread that it refuses only that, whether
/// it lacks memory or may not be started.
pub(crate) fn has_room(bytes: usize) -> bool {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), 16) else { return false };
    // SAFETY: the size is not 0. The compiler may leave out memory that nobody looks at.
    let memory = black_box(unsafe { System.alloc(layout) });
    if !memory.is_null() {
        // SAFETY: it was allocated above, with this layout.
        unsafe { System.dealloc(memory, layout) };
    }
    !memory.is_null()
}

/// Says whether errors are JSON.
pub(crate) fn set_form(is_json: bool) {
    IS_JSON.store(is_json, Ordering::Relaxed);
}

/// Ends the process with one line that says what the system refused. Takes no memory itself until the line is written.
pub(crate) fn end(refused: &dyn Display) -> ! {
    if ENDS_HERE.get() {
        // There is not even enough to remove what is unfinished.
        exit();
    }
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    ENDS_HERE.set(true);
    let kept = KEPT.swap(ptr::null_mut(), Ordering::Relaxed);
    if !kept.is_null() {
        // SAFETY: `prepare` allocated it with this layout, and it is taken once.
        unsafe { System.dealloc(kept, SPARE) };
    }
    // The bar of progress has no end of line.
    let is_after_bar = !IS_JSON.load(Ordering::Relaxed) && std::io::stderr().is_terminal();
    if is_after_bar {
        write(b"\r\x1b[2K");
    }
    let mut line = [0; 512];
    let room = line.len();
    let mut rest = &mut line[..];
    let _ = match IS_JSON.load(Ordering::Relaxed) {
        false => {
            writeln!(rest, "error: not enough memory: the system refuses {refused}; {MORE_MEMORY}")
        }
        true => writeln!(
            rest,
            r#"{{"error":{{"advice":"{MORE_MEMORY}","expected":null,"found":null,"kind":"memory","line":null,"message":"not enough memory: the system refuses {refused}","offset":null,"path":null}}}}"#
        ),
    };
    let len = room - rest.len();
    write(&line[..len]);
    heapquarry::temporary::remove_all();
    exit()
}

#[cfg(unix)]
fn write(line: &[u8]) {
    // Without std's lock, which the thread may hold.
    let _ = nix::unistd::write(std::io::stderr(), line);
}

#[cfg(not(unix))]
fn write(line: &[u8]) {
    let _ = std::io::stderr().write_all(line);
}

/// Without what is to run at the end of a process: it might need memory, or a lock that another thread holds.
#[cfg(unix)]
fn exit() -> ! {
    // SAFETY: it does not return.
    unsafe { nix::libc::_exit(ExitCode::FAILURE.number().into()) }
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::exit(ExitCode::FAILURE.number().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_without_a_signal_stack_is_known_by_its_panic() {
        let cannot =
            "failed to allocate an alternative stack: Cannot allocate memory (os error 12)";
        for (message, expected) in [
            (cannot, true),
            ("failed to set up alternative stack guard page: Cannot allocate memory", true),
            ("failed to allocate", false),
        ] {
            assert_eq!(is_of_a_signal_stack(message), expected, "{message}");
        }
    }
}
