//! `sched`, `thread_state`.

use super::{
    TraceRows,
    columns::{int64, optional},
};
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use heapquarry_tables::{arrays, sched, thread_state};
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
        sched::Columns {
            file_id: self.file_id(slices.len()),
            id: int64(ids),
            ts: int64(each().map(|slice| slice.ts)),
            dur: int64(each().map(|slice| slice.dur.unwrap_or(-1))),
            cpu: cpus.clone(),
            utid: int64(each().map(|slice| self.scheduled(slice.tid).unwrap_or(-1))),
            end_state: self.text(each().map(|slice| slice.end_state)),
            priority: int64(each().map(|slice| slice.priority.into())),
            ucpu: cpus,
            tid: int64(each().map(|slice| slice.tid.into())),
        }
        .into_batch()
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
        thread_state::Columns {
            file_id: self.file_id(states.len()),
            id: int64(ids),
            ts: int64(each().map(|row| row.ts)),
            dur: int64(each().map(|row| row.dur.unwrap_or(-1))),
            cpu: cpus.clone(),
            utid: int64(each().map(|row| self.scheduled(row.tid).unwrap_or(-1))),
            state: arrays::text(each().map(|row| name(row.state))),
            io_wait: Arc::new(each().map(|row| row.io_wait.map(i32::from)).collect::<Int32Array>()),
            blocked_function: self.text(each().map(|row| row.blocked_function)),
            waker_utid: optional(each().map(|row| self.scheduled(row.waker?))),
            ucpu: cpus,
            tid: int64(each().map(|row| row.tid.into())),
        }
        .into_batch()
    }
}
