import heapquarry from './index.js';

export const {
  HeapquarryError, Input, binary, check, diff, leaks, open, query, show, stream, summary, why,
} = heapquarry;
