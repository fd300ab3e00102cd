import heapquarry from './index.js';

export * from './questions.js';
export const { HeapquarryError, Input, binary, check, info, open, query, schema, stream } = heapquarry;
