//! A page that looks at all of a heap, a profile, a trace or a watch, in the browser, on the machine that has the file.
//!
//! [`Server`] listens on 127.0.0.1, analyses an input in a thread, and answers a page's questions. Where `summary`,
//! `show` or `why` print a number with `--json`, the page gets the same struct. The page is compiled in.
//!
//! | file | does |
//! | --- | --- |
//! | `server.rs` | the life of the server: analysis, connections, its end |
//! | `connection.rs` | one request and its response |
//! | `request.rs`, `response.rs` | HTTP/1.1, as far as a page needs it |
//! | `guard.rs` | who may ask |
//! | `routes/` | what can be asked, by kind of input |
//! | `sql.rs` | queries, by whoever has a database |
//! | `state.rs`, `shared.rs`, `event.rs` | how far the analysis is; what threads share, and tell each other |
//! | `assets.rs` | the page |
//!
//! # Who may ask
//!
//! Other pages in the same browser can send requests to 127.0.0.1, and so can other users of the machine. So each path
//! begins with a random token; `Host` must be this machine, which stops names that are bound to 127.0.0.1 later (DNS
//! rebinding); `Origin` and `Sec-Fetch-Site` must be the page itself. No response allows another origin to read it.
//! GET is answered, and POST for SQL, with a body of JSON from the page itself; neither changes anything. No request
//! names a file: what is served is compiled in, or comes from the input in memory. What runs SQL has to see to it that
//! a query reads the tables of the input and nothing else ([`Sql`]). The page may load nothing from elsewhere and turns
//! no text into markup (Content Security Policy, Trusted Types).
//!
//! # Why no server crate
//!
//! One request for each connection, and few of them have a body. `httparse`, which `capture` needs too, reads its head;
//! what is around it bounds the length of a head and a body and the time to wait for them.
#![forbid(unsafe_code)]

mod assets;
mod connection;
mod event;
mod guard;
mod request;
mod response;
mod routes;
mod server;
mod shared;
mod sql;
mod state;

pub use server::{Opened, Server};
pub use sql::{Form, Query, Sql};
