//! Containers of OpenHarmony, made of other seeds: the corpus has none. The format is described in
//! docs/internals/containers.md.

use super::Seed;

/// Bytes of the text of a heap in a message.
const CHUNK: usize = 20_000;

/// Size of the header of a section.
const HEADER: usize = 1024;

/// A recording with the heap snapshots and CPU profiles among these.
pub(super) fn container<'a>(seeds: impl Iterator<Item = &'a Seed>) -> Seed {
    let mut records = vec![record("arkts-plugin_config", &[0x08, 0xD2, 0x09])];
    for Seed { name, bytes } in seeds {
        let text = String::from_utf8_lossy(bytes);
        let messages = match name.ends_with(".cpuprofile") {
            true => vec![format!("{{\"id\":3,\"result\":{{\"profile\":{text}}}}}")],
            false => snapshot(&text),
        };
        records
            .extend(messages.iter().map(|text| record("arkts-plugin", &blob(1, text.as_bytes()))));
    }
    let body: Vec<u8> = records.into_iter().flatten().collect();
    let mut bytes = b"OHOSPROF".to_vec();
    bytes.extend(((HEADER + body.len()) as u64).to_le_bytes());
    bytes.resize(HEADER, 0);
    bytes.extend(body);
    Seed { name: "made.htrace".into(), bytes }
}

/// The messages of a heap snapshot.
fn snapshot(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let chunk = |chars: &[char]| {
        let params = serde_json::json!({ "chunk": chars.iter().collect::<String>() });
        let method = "HeapProfiler.addHeapSnapshotChunk";
        serde_json::json!({ "method": method, "params": params }).to_string()
    };
    let end = "{\"id\":1,\"result\":{}}".to_owned();
    chars.chunks(CHUNK).map(chunk).chain([end]).collect()
}

/// A record: its length, and a message with the name of a plugin, its data and the time 1 s.
fn record(plugin: &str, data: &[u8]) -> Vec<u8> {
    let message = [blob(1, plugin.as_bytes()), blob(3, data), vec![5 << 3, 1]].concat();
    [&(message.len() as u32).to_le_bytes()[..], &message].concat()
}

/// A field of bytes in a message of Protocol Buffers.
fn blob(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 0x7F {
        field.push(length as u8 & 0x7F | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    field.extend_from_slice(bytes);
    field
}
