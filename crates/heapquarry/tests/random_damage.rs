//! Damage at random in files of the corpus. Each cell of each table but `source`, `import_log` and `js_heap_suspect` is
//! that of the whole file, NULL, or a text that shows the zeros, unless a row of `import_log` says that data was lost.
//! Damage that no reader can see, such as a digit less, is not tried.
//!
//! A run damages one file, and depends on nothing but the seed and its number. `HEAPQUARRY_HOLES=20000,7` makes 20,000
//! runs with seed 7, prints what they came to, and takes large files, too; few are made without it.

mod common;

use arrow_array::{Array, RecordBatch, cast::AsArray, types::Int32Type};
use common::{Tables, corpus, inputs};
use heapquarry::{
    Code, Document, Error, Handler, ReadOptions, Result, RunOptions, Severity, Sink, Source, read,
    tables::{IMPORT_LOG, JS_HEAP_SUSPECT, Projection, SOURCE, Table},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{Read, Write},
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

/// Runs without the variable.
const RUNS: u64 = 200;

/// Larger files are taken in one of 300 runs, and only if there are many.
const SMALL: usize = 300_000;

/// What happens to some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    /// They are zeros, as a file system leaves them after a crash.
    Zeros,
    Lost,
    /// They are there twice.
    Twice,
    /// They and all that follows are lost.
    Cut,
}

impl Damage {
    fn of(self, whole: &[u8], at: usize, len: usize) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        let range = at..at + len;
        match self {
            Damage::Zeros => bytes[range].fill(0),
            Damage::Lost => drop(bytes.drain(range)),
            Damage::Twice => drop(bytes.splice(at..at, whole[range].iter().copied())),
            Damage::Cut => bytes.truncate(at),
        }
        bytes
    }
}

/// A file, and what it holds.
struct Whole {
    name: String,
    bytes: Vec<u8>,
    tables: Tables,
}

impl Whole {
    fn new(path: &Path, wants_large: bool) -> Option<Self> {
        let name = path.strip_prefix(corpus()).unwrap().to_str()?.trim_end_matches(".gz");
        let mut bytes = fs::read(path).unwrap();
        if bytes.starts_with(b"\x1f\x8b") {
            let packed = std::mem::take(&mut bytes);
            flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        }
        if bytes.len() > SMALL && !wants_large {
            return None;
        }
        let (tables, _) = tables(name, bytes.clone()).ok()?;
        Some(Whole { name: name.into(), bytes, tables })
    }

    /// Whether these bytes are all of nodes or edges, of which it is known how many there are.
    fn is_counted(&self, at: usize, len: usize) -> bool {
        let last = |key: &[u8]| memchr::memmem::rfind(&self.bytes[..at], key);
        let within = ["nodes", "edges"].map(|name| last(format!("\"{name}\"").as_bytes()));
        let others = ["trace_function_infos", "trace_tree", "samples", "locations", "strings"];
        let others = others.map(|name| last(format!("\"{name}\"").as_bytes()));
        self.is_heap()
            && last(b"\"node_count\"").is_some()
            && memchr::memchr(b'"', &self.bytes[at..at + len]).is_none()
            && within.iter().max() > others.iter().max()
    }

    fn is_heap(&self) -> bool {
        self.name.contains(".heap") && !self.name.ends_with(".heapprofile")
            || self.name.starts_with("jsc")
    }

    fn is_among_numbers(&self, at: usize, len: usize) -> bool {
        let around = &self.bytes[at.saturating_sub(1)..(at + len + 1).min(self.bytes.len())];
        around.iter().all(|byte| byte.is_ascii_digit() || b", \n-".contains(byte))
    }

    /// Whether such damage can be seen in this format. A digit that is lost makes another number, and lines, messages
    /// and plain lists may end anywhere.
    fn shows(&self, damage: Damage, at: usize, len: usize) -> bool {
        match damage {
            // Some writers leave zeros in strings of heaps as they are: a few are no hole.
            Damage::Zeros => len >= 8 || !self.is_heap() || self.is_among_numbers(at, len),
            Damage::Lost | Damage::Twice => len >= 64 && self.is_counted(at, len),
            Damage::Cut => !self.name.ends_with(".ftrace") && !self.name.contains("lines"),
        }
    }
}

/// The rows of all tables, and what is known of the documents.
fn tables(name: &str, bytes: Vec<u8>) -> Result<(Tables, Vec<Document>)> {
    let projection = Projection::all().without(&[&SOURCE, &IMPORT_LOG, &JS_HEAP_SUSPECT]);
    let mut rows =
        Rows { projection, next: AtomicU64::new(0), kept: Vec::new(), rows: Mutex::default() };
    let options = ReadOptions::default().run(RunOptions::default().threads(1));
    let documents = read(&[Source::bytes(name, bytes)], &mut rows, &options)?;
    rows.keep();
    let mut parts: BTreeMap<&'static str, Vec<RecordBatch>> = BTreeMap::new();
    for (table, _, batch) in rows.kept {
        parts.entry(table.name).or_default().push(table.expand(&batch).unwrap());
    }
    let whole = |parts: Vec<RecordBatch>| {
        arrow_select::concat::concat_batches(&parts[0].schema(), &parts).unwrap()
    };
    let tables = parts.into_iter().map(|(name, parts)| (name, whole(parts)));
    Ok((tables.filter(|(_, batch)| batch.num_rows() > 0).collect(), documents))
}

/// Numbered row groups.
type RowGroups = Vec<(&'static Table, u64, RecordBatch)>;

/// Keeps all rows. A document can be read again.
struct Rows {
    projection: Projection,
    next: AtomicU64,
    /// Of documents that are complete.
    kept: RowGroups,
    rows: Mutex<RowGroups>,
}

impl Rows {
    fn keep(&mut self) {
        let mut rows = std::mem::take(self.rows.get_mut().unwrap());
        rows.sort_by_key(|(_, number, _)| *number);
        self.kept.append(&mut rows);
    }
}

impl Sink for Rows {
    fn projection(&self) -> &Projection {
        &self.projection
    }

    fn begin(&mut self, _: &str, _: &[&'static Table]) -> Result<()> {
        self.keep();
        Ok(())
    }

    fn number(&self, _: &'static Table) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        Box::new(self)
    }

    fn roll_back(&mut self) -> Result<bool> {
        self.rows.get_mut().unwrap().clear();
        Ok(true)
    }

    fn rows(&mut self, table: &'static Table, batch: RecordBatch) -> Result<()> {
        let number = self.number(table);
        (&*self).handle(table, number, batch)
    }
}

impl Handler for &Rows {
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        self.rows.lock().unwrap().push((table, number, batch));
        Ok(())
    }
}

/// The first cell that is neither that of the whole file nor NULL, and how many there are in its table.
fn wrong(whole: &Tables, found: &Tables) -> Option<String> {
    let names: BTreeSet<_> = whole.keys().chain(found.keys()).collect();
    names.into_iter().find_map(|name| {
        let rows = [whole, found].map(|tables| tables.get(name).map_or(0, RecordBatch::num_rows));
        if rows[0] != rows[1] {
            return Some(format!("{name}: {} rows instead of {}", rows[1], rows[0]));
        }
        let (whole, found) = (&whole[name], &found[name]);
        let columns = whole.columns().iter().zip(found.columns()).zip(whole.schema_ref().fields());
        columns.into_iter().find_map(|((whole, found), field)| {
            if whole == found {
                return None;
            }
            let is_wrong = |&row: &usize| {
                found.is_valid(row)
                    && whole.slice(row, 1) != found.slice(row, 1)
                    && !shows_zeros(found, row)
            };
            let wrong: Vec<_> = (0..rows[0]).filter(is_wrong).collect();
            let row = *wrong.first()?;
            let [whole, found] = [whole, found].map(|cells| cells.slice(row, 1));
            Some(format!(
                "{name}.{}: {} cells, in row {row} {found:?} instead of {whole:?}",
                field.name(),
                wrong.len()
            ))
        })
    })
}

/// Whether a text has zeros: whoever reads it sees the damage.
fn shows_zeros(cells: &dyn Array, row: usize) -> bool {
    if let Some(labels) = cells.as_dictionary_opt::<Int32Type>() {
        return labels.key(row).is_some_and(|key| shows_zeros(labels.values(), key));
    }
    cells.as_string_opt::<i32>().is_some_and(|text| text.value(row).contains('\0'))
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused,
    LossesLogged,
    Equal,
}

/// Damages a file. The text tells what is wrong.
fn run(whole: &Whole, random: &mut Random) -> std::result::Result<Outcome, String> {
    // Whatever happens to packed bytes shows; messages of pprof have nothing that tells.
    let is_packed = whole.name.ends_with(".pb") || random.below(8) == 0;
    let bytes = if is_packed { packed(&whole.bytes) } else { whole.bytes.clone() };
    let damages = [Damage::Zeros, Damage::Lost, Damage::Twice, Damage::Cut];
    // Zeros show everywhere.
    let (damage, at, len) = loop {
        let at = random.below(bytes.len());
        let len = (1 << random.below(13)).min(bytes.len() - at);
        let damage = damages[[0, 0, 0, 1, 1, 2, 3][random.below(7)]];
        if is_packed || whole.shows(damage, at, len) {
            break (damage, at, len);
        }
    };
    let what = format!(
        "{}{}: {damage:?} of {len} bytes at {at}",
        whole.name,
        if is_packed { ", packed" } else { "" }
    );
    let read = || tables(&whole.name, damage.of(&bytes, at, len));
    let found: Result<_, Error> =
        panic::catch_unwind(AssertUnwindSafe(read)).map_err(|_| format!("{what}: it panicked"))?;
    // What cannot be read at all is an error.
    let Ok((found, documents)) = found else { return Ok(Outcome::Refused) };
    let log = || documents.iter().flat_map(|document| &document.log);
    let is_loss = |code: Code| {
        // The format allows it.
        code.severity() >= Severity::DataLoss
            || damage == Damage::Cut && code == Code::UnclosedArray
    };
    if log().any(|entry| is_loss(entry.code)) {
        return Ok(Outcome::LossesLogged);
    }
    let codes: BTreeSet<_> = log().map(|entry| entry.code.name()).collect();
    match wrong(&whole.tables, &found) {
        Some(wrong) => Err(format!("{what}: {wrong}; {codes:?}")),
        None => Ok(Outcome::Equal),
    }
}

/// Small files of the corpus, and large ones if they are wanted.
fn files(wants_large: bool) -> (Vec<Whole>, Vec<Whole>) {
    let other = ["names", "generate", "golden", "process", "devtools"];
    let all = inputs().into_iter();
    let paths = all.filter(|path| !other.iter().any(|of| path.starts_with(corpus().join(of))));
    let files = paths.filter_map(|path| Whole::new(&path, wants_large));
    let (small, large): (Vec<_>, _) = files.partition(|file| file.bytes.len() <= SMALL);
    assert!(small.len() > 70, "{} files", small.len());
    (small, large)
}

#[test]
fn no_cell_of_a_damaged_file_is_wrong_without_a_word() {
    let variable = env::var("HEAPQUARRY_HOLES").unwrap_or_default();
    let mut numbers = variable.split(',').map(|number| number.parse::<u64>().ok());
    let runs = numbers.next().flatten().unwrap_or(RUNS);
    let seed = numbers.next().flatten().unwrap_or(1);
    let (small, large) = files(runs > RUNS);
    let (mut outcomes, mut findings) = (BTreeMap::<_, u64>::new(), Vec::new());
    for number in 0..runs {
        let mut random = Random(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        let of = if runs > RUNS && random.below(300) == 0 && !large.is_empty() {
            &large
        } else {
            &small
        };
        match run(&of[random.below(of.len())], &mut random) {
            Ok(outcome) => *outcomes.entry(outcome).or_default() += 1,
            Err(finding) => {
                println!("run {number} with seed {seed}: {finding}");
                findings.push(finding);
            }
        }
        if number % 1000 == 999 {
            println!(
                "{} runs with seed {seed}: {outcomes:?}, {} findings",
                number + 1,
                findings.len()
            );
        }
    }
    assert!(findings.is_empty(), "seed {seed}: {findings:#?}");
}
