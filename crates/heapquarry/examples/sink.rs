//! A sink of one's own: sums the sizes of a heap's nodes by type, on all cores, and decodes nothing else.
//!
//! `cargo run --release --example sink -- corpus/node24-numeric.heapsnapshot.gz`
use heapquarry::{
    Handler, ReadOptions, Result, Sink,
    arrow_array::{
        RecordBatch,
        cast::AsArray,
        types::{Int32Type, Int64Type},
    },
    read,
    tables::{JS_HEAP_NODES, Projection, Table},
};
use std::{
    collections::BTreeMap,
    env,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

/// Bytes by node type.
type Sums = BTreeMap<String, i64>;

struct SizeSink {
    projection: Projection,
    row_groups: AtomicU64,
    sums: Mutex<Sums>,
}

impl Sink for SizeSink {
    fn projection(&self) -> &Projection {
        &self.projection
    }

    fn number(&self, _: &'static Table) -> u64 {
        self.row_groups.fetch_add(1, Ordering::Relaxed)
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        Box::new(SizeHandler { sink: self, sums: Sums::new() })
    }

    fn rows(&mut self, _: &'static Table, _: RecordBatch) -> Result<()> {
        Ok(())
    }
}

/// The sums of one worker thread.
struct SizeHandler<'s> {
    sink: &'s SizeSink,
    sums: Sums,
}

impl Handler for SizeHandler<'_> {
    fn handle(&mut self, table: &'static Table, _: u64, batch: RecordBatch) -> Result<()> {
        // Batches come in compact form; this is the plain one.
        let batch = table.expand(&batch).expect("little text");
        let types = batch["type"].as_dictionary::<Int32Type>();
        let names = types.values().as_string::<i32>();
        let sizes = batch["self_size"].as_primitive::<Int64Type>();
        for (key, size) in types.keys().iter().zip(sizes) {
            let name = key.map_or("", |key| names.value(key as usize));
            match self.sums.get_mut(name) {
                Some(sum) => *sum += size.unwrap_or(0),
                None => drop(self.sums.insert(name.to_owned(), size.unwrap_or(0))),
            }
        }
        Ok(())
    }
}

impl Drop for SizeHandler<'_> {
    fn drop(&mut self) {
        let mut all = self.sink.sums.lock().expect("no thread panics while it adds");
        for (name, sum) in std::mem::take(&mut self.sums) {
            *all.entry(name).or_default() += sum;
        }
    }
}

fn main() -> Result<()> {
    let path = env::args().nth(1).unwrap_or_else(|| "corpus/handmade/bun.heapsnapshot".into());
    let projection = ["type", "self_size"].into_iter().fold(Projection::none(), |all, column| {
        all.with_column(&JS_HEAP_NODES, column).expect("a column of this table")
    });
    let (row_groups, sums) = (AtomicU64::new(0), Mutex::default());
    let mut sink = SizeSink { projection, row_groups, sums };
    read(&[path], &mut sink, &ReadOptions::default())?;
    for (name, sum) in sink.sums.into_inner().expect("no thread panicked") {
        println!("{sum:>14} bytes  {name}");
    }
    Ok(())
}
