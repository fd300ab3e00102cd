//! Which isolate of a process something is of.

/// An isolate: the main thread of a Node or a page, or a worker. Each has a heap of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Isolate {
    /// `main`, or the id of the worker among the targets of the port: of a Node `worker-5`.
    pub id: String,
    /// What it calls itself, if it does.
    pub title: Option<String>,
    /// What it runs, if it says so.
    pub url: Option<String>,
}

impl Isolate {
    /// What a target says of itself; without a text it says nothing.
    pub fn told(id: &str, title: &str, url: &str) -> Self {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Isolate { id: id.into(), title: text(title), url: text(url) }
    }
}
