//! Looks at all of a profile, a part at a time: flame graphs as far as they can be seen, the call tree from the top and
//! from the bottom, what calls a function and what it calls, packages.

mod answer;
mod series;
#[cfg(test)]
mod tests;

pub use answer::{
    Beside, Boxes, CallNode, CallerNode, CallersAnswer, CallsAnswer, ChangesAnswer, ChartAnswer,
    FlameAnswer, FunctionAnswer, FunctionsAnswer, ListedFunction, NamedFunction, PackagesAnswer,
    SampledThread,
};

use super::{Subject, place_of, summary::FunctionValue};
use crate::{
    Session,
    answer::{Answered, List},
    kept::Kept,
    listing::{Page, filter_of},
    session::Loaded,
};
use heapquarry::{Error, ErrorKind, Result};
use heapquarry_base::Order as _;
use heapquarry_graph::Package;
use heapquarry_profile::{
    Function, Member, NO, Sums,
    chart::{Chart, TimeBox},
    tree::{self, Tree},
};
use serde::Deserialize;
pub use series::ChangeOrder;
use series::Series;
use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{HashMap, HashSet},
    sync::{Arc, OnceLock},
};

/// Parts of the profile that are kept: the one on the page, and those before it.
const KEPT_PARTS: usize = 4;
/// Drawings over time that are kept: of all the time, and the latest.
const KEPT_DRAWINGS: usize = 4;
/// Pixels of most windows.
const USUAL_WIDTH: u32 = 1280;
/// Most boxes of an answer.
const MOST_BOXES: usize = 16_384;
/// Most functions on the way from a function to what calls it in the end.
const LONGEST_WAY: usize = 512;

/// What functions are sorted by; of equal ones the first in the file comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionOrder {
    /// Their names.
    Name,
    /// Their scripts.
    Script,
    /// What they take themselves.
    #[default]
    Own,
    /// What they take with all that they call.
    Total,
}

/// A part of the time of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// The thread, as a position among those with samples.
    pub thread: usize,
    /// Its start, in microseconds from the first sample.
    pub from: i64,
    /// Its end.
    pub to: i64,
}

/// A profile in memory, with what makes questions quick.
pub struct ProfileExplorer {
    session: Session,
    profile: Arc<Subject>,
    /// Once it is asked for.
    whole: OnceLock<Arc<Part>>,
    parts: Kept<TimeRange, Part>,
    charts: OnceLock<Vec<(String, Chart)>>,
    /// What is drawn of a thread between two times, where nothing shorter than a time stands alone.
    drawn: Kept<(TimeRange, i64), Vec<TimeBox>>,
    /// Of the last of several, what changed since the first.
    series: Option<Series>,
}

/// A profile, or what was sampled in a part of its time.
struct Part {
    tree: Tree,
    /// Of each function.
    sums: Sums,
    /// What was not idle.
    busy: i64,
    /// The calls of each function, side by side, once they are asked for.
    of_functions: OnceLock<Vec<u32>>,
    /// What each node takes itself, unless it is the whole profile.
    weights: Option<Vec<i64>>,
}

impl Part {
    fn whole(profile: &Subject) -> Self {
        let sums = profile.profile.sums(&numbers(profile), profile.profile.functions.len());
        Part {
            tree: Tree::new(&profile.profile, &profile.profile.weights),
            sums,
            busy: profile.busy(),
            of_functions: OnceLock::new(),
            weights: None,
        }
    }

    fn of(profile: &Subject, weights: Vec<i64>) -> Self {
        let functions = profile.profile.functions.len();
        let sums = profile.profile.sums_of(&weights, &numbers(profile), functions);
        Part {
            tree: Tree::new(&profile.profile, &weights),
            sums,
            busy: profile.own_of(&weights, |function| !function.is_idle()),
            of_functions: OnceLock::new(),
            weights: Some(weights),
        }
    }

    /// The calls of a function, in preorder.
    fn calls_of(&self, function: u32) -> &[u32] {
        let of = |call: u32| self.tree.call(call).function;
        let all = self.of_functions.get_or_init(|| {
            let mut all: Vec<u32> = (1..self.tree.calls.len() as u32).collect();
            all.sort_unstable_by_key(|&call| (of(call), call));
            all
        });
        let start = all.partition_point(|&call| of(call) < function);
        let end = all.partition_point(|&call| of(call) <= function);
        &all[start..end]
    }
}

/// The number of each function.
fn numbers(profile: &Subject) -> Vec<u32> {
    (0..profile.profile.functions.len() as u32).collect()
}

impl ProfileExplorer {
    /// Looks at a profile.
    pub(crate) fn new(session: &Session, profile: Arc<Subject>) -> Self {
        ProfileExplorer {
            session: session.clone(),
            profile,
            whole: OnceLock::new(),
            parts: Kept::new(KEPT_PARTS),
            charts: OnceLock::new(),
            drawn: Kept::new(KEPT_DRAWINGS),
            series: None,
        }
    }

    /// Looks at the last of several profiles, in the order of time, and compares it with those before it.
    pub(crate) fn of_series(session: &Session) -> Result<Self> {
        let last = session.last();
        let Loaded::Profile(profile) = last.explored()? else {
            let path = last.source()?.path.clone();
            return Err(Error::new(ErrorKind::NotFound { path, what: "profile".into() }));
        };
        let series = Some(Series::new(session, &profile)?);
        Ok(ProfileExplorer { series, ..Self::new(&last, profile) })
    }

    /// Makes what the first questions would make otherwise: the call tree, and what is drawn of all the time.
    pub fn prepare(&self) {
        self.whole();
        // Without a range there is no wrong thread.
        let _ = self.chart(None, USUAL_WIDTH);
    }

    fn whole(&self) -> &Arc<Part> {
        self.whole.get_or_init(|| Part::whole(&self.profile).into())
    }

    /// Whether it is the last of several.
    pub fn is_series(&self) -> bool {
        self.series.is_some()
    }

    /// What changed from the first profile to the last: functions whose name or script contains a text, as
    /// [`functions`](Self::functions) takes it.
    ///
    /// # Errors
    /// If there is only one profile.
    pub fn changes(
        &self,
        filter: &str,
        by: ChangeOrder,
        ascending: bool,
        page: Page,
    ) -> Result<Answered<ChangesAnswer>> {
        let Some(series) = &self.series else {
            return Err(self.not_found("second profile to compare with".into()));
        };
        Ok(series.changes(filter, by, ascending, page))
    }

    /// The session, for questions that verbs ask too. Its input is not read again.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Functions whose name or script contains a text, whatever the case of its letters; with `*`, which stands for
    /// anything, those that fit as a whole.
    ///
    /// # Errors
    /// If there is no such thread.
    pub fn functions(
        &self,
        range: Option<TimeRange>,
        filter: &str,
        by: FunctionOrder,
        ascending: bool,
        page: Page,
    ) -> Result<Answered<FunctionsAnswer>> {
        let part = self.part(range)?;
        let fits = filter_of(filter);
        let of_filter = |function: &Function| {
            let names = [function.name(), &function.called(), &function.url, function.source()];
            names.into_iter().any(&fits)
        };
        let mut found: Vec<(u32, &Function)> =
            self.profile.listed().filter(|(_, function)| of_filter(function)).collect();
        if part.weights.is_some() {
            found.retain(|&(number, _)| part.sums.total[number as usize] != 0);
        }
        let value = |values: &[i64], number: u32| values[number as usize];
        let Sums { own, total, .. } = &part.sums;
        found.order_by(|(a, one), (b, other)| {
            let order = match by {
                FunctionOrder::Name => one.called().cmp(&other.called()),
                FunctionOrder::Script => {
                    let at = (other.source(), other.source_line());
                    (one.source(), one.source_line()).cmp(&at)
                }
                FunctionOrder::Own => {
                    (value(own, *a), value(total, *a)).cmp(&(value(own, *b), value(total, *b)))
                }
                FunctionOrder::Total => {
                    (value(total, *a), value(own, *a)).cmp(&(value(total, *b), value(own, *b)))
                }
            };
            if ascending { order } else { order.reverse() }
        });
        let functions = page.of(found, |(number, _)| self.listed(&part, number));
        Ok(self.answered("functions", FunctionsAnswer { unit: self.unit(), functions }))
    }

    /// A function, what calls it and what it calls.
    ///
    /// # Errors
    /// If there is no such function or thread.
    pub fn function(
        &self,
        range: Option<TimeRange>,
        function: u32,
        page: Page,
    ) -> Result<Answered<FunctionAnswer>> {
        let part = self.part(range)?;
        self.known_function(function)?;
        let (callers, callees) = beside(&part, function);
        let list = |found: HashMap<u32, i64>| {
            page.of(largest(found), |(of, value)| Beside {
                function: Some(of).filter(|&of| of != NO),
                function_name: self.name(of),
                place: self.place(of),
                value: self.profile.amount(value),
                percent: self.profile.share(value, part.busy, false),
            })
        };
        let (callers, callees) = (list(callers), list(callees));
        let function = self.listed(&part, function);
        let unit = self.unit();
        Ok(self.answered("function", FunctionAnswer { unit, function, callers, callees }))
    }

    /// What a call of the tree calls; 0 is the whole profile.
    ///
    /// # Errors
    /// If there is no such call or thread.
    pub fn calls(
        &self,
        range: Option<TimeRange>,
        call: u32,
        page: Page,
    ) -> Result<Answered<CallsAnswer>> {
        let part = self.part(range)?;
        self.known_call(&part, call)?;
        let below: Vec<u32> = part.tree.below(call).collect();
        let calls = page.of(below, |call| self.call_node(&part, call));
        let call = self.call_node(&part, call);
        Ok(self.answered("calls", CallsAnswer { unit: self.unit(), call, calls }))
    }

    /// What calls a function by way of others: `way` has the function, what calls it, what calls that, and so on.
    /// Without a function, all functions by what they take themselves.
    ///
    /// # Errors
    /// If there is no such function or thread, or the way is too long.
    pub fn callers(
        &self,
        range: Option<TimeRange>,
        way: &[u32],
        page: Page,
    ) -> Result<Answered<CallersAnswer>> {
        let part = self.part(range)?;
        if way.len() > LONGEST_WAY {
            return Err(self.not_found(format!("way of more than {LONGEST_WAY} functions")));
        }
        for &function in way {
            self.known_function(function)?;
        }
        let found: HashMap<u32, i64> = match way {
            [] => {
                let values = (0..).zip(part.sums.own.iter().copied());
                let listed = |number: u32| {
                    let function = &self.profile.profile.functions[number as usize];
                    !function.is_root() && !function.is_idle()
                };
                values.filter(|&(number, own)| own > 0 && listed(number)).collect()
            }
            _ => {
                let mut found = HashMap::new();
                for (caller, own) in by_way(&part, way) {
                    let function = part.tree.call(caller).function;
                    if function != NO {
                        let sum: &mut i64 = found.entry(function).or_default();
                        *sum = sum.saturating_add(own);
                    }
                }
                found
            }
        };
        let callers = page.of(largest(found), |(function, value)| {
            let way: Vec<u32> = way.iter().copied().chain([function]).collect();
            let above: HashSet<u32> = by_way(&part, &way)
                .map(|(caller, _)| part.tree.call(caller).function)
                .filter(|&function| function != NO)
                .collect();
            CallerNode {
                function,
                function_name: self.name(function),
                place: self.place(function),
                self_value: self.profile.amount(value),
                self_percent: self.profile.share(value, part.busy, false),
                caller_count: above.len() as u64,
            }
        });
        Ok(self.answered("callers", CallersAnswer { unit: self.unit(), callers }))
    }

    /// The flame graph of a call, drawn so wide: 0 is the whole profile. What is narrower than one of `width` equal
    /// parts is one box with what is beside it.
    ///
    /// # Errors
    /// If there is no such call or thread.
    pub fn flame(
        &self,
        range: Option<TimeRange>,
        call: u32,
        width: u32,
    ) -> Result<Answered<FlameAnswer>> {
        let part = self.part(range)?;
        self.known_call(&part, call)?;
        let mut named = Named::new(self);
        let mut boxes = Boxes::default();
        for one in part.tree.boxes(call, width.into(), MOST_BOXES) {
            let function = named.number(part.tree.call(one.call).function);
            boxes.push(one.call, function, one.depth, [one.start, one.total], one.count);
        }
        let above = part.tree.above(call).map(|call| self.call_node(&part, call)).collect();
        let answer = FlameAnswer {
            unit: self.unit(),
            call: self.call_node(&part, call),
            above,
            boxes,
            functions: named.all,
        };
        Ok(self.answered("flame", answer))
    }

    /// What ran in a range of time, in its order, drawn so wide. Without a range, all of the first thread that has
    /// samples.
    ///
    /// # Errors
    /// If there is no such thread.
    pub fn chart(&self, range: Option<TimeRange>, width: u32) -> Result<Answered<ChartAnswer>> {
        let charts = self.charts();
        let thread = range.map_or(0, |range| range.thread);
        let threads = charts.iter().map(|(name, chart)| SampledThread {
            name: name.clone(),
            sample_count: chart.len() as u64,
            duration: self.profile.amount(chart.end()),
        });
        let threads: Vec<_> = threads.collect();
        let (mut boxes, mut named) = (Boxes::default(), Named::new(self));
        match charts.get(thread) {
            None if range.is_some() => return Err(self.no_thread(thread)),
            None => {}
            Some((_, chart)) => {
                let clamped = |at: i64| at.clamp(0, chart.end());
                let span = range.map_or([0, i64::MAX], |range| [range.from, range.to]);
                let [from, to] = span.map(clamped);
                let least = to.saturating_sub(from).max(0) / i64::from(width.max(1));
                // Windows that differ little have one drawing.
                let least = 1 << least.max(1).ilog2();
                let tree = &self.whole().tree;
                let draw = || chart.boxes(tree, [from, to], least, MOST_BOXES);
                for one in self.drawn.get((TimeRange { thread, from, to }, least), draw).iter() {
                    let function = named.number(tree.call(one.call).function);
                    boxes.push(one.call, function, one.depth, [one.start, one.dur], one.count);
                }
            }
        }
        let thread = thread as u32;
        let answer = ChartAnswer { threads, thread, boxes, functions: named.all };
        Ok(self.answered("chart", answer))
    }

    /// What packages and scripts take.
    ///
    /// # Errors
    /// If there is no such thread.
    pub fn packages(
        &self,
        range: Option<TimeRange>,
        page: Page,
    ) -> Result<Answered<PackagesAnswer>> {
        let part = self.part(range)?;
        let weights = part.weights.as_ref().unwrap_or(&self.profile.profile.weights);
        let packages = self.profile.packages_of(weights, part.busy, None);
        let packages = page.of(packages.rows, |row| row);
        let urls = self.profile.urls_of(weights, part.busy, None);
        let urls = page.of(urls.rows, |row| row);
        Ok(self.answered("packages", PackagesAnswer { unit: self.unit(), packages, urls }))
    }

    fn answered<A>(&self, verb: &'static str, answer: A) -> Answered<A> {
        let notes = self.profile.notes.clone();
        Answered::new(verb, self.session.names(), notes, answer, usize::MAX)
    }

    fn unit(&self) -> String {
        self.profile.profile.unit().into()
    }

    /// The whole profile, or what was sampled in a range.
    fn part(&self, range: Option<TimeRange>) -> Result<Arc<Part>> {
        let Some(range) = range else { return Ok(self.whole().clone()) };
        let charts = self.charts();
        let Some((_, chart)) = charts.get(range.thread) else {
            return Err(self.no_thread(range.thread));
        };
        Ok(self.parts.get(range, || {
            let mut weights = vec![0i64; self.profile.profile.of.len()];
            let samples = &self.sampled().nth(range.thread).map(|member| &member.samples);
            for (at, time) in chart.within(range.from, range.to) {
                let node = samples.and_then(|samples| samples.get(at));
                if let Some(sum) = node.and_then(|(node, _)| weights.get_mut(*node as usize)) {
                    *sum = sum.saturating_add(time.max(0));
                }
            }
            Part::of(&self.profile, weights)
        }))
    }

    /// The threads that have samples.
    fn sampled(&self) -> impl Iterator<Item = &Member> {
        self.profile.profile.members.iter().filter(|member| !member.samples.is_empty())
    }

    fn charts(&self) -> &[(String, Chart)] {
        self.charts.get_or_init(|| {
            let chart = |member| Chart::new(member, &self.whole().tree);
            self.sampled().map(|member| (member.name.clone(), chart(member))).collect()
        })
    }

    fn listed(&self, part: &Part, function: u32) -> ListedFunction {
        let value: FunctionValue = self.profile.function_value(function, &part.sums, part.busy);
        ListedFunction { function, value }
    }

    fn call_node(&self, part: &Part, call: u32) -> CallNode {
        let tree::Call { function, own, total, .. } = *part.tree.call(call);
        CallNode {
            call,
            function: Some(function).filter(|&function| function != NO),
            function_name: self.name(function),
            place: self.place(function),
            self_value: self.profile.amount(own),
            total_value: self.profile.amount(total),
            total_percent: self.profile.share(total, part.busy, false),
            call_count: part.tree.below(call).count() as u64,
        }
    }

    fn function_at(&self, function: u32) -> Option<&Function> {
        self.profile.profile.functions.get(function as usize)
    }

    /// The name of a function; that of the whole profile for none.
    fn name(&self, function: u32) -> String {
        self.function_at(function).map_or_else(|| self.profile.title(), |one| one.called().into())
    }

    fn place(&self, function: u32) -> Option<String> {
        self.function_at(function).and_then(place_of)
    }

    fn named(&self, function: u32) -> NamedFunction {
        let url = self.function_at(function).map_or("", Function::source);
        NamedFunction {
            function: Some(function).filter(|&function| function != NO),
            function_name: self.name(function),
            place: self.place(function),
            package: Package::of(url).installed().map(Cow::into_owned),
            url: url.into(),
        }
    }

    /// The functions of a node of the file and of its callers, without the root; none of no node.
    pub(crate) fn stack(&self, node: u32, page: Page) -> List<NamedFunction> {
        let profile = &self.profile.profile;
        let known = Some(node as usize).filter(|&node| node < profile.of.len());
        let of = |node: usize| profile.of[node];
        let functions = known.into_iter().flat_map(|node| profile.stack(node)).map(of);
        let is_listed = |&function: &u32| !profile.functions[function as usize].is_root();
        let functions: Vec<u32> = functions.filter(is_listed).collect();
        page.of(functions, |function| self.named(function))
    }

    fn known_function(&self, function: u32) -> Result<()> {
        match self.function_at(function) {
            Some(one) if !one.is_root() => Ok(()),
            _ => Err(self.not_found(format!("function {function}"))),
        }
    }

    fn known_call(&self, part: &Part, call: u32) -> Result<()> {
        match (call as usize) < part.tree.calls.len() {
            true => Ok(()),
            false => Err(self.not_found(format!("call {call}"))),
        }
    }

    fn no_thread(&self, thread: usize) -> Error {
        self.not_found(format!("thread {thread} with samples"))
    }

    fn not_found(&self, what: String) -> Error {
        let path = self.session.source().map(|source| source.path.clone()).unwrap_or_default();
        Error::new(ErrorKind::NotFound { path, what })
    }
}

/// The functions that call one and that it calls, with what they take: by number, [`NO`] for the root.
fn beside(part: &Part, function: u32) -> (HashMap<u32, i64>, HashMap<u32, i64>) {
    let (mut callers, mut callees) = (HashMap::new(), HashMap::new());
    let add = |into: &mut HashMap<u32, i64>, of: u32, value: i64| {
        let sum = into.entry(of).or_default();
        *sum = sum.saturating_add(value);
    };
    let tree = &part.tree;
    // The calls that no other function stands between, in their order, and where the outermost one ends.
    let (mut counted, mut end): (Vec<u32>, u32) = (Vec::new(), 0);
    for &call in part.calls_of(function) {
        let tree::Call { parent, .. } = *tree.call(call);
        if call >= end {
            end = tree.call(call).end;
            add(&mut callers, tree.call(parent).function, tree.call(call).total);
        } else if counted.binary_search(&parent).is_err() {
            continue;
        }
        counted.push(call);
        for callee in tree.below(call) {
            let tree::Call { function: of, total, .. } = *tree.call(callee);
            if of != function {
                add(&mut callees, of, total);
            }
        }
    }
    (callers, callees)
}

/// The calls that call a function by way of others, each with what the function takes itself then.
fn by_way<'a>(part: &'a Part, way: &'a [u32]) -> impl Iterator<Item = (u32, i64)> + 'a {
    let calls = way.first().map_or(&[][..], |&function| part.calls_of(function));
    let tree = &part.tree;
    calls.iter().filter_map(move |&call| {
        let own = tree.call(call).own;
        let mut at = call;
        for &function in &way[1..] {
            at = tree.call(at).parent;
            if at == 0 || tree.call(at).function != function {
                return None;
            }
        }
        (own > 0).then_some((tree.call(at).parent, own))
    })
}

/// The largest first; of equal ones the first in the file.
fn largest(found: HashMap<u32, i64>) -> Vec<(u32, i64)> {
    let mut rows: Vec<_> = found.into_iter().collect();
    rows.order_by_key(|&(number, value)| (Reverse(value), number));
    rows
}

/// The functions of boxes, numbered as they come.
struct Named<'a> {
    of: &'a ProfileExplorer,
    known: HashMap<u32, u32>,
    all: Vec<NamedFunction>,
}

impl<'a> Named<'a> {
    fn new(of: &'a ProfileExplorer) -> Self {
        Named { of, known: HashMap::new(), all: Vec::new() }
    }

    fn number(&mut self, function: u32) -> u32 {
        let Named { of, known, all } = self;
        *known.entry(function).or_insert_with(|| {
            all.push(of.named(function));
            all.len() as u32 - 1
        })
    }
}

impl Boxes {
    fn push(&mut self, call: u32, function: u32, depth: u32, [start, size]: [i64; 2], count: u64) {
        self.call.push(call);
        self.function.push(function);
        self.depth.push(depth);
        self.start.push(start);
        self.size.push(size);
        self.count.push(count);
    }
}
