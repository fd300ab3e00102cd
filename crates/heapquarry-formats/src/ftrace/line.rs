//! A line of ftrace text.
//!
//! ```text
//!            TASK-PID   (  TGID) CPU#   flags    TIMESTAMP  FUNCTION
//!      Binder_1-340     (  124) [000]   d..3  50260.935656: sched_wakeup: comm=adbd pid=14582 prio=120
//! ```
//!
//! Whether a line has the process and the flags depends on the options of the recorder
//! (<https://github.com/torvalds/linux/blob/v6.12/kernel/trace/trace_output.c>, `trace_print_context`). Names of tasks
//! can contain anything, including blanks, dashes and brackets. So the first `-PID … [CPU] … TIME:` of the line
//! decides.

/// Content of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line<'l> {
    /// An event.
    Event(Row<'l>),
    /// Nothing, or a comment: the header, or the start of a CPU's buffer.
    Comment,
    /// Events of that CPU were lost while recording; `None` if the line does not have their number.
    Lost {
        /// The CPU.
        cpu: i32,
        /// Number of lost events.
        events: Option<u64>,
    },
    /// Anything else.
    Unknown,
}

/// An event of ftrace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'l> {
    /// Name of the running task as the recorder knew it: `<...>` if unknown, `<idle>` for an idle CPU.
    pub comm: &'l str,
    /// Its thread.
    pub tid: i64,
    /// Its process, if the line has it and the recorder knew it.
    pub tgid: Option<i64>,
    /// The CPU.
    pub cpu: i32,
    /// State of interrupts and preemption: `d..3`, if the line has it.
    pub flags: Option<&'l str>,
    /// Time in nanoseconds.
    pub ts: i64,
    /// Name of the event; `None` in rows of function tracers, which have no name.
    pub name: Option<&'l str>,
    /// Everything after the name.
    pub args: &'l str,
}

/// Reads a line, without its end.
pub(super) fn parse(line: &str) -> Line<'_> {
    let text = line.trim_start_matches(is_blank);
    if text.is_empty() || text.starts_with('#') {
        return Line::Comment;
    }
    for open in memchr::memchr_iter(b'[', text.as_bytes()) {
        if let Some(row) = row(text, open) {
            return Line::Event(row);
        }
    }
    if is_note(text.trim_end()) { Line::Comment } else { lost(text).unwrap_or(Line::Unknown) }
}

/// Whether a recorder says something about its text, which is no event: atrace writes `TRACE:` after its messages to
/// the user; `trace-cmd report` writes `cpus=4`, `version = 7` and `CPU 1 is empty` before the events.
fn is_note(line: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let between = |start: &str, end: &str| line.strip_prefix(start)?.strip_suffix(end);
    line == "TRACE:"
        || [("cpus=", ""), ("version = ", ""), ("CPU ", " is empty")]
            .into_iter()
            .any(|(start, end)| between(start, end).is_some_and(is_number))
}

/// The event of a line, if the bracket at `open` is that of its CPU.
fn row(text: &str, open: usize) -> Option<Row<'_>> {
    let (before, behind) = (&text[..open], &text[open + 1..]);
    let (cpu, behind) = digits(behind)?;
    let behind = behind.strip_prefix(']')?.trim_start_matches(is_blank);
    let (comm, tid, tgid) = task(before)?;
    let (flags, ts, behind) = match time(behind) {
        Some((ts, rest)) => (None, ts, rest),
        None => {
            let end = behind.find(is_blank).filter(|&end| end <= MAX_FLAGS)?;
            let (ts, rest) = time(behind[end..].trim_start_matches(is_blank))?;
            (Some(&behind[..end]), ts, rest)
        }
    };
    let behind = behind.trim_start_matches(is_blank);
    let word = behind.split(is_blank).next().unwrap_or_default();
    let (name, args) = match word.strip_suffix(':').filter(|name| !name.is_empty()) {
        Some(name) => (Some(name), behind[word.len()..].strip_prefix(is_blank).unwrap_or_default()),
        None => (None, behind),
    };
    Some(Row { comm, tid, tgid, cpu: cpu.parse().ok()?, flags, ts, name, args })
}

/// Maximum number of flag letters: there are five today.
const MAX_FLAGS: usize = 16;

/// Name, thread and process of a task: `comm-PID`, `comm-PID (TGID)`, `comm-PID (-----)`.
fn task(text: &str) -> Option<(&str, i64, Option<i64>)> {
    let text = text.trim_end_matches(is_blank);
    let (text, tgid) = match text.strip_suffix(')') {
        Some(inner) => {
            let dashes = inner.trim_end_matches('-');
            let (start, number) = match dashes.len() < inner.len() {
                true => (dashes, None),
                false => {
                    let (start, number) = last_digits(inner)?;
                    (start, Some(number.parse().ok()?))
                }
            };
            let start = start.trim_end_matches(is_blank).strip_suffix('(')?;
            (start.trim_end_matches(is_blank), number)
        }
        None => (text, None),
    };
    let (comm, tid) = last_digits(text)?;
    let comm = comm.strip_suffix('-')?;
    (!comm.is_empty()).then_some((comm, tid.parse().ok()?, tgid))
}

/// Nanoseconds of `SECONDS.FRACTION:`, and the rest of the line.
fn time(text: &str) -> Option<(i64, &str)> {
    let (seconds, rest) = digits(text)?;
    let (fraction, rest) = digits(rest.strip_prefix('.')?)?;
    let rest = rest.strip_prefix(':')?;
    if !(rest.is_empty() || rest.starts_with(is_blank)) {
        return None;
    }
    Some((nanoseconds(seconds, fraction)?, rest))
}

/// Nanoseconds of seconds and their decimals, at most nine.
pub(super) fn nanoseconds(seconds: &str, fraction: &str) -> Option<i64> {
    let scale = 10i64.pow(9u32.checked_sub(u32::try_from(fraction.len()).ok()?)?);
    let fraction = fraction.parse::<i64>().ok()?.checked_mul(scale)?;
    seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(fraction)
}

/// `CPU:3 [LOST 17 EVENTS]`, `CPU:3 [LOST EVENTS]`.
fn lost(text: &str) -> Option<Line<'_>> {
    let (cpu, rest) = digits(text.strip_prefix("CPU:")?)?;
    let rest = rest.trim_start_matches(is_blank).strip_prefix("[LOST ")?;
    let rest = rest.trim_end_matches(is_blank).strip_suffix("EVENTS]")?.trim_end_matches(is_blank);
    let events = if rest.is_empty() { None } else { Some(rest.parse().ok()?) };
    Some(Line::Lost { cpu: cpu.parse().ok()?, events })
}

/// The leading digits, at least one, and the rest.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| text.split_at(end))
}

/// The text before the trailing digits, and these digits, at least one.
fn last_digits(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| text.split_at(text.len() - digits))
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event<'l>(comm: &'l str, tid: i64, tgid: Option<i64>, flags: Option<&'l str>) -> Row<'l> {
        let (name, args) = (Some("sched_wakeup"), "comm=adbd pid=3");
        Row { comm, tid, tgid, cpu: 1, flags, ts: 50_260_935_656_000, name, args }
    }

    #[test]
    fn rows_of_all_shapes() {
        let tail = "50260.935656: sched_wakeup: comm=adbd pid=3";
        for (line, expected) in [
            (format!("  Binder_1-340   [001] {tail}"), event("Binder_1", 340, None, None)),
            (format!("Binder_1-340 [001]{tail}"), event("Binder_1", 340, None, None)),
            (format!("   <idle>-0     [001] d..3 {tail}"), event("<idle>", 0, None, Some("d..3"))),
            (
                format!("   <idle>-0     [001] d.h2. {tail}"),
                event("<idle>", 0, None, Some("d.h2.")),
            ),
            (
                format!("  Binder_1-340   (  124) [001] d..3  {tail}"),
                event("Binder_1", 340, Some(124), Some("d..3")),
            ),
            (
                format!("  Binder_1-340   (-----) [001] ....  {tail}"),
                event("Binder_1", 340, None, Some("....")),
            ),
            (
                format!("  Binder_1-340   (-------) [001] {tail}"),
                event("Binder_1", 340, None, None),
            ),
            (
                format!("  GC - slice 2-1-77 (   5) [001] .... {tail}"),
                event("GC - slice 2-1", 77, Some(5), Some("....")),
            ),
            (
                format!("kworker/u16:2-ev-88 [001] .... {tail}"),
                event("kworker/u16:2-ev", 88, None, Some("....")),
            ),
            (
                format!("a [7] (x) -9-12 (9) [001] .... {tail}"),
                event("a [7] (x) -9", 12, Some(9), Some("....")),
            ),
            (format!("-5-6 [001] {tail}"), event("-5", 6, None, None)),
            (format!("\t<...>-6 [001]\t{tail}"), event("<...>", 6, None, None)),
        ] {
            assert_eq!(parse(&line), Line::Event(expected), "{line}");
        }
    }

    #[test]
    fn names_arguments_and_times() {
        for (tail, ts, name, args) in [
            ("1.000001: a: b: c", 1_000_001_000, Some("a"), "b: c"),
            ("1.5: a:  b ", 1_500_000_000, Some("a"), " b "),
            ("1.123456789:   a: b", 1_123_456_789, Some("a"), "b"),
            ("0.000000: a:", 0, Some("a"), ""),
            ("0.000000: a: ", 0, Some("a"), ""),
            ("0.1: 0: C|124|VSYNC|1", 100_000_000, Some("0"), "C|124|VSYNC|1"),
            ("0.1: sched:sched_switch: x", 100_000_000, Some("sched:sched_switch"), "x"),
            ("0.1: sys_close <-fastpath", 100_000_000, None, "sys_close <-fastpath"),
            ("0.1: ", 100_000_000, None, ""),
            ("0.1: : x", 100_000_000, None, ": x"),
            ("9223372036.854775807: a: b", i64::MAX, Some("a"), "b"),
        ] {
            let line = format!("x-1 [000] {tail}");
            let Line::Event(row) = parse(&line) else { panic!("{line}") };
            assert_eq!((row.ts, row.name, row.args), (ts, name, args), "{line}");
        }
    }

    #[test]
    fn what_is_no_row() {
        for (line, expected) in [
            ("", Line::Comment),
            ("   \t", Line::Comment),
            ("# tracer: nop", Line::Comment),
            ("##### CPU 2 buffer started ####", Line::Comment),
            ("TRACE:", Line::Comment),
            ("cpus=4", Line::Comment),
            ("version = 7", Line::Comment),
            ("CPU 1 is empty", Line::Comment),
            ("CPU x is empty", Line::Unknown),
            ("cpus=", Line::Unknown),
            ("CPU:3 [LOST 17 EVENTS]", Line::Lost { cpu: 3, events: Some(17) }),
            ("CPU:3 [LOST EVENTS]", Line::Lost { cpu: 3, events: None }),
            ("CPU:3 [LOST x EVENTS]", Line::Unknown),
            ("capturing trace... done", Line::Unknown),
            ("x-1 [000] 1.5 a: b", Line::Unknown),
            ("x-1 [000] 1:5: a: b", Line::Unknown),
            ("x-1 [0a0] 1.5: a: b", Line::Unknown),
            ("x-1 [] 1.5: a: b", Line::Unknown),
            ("x [000] 1.5: a: b", Line::Unknown),
            ("-1 [000] 1.5: a: b", Line::Unknown),
            ("x-1 (12 [000] 1.5: a: b", Line::Unknown),
            ("x-1 () [000] 1.5: a: b", Line::Unknown),
            ("x-1 [000] 9223372036.854775808: a: b", Line::Unknown),
            ("x-1 [000] 1.0123456789: a: b", Line::Unknown),
            ("x-99999999999999999999 [000] 1.5: a: b", Line::Unknown),
            ("x-1 [4294967296] 1.5: a: b", Line::Unknown),
            ("x-1 [000] a-flag-far-too-long 1.5: a: b", Line::Unknown),
            ("x-1 [000", Line::Unknown),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
