// TRUTH {"package": "mongoose", "leaking": "5.5.1", "fixed": "5.5.2", "files": ["lib/model.js"], "owner": ["EventEmitter|_events|internalEmitter|dropDatabase"], "leaked": ["closure|function|onceWrapper|wrapper|bound"], "reported": "Automattic/mongoose#7682"}
// A model for each tenant, which is deleted when the tenant leaves.
const { run, N } = require('../lib/harness');
const mongoose = require('mongoose');
const connection = mongoose.createConnection();
run({
  round(r) {
    for (let i = 0; i < N / 10; i++) {
      const name = `Tenant${r}n${i}`;
      connection.model(name, new mongoose.Schema({ title: String }, { autoIndex: false }));
      connection.deleteModel(name);
    }
  },
});
