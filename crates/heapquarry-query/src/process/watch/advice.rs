//! A verdict in words, and what to do next.

use super::answer::Advice;
use heapquarry_process::{Cause, Confidence, Doubt, Part, Sight, Verdict};
use heapquarry_report::Unit;

fn per_hour(per_second: f64) -> String {
    format!("{}/h", Unit::Bytes.format((per_second * 3600.0) as i64))
}

fn size(bytes: f64) -> String {
    Unit::Bytes.format(bytes as i64).to_string()
}

/// The verdict in a sentence.
pub(super) fn sentence(verdict: &Verdict) -> String {
    let what = match verdict.cause {
        Cause::Heap => "The heap grows",
        Cause::Buffers => "Buffers, or other memory that objects own, grow",
        Cause::Wasm => "WebAssembly memory grows",
        Cause::Isolates => "Heaps of workers grow, or there are more workers",
        Cause::Native => "Native memory grows, which no object owns",
        Cause::Fragmentation if verdict.is_growing => {
            "Memory that was freed piles up in the allocator"
        }
        Cause::Fragmentation => "The allocator keeps memory that was freed",
        Cause::Rss if verdict.sight == Sight::Free => {
            "Only RSS grows, and not what malloc keeps free: native memory, or heaps of workers"
        }
        Cause::Rss => "Only RSS grows: native memory, or fragmentation",
        Cause::PageCache => {
            "The process does not grow; the cache of files of its control group does"
        }
        Cause::NotGivenBack => {
            "What lives is level; RSS is what the engine took for garbage and has not given back"
        }
        Cause::Bounded if verdict.sight == Sight::Buffers => {
            "Heap and buffers do not grow; what the process has besides is not known"
        }
        Cause::Bounded => "Nothing grows",
        Cause::Unknown => "Not enough time to know",
    };
    let mut text = what.to_string();
    match (&verdict.trend, verdict.cause) {
        (Some(trend), _) if verdict.is_growing => {
            text += &format!(
                ": by {} in {:.0} s, {} ({} to {})",
                size(trend.change()),
                trend.span,
                per_hour(trend.slope),
                per_hour(trend.low),
                per_hour(trend.high)
            );
        }
        (Some(trend), Cause::Fragmentation) => text += &format!(": {}", size(trend.last)),
        (_, Cause::Unknown) if verdict.doubt.is_some_and(|doubt| doubt.needed.is_some()) => {
            text += &verdict.doubt.as_ref().map_or_else(String::new, doubtful);
        }
        (_, Cause::Unknown) => {
            let why = verdict.why.unwrap_or("there were too few figures");
            text += &format!(": {why}");
        }
        (_, Cause::Bounded | Cause::NotGivenBack) => {
            if let Some(unseen) = verdict.unseen {
                text +=
                    &format!(". A leak of less than {} would not have been seen", per_hour(unseen));
            }
        }
        _ => {}
    }
    if verdict.confidence == Confidence::Low {
        text += ". It is not sure";
    }
    text
}

/// A growth that could not be excluded, and the watch that would tell.
fn doubtful(doubt: &Doubt) -> String {
    let part = match doubt.part {
        Part::Heap => "the live heap",
        Part::Buffers => "memory of buffers",
        Part::Wasm => "WebAssembly memory",
        Part::Isolates => "the memory of workers",
        Part::Native => "native memory",
        Part::Free => "what the allocator keeps",
        Part::Rest | Part::Cache | Part::Rss | Part::HeapUsed => "memory outside of the heap",
    };
    let time = doubt.needed.map(|seconds| format!("; a watch of {} would tell", minutes(seconds)));
    format!(": {part} may grow by up to {}{}", per_hour(doubt.high), time.unwrap_or_default())
}

/// A time in whole minutes, as `--for` takes it.
fn minutes(seconds: f64) -> String {
    format!("{}min", (seconds / 60.0).ceil() as u64)
}

/// What to do next. `target` is what was watched, as arguments of `capture`; `is_made_known` says whether the calls
/// that made what stays are told already.
pub(super) fn advice(verdict: &Verdict, target: &str, is_made_known: bool) -> Vec<Advice> {
    let command =
        |text, command: &str| Advice { text, command: Some(command.replace("TARGET", target)) };
    let say = |text| Advice { text, command: None };
    let needed = verdict.doubt.and_then(|doubt| doubt.needed).map(minutes);
    let longer = format!("heapquarry watch TARGET --for {}", needed.as_deref().unwrap_or("1h"));
    let longer = command("Watch longer; time makes small leaks visible", &longer);
    let mut advice = match verdict.cause {
        Cause::Heap => {
            let leaks = command(
                "Find what leaks, from three snapshots, each of which stops the process",
                "heapquarry capture TARGET --gc --count 3 --every 30s --then leaks",
            );
            let allocations = command(
                "Find who allocates, with shorter stops",
                "heapquarry capture TARGET --kind heap-sampling --for 60s --then report",
            );
            [leaks].into_iter().chain((!is_made_known).then_some(allocations)).collect()
        }
        Cause::Buffers => vec![command(
            "Find the objects that own them, from three snapshots, each of which stops the process",
            "heapquarry capture TARGET --gc --count 3 --every 30s --then leaks",
        )],
        Cause::Wasm => vec![say(
            "A memory never shrinks: look at the allocator of the module, and at instances that are not dropped",
        )],
        Cause::Isolates => vec![
            say(
                "Look for threads that are started and never end: `new Worker` without `terminate()`",
            ),
            command("List the targets of the process", "heapquarry capture TARGET --list"),
        ],
        Cause::Native => vec![say(
            "Look for what is never closed: streams of zlib, handles, database connections, and native add-ons; \
             profile malloc with heaptrack or jemalloc's prof",
        )],
        Cause::Fragmentation => vec![say(
            "Start the program with MALLOC_ARENA_MAX=2, or with jemalloc in LD_PRELOAD, and watch again",
        )],
        Cause::Rss if verdict.sight == Sight::Free => vec![command(
            "Allow the kinds of maps to be read, which tell blocks of malloc from heaps of workers: that holds up the \
             process for about 45 ms per GB",
            "heapquarry watch TARGET --for 2min --max-pause 1s",
        )],
        Cause::Rss => vec![say(
            "Run heapquarry as the user of the process, or as root: then malloc is read, which tells a leak from \
             fragmentation",
        )],
        Cause::PageCache => vec![say(
            "Cache of files gives way when memory is needed: compare `memory.current` less `inactive_file` with the limit",
        )],
        Cause::NotGivenBack => vec![say(
            "To have a smaller heap, start the program with a smaller --max-old-space-size",
        )],
        Cause::Bounded => Vec::new(),
        Cause::Unknown => vec![say(
            "A collection gives a figure of what lives: with a larger --max-pause heaps of any size are collected",
        )],
    };
    if verdict.confidence != Confidence::High {
        advice.push(longer);
    }
    advice
}
