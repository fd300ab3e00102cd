import heapquarry from './index.js';

export const {
  HeapquarryError, Input, binary, check, diff, find, info, leaks, open, query, schema, show, stream, summary, why,
} = heapquarry;
