//! Traces: seeded, the same in every run.

use crate::random::Random;
use std::fmt::Write;

const OPERATORS: [&str; 5] = ["aten::mm", "aten::add_", "aten::copy_", "nccl:all_reduce", "run"];
const KERNELS: [&str; 2] =
    ["ampere_sgemm_128x64_tn", "void at::native::vectorized_elementwise_kernel<4, float>"];

/// A trace as PyTorch writes it, of that many steps: an operator, the launch in it, and the kernel, with the flow from
/// one to the other; some 900 bytes each.
pub fn kineto(steps: u64) -> String {
    let mut random = Random(9);
    let mut text = String::from(
        "{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\
         {\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4242,\"tid\":0,\"args\":{\"name\":\"python\"}}",
    );
    let mut now = 1_700_000_000_000_000_000u64;
    for step in 1..=steps {
        now += 1000 + random.below(20_000);
        let (took, kernel) = (2000 + random.below(15_000), 1000 + random.below(90_000));
        let at = |nanos: u64| format!("{}.{:03}", (now + nanos) / 1000, (now + nanos) % 1000);
        let micros = |nanos: u64| format!("{}.{:03}", nanos / 1000, nanos % 1000);
        let operator = OPERATORS[random.below(OPERATORS.len() as u64) as usize];
        let name = KERNELS[random.below(KERNELS.len() as u64) as usize];
        let (start, launch, run) = (at(0), at(took / 2), at(took));
        let (dur, launched, ran) = (micros(took), micros(took / 4), micros(kernel));
        let (tid, rows, grid) = (4242 + random.below(4), random.below(4096), random.below(1024));
        let _ = write!(
            text,
            r#",
{{"ph":"X","cat":"cpu_op","name":"{operator}","pid":4242,"tid":{tid},"ts":{start},"dur":{dur},"args":{{"External id":{step},"Input Dims":[[{rows},1024],[1024,{rows}]],"Input type":["float","float"]}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":4242,"tid":4242,"ts":{launch},"dur":{launched},"args":{{"cbid":211,"correlation":{step}}}}},
{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{run},"dur":{ran},"args":{{"device":0,"stream":7,"correlation":{step},"blocks per SM":{rows}.25,"grid":[{grid},1,1]}}}},
{{"ph":"s","id":{step},"pid":4242,"tid":4242,"ts":{launch},"cat":"ac2g","name":"ac2g"}},
{{"ph":"f","id":{step},"pid":0,"tid":7,"ts":{run},"cat":"ac2g","name":"ac2g","bp":"e"}}"#,
        );
    }
    text.push_str("\n]}\n");
    text
}

/// Ftrace text of that many switches, with wakeups, slices and counters between them; some 300 bytes each.
pub fn ftrace(switches: u64) -> String {
    let mut random = Random(10);
    let mut text = String::from("# tracer: nop\n");
    let (mut running, mut now) = ([100, 101, 102, 103], 50_000_000_000u64);
    for _ in 0..switches {
        now += 1 + random.below(300);
        let cpu = random.below(4);
        let (prev, next) = (running[cpu as usize], 100 + random.below(200));
        let row = |of: u64, event: &str, args: String| {
            let (seconds, micros) = (now / 1_000_000, now % 1_000_000);
            format!(
                "  thread{of}-{of}  (  {}) [{cpu:03}] d..3 {seconds}.{micros:06}: {event}: {args}\n",
                of / 10
            )
        };
        let woken = format!("comm=thread{next} pid={next} prio=120 target_cpu={cpu:03}");
        text += &row(prev, "sched_waking", woken);
        if random.below(3) == 0 {
            let pid = prev / 10;
            text += &row(prev, "tracing_mark_write", format!("B|{pid}|draw{}", random.skewed(50)));
            text += &row(prev, "tracing_mark_write", format!("C|{pid}|frames|{}", random.below(9)));
            text += &row(prev, "tracing_mark_write", format!("E|{pid}"));
        }
        let state = ["S", "D", "R", "R+"][random.below(4) as usize];
        text += &row(
            prev,
            "sched_switch",
            format!(
                "prev_comm=thread{prev} prev_pid={prev} prev_prio=120 prev_state={state} ==> \
                 next_comm=thread{next} next_pid={next} next_prio=120"
            ),
        );
        running[cpu as usize] = next;
    }
    text
}

/// A page like those of systrace: the text of [`ftrace`] behind half as many scripts.
pub fn page(switches: u64) -> String {
    let scripts =
        "<script>\nvar viewer = {\"a\": [1, 2]};\n</script>\n".repeat(switches as usize / 2);
    let trace = ftrace(switches);
    format!(
        "<!DOCTYPE html>\n<html>\n<body>\n{scripts}\
         <script class=\"trace-data\" type=\"application/text\">\n{trace}</script>\n</body>\n</html>\n"
    )
}
