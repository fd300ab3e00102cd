import test from './test.js';

export const { LeakError, expectNoLeak } = test;
