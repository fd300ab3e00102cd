//! What ran when, drawn in a report.

use super::explore::{ChartAnswer, ProfileExplorer, TimeRange};
use crate::{answer::Amount, room::Room};
use heapquarry::Result;
use heapquarry_base::Order;
use heapquarry_html::{
    Block, Drawing,
    model::{Lanes, Slices, Texts, Trace},
};
use heapquarry_report::grouped;
use std::cmp::Reverse;

/// Threads that are drawn: those with most samples.
const THREADS: usize = 8;
/// Parts of the time of all threads that are told apart.
const PARTS: usize = 16_384;

/// Stacks in the order of time; `None` of a profile that has no samples. It is drawn like the threads of a trace.
pub(super) fn block(explorer: &ProfileExplorer, room: Room) -> Result<Option<Block>> {
    let threads = explorer.chart(None, 1)?.answer.threads;
    let all = threads.len();
    let mut drawn: Vec<usize> = (0..all).collect();
    drawn.order_by_key(|&at| (Reverse(threads[at].sample_count), at));
    drawn.truncate(room.of(THREADS));
    // Samples without times have no order.
    let longest = drawn.iter().map(|&at| nanos(threads[at].duration)).max().unwrap_or(0);
    if longest == 0 {
        return Ok(None);
    }
    let parts = (room.of(PARTS) / drawn.len()).max(1) as u32;
    let mut lanes = Vec::new();
    for &thread in &drawn {
        let range = TimeRange { thread, from: 0, to: i64::MAX };
        lanes.push(explorer.chart(Some(range), parts)?.answer);
    }
    let samples: u64 = drawn.iter().map(|&at| threads[at].sample_count).sum();
    let rest = match drawn.len() < all {
        true => format!(" The {} of {} threads with most samples are drawn.", drawn.len(), all),
        false => String::new(),
    };
    let note = format!(
        "What ran, from left to right: a box is a call, as long as samples in a row have it, of {} samples. Calls that \
         are too short to be told apart are one box.{rest} Drag to move, use the wheel with Ctrl or the keys + and - to \
         zoom.",
        grouped(samples)
    );
    // The only one is that of the profile.
    let name = |&at: &usize| if all == 1 { "" } else { &*threads[at].name };
    let names: Vec<&str> = drawn.iter().map(name).collect();
    let drawing = Drawing::Trace(Box::new(model(&names, &lanes, longest)));
    Ok(Some(Block::Drawing { key: "time", title: "Time", note, drawing }))
}

/// Microseconds of a profile in nanoseconds.
fn nanos(micros: Amount) -> u64 {
    u64::try_from(micros.number).unwrap_or(0).saturating_mul(1000)
}

fn model(names: &[&str], lanes: &[ChartAnswer], span: u64) -> Trace {
    let mut texts = Texts::default();
    let name = names.iter().map(|name| texts.number(name)).collect::<Vec<u32>>();
    let process = vec![texts.number(""); names.len()];
    let mut slices = Slices::default();
    let (mut lane, mut depth) = (Vec::<u32>::new(), Vec::<u32>::new());
    let (mut start, mut dur) = (Vec::<i64>::new(), Vec::<i64>::new());
    let (mut called, mut place, mut script) =
        (Vec::<u32>::new(), Vec::<u32>::new(), Vec::<u32>::new());
    for (at, ChartAnswer { boxes, functions, .. }) in (0..).zip(lanes) {
        // What contains others comes before them.
        let mut order: Vec<usize> = (0..boxes.call.len()).collect();
        order.order_by_key(|&one| (boxes.start[one], boxes.depth[one]));
        for one in order {
            let function = &functions[boxes.function[one] as usize];
            let name = match boxes.count[one] {
                1 => function.function_name.clone(),
                count => format!("{} × {} …", grouped(count), function.function_name),
            };
            lane.push(at);
            depth.push(boxes.depth[one]);
            start.push(boxes.start[one].saturating_mul(1000));
            dur.push(boxes.size[one].saturating_mul(1000));
            called.push(texts.number(&name));
            place.push(texts.number(function.place.as_deref().unwrap_or_default()));
            script.push(texts.number(&function.url));
        }
    }
    let slice_count = lane.len() as u64;
    slices.lane = lane.into_iter().collect();
    slices.depth = depth.into_iter().collect();
    (slices.start, slices.dur) = (start.into(), dur.into());
    slices.name = called.into_iter().collect();
    slices.category = place.into_iter().collect();
    slices.script = script.into_iter().collect();
    let (name, process) = (name.into_iter().collect(), process.into_iter().collect());
    let lanes = Lanes { name, process, ..Lanes::default() };
    Trace { span, slice_count, lanes, slices, texts, ..Trace::default() }
}
