//! The command `index`.

use crate::{
    args::Index, failure::Failure, interrupt::catch_interrupts, options::with_resources, progress,
};
use heapquarry::{
    RunOptions,
    report::{Unit, printable},
};
use heapquarry_store::cache::Cache;
use std::{io::Write, sync::Arc};

pub(crate) fn run(args: &Index, out: &mut impl Write) -> Result<(), Failure> {
    let cache = Cache::of_user()?;
    let bar = progress::Bar::new(args.quiet);
    let options = RunOptions::default()
        .memory(args.memory)
        .cancel(catch_interrupts())
        .progress(Arc::new(bar.clone()));
    let options = with_resources(options, &args.resources);
    for input in &args.inputs {
        let indexed = cache.index(input.clone(), &options);
        bar.finish();
        let indexed = indexed?;
        let size = Unit::Bytes.format(i64::try_from(indexed.bytes).unwrap_or(i64::MAX));
        let done = if indexed.is_stored { "is kept already" } else { "is kept" };
        writeln!(out, "{}: an index of {size} {done}", printable(&input.to_string()))?;
    }
    Ok(())
}
