//! The verb `redact`.

use super::{values::source, work::Resources};
use clap::{Args, ValueEnum};
use heapquarry::Source;
use std::path::PathBuf;

/// Copy a heap snapshot, profile or trace without what is private
///
/// The copy has the same format and structure: ids, sizes and references stay, strings become tokens. Equal strings
/// have equal tokens. Then looks for secrets in the copy; exits with 1 if it finds any.
#[derive(Args, Debug)]
pub(crate) struct Redact {
    #[arg(value_name = "INPUT", value_parser = source(), help = "A file, plain or compressed (gzip, zstd, zlib, zip, tar), or - for standard input; INPUT#N selects document N (from 0)")]
    pub(crate) input: Source,

    /// The copy; .gz and .zst are packed
    #[arg(required_unless_present = "audit", conflicts_with = "audit", value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// What is taken out
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = RedactLevel::Values)]
    pub(crate) level: RedactLevel,

    /// Keep this name of a property, class or function, or with Class.property the strings that objects of the class
    /// have there; * matches any text; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Vec<String>,

    /// Take out every string with a match of this regular expression, and look for it in the copy; can be repeated
    #[arg(long, value_name = "REGEX")]
    pub(crate) deny: Vec<String>,

    /// A secret file of 16 bytes or more: runs with the same one give equal tokens to equal strings [default: a random
    /// key that nobody keeps]
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,

    /// Write what each token stands for to this file, as JSON lines; keep it to yourself
    #[arg(long, value_name = "FILE", conflicts_with = "audit")]
    pub(crate) map: Option<PathBuf>,

    /// Only look for secrets in the input: mail addresses, tokens, keys, card numbers, IP addresses, long hex and
    /// base64; exits with 1 if it finds any, with 2 if it cannot read all
    #[arg(long)]
    pub(crate) audit: bool,

    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) resources: Resources,

    /// Print errors and hits only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RedactLevel {
    /// Values of strings, symbols, numbers and regular expressions, and sources of scripts
    Values,
    /// Also names of properties, attributes of elements, queries of addresses
    Names,
    /// Also names of classes and functions, hosts and paths
    Full,
}
