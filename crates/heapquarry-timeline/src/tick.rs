//! The unit in which a file writes its times.

use crate::{Events, Phase};

/// The unit of the format: one microsecond, in nanoseconds.
const MICROSECOND: i64 = 1000;

/// The last decimal place that the starts and durations of slices use, in nanoseconds: 1, 10, 100 or 1000.
///
/// Writers round a start and a duration separately, so an end can be one tick too early or too late.
pub(crate) fn tick(events: &Events) -> i64 {
    let mut tick = MICROSECOND;
    for event in events.of_phases(Phase::is_slice) {
        for time in [events.ts(event), events.dur(event)].into_iter().flatten() {
            // The usual case needs no division by a variable.
            if tick == MICROSECOND && time % MICROSECOND == 0 {
                continue;
            }
            while time % tick != 0 {
                tick /= 10;
            }
        }
        if tick == 1 {
            break;
        }
    }
    tick
}
