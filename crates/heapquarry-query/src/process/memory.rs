//! What the resident memory of the process of a heap snapshot is for.

use crate::{
    answer::{Bytes, Caveat, CaveatKind, Share, answer},
    view::{Shown, values},
};
use heapquarry_process::{Account, Outgrowth, Sample, Use, outgrowth};
use heapquarry_report::{Cell, Section, Unit};

answer! {
    /// The resident memory of a process right before its heap snapshot was taken.
    pub struct ProcessMemory {
        /// What it is for, in a sentence.
        pub text: String,
        /// All of it.
        pub rss: Bytes,
        /// What it is for; those parts that are known, and the rest. They add up to `rss`.
        pub parts: Vec<MemoryPart>,
        /// What the process says that its buffers have, beyond what is resident: never touched, or swapped out.
        pub untouched: Bytes,
    }

    /// A part of the resident memory.
    pub struct MemoryPart {
        /// The part: `heap`, `array_buffers`, `code` and others; `rest` is what is not named.
        pub part: &'static str,
        /// What it is, in words.
        pub meaning: &'static str,
        /// Its size.
        pub size: Bytes,
        /// Its share of the resident memory.
        pub share_percent: Option<Share>,
    }
}

impl ProcessMemory {
    /// That of a sample; `None` if its resident memory is not known.
    pub(crate) fn of(sample: &Sample) -> Option<Self> {
        let account = Account::of(sample)?;
        let part = |&(part, size): &(Use, u64)| MemoryPart {
            part: part.name(),
            meaning: meaning(part, &account),
            size: Bytes(size),
            share_percent: Share::of(size, account.rss),
        };
        Some(ProcessMemory {
            text: sentence(&account),
            rss: Bytes(account.rss),
            parts: account.parts.iter().map(part).collect(),
            untouched: Bytes(account.untouched),
        })
    }

    pub(crate) fn section(&self) -> Section {
        let parts = self.parts.iter().map(|part| (part.meaning, part.size.cell()));
        let told = [("what it is for", Cell::text(self.text.clone())), ("RSS", self.rss.cell())];
        let untouched = (self.untouched.0 > 0)
            .then(|| ("buffers not in RSS: never touched, or swapped out", self.untouched.cell()));
        let rows = told.into_iter().chain(parts).chain(untouched);
        values("process", "Resident memory of the process", rows)
    }
}

pub(super) fn meaning(part: Use, account: &Account) -> &'static str {
    match part {
        Use::Heap => "heap",
        Use::OtherHeaps => "other pages of V8: workers, or not given back",
        Use::ArrayBuffers => "array buffers",
        Use::External => "other memory that objects own",
        Use::Wasm => "WebAssembly memories",
        Use::Code => "code that the engine made",
        Use::Files => "programs, libraries and other files",
        Use::Stacks => "stacks of threads",
        Use::Free => "malloc, free but kept",
        Use::Rest if account.size(Use::Files).is_none() => {
            "the rest: native, or unused by the allocator, or files"
        }
        Use::Rest if account.has_free_in_rest => "the rest: native, or unused by the allocator",
        Use::Rest => "the rest: native",
    }
}

fn size(bytes: u64) -> String {
    Unit::Bytes.format(i64::try_from(bytes).unwrap_or(i64::MAX)).to_string()
}

/// `The heap explains 210.0 MB of 900.0 MB RSS; array buffers 400.0 MB, …; the rest of 50.0 MB is native.`
fn sentence(account: &Account) -> String {
    let of = |part| account.size(part).unwrap_or(0);
    let mut text =
        format!("The heap explains {} of {} RSS", size(of(Use::Heap)), size(account.rss));
    let told = account.parts.iter().filter(|(part, _)| !matches!(part, Use::Heap | Use::Rest));
    // Parts of less than a percent are in the list.
    let told = told.filter(|(_, size)| *size > account.rss / 100);
    let told: Vec<String> =
        told.map(|(part, bytes)| format!("{} {}", meaning(*part, account), size(*bytes))).collect();
    if !told.is_empty() {
        text += "; ";
        text += &told.join(", ");
    }
    let rest = of(Use::Rest);
    if rest > 0 {
        let what = meaning(Use::Rest, account).trim_start_matches("the rest: ");
        text += &format!("; the rest of {} is {what}", size(rest));
    }
    text
}

/// Resident memory, as the system says, or else the process itself.
pub(crate) fn rss(sample: &Sample) -> Option<Bytes> {
    sample.system.status.rss.or(sample.inside.rss).map(Bytes)
}

/// What is to be said of the growth of processes from snapshot to snapshot, if all of them are known.
pub(crate) fn growth(samples: &[&Sample]) -> Option<Caveat> {
    let Outgrowth { rss, heap } = outgrowth(samples)?;
    let text = format!(
        "the resident memory of the process grew by {}, and its heap with what objects own by {}: most of the growth is \
         not in the heap, and no snapshot shows it; `heapquarry watch` tells what it is",
        size(rss),
        Unit::Bytes.format_change(heap)
    );
    Some(Caveat { kind: CaveatKind::Remark, input: None, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_process::{Inside, Malloc, MapKind, MapTotal, Status, System};

    const MB: u64 = 1_000_000;

    fn sample(has_malloc: bool) -> Sample {
        let kinds = [
            (MapKind::V8, 210),
            (MapKind::Code, 12),
            (MapKind::Brk, 560),
            (MapKind::File, 115),
            (MapKind::Stack, 3),
        ];
        let total = |(kind, rss): (MapKind, u64)| {
            let rss = rss * MB;
            MapTotal { kind, count: 1, size: rss, rss: Some(rss), pss: None }
        };
        Sample {
            inside: Inside {
                heap_used: Some(200 * MB),
                heap_physical: Some(210 * MB),
                external: Some(400 * MB),
                array_buffers: Some(400 * MB),
                ..Inside::default()
            },
            system: System {
                status: Status { rss: Some(900 * MB), ..Status::default() },
                maps: kinds.into_iter().map(total).collect(),
                malloc: has_malloc.then_some(Malloc { used: 500 * MB, free: 60 * MB, unknown: 0 }),
                ..System::default()
            },
            ..Sample::default()
        }
    }

    #[test]
    fn a_sentence_says_what_resident_memory_is_for() {
        for (has_malloc, expected) in [
            (
                true,
                "The heap explains 210.0 MB of 900.0 MB RSS; array buffers 400.0 MB, code that the engine made 12.0 MB, \
                 programs, libraries and other files 115.0 MB, malloc, free but kept 60.0 MB; the rest of 100.0 MB is \
                 native",
            ),
            (
                false,
                "The heap explains 210.0 MB of 900.0 MB RSS; array buffers 400.0 MB, code that the engine made 12.0 MB, \
                 programs, libraries and other files 115.0 MB; the rest of 160.0 MB is native, or unused by the \
                 allocator",
            ),
        ] {
            let found = ProcessMemory::of(&sample(has_malloc)).unwrap();
            assert_eq!(found.text, expected);
            let sum: u64 = found.parts.iter().map(|part| part.size.0).sum();
            assert_eq!(sum, found.rss.0);
        }
        assert_eq!(ProcessMemory::of(&Sample::default()), None);
    }

    #[test]
    fn growth_that_is_not_in_the_heap_is_told() {
        let before = sample(true);
        let mut after = before.clone();
        after.system.status.rss = Some(990 * MB);
        let told = growth(&[&before, &after]).unwrap().text;
        assert!(told.contains("grew by 90.0 MB") && told.contains("heapquarry watch"), "{told}");
        after.inside.heap_used = Some(290 * MB);
        assert!(growth(&[&before, &after]).is_none());
        assert!(growth(&[&before]).is_none());
    }
}
