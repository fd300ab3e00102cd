//! Text traces of the Linux kernel. Names follow Perfetto's tables where these exist
//! (<https://perfetto.dev/docs/analysis/sql-tables>); times are in nanoseconds of the recorder's clock.

use crate::{Table, declare::table};

/// The tables of ftrace text, written even without rows.
pub static FTRACE_TABLES: [&Table; 3] = [&FTRACE_EVENT, &SCHED, &THREAD_STATE];

table! {
    /// Events of ftrace text as written.
    FTRACE_EVENT ftrace_event "One row for each event of the Linux kernel's tracer, in file order." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "Number of its line in the text, from 0; in a trace (`systemTraceEvents`) counted on from its trace_event rows. Comments and other lines are counted, but have no row.";
        byte_offset: Int64 Ascending in Bytes "Offset of its line in the (decompressed) document, in bytes.";
        ts: Int64 Ascending in Nanoseconds "Time in nanoseconds, exact from the decimal text, which usually has six decimals of a second. In a trace, on the trace's clock if the text has the offset between the clocks.";
        cpu: Int32 Number "The CPU.";
        comm: Text Text "Name of the running task: `<idle>` for an idle CPU, `<...>` if the recorder did not know it.";
        tid: Int64 Number "Its thread (`PID` in the text).";
        tgid: Int64 Number ?null "Its process; NULL if the text does not have it or the recorder did not know it (`(-----)`).";
        flags: Text Text ?null "State of interrupts and preemption, one letter each, as written: `d..3`.";
        name: Text Text ?null "Name of the event; NULL in rows of function tracers, which have no name.";
        args: Text Text "Everything after the name, as written.";
    }
}

table! {
    /// Threads that ran, by CPU.
    SCHED sched "One row for each time that a CPU ran a thread, in order of start (`sched_switch`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the row.";
        ts: Int64 Ascending in Nanoseconds "Start time in nanoseconds.";
        dur: Int64 Number in Nanoseconds Open "Time until the next switch of the CPU, in nanoseconds; -1 if there is none.";
        cpu: Int32 Number "The CPU.";
        utid: Int64 Number "The thread, as in thread.";
        end_state: Text Text ?null "State in which the thread was switched out, as the kernel writes it: `S`, `D`, `R` or `R+` if it was still runnable; NULL if it was not switched out.";
        priority: Int64 Number ?null "Kernel priority: 0 to 99 real time, 100 to 139 for nice values -20 to 19.";
        ucpu: Int32 Number "The CPU, in Perfetto's numbering across machines.";
        tid: Int64 Number "The thread's id; 0 for an idle CPU.";
    }
}

table! {
    /// States of threads.
    THREAD_STATE thread_state "One row for each time that a thread was in one state, in order of start (`sched_switch`, `sched_wakeup`, `sched_waking`, `sched_wakeup_new`, `sched_blocked_reason`); idle CPUs have none." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the row.";
        ts: Int64 Ascending in Nanoseconds "Start time in nanoseconds.";
        dur: Int64 Number in Nanoseconds Open "Time until the next state, in nanoseconds; -1 if there is none.";
        cpu: Int32 Number ?null "The CPU that runs it; NULL if it is not running.";
        utid: Int64 Number "The thread, as in thread.";
        state: Text Text "`Running`; `R`: runnable; `R+`: runnable, after it was preempted; otherwise as the kernel writes it: `S` sleeping, `D` uninterruptible sleep, ….";
        io_wait: Int32 Number ?null in Flag "1 if it waits for input or output, 0 if not; NULL if the trace does not have it.";
        blocked_function: Text Text ?null "Kernel function in which it waits, if the trace has it.";
        waker_utid: Int64 Number ?null "The thread that woke it, as in thread.";
        ucpu: Int32 Number ?null "The CPU, in Perfetto's numbering across machines.";
        tid: Int64 Number "The thread's id.";
    }
}
