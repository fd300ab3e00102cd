//! Traces of the Linux kernel, as text. Names follow Perfetto's tables where it has them
//! (<https://perfetto.dev/docs/analysis/sql-tables>); times are in nanoseconds of the recorder's clock.

use crate::{Table, table};

/// The tables of ftrace text, empty if need be.
pub static FTRACE_TABLES: [&Table; 3] = [&FTRACE_EVENT, &SCHED, &THREAD_STATE];

table! {
    /// Every row of ftrace text as it was.
    FTRACE_EVENT "ftrace_event" "One row for each event of the Linux kernel's tracer, in file order." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "Number of its line in the text, from 0, or in a trace (`systemTraceEvents`) from the number of its trace_event rows on; comments and other lines are counted, but have no row.";
        byte_offset: Int64 Ascending "Where its line begins in the (decompressed) document.";
        ts: Int64 Ascending "Time in nanoseconds, exact from the decimal text, which mostly has six decimals of a second. In a trace it is of the clock of that, if the text says how far its own is from it.";
        cpu: Int32 Number "The CPU.";
        comm: Text Text "Name of the task that ran: `<idle>` if none did, `<...>` if the recorder did not know it.";
        tid: Int64 Number "Its thread (`PID` in the text).";
        tgid: Int64 Number ?null "Its process; NULL if the text does not tell or the recorder did not know it (`(-----)`).";
        flags: Text Text ?null "State of interrupts and preemption, a letter each, as it is: `d..3`.";
        name: Text Text ?null "What happened; NULL in rows of function tracers, which have no name.";
        args: Text Text "All behind the name, as it is.";
    }
}

table! {
    /// Which threads ran.
    SCHED "sched" "One row for each time that a CPU ran a thread, in order of start (`sched_switch`)." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the row.";
        ts: Int64 Ascending "When it began.";
        dur: Int64 Number "Until the next switch of the CPU; -1 if there is none.";
        cpu: Int32 Number "The CPU.";
        utid: Int64 Number "The thread, as in thread.";
        end_state: Text Text ?null "State in which it was left, as the kernel writes it: `S`, `D`, `R` or `R+` if it could have gone on; NULL if it was not left.";
        priority: Int64 Number ?null "Priority of the kernel: 0 to 99 real time, 100 to 139 for nice values -20 to 19.";
        ucpu: Int32 Number "The CPU, as Perfetto numbers those of several machines.";
        tid: Int64 Number "The thread's id, 0 for an idle CPU.";
    }
}

table! {
    /// What state threads were in.
    THREAD_STATE "thread_state" "One row for each time that a thread was in one state, in order of start (`sched_switch`, `sched_wakeup`, `sched_waking`, `sched_wakeup_new`, `sched_blocked_reason`); idle CPUs have none." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Sequence "Number of the row.";
        ts: Int64 Ascending "When it began.";
        dur: Int64 Number "Until the next state; -1 if there is none.";
        cpu: Int32 Number ?null "The CPU that runs it, if it runs.";
        utid: Int64 Number "The thread, as in thread.";
        state: Text Text "`Running`; `R`: it could run; `R+`: it could go on, but was displaced; otherwise as the kernel writes it: `S` sleeps, `D` waits for a device, ….";
        io_wait: Int32 Number ?null "1 if it waits for input or output, 0 if not; NULL if the trace does not tell.";
        blocked_function: Text Text ?null "Function of the kernel in which it waits, if the trace tells.";
        waker_utid: Int64 Number ?null "The thread that woke it.";
        ucpu: Int32 Number ?null "The CPU, as Perfetto numbers those of several machines.";
        tid: Int64 Number "The thread's id.";
    }
}
