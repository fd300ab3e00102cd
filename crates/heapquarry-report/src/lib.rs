//! Reports, limits and budgets for people and for CI.
//!
//! A [`Report`] consists of sections: lists of values, and tables of typed cells. It can be written as text that fits a
//! terminal ([`text`]), Markdown ([`markdown`]), JUnit XML ([`junit`]), annotations of GitHub Actions
//! ([`github`]), the body of an HTML page ([`html`]), or figures for programs that keep histories of them ([`bencher`],
//! [`benchmark_action`]). [`brief`](mod@brief) cuts an answer in JSON to a size.
//!
//! [`Facts`] are the figures of one input, by scope (the whole input, each class, each function, …), as its
//! [`Vocabulary`] declares them. A [`Rule`] limits some of them: it comes from a [`budget`] file, or is an
//! [expression](rule). [`check()`] compares facts with rules, and with the facts of a baseline. [`runs`] tells whether
//! figures of several runs differ.
//!
//! This crate does not know heaps or profiles, and reads neither files nor the environment.
//!
//! ```
//! use heapquarry_report::{Facts, Quantity, Rule, Scope, Unit, check};
//!
//! static VOCABULARY: [Scope; 1] = [Scope {
//!     name: "class",
//!     names: None,
//!     quantities: &[Quantity::new("count", Unit::Count, "objects")],
//! }];
//! let facts = |count| {
//!     let mut facts = Facts::new(&VOCABULARY);
//!     facts.add("class", "Session", &[count]);
//!     facts
//! };
//! let rule = Rule::parse("class[Sess*].count > +5%", &VOCABULARY)?;
//! let checks = check(&[rule], &facts(106), Some(&facts(100)));
//! assert!(checks[0].is_exceeded());
//! # Ok::<(), heapquarry_report::SyntaxError>(())
//! ```
#![forbid(unsafe_code)]

pub mod baseline;
pub mod bencher;
pub mod benchmark_action;
pub mod brief;
pub mod budget;
mod check;
mod facts;
pub mod github;
pub mod html;
pub mod junit;
mod limit;
pub mod markdown;
mod measures;
mod model;
mod near;
mod pattern;
pub mod printable;
pub mod rule;
pub mod runs;
pub mod starter;
pub mod text;
mod unit;
mod verdict;
mod wrap;

pub use budget::Budget;
pub use check::{
    Check, Finding, Outcome, Unknown, Unmatched, check, check_each, unknown, unmatched,
};
pub use facts::{Facts, Quantity, Scope, SourceLine, Together, Vocabulary, WHOLE};
pub use limit::{Amount, Limit, SyntaxError, size};
pub use measures::measures;
pub use model::{Body, Cell, Column, Measure, Report, Section, Table, Value};
pub use near::near;
pub use pattern::Pattern;
pub use printable::printable;
pub use rule::{Origin, Rule};
pub use unit::{FROM_NOTHING, Unit, grouped};
