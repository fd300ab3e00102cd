//! The memory of the processes of stored snapshots.

use super::{ConvertedDir, columns::Columns, tables::Tables};
use crate::{Result, RunOptions};
use arrow_array::RecordBatch;
use heapquarry_process::{Group, Inside, Malloc, MapKind, MapTotal, Sample, Status, System};
use heapquarry_tables::{FileId, PROCESS_MAP, PROCESS_SAMPLE, process_map, process_sample};

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
        let tables = Tables { dir: &self.path, file_ids: vec![FileId::at(document)], run };
        let mut found = None;
        let take = |sample| found = found.take().or(sample);
        tables.each(&PROCESS_SAMPLE, &SAMPLE, |batch| sample(&batch), take)?;
        let Some(mut found) = found else { return Ok(None) };
        let take = |more: Vec<MapTotal>| found.system.maps.extend(more);
        tables.each(&PROCESS_MAP, &MAP, |batch| maps(&batch), take)?;
        Ok(Some(found))
    }
}

const SAMPLE: [&str; 17] = {
    use process_sample::NAMES;
    [
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
        NAMES.group_used,
        NAMES.group_limit,
        NAMES.malloc_used,
        NAMES.malloc_free,
        NAMES.malloc_unknown,
    ]
};

/// The sample of a document has the first row.
fn sample(batch: &RecordBatch) -> Option<Sample> {
    use process_sample::NAMES;
    if batch.num_rows() == 0 {
        return None;
    }
    let columns = Columns(batch);
    let of = |name| columns.ints(name)(0).and_then(|value| u64::try_from(value).ok());
    let malloc = of(NAMES.malloc_used).zip(of(NAMES.malloc_free));
    let malloc = malloc.map(|(used, free)| Malloc {
        used,
        free,
        unknown: of(NAMES.malloc_unknown).unwrap_or(0),
    });
    let group =
        Group { used: of(NAMES.group_used), limit: of(NAMES.group_limit), ..Group::default() };
    Some(Sample {
        inside: Inside {
            rss: of(NAMES.rss),
            heap_total: of(NAMES.heap_total),
            heap_used: of(NAMES.heap_used),
            heap_physical: of(NAMES.heap_physical),
            heap_limit: of(NAMES.heap_limit),
            external: of(NAMES.external_size),
            array_buffers: of(NAMES.array_buffers),
            ..Inside::default()
        },
        system: System {
            status: Status {
                rss: of(NAMES.rss),
                anon: of(NAMES.rss_anon),
                file: of(NAMES.rss_file),
                shmem: of(NAMES.rss_shmem),
                swap: of(NAMES.swap),
                threads: of(NAMES.thread_count),
            },
            group: group.used.map(|_| group),
            malloc,
            ..System::default()
        },
        ..Sample::default()
    })
}

const MAP: [&str; 5] = {
    use process_map::NAMES;
    [NAMES.kind, NAMES.map_count, NAMES.size, NAMES.rss, NAMES.pss]
};

fn maps(batch: &RecordBatch) -> Vec<MapTotal> {
    use process_map::NAMES;
    let columns = Columns(batch);
    let kinds = columns.texts(NAMES.kind);
    let number = |name| {
        let of = columns.ints(name);
        move |row| of(row).and_then(|value| u64::try_from(value).ok())
    };
    let (counts, sizes) = (number(NAMES.map_count), number(NAMES.size));
    let (rss, pss) = (number(NAMES.rss), number(NAMES.pss));
    let total = |row| {
        Some(MapTotal {
            kind: MapKind::by_name(kinds.get(row)?)?,
            count: counts(row)?,
            size: sizes(row)?,
            rss: rss(row),
            pss: pss(row),
        })
    };
    (0..batch.num_rows()).filter_map(total).collect()
}
