//! The rows of inputs as Arrow record batches that the caller pulls.

use crate::{
    Document, Error, ErrorKind, Result, RunOptions, Source,
    convert::{gather, projection},
    parquet::source,
    read::{Job, read_sources},
    sink::{Handler, Sink},
    table,
};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use heapquarry_formats::{Gather, Names, ReadOptions, import_log};
use heapquarry_input::{Spooling, options};
use heapquarry_tables::{
    BATCH_TABLES, FileId, IMPORT_LOG, JS_HEAP_ANALYSIS_TABLES, Projection, Reorder, SOURCE, Table,
    sync::unpoisoned,
};
use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

options! {
    /// How [`batches`] reads.
    #[derive(Clone, Debug)]
    pub struct BatchOptions {
        /// Only these tables; all tables if this and `columns` are empty.
        pub tables: Vec<String>,
        /// Only these columns of their tables, as `TABLE.COLUMN`. Other columns are not decoded.
        pub columns: Vec<String>,
        /// Names as text, or as indices of the string table.
        pub names: Names,
        /// Also the tables of the heap analysis.
        pub analyze: bool,
        /// Maximum number of rows per batch.
        pub batch_rows: usize,
        /// Number of batches that may be ready before they are pulled, at least 1; `None` for two per thread.
        pub ahead: Option<usize>,
        /// Batches in the plain schema ([`Table::schema`]) instead of the compact form.
        pub plain: bool,
        /// Threads, progress, cancellation.
        pub run: RunOptions,
    }
}

impl Default for BatchOptions {
    fn default() -> Self {
        BatchOptions {
            tables: Vec::new(),
            columns: Vec::new(),
            names: Names::default(),
            analyze: false,
            batch_rows: heapquarry_formats::ROW_GROUP_ROWS,
            ahead: None,
            plain: false,
            run: RunOptions::default(),
        }
    }
}

/// Reads inputs on several threads and returns the batches in a fixed order, whatever the number of threads: the first
/// document, then the second, and so on. `source` and `import_log` come last. The threads wait while enough batches are
/// ready, so memory stays bounded if the consumer is slow. Dropping the iterator cancels the work.
///
/// ```no_run
/// use heapquarry::{BatchOptions, batches};
///
/// let columns = ["js_heap_nodes.id", "js_heap_nodes.self_size"].map(String::from);
/// let options = BatchOptions::default().columns(columns.to_vec());
/// for batch in batches(&["app.heapsnapshot"], &options)? {
///     let (table, batch) = batch?;
///     println!("{}: {} rows", table.name, batch.num_rows());
/// }
/// # Ok::<(), heapquarry::Error>(())
/// ```
///
/// # Errors
///
/// If a table or column does not exist. Any other error is the last item of the iterator: see
/// [`convert`](crate::convert()).
pub fn batches<I: Clone + Into<Source>>(inputs: &[I], options: &BatchOptions) -> Result<Batches> {
    let projection = projection(&options.tables, &options.columns, options.analyze)?;
    let named = !options.tables.is_empty() || !options.columns.is_empty();
    let wants = |table: &&'static Table| {
        !named
            || options
                .tables
                .iter()
                .chain(&options.columns)
                .any(|name| name.split('.').next() == Some(table.name))
    };
    // A directory always has these two tables; an iterator returns them only on request.
    let unwanted: Vec<_> =
        [&SOURCE, &IMPORT_LOG].into_iter().filter(|table| !wants(table)).collect();
    let projection = projection.without(&unwanted);
    Ok(Batches::start(inputs.iter().cloned().map(Into::into).collect(), projection, options))
}

/// The rows of one table in its plain schema, as an Arrow C stream or DataFusion takes them.
///
/// # Errors
///
/// The errors of [`batches`].
pub fn reader<I: Clone + Into<Source>>(
    inputs: &[I],
    table_name: &str,
    options: &BatchOptions,
) -> Result<TableBatches> {
    let mut options = BatchOptions { plain: true, ..options.clone() };
    let schema = schema(table_name, &options.columns)?;
    options.columns.retain(|name| is_of(name, table_name));
    if [SOURCE.name, IMPORT_LOG.name].contains(&table_name) {
        // What was repaired or lost shows only where everything is decoded.
        let derived: Vec<_> = [&JS_HEAP_ANALYSIS_TABLES[..], &BATCH_TABLES].concat();
        let all = heapquarry_tables::all().filter(|t| !derived.contains(t));
        options.tables = all.map(|table| table.name.into()).collect();
        options.columns.clear();
    } else if options.columns.is_empty() {
        options.tables = vec![table_name.into()];
    } else {
        options.tables.clear();
    }
    Ok(TableBatches { batches: batches(inputs, &options)?, table: table(table_name)?, schema })
}

/// The plain schema of a table, or of those of its columns that are among these, as `TABLE.COLUMN`: what [`reader`]
/// returns. Columns are in the order of the table.
///
/// # Errors
///
/// If the table or a column does not exist.
pub fn schema(table_name: &str, columns: &[String]) -> Result<SchemaRef> {
    let declared = table(table_name)?;
    let columns: Vec<_> = columns.iter().filter(|name| is_of(name, table_name)).cloned().collect();
    if columns.is_empty() {
        return Ok(declared.schema());
    }
    Ok(declared.schema_of(projection(&[], &columns, false)?.columns(declared)))
}

/// Whether `TABLE.COLUMN` names a column of this table.
fn is_of(name: &str, table: &str) -> bool {
    name.split('.').next() == Some(table)
}

/// An iterator over the batches of inputs: see [`batches`].
#[derive(Debug)]
pub struct Batches {
    queue: Arc<Queue>,
    cancel: crate::Cancel,
    /// The thread, or the error that kept it from starting.
    worker: Option<Result<JoinHandle<Result<Vec<Document>>>>>,
    documents: Vec<Document>,
}

/// Batches that are decoded and not pulled yet.
#[derive(Debug)]
struct Queue {
    projection: Projection,
    gather: Gather,
    plain: bool,
    ahead: u64,
    /// Number of the next batch to claim.
    claimed: AtomicU64,
    state: Mutex<State>,
    /// Notified when a batch is ready, when one is pulled, and at the end.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Batches by number.
    ready: Reorder<(&'static Table, RecordBatch)>,
    /// The consumer is gone, or the work has failed.
    is_over: bool,
    /// All batches have been pushed.
    is_complete: bool,
}

impl State {
    /// Whether the next batch is there, or none will come.
    fn has_next(&self) -> bool {
        self.ready.is_ready() || self.is_over || self.is_complete
    }
}

impl Batches {
    fn start(inputs: Vec<Source>, projection: Projection, options: &BatchOptions) -> Self {
        let cancel = options.run.cancel.child();
        let run = options.run.clone().cancel(cancel.clone());
        let ahead = options.ahead.unwrap_or(2 * run.thread_count()).max(1) as u64;
        let queue = Arc::new(Queue {
            gather: gather(&projection, options.analyze),
            projection,
            plain: options.plain,
            ahead,
            claimed: AtomicU64::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let read_options =
            ReadOptions::default().row_group_rows(options.batch_rows).names(options.names);
        let shared = queue.clone();
        let path = inputs.first().map(|input| input.path.clone()).unwrap_or_default();
        let worker = thread::Builder::new().spawn(move || {
            let end = EndOnDrop(&shared);
            let mut sink = BatchSink { queue: &shared };
            let spooling = Spooling::of(&run);
            let job = Job::new(read_options, &run);
            let documents = read_sources(&inputs, &job, &spooling, &mut sink)?;
            let logs: Vec<_> =
                (0..).map(FileId::at).zip(&documents).map(|(id, d)| (id, d.log.clone())).collect();
            for (table, batch) in
                [(&SOURCE, source(&documents, FileId(0))), (&IMPORT_LOG, import_log(&logs))]
            {
                if shared.projection.wants(table) && batch.num_rows() > 0 {
                    sink.rows(table, shared.projection.project(table, batch))?;
                }
            }
            shared.lock().is_complete = true;
            drop(end);
            Ok(documents)
        });
        let worker = worker.map_err(|source| {
            queue.close();
            Error::new(ErrorKind::Input { path, doing: "start a thread to read", source })
        });
        Batches { queue, cancel, worker: Some(worker), documents: Vec::new() }
    }

    /// The documents that were read, by `file_id`. Empty until the iterator has ended.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Waits until [`next`](Iterator::next) does not have to wait for a batch, or until this much time has passed.
    /// Returns whether it does not. For callers that have other duties meanwhile, such as to look for an interrupt.
    pub fn wait(&self, timeout: Duration) -> bool {
        let waits = |state: &mut State| !state.has_next();
        let state = self.queue.changed.wait_timeout_while(self.queue.lock(), timeout, waits);
        !unpoisoned(state).1.timed_out()
    }

    /// The result of the work, once there are no more batches.
    fn end(&mut self) -> Option<Error> {
        let result = match self.worker.take()? {
            Ok(worker) => worker.join(),
            Err(error) => return Some(error),
        };
        match result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
            Ok(documents) => self.documents = documents,
            Err(error) => return Some(error),
        }
        None
    }
}

impl Iterator for Batches {
    type Item = Result<(&'static Table, RecordBatch)>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.queue.pull() {
            Some(batch) => Some(Ok(batch)),
            None => self.end().map(Err),
        }
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.queue.close();
        if let Some(Ok(worker)) = self.worker.take() {
            // The thread reports its own panic; nobody waits for its result.
            let _ = worker.join();
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    /// Ends the work: no batch is pushed or pulled any more.
    fn close(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Pushes batch `number` when there is room. The batch that is pulled next never waits.
    fn push(&self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        let batch = match self.plain {
            true => table
                .expand(&batch)
                .map_err(|source| Error::new(ErrorKind::Batch { table: table.name, source }))?,
            false => batch,
        };
        let mut state = self.lock();
        while !state.is_over && number >= state.ready.position() + self.ahead {
            state = unpoisoned(self.changed.wait(state));
        }
        if state.is_over {
            return Err(Error::new(ErrorKind::Cancelled));
        }
        assert!(state.ready.insert(number..number + 1, (table, batch)), "each batch has a number");
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// The next batch; `None` at the end.
    fn pull(&self) -> Option<(&'static Table, RecordBatch)> {
        let mut state = self.lock();
        loop {
            if let Some(batch) = state.ready.next() {
                drop(state);
                self.changed.notify_all();
                return Some(batch);
            }
            if state.is_over || state.is_complete {
                return None;
            }
            state = unpoisoned(self.changed.wait(state));
        }
    }
}

/// Tells the consumer that no more batches come, even after a panic.
struct EndOnDrop<'a>(&'a Queue);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        // Batches that were read before an error can still be pulled.
        state.is_complete = true;
        drop(state);
        self.0.changed.notify_all();
    }
}

struct BatchSink<'a> {
    queue: &'a Queue,
}

impl<'a> Sink for BatchSink<'a> {
    fn projection(&self) -> &Projection {
        &self.queue.projection
    }

    fn gather(&self) -> Gather {
        self.queue.gather
    }

    /// All tables share one sequence of numbers, which fixes the order of their batches.
    fn number(&self, _: &'static Table) -> u64 {
        self.queue.claimed.fetch_add(1, Ordering::Relaxed)
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        Box::new(Pusher(self.queue))
    }

    fn cancel(&self) {
        self.queue.close();
    }

    fn rows(&mut self, table: &'static Table, batch: RecordBatch) -> Result<()> {
        self.queue.push(table, self.number(table), batch)
    }
}

/// A worker's handle to the queue.
struct Pusher<'a>(&'a Queue);

impl Handler for Pusher<'_> {
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        self.0.push(table, number, batch)
    }
}

/// The rows of one table: see [`reader`].
#[derive(Debug)]
pub struct TableBatches {
    batches: Batches,
    table: &'static Table,
    schema: SchemaRef,
}

impl TableBatches {
    /// The documents that were read, by `file_id`. Empty until the iterator has ended.
    pub fn documents(&self) -> &[Document] {
        self.batches.documents()
    }

    /// Those columns of a batch that are wanted.
    fn columns_of(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let names = self.schema.fields().iter().map(|field| field.name());
        let at: Vec<usize> = names.filter_map(|name| batch.schema().index_of(name).ok()).collect();
        batch.project(&at)
    }

    /// Waits for the next batch, as [`Batches::wait`] does.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.batches.wait(timeout)
    }
}

impl Iterator for TableBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.batches.next()? {
                Ok((table, batch)) if table.name == self.table.name => {
                    return Some(self.columns_of(&batch));
                }
                Ok(_) => {}
                Err(error) => return Some(Err(ArrowError::ExternalError(Box::new(error)))),
            }
        }
    }
}

impl RecordBatchReader for TableBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
