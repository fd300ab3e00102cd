//! Inputs that questions are asked of.

use crate::{
    answer::{Answered, Caveat},
    heap, process, profile,
    subjects::Subject,
    trace,
};
use heapquarry::{
    Error, ErrorKind, Result, RunOptions, Source,
    engine::{Locate, Located, check_text, refuse_other},
};
use heapquarry_formats::Kind;
use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
};

/// Inputs, and what has been read and analysed of them: further questions about an input need not read it again.
#[derive(Clone)]
pub struct Session {
    inputs: Arc<[Arc<Input>]>,
    options: RunOptions,
}

struct Input {
    source: Source,
    loaded: Mutex<Option<Loaded>>,
}

impl Input {
    /// The heap, from its index, or else read in this way.
    fn heap(
        &self,
        options: &RunOptions,
        read: impl FnOnce(&Source, Located, &RunOptions) -> Result<heap::Subject>,
    ) -> Result<heap::Subject> {
        let source = &self.source;
        if let Some(kept) = heap::Subject::indexed(source, None, options)? {
            return Ok(kept);
        }
        let located = source.locate(options)?;
        refuse_other(&source.path, located.format())?;
        read(source, located, options)
    }

    /// Memory that it takes, in bytes, about; `None` if it is not in memory, or is being read.
    fn held(&self) -> Option<u64> {
        let loaded = self.loaded.try_lock().ok()?;
        Some(match loaded.as_ref()? {
            Loaded::Heap(heap) => heap.held(),
            Loaded::Profile(profile) => profile.held(),
            Loaded::Trace(trace) => trace.held(),
        })
    }
}

/// An input in memory.
#[derive(Clone)]
pub(crate) enum Loaded {
    Heap(Arc<heap::Subject>),
    Profile(Arc<profile::Subject>),
    Trace(Arc<trace::Subject>),
}

/// What is needed of an input besides what all questions need.
#[derive(Clone, Copy)]
struct Needs {
    /// Of a heap, what each node belongs to.
    attribution: bool,
    /// Of a profile, its samples.
    samples: bool,
}

impl Session {
    /// Inputs, of which nothing is read yet: one, or several of one program in the order of time.
    pub fn new(inputs: impl IntoIterator<Item = Source>, options: &RunOptions) -> Self {
        let input = |source| Arc::new(Input { source, loaded: Mutex::default() });
        Session { inputs: inputs.into_iter().map(input).collect(), options: options.clone() }
    }

    /// A session of the inputs of this one, with what is known of them, for work that is run in another way: whose
    /// progress another receiver sees, and which is cancelled alone.
    #[must_use]
    pub fn under(&self, options: &RunOptions) -> Self {
        Session { inputs: self.inputs.clone(), options: options.clone() }
    }

    /// A session of the inputs of several, one after the other, with what is known of them.
    #[must_use]
    pub fn joined<'a>(sessions: impl IntoIterator<Item = &'a Self>, options: &RunOptions) -> Self {
        let inputs = sessions.into_iter().flat_map(|session| session.inputs.iter().cloned());
        Session { inputs: inputs.collect(), options: options.clone() }
    }

    /// A session of all heaps, if the only input is a directory of several and of nothing else. Heaps of several
    /// isolates are no series: the session stays as it is, and one of them is to be chosen (`DIR#N`).
    pub(crate) fn documents(&self) -> Result<Self> {
        if let [input] = &self.inputs[..]
            && input.source.document.is_none()
            && let Some(dir) = input.source.converted()?
            && dir.has_only_heaps()
            && dir.heaps().count() > 1
            && dir.isolates(&self.options)?.is_none()
        {
            let sources = dir.heaps().map(|number| input.source.clone().document(number));
            return Ok(Session::new(sources, &self.options));
        }
        Ok(self.clone())
    }

    /// A session of the last input alone, with what is known of it.
    pub(crate) fn last(&self) -> Self {
        let last = self.inputs.last().cloned();
        Session { inputs: last.into_iter().collect(), options: self.options.clone() }
    }

    /// Reads and analyses the only input, unless that is done: questions about it are then answered from memory. Of a
    /// watch nothing stays there: it is small.
    ///
    /// # Errors
    /// If it cannot be read, or does not fit into the memory of the options.
    pub fn open(&self) -> Result<()> {
        if process::Subject::open(self.source()?, &self.options)?.is_some() {
            return Ok(());
        }
        self.loaded().map(drop)
    }

    /// What its only input is, if that is in memory: `heap`, `profile`, `trace`.
    pub fn kind(&self) -> Option<&'static str> {
        let loaded = self.only().ok()?.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        Some(match loaded.as_ref()? {
            Loaded::Heap(_) => "heap",
            Loaded::Profile(_) => "profile",
            Loaded::Trace(_) => "trace",
        })
    }

    /// Whether all inputs are in memory.
    pub fn is_open(&self) -> bool {
        self.inputs.iter().all(|input| input.held().is_some())
    }

    /// Memory that its inputs take, in bytes, about.
    pub fn held(&self) -> u64 {
        self.inputs.iter().filter_map(|input| input.held()).sum()
    }

    /// Bytes that [`prepare`](Self::prepare) will take besides, about; 0 once it has begun. With an index, which has
    /// all else, these are texts and summaries.
    pub fn to_prepare(&self) -> u64 {
        self.open_heap().map_or(0, |heap| heap.to_prepare())
    }

    /// Makes what further questions about an open heap need, on a thread of its own: what holds each object, the
    /// cheapest way to each, the objects of each class, all of which an index has, strings by their texts, the names in
    /// each class, and summaries. Takes about as long as the analysis, once. Questions that are asked meanwhile do not
    /// wait for it. It stops after the current part once nobody else has the heap.
    pub fn prepare(&self) {
        if let Some(heap) = self.open_heap().filter(|heap| heap.announce_preparation()) {
            let heap = Arc::downgrade(&heap);
            // Without it questions take longer.
            let _ = thread::Builder::new().spawn(move || prepare_while_open(&heap));
        }
    }

    /// The heap that is the only input, if it is in memory.
    fn open_heap(&self) -> Option<Arc<heap::Subject>> {
        let loaded = self.only().ok()?.loaded.try_lock().ok()?;
        match loaded.as_ref()? {
            Loaded::Heap(heap) => Some(heap.clone()),
            Loaded::Profile(_) | Loaded::Trace(_) => None,
        }
    }

    /// How work is run.
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// The inputs.
    pub fn sources(&self) -> Vec<Source> {
        self.inputs.iter().map(|input| input.source.clone()).collect()
    }

    /// The inputs as given.
    pub(crate) fn names(&self) -> Vec<String> {
        self.inputs.iter().map(|input| input.source.to_string()).collect()
    }

    /// The only input.
    fn only(&self) -> Result<&Input> {
        match &self.inputs[..] {
            [input] => Ok(input),
            inputs => {
                let path = inputs.first().map(|input| input.source.path.clone());
                let what = "single input: this question is about one".into();
                Err(Error::new(ErrorKind::NotFound { path: path.unwrap_or_default(), what }))
            }
        }
    }

    /// The only input, read and analysed; a heap with the attribution of its nodes.
    pub(crate) fn loaded(&self) -> Result<Loaded> {
        self.load(Needs { attribution: true, samples: false })
    }

    /// The only input, read and analysed; a heap perhaps without the attribution of its nodes.
    pub(crate) fn unattributed(&self) -> Result<Loaded> {
        self.load(Needs { attribution: false, samples: false })
    }

    /// The only input, read and analysed; a heap with the attribution of its nodes, a profile with its samples.
    pub(crate) fn explored(&self) -> Result<Loaded> {
        self.load(Needs { attribution: true, samples: true })
    }

    fn load(&self, needs: Needs) -> Result<Loaded> {
        let input = self.only()?;
        let mut loaded = input.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        match &*loaded {
            Some(Loaded::Heap(heap)) if needs.attribution && !heap.is_attributed() => {}
            Some(Loaded::Profile(profile)) if needs.samples && !profile.has_samples => {}
            Some(loaded) => return Ok(loaded.clone()),
            None => {}
        }
        let (source, options) = (&input.source, &self.options);
        if let Some(kept) = heap::Subject::indexed(source, None, options)? {
            return Ok(loaded.insert(Loaded::Heap(Arc::new(kept))).clone());
        }
        let located = source.locate(options)?;
        let read = match located.format().kind() {
            Kind::Heap => Loaded::Heap(Arc::new(match needs.attribution {
                true => heap::Subject::read_attributed(source, located, options)?,
                false => heap::Subject::read(source, located, None, options)?,
            })),
            Kind::Profile(_) => Loaded::Profile(Arc::new(match needs.samples {
                true => profile::Subject::open_sampled(source, located, options)?,
                false => profile::Subject::open(source, located, options)?,
            })),
            Kind::Trace => Loaded::Trace(Arc::new(trace::Subject::open(source, located, options)?)),
        };
        Ok(loaded.insert(read).clone())
    }

    /// The only input, which must be a heap.
    pub(crate) fn heap(&self) -> Result<Arc<heap::Subject>> {
        let input = self.only()?;
        let mut loaded = input.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Loaded::Heap(heap)) = &*loaded {
            return Ok(heap.clone());
        }
        let heap = Arc::new(input.heap(&self.options, |source, located, options| {
            heap::Subject::read(source, located, None, options)
        })?);
        *loaded = Some(Loaded::Heap(heap.clone()));
        Ok(heap)
    }

    /// The only input, which must be a heap, with the attribution of its nodes.
    pub(crate) fn attributed_heap(&self) -> Result<Arc<heap::Subject>> {
        let input = self.only()?;
        let mut loaded = input.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Loaded::Heap(heap)) = &*loaded
            && heap.is_attributed()
        {
            return Ok(heap.clone());
        }
        let heap = Arc::new(input.heap(&self.options, heap::Subject::read_attributed)?);
        *loaded = Some(Loaded::Heap(heap.clone()));
        Ok(heap)
    }

    /// The input of a number, which was found there, as others are compared with it. Of traces only the figures are
    /// kept by the caller: they are small.
    pub(crate) fn subject(&self, at: usize, located: Located) -> Result<Subject> {
        let input = &self.inputs[at];
        let mut loaded = input.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        match &*loaded {
            Some(Loaded::Heap(heap)) => return Ok(Subject::Heap(heap.clone())),
            Some(Loaded::Profile(profile)) => return Ok(Subject::Profile(profile.clone())),
            Some(Loaded::Trace(trace)) => return Ok(Subject::Trace(trace.figures().into())),
            None => {}
        }
        let subject = Subject::open(&input.source, located, &self.options)?;
        match &subject {
            Subject::Heap(heap) => *loaded = Some(Loaded::Heap(heap.clone())),
            Subject::Profile(profile) => *loaded = Some(Loaded::Profile(profile.clone())),
            Subject::Trace(_) | Subject::Process(_) => {}
        }
        Ok(subject)
    }

    /// The answer of a verb about its inputs, of which `shown` rows of each list are for people.
    ///
    /// # Errors
    /// If text of a heap could not be read: then the answer may have something else in its place.
    pub(crate) fn answered<A>(
        &self,
        verb: &'static str,
        caveats: Vec<Caveat>,
        answer: A,
        shown: usize,
    ) -> Result<Answered<A>> {
        for input in &*self.inputs {
            let loaded = input.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Loaded::Heap(heap)) = &*loaded {
                check_text(&input.source.path, &heap.heap)?;
            }
        }
        Ok(Answered::new(verb, self.names(), caveats, answer, shown))
    }

    /// The source of the only input.
    pub(crate) fn source(&self) -> Result<&Source> {
        self.only().map(|input| &input.source)
    }
}

/// Prepares a heap part by part as long as somebody has it. Returns the number of parts.
pub(crate) fn prepare_while_open(heap: &Weak<heap::Subject>) -> usize {
    let mut parts = 0;
    while heap.upgrade().is_some_and(|heap| heap.prepare_next()) {
        parts += 1;
    }
    parts
}
