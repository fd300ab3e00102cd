//! What one sample tells of the parts of the memory, in bytes.

use crate::{Malloc, MapKind, Sample};

/// What malloc has given out, without buffers.
pub(crate) fn native(sample: &Sample) -> Option<f64> {
    let malloc = sample.system.malloc.filter(Malloc::is_whole)?;
    let large = resident(sample, MapKind::Mmap)?;
    Some((malloc.used as f64 + large - bytes(owned(sample))?).max(0.0))
}

/// What malloc keeps free, as far as it was ever touched.
pub(crate) fn free(sample: &Sample) -> Option<f64> {
    let malloc = sample.system.malloc.filter(Malloc::is_whole)?;
    let arenas = resident(sample, MapKind::Brk)? + resident(sample, MapKind::Arena)?;
    Some((malloc.free as f64).min(arenas))
}

/// Anonymous memory without heap and buffers, where maps were read.
pub(crate) fn rest(sample: &Sample) -> Option<f64> {
    let anon = bytes(sample.system.status.anon).filter(|_| !sample.system.maps.is_empty())?;
    let heap = bytes(sample.inside.heap_physical.or(sample.inside.heap_total))?;
    Some((anon - heap - bytes(owned(sample))?).max(0.0))
}

pub(crate) fn bytes(value: Option<u64>) -> Option<f64> {
    value.map(|value| value as f64)
}

/// Memory outside of the heap that objects own: some of the buffers are in `external`, and some are not.
pub(crate) fn owned(sample: &Sample) -> Option<u64> {
    match (sample.inside.external, sample.inside.array_buffers) {
        (Some(external), Some(buffers)) => Some(external.max(buffers)),
        (external, buffers) => external.or(buffers),
    }
}

/// Resident memory of a kind of maps: 0 if there are none of it, `None` if maps were not read.
pub(crate) fn resident(sample: &Sample, kind: MapKind) -> Option<f64> {
    let maps = &sample.system.maps;
    // Where some cannot be told apart, any kind may be among them.
    let is_known = !maps.is_empty() && maps.iter().all(|total| total.kind != MapKind::Anonymous);
    let named = maps.iter().find(|total| total.kind == kind);
    let is_exact = matches!(kind, MapKind::Brk | MapKind::Arena);
    match named {
        Some(total) if is_known || is_exact => bytes(total.rss),
        Some(_) => None,
        None if is_known || (is_exact && !maps.is_empty()) => Some(0.0),
        None => None,
    }
}
