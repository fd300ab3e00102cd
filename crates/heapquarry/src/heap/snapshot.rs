//! A heap out of a snapshot: its sections are decoded as for a conversion, but no rows are made.

use super::LoadedHeap;
use crate::{
    Error, ErrorKind, Result, RunOptions,
    gather::{GatherSink, GatheredDocument},
    input::Opened,
};
use heapquarry_formats::Gathered;

pub(super) fn load(opened: &Opened, run: &RunOptions) -> Result<LoadedHeap> {
    let GatheredDocument { mut documents, parts, .. } =
        GatherSink::for_analysis().read(opened, run)?;
    let (Some(Gathered::Heap(parts)), Some(document)) = (parts, documents.pop()) else {
        let (path, what) = (opened.path.clone(), "heap in this input".into());
        return Err(Error::new(ErrorKind::NotThere { path, what }));
    };
    Ok(LoadedHeap {
        heap: super::assemble(&opened.path, *parts, run.thread_count())?,
        path: document.path,
        name: document.name,
        format: document.format.into(),
        producer: document.producer.map(Into::into),
        status: document.status,
        log: document.log,
    })
}
