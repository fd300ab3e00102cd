//! The command `watch`.

use crate::{args::WatchArgs, ask, exit::ExitCode, failure::Failure, target::Interrupts};
use heapquarry::report::Unit;
use heapquarry_capture::{WatchOptions, watch};
use heapquarry_process::Sample;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{io::IsTerminal, time::Duration};

pub(crate) fn run(args: &WatchArgs) -> Result<ExitCode, Failure> {
    let question = &args.question;
    // Before anything happens to the process.
    let watching = question.begin()?;
    let interrupts = Interrupts::new();
    let stop = || interrupts.take();
    let inspector = args.target.inspector(question.force, &stop)?;
    let mut options = WatchOptions::default();
    options.duration = question.duration.map(Duration::from_secs_f64);
    // A tick of nothing would ask without a pause.
    options.every = Duration::from_secs_f64(question.every).max(LEAST);
    options.warm_up = Duration::from_secs_f64(question.warm_up);
    options.max_pause = Duration::from_secs_f64(question.max_pause);
    let line = live_line(args.quiet);
    let recorded = inspector.connected(&stop, |session| {
        watch(session, &options, &mut |sample| line.set_message(text(sample)))
    });
    line.finish_and_clear();
    let recording = recorded?;
    let answered = watching.answer(&args.target.shown(&inspector.address), &recording)?;
    ask::print(&answered, args.print.form())
}

/// Least time between samples: one takes up to a millisecond of the process.
const LEAST: Duration = Duration::from_millis(50);

/// A line on standard error with the last sample, if that is a terminal.
fn live_line(quiet: bool) -> ProgressBar {
    let visible = !quiet && std::io::stderr().is_terminal();
    let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let line = ProgressBar::with_draw_target(None, target);
    let style = ProgressStyle::with_template("{elapsed} {msg}");
    line.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    line
}

/// `RSS 120 MB · heap 45 MB · external 3 MB · loop 12 ms`.
fn text(sample: &Sample) -> String {
    let bytes = |name: &str, value: Option<u64>| {
        let value = i64::try_from(value?).ok()?;
        Some(format!("{name} {}", Unit::Bytes.format(value)))
    };
    let delay = sample.inside.loop_delay_max.map(|delay| {
        let delay = i64::try_from(delay.as_micros()).unwrap_or(i64::MAX);
        format!("loop {}", Unit::Micros.format(delay))
    });
    let parts = [
        bytes("RSS", sample.system.status.rss.or(sample.inside.rss)),
        bytes("heap", sample.inside.heap_used),
        bytes("external", sample.inside.external),
        bytes("free in malloc", sample.system.malloc.map(|malloc| malloc.free)),
        delay,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
