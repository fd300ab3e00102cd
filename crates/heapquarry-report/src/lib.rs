//! What the commands for people and for CI say, and how they say it.
//!
//! A [`Report`] is made of sections: lists of values, and tables of typed cells. One report becomes text that fits a
//! terminal ([`text`]), Markdown ([`markdown`]), JSON ([`json`]), JUnit XML ([`junit`]) or annotations of GitHub Actions
//! ([`github`]).
//!
//! [`Facts`] are the figures of one input, by scope (the whole, each class, each function, …), as its [`Vocabulary`] declares
//! them. A [`Rule`] sets a limit to some of them: it comes from a [`budget`] file, or is one [expression](rule).
//! [`check()`] compares facts with rules, and with the facts of a baseline.
//!
//! This crate knows neither heaps nor profiles, neither files nor the environment.
//!
//! ```
//! use heapquarry_report::{Facts, Quantity, Rule, Scope, Unit, check};
//!
//! static VOCABULARY: [Scope; 1] = [Scope {
//!     name: "class",
//!     names: None,
//!     quantities: &[Quantity { name: "count", unit: Unit::Count, doc: "objects" }],
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

pub mod budget;
mod check;
mod facts;
pub mod github;
pub mod json;
pub mod junit;
mod limit;
pub mod markdown;
mod model;
mod pattern;
mod printable;
pub mod rule;
pub mod text;
mod unit;
mod verdict;

pub use budget::Budget;
pub use check::{Check, Finding, Outcome, check};
pub use facts::{Facts, Quantity, Scope, Vocabulary, WHOLE};
pub use limit::{Amount, Limit, SyntaxError};
pub use model::{Body, Cell, Column, Report, Section, Table, Value};
pub use pattern::Pattern;
pub use rule::{Origin, Rule};
pub use unit::{Unit, grouped};
