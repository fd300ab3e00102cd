//! Scheduler events: arguments of `sched_switch`, `sched_waking`, `sched_wakeup`, `sched_wakeup_new` and
//! `sched_blocked_reason` (<https://github.com/torvalds/linux/blob/v6.12/include/trace/events/sched.h>).
//!
//! `trace-cmd report` has a form of its own for switches and wakes, `name:PID [PRIORITY]`
//! (`plugin_sched_switch.c` of libtraceevent); with `-R` it writes that of the kernel.
//!
//! The names of tasks are written without escapes, and can contain blanks and equals signs. So fields are searched from
//! the end.

use super::line::Row;

/// A scheduler event, and its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchedRecord<'l> {
    /// A CPU switches from a thread to another.
    Switch { prev: Task<'l>, state: &'l str, next: Task<'l>, priority: i32 },
    /// A thread is woken.
    Wake { task: Task<'l>, is_new: bool },
    /// The reason for a wait.
    Blocked { tid: i32, io_wait: bool, function: &'l str },
}

/// A thread and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task<'l> {
    pub(super) tid: i32,
    pub(super) comm: &'l str,
}

/// Parses a scheduler event; `Ok(None)` if it is another event, `Err` if its arguments are unknown.
pub(super) fn read<'l>(row: &Row<'l>) -> Result<Option<SchedRecord<'l>>, ()> {
    let record = match row.name {
        Some("sched_switch") => switch(row.args).or_else(|| report::switch(row.args)),
        Some("sched_waking" | "sched_wakeup") => wake(row.args, false),
        Some("sched_wakeup_new") => wake(row.args, true),
        Some("sched_blocked_reason") => blocked(row.args),
        _ => return Ok(None),
    };
    record.map(Some).ok_or(())
}

fn switch(args: &str) -> Option<SchedRecord<'_>> {
    let (left, right) = rsplit_once(args, " ==> ")?;
    let (left, state) = rsplit_once(left, " prev_state=")?;
    let (left, _) = rsplit_once(left, " prev_prio=")?;
    let (right, priority) = rsplit_once(right, " next_prio=")?;
    Some(SchedRecord::Switch {
        prev: task(left, "prev_comm=", " prev_pid=")?,
        state: first_word(state),
        next: task(right, "next_comm=", " next_pid=")?,
        priority: first_word(priority).parse().ok()?,
    })
}

fn wake(args: &str, is_new: bool) -> Option<SchedRecord<'_>> {
    let task = match rsplit_once(args, " prio=") {
        Some((of_task, _)) => task(of_task, "comm=", " pid=")?,
        None => report::task(args)?.0,
    };
    Some(SchedRecord::Wake { task, is_new })
}

/// The form of `trace-cmd report`.
mod report {
    use super::{SchedRecord, Task, first_word, rsplit_once};

    /// `prev:5 [120] S ==> next:7 [120]`.
    pub(super) fn switch(args: &str) -> Option<SchedRecord<'_>> {
        let (left, right) = rsplit_once(args, " ==> ")?;
        let (prev, _, state) = task(left)?;
        let (next, priority, _) = task(right)?;
        Some(SchedRecord::Switch { prev, state: first_word(state), next, priority })
    }

    /// Task and priority of `name:5 [120]`, and what follows.
    pub(super) fn task(text: &str) -> Option<(Task<'_>, i32, &str)> {
        let (before, rest) = rsplit_once(text, " [")?;
        let (priority, rest) = rest.split_once(']')?;
        let (comm, tid) = rsplit_once(before.trim_start_matches(' '), ":")?;
        let task = Task { tid: tid.parse().ok()?, comm };
        Some((task, priority.parse().ok()?, rest.trim_start_matches(' ')))
    }
}

fn blocked(args: &str) -> Option<SchedRecord<'_>> {
    let rest = args.strip_prefix("pid=")?;
    let (tid, rest) = rest.split_once(" iowait=")?;
    let (io_wait, function) = rest.split_once(" caller=")?;
    Some(SchedRecord::Blocked { tid: tid.parse().ok()?, io_wait: io_wait != "0", function })
}

fn task<'l>(text: &'l str, comm: &str, pid: &str) -> Option<Task<'l>> {
    let (name, tid) = rsplit_once(text, pid)?;
    Some(Task { tid: first_word(tid).parse().ok()?, comm: name.strip_prefix(comm)? })
}

/// Splits at the last `mark`. Faster on short texts than [`str::rsplit_once`], whose search is prepared for long ones.
/// `mark` begins with an ASCII character.
fn rsplit_once<'l>(text: &'l str, mark: &str) -> Option<(&'l str, &'l str)> {
    let (bytes, mark) = (text.as_bytes(), mark.as_bytes());
    let mut places = memchr::memrchr_iter(mark[0], bytes);
    let at = places.find(|&at| bytes[at..].starts_with(mark))?;
    Some((&text[..at], &text[at + mark.len()..]))
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*, sample::select};

    proptest! {
        #[test]
        fn texts_are_split_as_the_standard_library_does(
            text in vec(select(vec![" ", "=", "==>", " ==> ", " pid=", "pid", "p", "a", "é"]), 0..12),
            mark in select(vec![" ==> ", " pid=", " "]),
        ) {
            let text = text.concat();
            prop_assert_eq!(rsplit_once(&text, mark), text.rsplit_once(mark));
        }
    }

    #[test]
    fn arguments_are_read() {
        let task = |comm, tid| Task { tid, comm };
        for (name, args, expected) in [
            (
                "sched_switch",
                "prev_comm=a b prev_pid=5 prev_prio=120 prev_state=R+ ==> next_comm=c next_pid=7 next_prio=-1",
                Ok(Some(SchedRecord::Switch {
                    prev: task("a b", 5),
                    state: "R+",
                    next: task("c", 7),
                    priority: -1,
                })),
            ),
            (
                "sched_switch",
                "prev_comm=x ==> prev_pid=1 prev_pid=5 prev_prio=120 prev_state=D|K ==> next_comm= next_pid=7 next_prio=1 extra",
                Ok(Some(SchedRecord::Switch {
                    prev: task("x ==> prev_pid=1", 5),
                    state: "D|K",
                    next: task("", 7),
                    priority: 1,
                })),
            ),
            (
                "sched_switch",
                "        a b:5 [120] S ==> c:d:7 [-1]",
                Ok(Some(SchedRecord::Switch {
                    prev: task("a b", 5),
                    state: "S",
                    next: task("c:d", 7),
                    priority: -1,
                })),
            ),
            ("sched_switch", "a:5 [120] S ==> b [120]", Err(())),
            ("sched_switch", "a:5 [120] S", Err(())),
            (
                "sched_wakeup",
                "a:5 [120] CPU:001",
                Ok(Some(SchedRecord::Wake { task: task("a", 5), is_new: false })),
            ),
            ("sched_wakeup", "a:5 120", Err(())),
            (
                "sched_waking",
                "comm=a b pid=5 prio=120 success=1 target_cpu=000",
                Ok(Some(SchedRecord::Wake { task: task("a b", 5), is_new: false })),
            ),
            (
                "sched_wakeup_new",
                "comm=a pid=5 prio=120 target_cpu=1",
                Ok(Some(SchedRecord::Wake { task: task("a", 5), is_new: true })),
            ),
            ("sched_wakeup", "comm=a pid=99999999999 prio=1", Err(())),
            (
                "sched_blocked_reason",
                "pid=5 iowait=1 caller=a+0x1/0x2 [module]",
                Ok(Some(SchedRecord::Blocked {
                    tid: 5,
                    io_wait: true,
                    function: "a+0x1/0x2 [module]",
                })),
            ),
            ("sched_blocked_reason", "", Err(())),
            ("sched_migrate_task", "comm=a pid=5", Ok(None)),
        ] {
            let row = Row {
                comm: "x",
                tid: 1,
                tgid: None,
                cpu: 0,
                flags: None,
                ts: 0,
                name: Some(name),
                args,
            };
            assert_eq!(read(&row), expected, "{args}");
        }
    }
}
