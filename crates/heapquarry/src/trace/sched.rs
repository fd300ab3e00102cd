//! `sched`, `thread_state`.

use super::{
    TraceRows,
    columns::{int64, optional},
};
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use heapquarry_tables::{SCHED, THREAD_STATE, arrays};
use heapquarry_timeline::{Key, SchedSlice, State, ThreadState};
use std::{ops::Range, sync::Arc};

impl TraceRows<'_> {
    /// The `utid` of a thread of the text.
    fn scheduled(&self, tid: i32) -> Option<i64> {
        self.timeline.processes.scheduled(tid).map(i64::from)
    }

    fn string(&self, key: Key) -> Option<&str> {
        self.timeline.events.strings().get(key)
    }

    /// Rows of `sched`.
    pub(super) fn sched(&self, places: Range<usize>) -> RecordBatch {
        let ids = places.start as i64..places.end as i64;
        let slices: Vec<SchedSlice> = places.map(|at| self.timeline.schedule.slice(at)).collect();
        let each = || slices.iter();
        let cpus: ArrayRef = Arc::new(Int32Array::from_iter_values(each().map(|slice| slice.cpu)));
        SCHED.batch(vec![
            self.file_id(slices.len()),
            int64(ids),
            int64(each().map(|slice| slice.ts)),
            int64(each().map(|slice| slice.dur.unwrap_or(-1))),
            cpus.clone(),
            int64(each().map(|slice| self.scheduled(slice.tid).unwrap_or(-1))),
            self.text(each().map(|slice| slice.end_state)),
            int64(each().map(|slice| slice.priority.into())),
            cpus,
            int64(each().map(|slice| slice.tid.into())),
        ])
    }

    /// Rows of `thread_state`.
    pub(super) fn thread_states(&self, places: Range<usize>) -> RecordBatch {
        let ids = places.start as i64..places.end as i64;
        let states: Vec<ThreadState> = places.map(|at| self.timeline.schedule.state(at)).collect();
        let each = || states.iter();
        let cpu = |state: State| match state {
            State::Running(cpu) => Some(cpu),
            _ => None,
        };
        let cpus: ArrayRef = Arc::new(each().map(|row| cpu(row.state)).collect::<Int32Array>());
        let name = |state: State| match state {
            State::Running(_) => Some("Running"),
            State::Runnable => Some("R"),
            State::Left(key) => self.string(key),
        };
        THREAD_STATE.batch(vec![
            self.file_id(states.len()),
            int64(ids),
            int64(each().map(|row| row.ts)),
            int64(each().map(|row| row.dur.unwrap_or(-1))),
            cpus.clone(),
            int64(each().map(|row| self.scheduled(row.tid).unwrap_or(-1))),
            arrays::text(each().map(|row| name(row.state))),
            Arc::new(each().map(|row| row.io_wait.map(i32::from)).collect::<Int32Array>()),
            self.text(each().map(|row| row.blocked_function)),
            optional(each().map(|row| self.scheduled(row.waker?))),
            cpus,
            int64(each().map(|row| row.tid.into())),
        ])
    }
}
