//! Small programs that leak, and some that do not, as heaps made by hand.

mod counts;
mod dictionaries;
mod findings;
mod functions;
mod heaps;
mod ids;
mod jsc;
mod kinds;
mod mixtures;
mod momentary;
mod none;
mod owners;
mod places;
mod program;
mod unheld;
mod ways;
mod weak_maps;
