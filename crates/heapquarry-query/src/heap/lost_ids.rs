//! What is said of snapshots whose ids are not of the same objects.

use heapquarry_graph::LostIds;

/// Names the likely cause. What follows from it is left to the caller.
pub(super) fn cause(first: &str, other: &str, lost: &LostIds) -> String {
    let LostIds { sampled, common, different } = *lost;
    if different == 0 {
        return format!(
            "{first} and {other} have {common} of {sampled} object ids in common: they are of different processes or \
             loads of a page, or of Bun, where only snapshots for debugging have ids that stay (docs/jsc.md)"
        );
    }
    format!(
        "{first} and {other} have other objects under the same ids ({different} of {common}): V8 gave new ids because \
         the inspector's session ended between them (page.captureHeapSnapshot() of Puppeteer, chrome-devtools-mcp, a \
         node:inspector Session for each snapshot, several calls of capture), or they are of different processes"
    )
}
