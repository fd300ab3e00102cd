// Three large snapshots of one process, between which sessions leak: 780,000 users are 1.42 GB each with Node 24.
//
// node --max-old-space-size=12000 large.js FOLDER [USERS]
'use strict';
const path = require('node:path');
const v8 = require('node:v8');

const [folder = '.', users = '780000'] = process.argv.slice(2);

class Address {
  constructor(i) {
    this.street = `street ${i}`;
    this.zip = (i % 99999) + 0.5;
  }
}

class Order {
  constructor(i, j) {
    this.id = i * 10 + j;
    this.total = i / 7 + j;
    this.tags = [`a${i % 100}`, 'b'];
  }
}

class User {
  constructor(i) {
    this.id = i;
    this.name = `user ${i}`;
    this.address = new Address(i);
    this.orders = [0, 1, 2].map(j => new Order(i, j));
    this.onChange = () => this.id;
  }
}

class Session {
  constructor(user) {
    this.user = user;
    this.data = new Array(20).fill(1.5);
    this.at = Date.now() + 0.5;
  }
}

const all = new Map();
const sessions = [];
for (let i = 0; i < Number(users); i++) all.set(`k${i}`, new User(i));
for (let round = 1; round <= 3; round++) {
  for (let i = 0; i < 2000; i++) sessions.push(new Session(all.get(`k${i % all.size}`)));
  v8.writeHeapSnapshot(path.join(folder, `${round}.heapsnapshot`));
}
