//! What can be asked of a heap.

use super::{answered, failed, needed, page, parameters, read, wrong};
use crate::response::Response;
use heapquarry_query::{
    By, Find, HeapExplorer, Page, Question,
    find::FindOrder,
    heap::explore::{ClassOrder, ObjectOrder},
};
use serde::Deserialize;

/// Most boxes of a map.
const MOST_BOXES: usize = 4096;
/// Most paths of an object: each is searched for.
const MOST_PATHS: usize = 20;

parameters! {
    paged Classes {
        filter: String = String::new(),
        sort: ClassOrder = ClassOrder::default(),
        ascending: bool = false,
    }
}
parameters! {
    paged Objects {
        class: String = String::new(),
        sort: ObjectOrder = ObjectOrder::default(),
        ascending: bool = false,
    }
}
parameters! {
    paged Object {
        node: Option<i64> = None,
    }
}
parameters! {
    Nothing {}
}
parameters! {
    Owned {
        by: By = By::Package,
    }
}
// What `find` takes, but for the name of another snapshot.
parameters! {
    paged Finding {
        class: String = String::new(),
        name: String = String::new(),
        text: Option<String> = None,
        regex: Option<String> = None,
        min_size: Option<u64> = None,
        detached: Option<bool> = None,
        strings: bool = false,
        sort: FindOrder = FindOrder::default(),
    }
}
parameters! {
    paged List {}
}
parameters! {
    Map {
        node: Option<i64> = None,
        top: usize = 1000,
    }
}
parameters! {
    Paths {
        node: Option<i64> = None,
        shortest: bool = false,
        top: usize = 3,
    }
}

/// The answer to a question; `None` if there is no such question.
pub(super) fn ask(
    heap: &HeapExplorer,
    question: &str,
    query: &str,
) -> Result<Option<Response>, Response> {
    let found = found(heap, question, query)?;
    heap.check_text().map_err(failed)?;
    Ok(found)
}

fn found(heap: &HeapExplorer, question: &str, query: &str) -> Result<Option<Response>, Response> {
    match question {
        "classes" => {
            let Classes { filter, sort, ascending, offset, top } = read(query)?;
            answered(&heap.classes(&filter, sort, ascending, page(offset, top)?))
        }
        "objects" => {
            let Objects { class, sort, ascending, offset, top } = read(query)?;
            let objects = heap.objects(&class, sort, ascending, page(offset, top)?);
            answered(&objects.map_err(failed)?)
        }
        "object" => {
            let Object { node, offset, top } = read(query)?;
            answered(&heap.object(needed(node, "node")?, page(offset, top)?).map_err(failed)?)
        }
        "find" => {
            let Finding {
                class,
                name,
                text,
                regex,
                min_size,
                detached,
                strings,
                sort,
                offset,
                top,
            } = read(query)?;
            let Page { offset, top } = page(offset, top)?;
            let one = |name: String| Some(name).filter(|name| !name.is_empty());
            let [class, name] = [class, name].map(|name| one(name).into_iter().collect::<Vec<_>>());
            let find = Find::default().class(class).name(name).text(text).regex(regex);
            let find = find.min_size(min_size).detached(detached).strings(strings).sort(sort);
            answered(&find.offset(offset).top(top).ask(heap.session()).map_err(failed)?)
        }
        "holders" => {
            let Nothing {} = read(query)?;
            answered(&heap.holders())
        }
        "owners" => {
            let Owned { by } = read(query)?;
            answered(&heap.owners(by).map_err(failed)?)
        }
        "growth" => {
            let List { offset, top } = read(query)?;
            answered(&heap.growth(page(offset, top)?).map_err(failed)?)
        }
        "allocated" => {
            let Object { node, offset, top } = read(query)?;
            let allocated = heap.allocated(needed(node, "node")?, page(offset, top)?);
            answered(&allocated.map_err(failed)?)
        }
        "retainers" => {
            let Object { node, offset, top } = read(query)?;
            let retainers = heap.retainers(needed(node, "node")?, page(offset, top)?);
            answered(&retainers.map_err(failed)?)
        }
        "contained" => {
            let Object { node, offset, top } = read(query)?;
            answered(&heap.contained(node, page(offset, top)?).map_err(failed)?)
        }
        "dominated" => {
            let Object { node, offset, top } = read(query)?;
            answered(&heap.dominated(node, page(offset, top)?).map_err(failed)?)
        }
        "map" => {
            let Map { node, top } = read(query)?;
            if top > MOST_BOXES {
                return Err(wrong(&format!("top: at most {MOST_BOXES}")));
            }
            answered(&heap.map(node, top).map_err(failed)?)
        }
        "dominators" => {
            let Object { node, offset, top } = read(query)?;
            let dominators = heap.dominators(needed(node, "node")?, page(offset, top)?);
            answered(&dominators.map_err(failed)?)
        }
        "why" => {
            let Paths { node, shortest, top } = read(query)?;
            if top > MOST_PATHS {
                return Err(wrong(&format!("top: at most {MOST_PATHS}")));
            }
            answered(&heap.why(needed(node, "node")?, shortest, top).map_err(failed)?)
        }
        _ => Ok(None),
    }
}
