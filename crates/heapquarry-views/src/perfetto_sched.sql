-- When each CPU ran which thread.
CREATE OR REPLACE VIEW perfetto.sched AS
SELECT id, ts, dur, cpu, utid, end_state, priority, ucpu, file_id FROM main.sched;

-- The same as sched.
CREATE OR REPLACE VIEW perfetto.sched_slice AS SELECT * FROM perfetto.sched;

-- The states of threads.
CREATE OR REPLACE VIEW perfetto.thread_state AS
SELECT id, ts, dur, cpu, utid, state, io_wait, blocked_function, waker_utid, ucpu, file_id
FROM main.thread_state;
