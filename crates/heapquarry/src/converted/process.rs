//! What is stored of processes: the memory of those of snapshots, and what was seen of those that were watched.

use super::{ConvertedDir, columns::Columns, tables::Tables};
use crate::{Error, ErrorKind, Result, RunOptions, recorded::WATCH};
use arrow_array::{Array, Int32Array, RecordBatch, cast::AsArray};
use heapquarry_formats::Code;
use heapquarry_process::{
    AllocationCall, Allocations, Collection, Group, Inside, Isolate, LiveBy, Malloc, MapKind,
    MapTotal, Recording, Sample, Status, System,
};
use heapquarry_tables::{
    FileId, ISOLATE, PROCESS_ALLOCATION, PROCESS_COLLECTION, PROCESS_MAP, PROCESS_SAMPLE,
    PROCESS_WATCH, Table, isolate, process_allocation, process_collection, process_map,
    process_sample, process_watch,
};
use std::time::Duration;

impl ConvertedDir {
    /// The memory of the process of a document, or of the only heap, when it was taken; `None` if it is not stored.
    pub fn process(&self, document: Option<usize>, run: &RunOptions) -> Result<Option<Sample>> {
        let heaps: Vec<usize> = self.heaps().collect();
        let document = match (document, &heaps[..]) {
            (Some(document), _) => document,
            (None, [only]) => *only,
            (None, _) => return Ok(None),
        };
        if self.table(&PROCESS_SAMPLE)?.is_none() || self.table(&PROCESS_MAP)?.is_none() {
            return Ok(None);
        }
        // The sample of a document has the first row.
        Ok(self.samples(FileId::at(document), run)?.into_iter().next())
    }

    /// The isolates of its documents, if it has several, and all of them are heaps: the numbers of the documents, and
    /// which isolate each is of.
    ///
    /// # Errors
    /// If their table cannot be read.
    pub fn isolates(&self, run: &RunOptions) -> Result<Option<Vec<(usize, Isolate)>>> {
        let heaps: Vec<usize> = self.heaps().collect();
        if heaps.len() < 2 || !self.has_only_heaps() || self.table(&ISOLATE)?.is_none() {
            return Ok(None);
        }
        let mut found = Vec::new();
        for document in heaps {
            let mut isolate = None;
            self.each(&ISOLATE, &ISOLATES, FileId::at(document), run, |batch| {
                isolate = isolate.take().or_else(|| self::isolate(batch));
            })?;
            // One that is of no isolate is of another process, or of another time.
            let Some(isolate) = isolate else { return Ok(None) };
            found.push((document, isolate));
        }
        Ok(Some(found))
    }

    /// Whether it has what was seen of watched processes, and nothing else.
    pub fn is_of_watches(&self) -> bool {
        let mut plain = self.plain().peekable();
        plain.peek().is_some() && plain.all(|document| document.format == WATCH)
    }

    /// The watch with that number, or the only one, with its name.
    ///
    /// # Errors
    /// If there is no such watch, or the directory cannot be read.
    pub fn recording(
        self,
        document: Option<usize>,
        run: &RunOptions,
    ) -> Result<(String, Recording)> {
        let all: Vec<_> =
            self.plain().map(|found| (found.file_id.position(), found.name.clone())).collect();
        let chosen = match document {
            None if all.len() == 1 => all.first(),
            None => None,
            Some(wanted) => all.iter().find(|(number, _)| *number == wanted),
        };
        let Some((number, name)) = chosen.cloned() else {
            return Err(Error::new(ErrorKind::Document { path: self.path, document, names: all }));
        };
        let of = FileId::at(number);
        let mut recording = Recording { samples: self.samples(of, run)?, ..Recording::default() };
        self.each(&PROCESS_WATCH, &WATCHES, of, run, |batch| watch(batch, &mut recording))?;
        let mut collections = Vec::new();
        self.each(&PROCESS_COLLECTION, &COLLECTIONS, of, run, |batch| {
            collections.extend(self::collections(batch));
        })?;
        recording.collections = recording.major_count.map(|_| collections);
        // Older versions have no such table.
        if let Some(allocations) = &mut recording.allocations
            && self.table(&PROCESS_ALLOCATION)?.is_some()
        {
            self.each(&PROCESS_ALLOCATION, &ALLOCATION, of, run, |batch| {
                allocations.calls.extend(calls(batch));
            })?;
        }
        let log = self.of(&[of], run)?.into_iter().flat_map(|document| document.log);
        let notes = log.filter(|entry| entry.code == Code::NotObserved);
        recording.notes = notes.map(|entry| entry.message).collect();
        Ok((name, recording))
    }

    /// The samples of a document, with their maps.
    fn samples(&self, of: FileId, run: &RunOptions) -> Result<Vec<Sample>> {
        let mut found = Vec::new();
        self.each(&PROCESS_SAMPLE, &SAMPLE, of, run, |batch| found.extend(samples(batch)))?;
        self.each(&PROCESS_MAP, &MAP, of, run, |batch| {
            for (index, total) in maps(batch) {
                if let Some(sample) = found.get_mut(index) {
                    sample.system.maps.push(total);
                }
            }
        })?;
        Ok(found)
    }

    /// Passes on the rows of a document. Columns that an older version did not write are not there.
    fn each(
        &self,
        table: &'static Table,
        columns: &[&str],
        of: FileId,
        run: &RunOptions,
        take: impl FnMut(&RecordBatch) + Send,
    ) -> Result<()> {
        let mut take = take;
        let missing = || self.has_no(table);
        let stored = self.table(table)?.ok_or_else(missing)?.columns();
        let columns: Vec<&str> =
            columns.iter().copied().filter(|column| stored.contains(column)).collect();
        let tables = Tables { dir: &self.path, file_ids: vec![of], run };
        tables.each(table, &columns, |batch| batch, |batch| take(&batch))
    }
}

/// The values of a column of whole numbers by row, none of which is negative; `None` for NULL, and without the column.
fn numbers<'b>(batch: &'b RecordBatch, name: &str) -> impl Fn(usize) -> Option<u64> + use<'b> {
    let column = batch.column_by_name(name);
    let values = column.map(|_| Columns(batch).ints(name));
    move |row| values.as_ref()?(row).and_then(|value| u64::try_from(value).ok())
}

const SAMPLE: [&str; 29] = {
    use process_sample::NAMES;
    [
        NAMES.sampled_at,
        NAMES.elapsed_us,
        NAMES.took_us,
        NAMES.live_by,
        NAMES.rss,
        NAMES.rss_anon,
        NAMES.rss_file,
        NAMES.rss_shmem,
        NAMES.swap,
        NAMES.thread_count,
        NAMES.heap_total,
        NAMES.heap_used,
        NAMES.heap_physical,
        NAMES.heap_limit,
        NAMES.external_size,
        NAMES.array_buffers,
        NAMES.loop_delay_max_ns,
        NAMES.loop_utilization,
        NAMES.group_used,
        NAMES.group_limit,
        NAMES.group_cache,
        NAMES.group_inactive_file,
        NAMES.group_oom_kill_count,
        NAMES.malloc_used,
        NAMES.malloc_free,
        NAMES.malloc_unknown,
        NAMES.transferred,
        NAMES.group_is_root,
        NAMES.worker_count,
    ]
};

fn samples(batch: &RecordBatch) -> Vec<Sample> {
    use process_sample::NAMES;
    let of = |name| numbers(batch, name);
    let [elapsed, took] = [NAMES.elapsed_us, NAMES.took_us].map(of);
    let [rss, anon, file, shmem, swap, threads] = [
        NAMES.rss,
        NAMES.rss_anon,
        NAMES.rss_file,
        NAMES.rss_shmem,
        NAMES.swap,
        NAMES.thread_count,
    ]
    .map(of);
    let [heap_total, heap_used, heap_physical, heap_limit, external, array_buffers, delay] = [
        NAMES.heap_total,
        NAMES.heap_used,
        NAMES.heap_physical,
        NAMES.heap_limit,
        NAMES.external_size,
        NAMES.array_buffers,
        NAMES.loop_delay_max_ns,
    ]
    .map(of);
    let [used, limit, cache, inactive_file, oom_kills] = [
        NAMES.group_used,
        NAMES.group_limit,
        NAMES.group_cache,
        NAMES.group_inactive_file,
        NAMES.group_oom_kill_count,
    ]
    .map(of);
    let [malloc_used, malloc_free, malloc_unknown, transferred] =
        [NAMES.malloc_used, NAMES.malloc_free, NAMES.malloc_unknown, NAMES.transferred].map(of);
    let workers = of(NAMES.worker_count);
    let times = batch.column_by_name(NAMES.sampled_at).expect("all versions write it");
    let times = times.as_primitive::<arrow_array::types::TimestampMicrosecondType>();
    let live = Columns(batch).texts(NAMES.live_by);
    let is_root = batch.column_by_name(NAMES.group_is_root);
    let is_root = is_root.map(|_| Columns(batch).int32s(NAMES.group_is_root));
    let utilization = batch.column_by_name(NAMES.loop_utilization);
    let utilization =
        utilization.map(|column| column.as_primitive::<arrow_array::types::Float64Type>());
    let sample = |row: usize| {
        let group = Group {
            used: used(row),
            limit: limit(row),
            cache: cache(row),
            inactive_file: inactive_file(row),
            oom_kills: oom_kills(row),
            is_root: is_root.is_some_and(|flags| flags.is_valid(row) && flags.value(row) == 1),
        };
        let malloc = malloc_used(row).zip(malloc_free(row));
        Sample {
            at: Duration::from_micros(elapsed(row).unwrap_or(0)),
            time_us: times.value(row),
            took: Duration::from_micros(took(row).unwrap_or(0)),
            live: live.get(row).and_then(LiveBy::by_name),
            inside: Inside {
                rss: rss(row),
                heap_total: heap_total(row),
                heap_used: heap_used(row),
                heap_physical: heap_physical(row),
                heap_limit: heap_limit(row),
                external: external(row),
                array_buffers: array_buffers(row),
                loop_delay_max: delay(row).map(Duration::from_nanos),
                loop_utilization: utilization
                    .filter(|shares| shares.is_valid(row))
                    .map(|shares| shares.value(row)),
                worker_count: workers(row),
                ..Inside::default()
            },
            system: System {
                status: Status {
                    rss: rss(row),
                    anon: anon(row),
                    file: file(row),
                    shmem: shmem(row),
                    swap: swap(row),
                    threads: threads(row),
                },
                group: (group.used.is_some() || group.cache.is_some()).then_some(group),
                malloc: malloc.map(|(used, free)| Malloc {
                    used,
                    free,
                    unknown: malloc_unknown(row).unwrap_or(0),
                }),
                transferred: transferred(row),
                ..System::default()
            },
        }
    };
    (0..batch.num_rows()).map(sample).collect()
}

const MAP: [&str; 6] = {
    use process_map::NAMES;
    [NAMES.sample_index, NAMES.kind, NAMES.map_count, NAMES.size, NAMES.rss, NAMES.pss]
};

/// Maps with the positions of their samples.
fn maps(batch: &RecordBatch) -> Vec<(usize, MapTotal)> {
    use process_map::NAMES;
    let kinds = Columns(batch).texts(NAMES.kind);
    let [samples, counts, sizes, rss, pss] =
        [NAMES.sample_index, NAMES.map_count, NAMES.size, NAMES.rss, NAMES.pss]
            .map(|name| numbers(batch, name));
    let total = |row| {
        let total = MapTotal {
            kind: MapKind::by_name(kinds.get(row)?)?,
            count: counts(row)?,
            size: sizes(row)?,
            rss: rss(row),
            pss: pss(row),
        };
        Some((usize::try_from(samples(row)?).ok()?, total))
    };
    (0..batch.num_rows()).filter_map(total).collect()
}

const ISOLATES: [&str; 3] = {
    use isolate::NAMES;
    [NAMES.isolate_id, NAMES.title, NAMES.url]
};

fn isolate(batch: &RecordBatch) -> Option<Isolate> {
    let [ids, titles, urls] = ISOLATES.map(|name| Columns(batch).texts(name));
    Some(Isolate { id: ids.owned(0)?, title: titles.owned(0), url: urls.owned(0) })
}

const WATCHES: [&str; 6] = {
    use process_watch::NAMES;
    [
        NAMES.warm_up_us,
        NAMES.minor_collection_count,
        NAMES.major_collection_count,
        NAMES.allocations_from_us,
        NAMES.allocations_until_us,
        NAMES.allocation_interval,
    ]
};

fn watch(batch: &RecordBatch, recording: &mut Recording) {
    let [warm_up, minor, major, from, until, interval] = WATCHES.map(|name| numbers(batch, name));
    recording.warm_up = Duration::from_micros(warm_up(0).unwrap_or(0));
    recording.minor_count = minor(0);
    recording.major_count = major(0);
    recording.allocations = from(0).zip(until(0)).map(|(from, until)| Allocations {
        from: Duration::from_micros(from),
        until: Duration::from_micros(until),
        interval: interval(0).unwrap_or(0),
        calls: Vec::new(),
    });
}

const COLLECTIONS: [&str; 2] = {
    use process_collection::NAMES;
    [NAMES.elapsed_us, NAMES.used_after]
};

fn collections(batch: &RecordBatch) -> Vec<Collection> {
    let [at, used] = COLLECTIONS.map(|name| numbers(batch, name));
    let collection =
        |row| Some(Collection { at: Duration::from_micros(at(row)?), used_after: used(row)? });
    (0..batch.num_rows()).filter_map(collection).collect()
}

const ALLOCATION: [&str; 8] = {
    use process_allocation::NAMES;
    [
        NAMES.caller_index,
        NAMES.function_name,
        NAMES.url,
        NAMES.line_number,
        NAMES.column_number,
        NAMES.size,
        NAMES.early_size,
        NAMES.sample_count,
    ]
};

fn calls(batch: &RecordBatch) -> Vec<AllocationCall> {
    use process_allocation::NAMES;
    let columns = Columns(batch);
    let [functions, urls] = [NAMES.function_name, NAMES.url].map(|name| columns.texts(name));
    let [callers, sizes, early, counts] =
        [NAMES.caller_index, NAMES.size, NAMES.early_size, NAMES.sample_count]
            .map(|name| numbers(batch, name));
    let [lines, places] = [NAMES.line_number, NAMES.column_number].map(|name| columns.int32s(name));
    let place = |column: &Int32Array, row| {
        column.is_valid(row).then(|| u32::try_from(column.value(row)).ok())?
    };
    let call = |row| AllocationCall {
        caller: callers(row).and_then(|caller| usize::try_from(caller).ok()),
        function: functions.owned(row).unwrap_or_default(),
        url: urls.owned(row).unwrap_or_default(),
        line: place(lines, row),
        column: place(places, row),
        size: sizes(row).unwrap_or(0),
        early_size: early(row).unwrap_or(0),
        sample_count: counts(row).unwrap_or(0),
    };
    (0..batch.num_rows()).map(call).collect()
}
