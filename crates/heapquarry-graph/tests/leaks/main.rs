//! Small programs that leak, and some that do not, as heaps made by hand.

mod counts;
mod dictionaries;
mod findings;
mod heaps;
mod kinds;
mod momentary;
mod none;
mod owners;
mod places;
mod program;
