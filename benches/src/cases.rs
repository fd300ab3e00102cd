//! The cases of the gate.

use crate::{columns, corpus, profile, tokens, trace};
use heapquarry::{ConvertOptions, Names, RunOptions, Source, convert, info};
use heapquarry_query::{Diff, Leaks, Question, Session, Summary};
use heapquarry_scan::{ScanStop, Skipped, Span, StringScanner, bench::Kernel, unescape};
use heapquarry_sink::{Compression, Encoder, WriteOptions};
use std::path::{Path, PathBuf};

/// The snapshot of the cases from end to end.
const SNAPSHOT: &str = "node24-numeric.heapsnapshot";
/// Three of one process, for the questions about heaps.
const SERIES: [&str; 3] = ["leak/1.heapsnapshot", "leak/2.heapsnapshot", "leak/3.heapsnapshot"];
/// Another one, a few of whose nodes have large ids, and its tables.
const LARGE_IDS: &str = "node20-internals.heapsnapshot";
const TABLES: &str = "stored.tables";
const CPU_PROFILE: &str = "seeded.cpuprofile";
const HEAP_PROFILE: &str = "seeded.heapprofile";

const TRACE: &str = "seeded.trace.json";
const FTRACE: &str = "seeded.ftrace";
const PAGE: &str = "seeded.html";

/// Steps of the traces: some 3 and 1 MB.
const STEPS: u64 = 4000;

/// Nodes of the profiles: some 2 MB.
const NODES: u64 = 8000;

/// What names of cases begin with that run from end to end.
const CONVERT: &str = "convert/";
const ANSWER: &str = "answer/";

/// Something whose instructions are counted.
pub struct Case {
    /// `GROUP/NAME`.
    pub name: String,
    prepare: Box<dyn FnOnce() -> Run>,
}

/// Does it once; a result that depends on all the work.
pub type Run = Box<dyn FnMut() -> usize>;

impl Case {
    fn new<F, R>(name: impl Into<String>, prepare: F) -> Self
    where
        F: FnOnce() -> R + 'static,
        R: FnMut() -> usize + 'static,
    {
        Case { name: name.into(), prepare: Box::new(|| Box::new(prepare())) }
    }

    /// Whether it is work from end to end.
    pub fn is_whole(&self) -> bool {
        [CONVERT, ANSWER].iter().any(|group| self.name.starts_with(group))
    }

    /// Makes its input.
    pub fn prepare(self) -> Run {
        (self.prepare)()
    }
}

/// Makes the files that cases read in `folder`.
///
/// # Errors
/// If they cannot be written.
pub fn make_files(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder.join("leak"))?;
    for name in SERIES.into_iter().chain([SNAPSHOT, LARGE_IDS]) {
        std::fs::write(folder.join(name), corpus::unpacked(name))?;
    }
    let analysis = ConvertOptions::default().analyze(true).force(true);
    convert(&[folder.join(LARGE_IDS)], folder.join(TABLES), &analysis).expect("a sound input");
    std::fs::write(folder.join(CPU_PROFILE), profile::cpu(NODES))?;
    std::fs::write(folder.join(HEAP_PROFILE), profile::heap(NODES))?;
    std::fs::write(folder.join(TRACE), trace::kineto(STEPS))?;
    std::fs::write(folder.join(FTRACE), trace::ftrace(STEPS))?;
    std::fs::write(folder.join(PAGE), trace::page(STEPS))
}

/// All cases; those from end to end read and write in `folder`.
pub fn all(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    // Valgrind has no AVX-512.
    for kernel in Kernel::available().into_iter().filter(|kernel| kernel.name() != "avx512") {
        scan(kernel, &mut cases);
    }
    cases.push(Case::new("scan/any/unescape", unescaping));
    cases.extend(columns::all().into_iter().map(encode));
    cases.extend([
        end_to_end(folder, "id", SNAPSHOT, ConvertOptions::default().names(Names::Id)),
        end_to_end(folder, "text", SNAPSHOT, ConvertOptions::default()),
        end_to_end(folder, "analysis", SNAPSHOT, ConvertOptions::default().analyze(true)),
        end_to_end(folder, "cpuprofile", CPU_PROFILE, ConvertOptions::default()),
        end_to_end(folder, "heapprofile", HEAP_PROFILE, ConvertOptions::default()),
        end_to_end(folder, "trace", TRACE, ConvertOptions::default()),
        end_to_end(folder, "ftrace", FTRACE, ConvertOptions::default()),
        survey(folder, "snapshot", SNAPSHOT),
        survey(folder, "page", PAGE),
        question::<Summary>(folder, Summary::VERB, &[SNAPSHOT]),
        question::<Summary>(folder, "tables", &[TABLES]),
        question::<Leaks>(folder, Leaks::VERB, &SERIES),
        question::<Diff>(folder, Diff::VERB, &SERIES[1..]),
    ]);
    cases
}

fn scan(kernel: Kernel, cases: &mut Vec<Case>) {
    let name = |what: &str| format!("scan/{}/{what}", kernel.name());
    cases.push(Case::new(name("count_commas"), move || {
        let bytes = tokens::edges();
        move || kernel.count_commas(&bytes).commas as usize
    }));
    cases.push(Case::new(name("nesting"), move || {
        let bytes = tokens::calls();
        move || kernel.scan_nesting(&bytes, 0, u64::MAX).opens as usize
    }));
    let mut integers = |what: &str, bytes: fn() -> Vec<u8>| {
        cases.push(Case::new(name(what), move || {
            let bytes = bytes();
            move || tokens::read::<u32>(kernel, &bytes)
        }));
    };
    integers("integers_nodes", tokens::nodes);
    integers("integers_edges", tokens::edges);
    integers("integers_3-9_digits", || tokens::plain(3, 9));
    cases.push(Case::new(name("integers_u64"), move || {
        let bytes = tokens::plain(10, 10);
        move || tokens::read::<u64>(kernel, &bytes)
    }));
    for percent in [0, 100] {
        cases.push(Case::new(name(&format!("strings_{percent}%_escaped")), move || {
            let bytes = tokens::strings(percent);
            let mut spans = Vec::new();
            move || {
                spans.clear();
                let stop = kernel.string_scanner(0).scan(&bytes, usize::MAX, &mut spans);
                assert_eq!(stop, ScanStop::Close(bytes.len() - 1));
                spans.len()
            }
        }));
    }
    cases.push(Case::new(name("unescaper"), move || {
        let (bytes, mut text) = (tokens::message(), Vec::new());
        move || {
            text.clear();
            assert_eq!(kernel.unescaper().feed(&bytes, &mut text), None);
            text.len()
        }
    }));
    cases.push(Case::new(name("skip"), move || {
        let bytes = tokens::objects();
        move || match kernel.skipper().feed(&bytes) {
            Skipped::Done(length) => length,
            Skipped::More => panic!("the objects are whole"),
        }
    }));
}

fn unescaping() -> impl FnMut() -> usize {
    let bytes = tokens::strings(100);
    let (mut spans, mut out) = (Vec::<Span>::new(), Vec::new());
    StringScanner::new(0).scan(&bytes, usize::MAX, &mut spans);
    move || {
        out.clear();
        for span in &spans {
            unescape(&bytes[span.start as usize..span.end as usize], &mut out);
        }
        out.len()
    }
}

/// Without compression, which is not ours and would be most of it.
fn encode(input: columns::Input) -> Case {
    Case::new(format!("encode/{}", input.name), move || {
        let compression = Compression::None;
        let options = WriteOptions { compression, encodings: input.encodings };
        let (mut encoder, batch) = (Encoder::new(&options), input.batch());
        move || encoder.encode(input.table, &batch).expect("a sound batch").bytes()
    })
}

/// With one worker.
fn end_to_end(folder: &Path, name: &str, file: &str, options: ConvertOptions) -> Case {
    let (input, output) = (folder.join(file), folder.join(format!("{name}.tables")));
    Case::new(format!("{CONVERT}{name}"), move || {
        move || {
            let run = RunOptions::default().threads(1);
            let options = options.clone().force(true).run(run);
            convert(&[&input], &output, &options).expect("a sound input").documents.len()
        }
    })
}

/// What is in a file, by one worker.
fn survey(folder: &Path, name: &str, file: &str) -> Case {
    let source = Source::path(folder.join(file));
    Case::new(format!("info/{name}"), move || {
        let run = RunOptions::default().threads(1);
        move || info(&source, &run).expect("a sound input").documents.len()
    })
}

/// A question about heaps, by one worker, from the bytes of the files to the JSON of the answer.
fn question<Q: Question>(folder: &Path, name: &str, files: &[&str]) -> Case {
    let files: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    Case::new(format!("{ANSWER}{name}"), move || {
        move || {
            let sources = files.iter().map(Source::path);
            let session = Session::new(sources, &RunOptions::default().threads(1));
            let answered = Q::default().ask(&session).expect("sound heaps");
            serde_json::to_vec(&answered.answer).expect("numbers and texts").len()
        }
    })
}
