//! Damaged and unusual documents: what import_log says of them and where, and which cells are then other than in the
//! document as it should be. Everything that a case does not name must be as before.

#[path = "../common/mod.rs"]
mod common;

mod case;
mod document;
mod errors;
mod header;
mod much;
mod records;
mod sections;
mod strings;
mod tree;

use case::*;
use common::{
    BOTH, Cell, Reading, Tables, assert_from_end, assert_readings, assert_tables, int,
    is_misplaced, no_rows, options, read, text, usual,
};
use document::{document_cases, reordered};
use header::header_cases;
use heapquarry_formats::{
    Buffer, Claim, Code, Input, LISTED, Locate, Names, Reader, Rows, Severity, Status, Task,
    heap::{Scratch, Snapshot},
};
use heapquarry_tables::{Projection, by_name};
use records::{number_cases, record_cases};
use sections::*;
use std::collections::{BTreeMap, BTreeSet};
use strings::string_cases;
use tree::tree_cases;

#[test]
fn documents() {
    document_cases().iter().for_each(Case::check);
}

#[test]
fn headers() {
    header_cases().iter().for_each(Case::check);
}

#[test]
fn records() {
    record_cases().iter().for_each(Case::check);
}

#[test]
fn numbers() {
    number_cases().iter().for_each(Case::check);
}

#[test]
fn strings() {
    string_cases().iter().for_each(Case::check);
}

#[test]
fn trees() {
    tree_cases().iter().for_each(Case::check);
}

#[test]
fn every_code_has_a_case() {
    let cases = [
        document_cases(),
        header_cases(),
        record_cases(),
        number_cases(),
        string_cases(),
        tree_cases(),
    ];
    let shown: BTreeSet<_> =
        cases.iter().flatten().flat_map(|case| case.log.iter().map(|(code, _)| *code)).collect();
    // The first are of files and traces, not of heaps; tests of the facade and of traces show them. Those after them
    // have tests of their own.
    let elsewhere = [
        Code::CompressedDamaged,
        Code::InputChanged,
        Code::SecondDocument,
        Code::MoreDocuments,
        Code::LeadingText,
        Code::StringTooLong,
        Code::RecordsLost,
    ];
    let missing: Vec<_> = Code::ALL
        .iter()
        // Those of heaps stand first.
        .take_while(|code| **code != common::OF_PROFILES[0])
        .filter(|code| !elsewhere.contains(code))
        .filter(|code| !shown.contains(code.name()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
