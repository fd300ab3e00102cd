//! Containers: what is wrapped at random comes out again, and whatever is done to the bytes, reading ends.

use heapquarry_formats::{
    devtools::{Document, Messages, Place},
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
    let bytes_of = |place: &Place| match place {
        Place::Spool(place) => spool[place.start as usize..place.end as usize].to_vec(),
        Place::Input(place) => bytes[place.start as usize..place.end as usize].to_vec(),
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
