#![no_main]

#[path = "../../../heapquarry-names/tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::source(data));
