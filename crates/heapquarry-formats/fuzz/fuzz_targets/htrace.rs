#![no_main]

#[path = "../../../heapquarry-cli/tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::htrace(data));
