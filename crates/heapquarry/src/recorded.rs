//! Directories of what was seen of watched processes. They have the form of converted directories, in which each watch
//! is a document: queries and `info` read them alike.

use crate::{
    ConvertOptions, Document, Result,
    parquet::{Extent, ParquetSink},
    sink::Sink,
};
use heapquarry_formats::{Code, Entry, Gather, Status};
use heapquarry_process::{Recording, unsaid};
use heapquarry_rows::process::watched;
use heapquarry_tables::{BATCH_TABLES, FileId, PROCESS_TABLES, Projection};
use std::path::Path;

/// The format of a watch in `source`.
pub(crate) const WATCH: &str = "watch";

/// A directory for watches that appears only when it is finished.
pub struct WatchDir {
    sink: ParquetSink,
    options: ConvertOptions,
    next: FileId,
}

impl WatchDir {
    /// Starts the directory `output`, which must not exist unless `force` is set and heapquarry wrote it.
    ///
    /// # Errors
    /// If it exists, and must not be replaced, or cannot be written.
    pub fn create(output: &Path, force: bool) -> Result<Self> {
        let options = ConvertOptions::default().force(force);
        let projection = Projection::all().without(&BATCH_TABLES);
        let sink = ParquetSink::create(
            output,
            &options,
            projection,
            Gather::ForTables,
            Extent::default(),
        )?;
        Ok(WatchDir { sink, options, next: FileId(0) })
    }

    /// Adds a watch of `target`.
    ///
    /// # Errors
    /// If the tables cannot be written.
    pub fn add(&mut self, target: &str, recording: &Recording) -> Result<()> {
        self.sink.begin(target, &PROCESS_TABLES)?;
        for (table, batch) in watched(self.next, recording) {
            self.sink.rows(table, batch)?;
        }
        let caveat = unsaid(recording);
        let note = |note: &String| Entry {
            offset: None,
            code: Code::NotObserved,
            message: note.clone(),
            excerpt: None,
            occurrences: 1,
        };
        let document = Document {
            path: target.into(),
            index: Some(0),
            name: target.into(),
            format: WATCH.into(),
            producer: None,
            bytes: 0,
            digest: String::new(),
            status: Status::Complete,
            counts: Vec::new(),
            defects: 0,
            log: recording.notes.iter().chain(&caveat).map(note).collect(),
            captured_at: None,
        };
        self.sink.end(self.next, &[document])?;
        self.next = self.next.plus(1);
        Ok(())
    }

    /// Puts the directory into its place. Returns a warning about what does not affect the data.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<Option<heapquarry_sink::Error>> {
        let (committed, _) = self.sink.finish(&self.options)?;
        Ok(committed.warning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunOptions, Source, located::Locate};
    use bytes::Bytes;
    use heapquarry_process::{
        AllocationCall, Allocations, Collection, Group, Inside, LiveBy, Malloc, MapKind, MapTotal,
        Sample, Status as Resident, System,
    };
    use parquet::arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder};
    use std::time::Duration;

    fn sample(at: u64) -> Sample {
        let inside = Inside {
            rss: Some(90 + at),
            heap_used: Some(20),
            heap_total: Some(30),
            external: Some(1),
            loop_delay_max: Some(Duration::from_millis(3)),
            loop_utilization: Some(0.25),
            ..Inside::default()
        };
        let map = MapTotal { kind: MapKind::V8, count: 3, size: 50, rss: Some(40), pss: None };
        let is_state = at % 2 == 1;
        Sample {
            at: Duration::from_secs(at),
            time_us: 1_700_000_000_000_000 + at as i64 * 1_000_000,
            took: Duration::from_micros(300),
            live: is_state.then_some(LiveBy::Measured),
            inside,
            system: System {
                status: Resident { rss: Some(90 + at), anon: Some(50), ..Resident::default() },
                group: Some(Group {
                    used: Some(9),
                    cache: Some(2),
                    is_root: true,
                    ..Group::default()
                }),
                maps: if is_state { vec![map] } else { Vec::new() },
                transferred: Some(7),
                malloc: is_state.then_some(Malloc { used: 5, free: 6, unknown: 0 }),
            },
        }
    }

    fn allocations() -> Allocations {
        let root = AllocationCall { function: "(root)".into(), ..AllocationCall::default() };
        let call = AllocationCall {
            caller: Some(0),
            function: "leak".into(),
            url: "file:///a.js".into(),
            line: Some(3),
            column: None,
            size: 10,
            early_size: 4,
            sample_count: 2,
        };
        Allocations {
            from: Duration::from_secs(2),
            until: Duration::from_secs(5),
            interval: 512,
            calls: vec![root, call],
        }
    }

    fn recording(samples: u64) -> Recording {
        Recording {
            samples: (0..samples).map(sample).collect(),
            collections: Some(vec![Collection { at: Duration::from_secs(1), used_after: 8 }]),
            minor_count: Some(4),
            major_count: Some(1),
            warm_up: Duration::from_secs(2),
            notes: vec!["some samples lack what the system says".into()],
            allocations: Some(allocations()),
        }
    }

    #[test]
    fn watches_come_back_as_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("watches");
        let unknown = Recording { samples: vec![sample(0)], ..Recording::default() };
        let all = [("9229", recording(6)), ("--pid 7", unknown)];
        let mut out = WatchDir::create(&path, false).unwrap();
        for (name, recording) in &all {
            out.add(name, recording).unwrap();
        }
        assert!(out.finish().unwrap().is_none());
        let run = RunOptions::default();
        for (number, (name, expected)) in all.iter().enumerate() {
            let source = Source::path(&path).document(number);
            let (found_name, found) = source.recording(&run).unwrap().unwrap();
            assert_eq!((&*found_name, &found), (*name, expected));
        }
        // One of several must be chosen, and one that is there.
        let error = |source: Source| source.recording(&run).unwrap_err().to_string();
        assert!(error(Source::path(&path)).contains("#0 is 9229, #1 is --pid 7"));
        assert!(error(Source::path(&path).document(2)).contains("#0 is 9229"));
    }

    /// Somebody may have written the tables anew, without a column.
    #[test]
    fn a_column_that_is_lost_is_unknown_or_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("watches");
        let mut out = WatchDir::create(&path, false).unwrap();
        out.add("9229", &recording(6)).unwrap();
        assert!(out.finish().unwrap().is_none());
        let mut refused = 0;
        for table in PROCESS_TABLES {
            let file = path.join(format!("{}.parquet", table.name));
            let whole = std::fs::read(&file).unwrap();
            for lost in table.columns {
                write_without(lost.name, &whole, &file);
                let found = Source::path(&path).recording(&RunOptions::default());
                let Err(error) = found else { continue };
                refused += 1;
                let what = format!("{}.{}: {error}", table.name, lost.name);
                assert!(!lost.nullable && error.to_string().contains(lost.name), "{what}");
            }
            std::fs::write(&file, whole).unwrap();
        }
        assert!(refused > 10);
    }

    /// Writes a table anew, without a column.
    fn write_without(column: &str, table: &[u8], file: &Path) {
        let bytes = Bytes::copy_from_slice(table);
        let read = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap();
        let schema = read.schema().clone();
        let kept: Vec<usize> =
            (0..schema.fields().len()).filter(|at| schema.field(*at).name() != column).collect();
        let out = std::fs::File::create(file).unwrap();
        let kept_schema = schema.project(&kept).unwrap();
        let mut writer = ArrowWriter::try_new(out, kept_schema.into(), None).unwrap();
        for batch in read.build().unwrap() {
            writer.write(&batch.unwrap().project(&kept).unwrap()).unwrap();
        }
        writer.close().unwrap();
    }

    /// What is said of malloc stands in the log, once: of a watch that is stored again, too.
    #[test]
    fn walks_that_failed_are_in_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let mut recording = recording(6);
        recording.samples[5].system.malloc = Some(Malloc { used: 5, free: 6, unknown: 1000 });
        let caveat = unsaid(&recording).unwrap();
        assert!(caveat.contains("in 1 of 2 samples"), "{caveat}");
        let expected = [&recording.notes[..], &[caveat]].concat();
        for name in ["first", "second"] {
            let path = dir.path().join(name);
            let mut out = WatchDir::create(&path, false).unwrap();
            out.add("9229", &recording).unwrap();
            out.finish().unwrap();
            let run = RunOptions::default();
            recording = Source::path(&path).recording(&run).unwrap().unwrap().1;
            assert_eq!(recording.notes, expected);
        }
    }

    #[test]
    fn what_is_no_watch_has_no_recording() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("trace.json");
        let trace = r#"[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]"#;
        std::fs::write(&path, trace).unwrap();
        let run = RunOptions::default();
        assert!(Source::path(&path).recording(&run).unwrap().is_none());
        let tables = dir.path().join("tables");
        crate::convert(&[&path], &tables, &ConvertOptions::default()).unwrap();
        assert!(Source::path(&tables).recording(&run).unwrap().is_none());
    }
}
