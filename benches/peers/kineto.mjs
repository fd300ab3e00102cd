// Writes a trace like PyTorch's: an object with keys before its events, complete events with arguments, times since 1970 in
// microseconds with nanoseconds, metadata, flows from launches to kernels. The same bytes for the same size.
//
// usage: node kineto.mjs OUT BYTES [array]        the whole object, or its events only, as an array
import { closeSync, openSync, writeSync } from 'node:fs';

const [, , out, bytes, form] = process.argv;
const file = openSync(out, 'w');
let state = 1;
function random(below) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const OPERATORS = ['aten::mm', 'aten::add_', 'aten::copy_', 'aten::layer_norm', 'aten::softmax', 'nccl:all_reduce', 'autograd::engine::evaluate_function: MmBackward0'];
const KERNELS = ['ampere_sgemm_128x64_tn', 'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>', 'ncclKernel_AllReduce_RING_LL_Sum_float'];
const START = 1_700_000_000_000_000n;
let text = `{
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "GPU 0", "totalGlobalMem": 42505273344}],
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 0,
  "traceEvents": [
  {"ph": "M", "name": "process_name", "ts": ${START}.000, "pid": 4242, "tid": 0, "args": {"name": "python"}},
  {"ph": "M", "name": "thread_name", "ts": ${START}.000, "pid": 0, "tid": 7, "args": {"name": "stream 7"}}`;
if (form === 'array') text = text.slice(text.indexOf('[\n  {"ph"'));
let written = 0;
let now = 0n;
for (let correlation = 1; written + text.length < Number(bytes); correlation++) {
  now += BigInt(1000 + random(20000));
  const at = ns => `${START + (now + BigInt(ns)) / 1000n}.${String((now + BigInt(ns)) % 1000n).padStart(3, '0')}`;
  const took = 2000 + random(15000);
  const kernel = 1000 + random(90000);
  text += `,
  {"ph": "X", "cat": "cpu_op", "name": "${OPERATORS[random(OPERATORS.length)]}", "pid": 4242, "tid": ${4242 + random(4)}, "ts": ${at(0)}, "dur": ${(took / 1000).toFixed(3)},
   "args": {"External id": ${correlation}, "Record function id": 0, "Ev Idx": ${correlation}, "Input Dims": [[${random(4096)}, 1024], [1024, ${random(4096)}]], "Input type": ["float", "float"]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242, "ts": ${at(took / 2 | 0)}, "dur": ${((took / 4 | 0) / 1000).toFixed(3)}, "args": {"External id": ${correlation}, "cbid": 211, "correlation": ${correlation}}},
  {"ph": "X", "cat": "kernel", "name": "${KERNELS[random(KERNELS.length)]}", "pid": 0, "tid": 7, "ts": ${at(took)}, "dur": ${(kernel / 1000).toFixed(3)},
   "args": {"External id": ${correlation}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": ${correlation}, "registers per thread": ${random(128)}, "shared memory": ${random(65536)}, "blocks per SM": ${(random(1000) / 37).toFixed(6)}, "grid": [${random(1024)}, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": ${random(100)}}},
  {"ph": "s", "id": ${correlation}, "pid": 4242, "tid": 4242, "ts": ${at(took / 2 | 0)}, "cat": "ac2g", "name": "ac2g"},
  {"ph": "f", "id": ${correlation}, "pid": 0, "tid": 7, "ts": ${at(took)}, "cat": "ac2g", "name": "ac2g", "bp": "e"}`;
  if (text.length > 1 << 20) {
    written += writeSync(file, text);
    text = '';
  }
}
const end = form === 'array' ? '\n  ]\n' : '\n  ],\n  "traceName": "rank0.pt.trace.json"\n}\n';
writeSync(file, text + end);
closeSync(file);
