//! Traces written as lines of text, and what they mean.

mod cases;
mod flows;
mod nesting;
mod notation;
