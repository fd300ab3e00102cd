//! Arguments of the verbs.

mod about;
mod cache;
mod capture;
mod convert;
mod diff;
mod export;
mod extract;
mod index;
mod info;
mod leaks;
mod mcp;
mod names;
mod only;
mod open;
mod print;
mod query;
mod redact;
mod report;
mod schema;
mod target;
mod values;
mod views;
mod watch;
mod work;

pub(crate) use about::{About, AboutAll};
pub(crate) use cache::{Cache, CacheAction};
pub(crate) use capture::{Capture, CaptureKind, Then};
use clap::ValueEnum;
pub(crate) use convert::{Convert, Names};
pub(crate) use diff::DiffArgs;
pub(crate) use export::Export;
pub(crate) use extract::Extract;
pub(crate) use index::Index;
pub(crate) use info::Info;
pub(crate) use leaks::LeaksArgs;
pub(crate) use mcp::Mcp;
pub(crate) use only::{Only, Select};
pub(crate) use open::Open;
pub(crate) use print::{Measured, Print};
pub(crate) use query::{Query, QueryFormat};
pub(crate) use redact::{Redact, RedactLevel};
pub(crate) use report::Report;
pub(crate) use schema::{Schema, SchemaFormat};
pub(crate) use target::Target;
pub(crate) use views::Views;
pub(crate) use watch::WatchArgs;
pub(crate) use work::{Private, Reading, Resources, Unpack, Work};

/// How an error is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ErrorForm {
    #[default]
    Text,
    Json,
}
