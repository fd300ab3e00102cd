//! Processes that send what is not theirs to send.

use crate::heapquarry;
use serde_json::{Value, json};
use std::{fs, net::TcpListener, thread};
use tungstenite::Message;

/// Bytes of a piece, and what a target sends at most: it ends, so the test does.
const PIECE: usize = 60_000;
const MOST: usize = 64 << 20;

/// A target that answers all requests, and sends pieces of what is no snapshot when it is asked for one. Tells how much
/// it could send.
fn target(listener: &TcpListener) -> usize {
    let (stream, _) = listener.accept().expect("somebody connects");
    let mut socket = tungstenite::accept(stream).expect("it speaks the protocol");
    let event = json!({
        "method": "HeapProfiler.addHeapSnapshotChunk",
        "params": { "chunk": "9,".repeat(PIECE / 2) },
    });
    let event = event.to_string();
    while let Ok(message) = socket.read() {
        let Message::Text(request) = message else { continue };
        let request: Value = serde_json::from_str(&request).expect("requests are JSON");
        if request["method"] == "HeapProfiler.takeHeapSnapshot" {
            let pieces = 0..MOST / PIECE;
            let sent = pieces.take_while(|_| socket.send(Message::text(event.as_str())).is_ok());
            return sent.count() * PIECE;
        }
        let answer = json!({ "id": request["id"], "result": {} }).to_string();
        let _ = socket.send(Message::text(answer));
    }
    0
}

#[test]
fn what_a_target_sends_is_looked_at_before_more_of_it_is_kept() {
    for outputs in [&["--raw", "a.heapsnapshot"][..], &["-o", "out"], &["--then", "summary"]] {
        let dir = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("ws://{}/1", listener.local_addr().unwrap());
        let (refused, sent) = thread::scope(|scope| {
            let sent = scope.spawn(|| target(&listener));
            let args = [&["capture", address.as_str(), "-q"], outputs].concat();
            (heapquarry(dir.path(), &args), sent.join().unwrap())
        });
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{outputs:?}: {error}");
        assert!(error.contains("unknown format"), "{outputs:?}: {error}");
        // The first MiB, and what the buffers of the connection take.
        assert!((1 << 20..MOST / 2).contains(&sent), "{outputs:?}: {sent} bytes were taken");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{outputs:?}: something is left");
    }
}
