export * from './test.js';
