'use strict';
// Generated from the definition of the command; do not edit.
// UPDATE_GOLDEN=1 cargo test --workspace --test generated
const { ask } = require('./run.js');

exports.summary = (inputs, options) => ask('summary', inputs, options);
exports.why = (inputs, options) => ask('why', inputs, options);
exports.show = (inputs, options) => ask('show', inputs, options);
exports.find = (inputs, options) => ask('find', inputs, options, ['detached']);
exports.leaks = (inputs, options) => ask('leaks', inputs, options);
exports.diff = (inputs, options) => ask('diff', inputs, options);
exports.check = (inputs, options) => ask('check', inputs, options);
