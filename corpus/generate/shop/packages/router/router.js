// Routes of a server.
'use strict';

class Route {
  constructor(path, handler) {
    this.path = path;
    this.handler = handler;
  }
}

exports.Router = class Router {
  constructor() {
    this.routes = [];
  }

  add(path, handler) {
    this.routes.push(new Route(path, handler));
  }

  answer(path) {
    return this.routes.find(route => route.path === path).handler(path);
  }
};
