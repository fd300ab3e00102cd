//! Anything unusual in a document: the rows of `import_log`.

use crate::{ByteOffset, FileId, arrays, import_log};
use arrow_array::{Int64Array, RecordBatch};
use std::{collections::BTreeMap, sync::Arc};

/// Number of occurrences of a code that are listed per document; further ones are counted.
pub const LISTED: usize = 100;

/// Severity of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// All data is there.
    Info,
    /// Something could not be kept.
    DataLoss,
    /// A whole part could not be read.
    Error,
}

impl Severity {
    /// The name in `import_log.severity`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::DataLoss => "data_loss",
            Severity::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident $name:literal $severity:ident;)+) => {
        /// Kind of an entry. `docs/input-errors.md` explains each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "each is explained in docs/input-errors.md, which a test keeps complete")]
        pub enum Code { $($(#[$doc])* $code),+ }

        impl Code {
            /// All codes.
            pub const ALL: &[Code] = &[$(Code::$code),+];

            /// The name in `import_log.code`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$code => $name),+ }
            }

            /// The severity of the code.
            pub fn severity(self) -> Severity {
                match self { $(Code::$code => Severity::$severity),+ }
            }
        }
    };
}

codes! {
    Truncated "truncated" DataLoss;
    Malformed "malformed" Error;
    CompressedDamaged "compressed_damaged" DataLoss;
    InputChanged "input_changed" DataLoss;
    TrailingData "trailing_data" Info;
    SecondDocument "second_document" Error;
    MoreDocuments "more_documents" Info;
    LeadingText "leading_text" Info;
    ByteOrderMark "byte_order_mark" Info;
    MissingSection "missing_section" DataLoss;
    DuplicateSection "duplicate_section" DataLoss;
    UnknownSection "unknown_section" Info;
    UnknownField "unknown_field" Info;
    MissingField "missing_field" DataLoss;
    NodeCountMismatch "node_count_mismatch" Info;
    EdgeCountMismatch "edge_count_mismatch" Info;
    TraceFunctionCountMismatch "trace_function_count_mismatch" Info;
    PartialRecord "partial_record" DataLoss;
    EdgeWithoutOwner "edge_without_owner" DataLoss;
    NodesMissing "nodes_missing" DataLoss;
    EdgesMissing "edges_missing" DataLoss;
    OwnersUnknown "owners_unknown" Error;
    RecordsLost "records_lost" Error;
    ToNodeOutOfRange "to_node_out_of_range" DataLoss;
    ToNodeUnaligned "to_node_unaligned" DataLoss;
    LocationOutOfRange "location_out_of_range" DataLoss;
    ScopeOutOfRange "scope_out_of_range" DataLoss;
    RecordWithoutScope "record_without_scope" DataLoss;
    ScopeRecordsMissing "scope_records_missing" DataLoss;
    StringOutOfRange "string_out_of_range" DataLoss;
    TypeOutOfRange "type_out_of_range" Info;
    ValueOutOfRange "value_out_of_range" DataLoss;
    NotSet "not_set" Info;
    NegativeNumber "negative_number" Info;
    NumberForm "number_form" Info;
    NotAnInteger "not_an_integer" DataLoss;
    NotANumber "not_a_number" DataLoss;
    LoneSurrogate "lone_surrogate" Info;
    BadEscape "bad_escape" DataLoss;
    InvalidUtf8 "invalid_utf8" DataLoss;
    ZeroBytes "zero_bytes" DataLoss;
    StrayQuote "stray_quote" Info;
    StringTooLong "string_too_long" DataLoss;
    NotAString "not_a_string" DataLoss;
    BadNesting "bad_nesting" DataLoss;
    WrappedNumber "wrapped_number" Info;
    RoundedTime "rounded_time" Info;
    IdsAssigned "ids_assigned" Info;
    DuplicateId "duplicate_id" DataLoss;
    UnknownNode "unknown_node" DataLoss;
    LateNode "late_node" Info;
    SecondParent "second_parent" DataLoss;
    CallCycle "call_cycle" DataLoss;
    SampleCountMismatch "sample_count_mismatch" DataLoss;
    UnsortedSamples "unsorted_samples" Info;
    SpreadTimes "spread_times" DataLoss;
    TimeOutOfRange "time_out_of_range" DataLoss;
    EventWithoutTime "event_without_time" DataLoss;
    EventWithoutId "event_without_id" Info;
    UnmatchedEnd "unmatched_end" Info;
    UnclosedSlice "unclosed_slice" Info;
    ImpliedEnd "implied_end" Info;
    OverlappingSlice "overlapping_slice" Info;
    SliceWithoutDuration "slice_without_duration" Info;
    FlowWithoutStart "flow_without_start" Info;
    FlowOutsideSlices "flow_outside_slices" Info;
    UnknownDocument "unknown_document" Info;
    NotAnEvent "not_an_event" DataLoss;
    EmptyEvent "empty_event" Info;
    UnclosedArray "unclosed_array" Info;
    RepairedJson "repaired_json" Info;
    DuplicateMember "duplicate_member" Info;
    OddMember "odd_member" Info;
    UnknownLine "unknown_line" DataLoss;
    EventsLost "events_lost" Info;
    OddFtraceEvent "odd_ftrace_event" Info;
    NothingToRead "nothing_to_read" DataLoss;
    SourceMap "source_map" Info;
    SectionHeader "section_header" Info;
    SectionSum "section_sum" Info;
    BadRecord "bad_record" DataLoss;
    BadMessage "bad_message" DataLoss;
    UnknownMessage "unknown_message" Info;
    CommandFailed "command_failed" Info;
    UnfinishedDump "unfinished_dump" Info;
    NotObserved "not_observed" Info;
    ProfileWithoutStart "profile_without_start" Info;
    EarlyProfileChunk "early_profile_chunk" Info;
    EmptyProfileChunk "empty_profile_chunk" Info;
}

/// One row of `import_log`, without the document's number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Offset in bytes from the start of the document; `None` for the document as a whole.
    pub offset: Option<ByteOffset>,
    /// Kind of the entry.
    pub code: Code,
    /// Explanation in words.
    pub message: String,
    /// The bytes in question, printable.
    pub excerpt: Option<String>,
    /// Number of occurrences.
    pub occurrences: u64,
}

/// Collects entries. Each task has its own log; [`Log::merge`] joins them so that the result does not depend on the
/// order in which tasks end.
#[derive(Clone, Debug, Default)]
pub struct Log {
    codes: BTreeMap<Code, Listing>,
}

#[derive(Clone, Debug, Default)]
struct Listing {
    first: Vec<Entry>,
    total: u64,
}

impl Log {
    /// Adds an occurrence. `message` is called only if the occurrence will be listed.
    pub fn add(
        &mut self,
        code: Code,
        offset: impl Into<Option<ByteOffset>>,
        message: impl FnOnce() -> String,
    ) {
        self.add_lazily(code, || (offset.into(), message(), None));
    }

    /// Adds an occurrence with the bytes in question.
    pub fn add_excerpt(
        &mut self,
        code: Code,
        offset: ByteOffset,
        bytes: &[u8],
        message: impl FnOnce() -> String,
    ) {
        self.add_lazily(code, || (Some(offset), message(), Some(printable(bytes, 80))));
    }

    /// Adds an occurrence whose offset is costly to find.
    pub fn add_lazily(
        &mut self,
        code: Code,
        entry: impl FnOnce() -> (Option<ByteOffset>, String, Option<String>),
    ) {
        if let Some(first) = self.occurred(code) {
            let (offset, message, excerpt) = entry();
            first.push(Entry { offset, code, message, excerpt, occurrences: 1 });
        }
    }

    /// Counts an occurrence. Returns the list that it belongs to, as long as that has room.
    fn occurred(&mut self, code: Code) -> Option<&mut Vec<Entry>> {
        let listing = self.codes.entry(code).or_default();
        listing.total += 1;
        (listing.first.len() < LISTED).then_some(&mut listing.first)
    }

    /// Adds the entries of another log of the same document.
    pub fn merge(&mut self, other: Log) {
        for (code, theirs) in other.codes {
            let ours = self.codes.entry(code).or_default();
            ours.total += theirs.total;
            ours.first.extend(theirs.first);
            ours.first.sort_unstable();
            ours.first.truncate(LISTED);
        }
    }

    /// Number of occurrences of at least this severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.codes
            .iter()
            .filter(|(code, _)| code.severity() >= severity)
            .map(|(_, l)| l.total)
            .sum()
    }

    /// Number of occurrences of any severity.
    pub fn total(&self) -> u64 {
        self.count(Severity::Info)
    }

    /// Whether this code has occurred.
    pub fn has(&self, code: Code) -> bool {
        self.codes.contains_key(&code)
    }

    /// The entries that lost data, in order.
    pub fn into_losses(self) -> Vec<Entry> {
        let mut entries = self.into_entries();
        entries.retain(|entry| entry.code.severity() >= Severity::DataLoss);
        entries
    }

    /// The rows by offset: those of the document as a whole first, the count of further occurrences of each code last.
    pub fn into_entries(self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut more = Vec::new();
        for (code, mut listing) in self.codes {
            let rest = listing.total - listing.first.len() as u64;
            entries.append(&mut listing.first);
            if rest > 0 {
                let message = format!("{rest} more of these are not listed");
                more.push(Entry { offset: None, code, message, excerpt: None, occurrences: rest });
            }
        }
        entries.sort_unstable();
        entries.append(&mut more);
        entries
    }
}

/// At most `limit` bytes made printable, for messages and excerpts.
pub fn printable(bytes: &[u8], limit: usize) -> String {
    let cut = &bytes[..bytes.len().min(limit)];
    let mut text = String::with_capacity(cut.len());
    for chunk in cut.utf8_chunks() {
        text.extend(chunk.valid().chars().flat_map(|c| {
            // Escape what a terminal would interpret; leave quotes and backslashes as they are.
            let escape = c.is_control();
            (!escape)
                .then_some(c)
                .into_iter()
                .chain(escape.then(|| c.escape_default()).into_iter().flatten())
        }));
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    if cut.len() < bytes.len() {
        text.push('…');
    }
    text
}

/// Rows of `import_log` for documents and their numbers.
pub fn import_log(documents: &[(FileId, Vec<Entry>)]) -> RecordBatch {
    let rows = || documents.iter().flat_map(|(id, entries)| entries.iter().map(move |e| (*id, e)));
    import_log::Columns {
        file_id: FileId::columns(rows().map(|(id, _)| id)),
        byte_offset: Arc::new(
            rows().map(|(_, e)| e.offset.map(|o| o.0 as i64)).collect::<Int64Array>(),
        ),
        severity: arrays::labels(rows().map(|(_, e)| e.code.severity().name())),
        code: arrays::labels(rows().map(|(_, e)| e.code.name())),
        message: arrays::text(rows().map(|(_, e)| Some(&e.message))),
        excerpt: arrays::text(rows().map(|(_, e)| e.excerpt.as_ref())),
        occurrences: Arc::new(Int64Array::from_iter_values(
            rows().map(|(_, e)| e.occurrences as i64),
        )),
    }
    .into_batch()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_documented_with_its_severity() {
        let docs = include_str!("../../../docs/input-errors.md");
        for code in Code::ALL {
            let row = docs
                .lines()
                .find(|l| l.contains(&format!("`{}`", code.name())) && l.starts_with('|'));
            let row =
                row.unwrap_or_else(|| panic!("{} is not in docs/input-errors.md", code.name()));
            assert!(row.contains(code.severity().name()), "{row}");
        }
    }

    #[test]
    fn the_first_hundred_are_listed_whatever_the_order_of_tasks() {
        let part = |from: u64, to: u64| {
            let mut log = Log::default();
            (from..to).for_each(|o| log.add(Code::NotANumber, ByteOffset(o), || format!("at {o}")));
            log
        };
        let mut expected = None;
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut log = Log::default();
            order.into_iter().for_each(|i| log.merge(part(i * 150, i * 150 + 150)));
            let entries = log.into_entries();
            assert_eq!(entries.len(), LISTED + 1);
            assert_eq!(entries[99].offset, Some(ByteOffset(99)));
            assert_eq!(entries[100].occurrences, 350);
            assert_eq!(expected.get_or_insert_with(|| entries.clone()), &entries);
        }
    }

    #[test]
    fn excerpts_are_printable_and_short() {
        let mut log = Log::default();
        log.add_excerpt(Code::InvalidUtf8, ByteOffset(3), b"a\x00\xff\"\\b", String::new);
        log.add_excerpt(Code::InvalidUtf8, ByteOffset(4), &[b'x'; 200], String::new);
        let entries = log.into_entries();
        assert_eq!(entries[0].excerpt.as_deref(), Some("a\\u{0}\u{fffd}\"\\b"));
        assert_eq!(entries[1].excerpt.as_ref().map(|e| e.chars().count()), Some(81));
    }
}
