// A program that leaks, and takes the snapshots in corpus/leak: a shop that never forgets a session. Its price cache
// and its log are bounded.
//
// usage: node --expose-gc leak.js FOLDER
'use strict';
const path = require('path');
const v8 = require('v8');

const REQUESTS = 400; // in each round
const CACHED = 50;

class Session {
  constructor(user) {
    this.user = user;
    this.cart = [];
    this.startedAt = Date.now();
  }
}

class SessionStore {
  constructor() {
    this.sessions = new Map();
  }

  open(id, user) {
    const session = new Session(user);
    this.sessions.set(id, session); // the leak: nothing removes it
    return session;
  }
}

class Shop {
  constructor() {
    this.store = new SessionStore();
    this.prices = new Map();
    this.log = [];
  }

  handle(request) {
    const session = this.store.open(`session-${request}`, { name: `user ${request}` });
    session.cart.push({ article: `article ${request % 97}`, price: this.price(request % 97) });
    this.log.push(`${session.user.name} bought for ${session.cart[0].price}`);
    if (this.log.length > CACHED) this.log.shift();
  }

  price(article) {
    if (!this.prices.has(article)) {
      if (this.prices.size === CACHED) this.prices.delete(this.prices.keys().next().value);
      this.prices.set(article, { article, cents: article * 100 + 99 });
    }
    return this.prices.get(article).cents;
  }
}

const shop = new Shop();
let requests = 0;
const serve = () => {
  for (let i = 0; i < REQUESTS; i++) shop.handle(requests++);
};

serve(); // warm-up
for (const name of ['1', '2', '3']) {
  serve();
  global.gc();
  v8.writeHeapSnapshot(path.join(process.argv[2], `${name}.heapsnapshot`));
}
