//! Containers: what is wrapped at random comes out again, and whatever is done to the bytes, reading ends.

use heapquarry_input::{
    devtools::{Document, DocumentRange, Messages},
    htrace::{
        self, HEADER, MAGIC,
        proto::{ArkTsConfig, ArkTsResult, ProfilerPluginData},
    },
};
use proptest::prelude::*;
use prost::Message;

/// A heap's text as the engine sends it: `{"snapshot"` and whatever.
fn heap() -> impl Strategy<Value = String> {
    r#"[ -~\n\t\\"é漢😀\u{1}]{0,300}"#.prop_map(|rest| format!("{{\"snapshot\":{rest}"))
}

/// The messages for a heap, in pieces of that many bytes; the outer escapes are serde_json's.
fn messages(text: &str, size: usize) -> Vec<Vec<u8>> {
    let quoted = serde_json::to_string(text).unwrap();
    let raw = &quoted.as_bytes()[1..quoted.len() - 1];
    // Cut between escapes, but anywhere in characters.
    let (mut pieces, mut piece, mut at) = (Vec::new(), Vec::new(), 0);
    while at < raw.len() {
        let length = match raw[at..] {
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => 1,
        };
        piece.extend_from_slice(&raw[at..at + length]);
        at += length;
        if piece.len() >= size {
            pieces.push(std::mem::take(&mut piece));
        }
    }
    pieces.push(piece);
    let chunk = |piece: Vec<u8>| {
        let (before, after) = (
            &b"{\"method\":\"HeapProfiler.addHeapSnapshotChunk\",\"params\":{\"chunk\":\""[..],
            &b"\"}}"[..],
        );
        [before, &piece, after].concat()
    };
    let end = br#"{"id":1,"result":{}}"#.to_vec();
    pieces.into_iter().map(chunk).chain([end]).collect()
}

fn section(records: &[ProfilerPluginData]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.resize(HEADER, 0);
    for record in records {
        bytes.extend((record.encoded_len() as u32).to_le_bytes());
        record.encode(&mut bytes).unwrap();
    }
    let length = bytes.len() as u64;
    bytes[8..16].copy_from_slice(&length.to_le_bytes());
    bytes[20..24].copy_from_slice(&(2 * records.len() as u32).to_le_bytes());
    bytes
}

fn record(message: Vec<u8>, time: u64) -> ProfilerPluginData {
    ProfilerPluginData {
        name: "arkts-plugin".into(),
        data: ArkTsResult { result: message }.encode_to_vec(),
        tv_sec: time / 1_000_000_000,
        tv_nsec: time % 1_000_000_000,
        ..Default::default()
    }
}

fn config() -> ProfilerPluginData {
    let config = ArkTsConfig { pid: 7, interval: 5, ..Default::default() };
    let name = "arkts-plugin_config".into();
    ProfilerPluginData { name, data: config.encode_to_vec(), ..Default::default() }
}

/// What comes out of a container: the contents of its documents, and the codes in its log.
fn read(bytes: &[u8]) -> (Vec<(Document, Vec<u8>)>, Vec<&'static str>) {
    let (mut messages, mut spool) = (Messages::new(), Vec::new());
    let contents = htrace::read(&bytes, &mut messages, &mut spool).unwrap();
    let held = messages.finish(&mut spool).unwrap();
    let bytes_of = |place: &DocumentRange| match place {
        DocumentRange::Spool(place) => spool[place.start.0 as usize..place.end.0 as usize].to_vec(),
        DocumentRange::Input(place) => bytes[place.start.0 as usize..place.end.0 as usize].to_vec(),
    };
    let documents = held.documents.into_iter();
    let documents = documents.map(|document| (document.clone(), bytes_of(&document.place)));
    let entries = contents.log.into_entries().into_iter();
    let sizes: u64 = contents.sections.iter().map(|section| section.end - section.offset).sum();
    assert!(sizes <= bytes.len() as u64);
    (documents.collect(), entries.map(|entry| entry.code.name()).collect())
}

proptest! {
    #[test]
    fn heaps_come_out_as_they_went_in(
        heaps in proptest::collection::vec((heap(), 1usize..120), 1..4),
        times in 1u64..1 << 62,
    ) {
        let mut records = vec![config()];
        for (text, size) in &heaps {
            for message in messages(text, *size) {
                let time = times + records.len() as u64;
                records.push(record(message, time));
            }
        }
        let (found, log) = read(&section(&records));
        prop_assert!(log.is_empty(), "{log:?}");
        prop_assert_eq!(found.len(), heaps.len());
        let mut first = times + 1;
        for (((document, bytes), (text, size)), n) in found.iter().zip(&heaps).zip(0..) {
            prop_assert_eq!(String::from_utf8_lossy(bytes), text.as_str());
            let count = messages(text, *size).len() as u64;
            prop_assert_eq!(&document.name, &format!("Snapshot{n}"));
            prop_assert_eq!(document.start, Some(first as i64));
            prop_assert_eq!(document.end, Some((first + count - 1) as i64));
            first += count;
        }
    }

    #[test]
    fn changed_bytes_cost_what_they_stand_in(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
        text in heap(),
    ) {
        let whole: Vec<_> = std::iter::once(config())
            .chain(messages(&text, 40).into_iter().map(|message| record(message, 5)))
            .collect();
        let first = section(&whole);
        let mut damaged = first.clone();
        for (at, byte) in changes {
            let at = at.index(damaged.len());
            damaged[at] = byte;
        }
        // Behind whatever it is, a section that is whole.
        let (found, _) = read(&[&damaged[..], &first].concat());
        prop_assert!(found.iter().any(|(_, bytes)| bytes == text.as_bytes()) || text.len() < 12);
        damaged.truncate(cut.index(damaged.len()));
        read(&damaged);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        read(&bytes);
        let mut messages = Messages::new();
        messages.read_file(&bytes, &mut Vec::new()).unwrap();
        read(&[&section(&[])[..], &bytes].concat());
    }
}

/// Three sections with a heap each: the bytes, where each begins and its heap.
fn three() -> (Vec<u8>, Vec<(usize, String)>) {
    let (mut bytes, mut sections) = (Vec::new(), Vec::new());
    for name in ["first", "second", "third"] {
        let text = format!("{{\"snapshot\":{{}},\n\"strings\":[\"{name} é漢😀\"]}}");
        let messages = messages(&text, 60).into_iter().map(|message| record(message, 5));
        sections.push((bytes.len(), text));
        bytes.extend(section(&std::iter::once(config()).chain(messages).collect::<Vec<_>>()));
    }
    (bytes, sections)
}

/// Which of the heaps are there.
fn are_there(bytes: &[u8], sections: &[(usize, String)]) -> Vec<bool> {
    let (found, _) = read(bytes);
    let is_there = |text: &str| found.iter().any(|(_, bytes)| bytes == text.as_bytes());
    sections.iter().map(|(_, text)| is_there(text)).collect()
}

/// Every byte of a container in turn, changed by `change`: a heap is lost only if its messages are hit.
fn damage_every_byte(change: impl Fn(&mut Vec<u8>, usize)) {
    let (whole, sections) = three();
    // What does not begin with the magic is no container, and an error.
    for at in MAGIC.len()..whole.len() {
        let mut damaged = whole.clone();
        change(&mut damaged, at);
        let (hit, start) =
            sections.iter().map(|&(start, _)| start).enumerate().rfind(|s| s.1 <= at).unwrap();
        for (n, is_there) in are_there(&damaged, &sections).into_iter().enumerate() {
            let may_be_lost = n == hit && at >= start + HEADER;
            assert!(
                is_there || may_be_lost,
                "heap {n} is lost by byte {at}, {} of section {hit}",
                at - start
            );
        }
    }
}

#[test]
fn every_flipped_bit_costs_what_it_stands_in() {
    for bit in 0..8 {
        damage_every_byte(|bytes, at| bytes[at] ^= 1 << bit);
    }
}

#[test]
fn every_lost_byte_costs_what_it_stood_in() {
    damage_every_byte(|bytes, at| _ = bytes.remove(at));
}

#[test]
fn a_container_can_be_cut_anywhere() {
    let (whole, sections) = three();
    let ends = sections[1..].iter().map(|&(start, _)| start).chain([whole.len()]);
    let ends: Vec<usize> = ends.collect();
    for cut in 0..=whole.len() {
        for (is_there, end) in are_there(&whole[..cut], &sections).into_iter().zip(&ends) {
            assert!(is_there || cut < *end, "the heap before {end} is lost by a cut at {cut}");
        }
    }
}

/// Ranges of the header, as the writers have them, with what can stand in them by mistake.
#[test]
fn headers_can_say_anything() {
    let fields = [
        (0, 8),
        (8, 8),
        (16, 4),
        (20, 4),
        (24, 32),
        (56, 4),
        (60, 8),
        (68, 8),
        (76, 8),
        (84, 8),
        (92, 8),
        (100, 8),
        (108, 128),
        (236, 8),
        (244, 8),
        (252, HEADER - 252),
    ];
    let (whole, sections) = three();
    for (start, _) in &sections {
        // What does not begin with the magic is no container, and an error.
        for &(offset, length) in &fields[usize::from(*start == 0)..] {
            for byte in [0, 1, 0x7F, 0x80, 0xFF] {
                let mut damaged = whole.clone();
                damaged[start + offset..][..length].fill(byte);
                let there = are_there(&damaged, &sections);
                assert_eq!(
                    there, [true; 3],
                    "{byte} in {length} bytes at {offset} of the section at {start}"
                );
            }
        }
    }
}
