//! The thread on which requests run, and what their errors say.

use object_store::Error;
use std::{
    future::Future,
    io,
    sync::{OnceLock, mpsc},
    thread,
};
use tokio::runtime::{Builder, Handle};

/// The runtime of all requests.
pub(super) fn runtime() -> io::Result<&'static Handle> {
    static RUNTIME: OnceLock<Handle> = OnceLock::new();
    if let Some(handle) = RUNTIME.get() {
        return Ok(handle);
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    // If two threads come here at once, one runtime stays idle.
    thread::Builder::new()
        .name("requests".into())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(RUNTIME.get_or_init(|| handle))
}

/// Waits for the result of a request.
pub(super) fn wait<T: Send + 'static>(
    request: impl Future<Output = object_store::Result<T>> + Send + 'static,
) -> io::Result<T> {
    let (sender, result) = mpsc::sync_channel(1);
    runtime()?.spawn(async move {
        let _ = sender.send(request.await);
    });
    let result = result.recv().map_err(|_| io::Error::other("the request was given up"))?;
    result.map_err(|e| told(&e))
}

/// The error as one of the system. Its text has no query of an address: that can be a signature.
pub(super) fn told(error: &Error) -> io::Error {
    use io::ErrorKind::{AlreadyExists, NotFound, Other, PermissionDenied};
    match error {
        Error::NotFound { .. } => io::Error::new(NotFound, "there is no such object"),
        Error::AlreadyExists { .. } => io::Error::new(AlreadyExists, "the object exists"),
        Error::Precondition { .. } => {
            io::Error::new(Other, "the object was replaced while it was read")
        }
        Error::PermissionDenied { .. } => io::Error::new(PermissionDenied, "access is denied"),
        Error::Unauthenticated { .. } => {
            io::Error::new(PermissionDenied, "the credentials are missing or not valid")
        }
        other => io::Error::new(Other, without_queries(&other.to_string())),
    }
}

/// The text on one line, with the queries of addresses left out.
fn without_queries(text: &str) -> String {
    let words = text.split_whitespace().map(|word| match word.find("://") {
        Some(_) => word.split('?').next().unwrap_or(word),
        None => word,
    });
    let text = words.collect::<Vec<_>>().join(" ");
    const LONGEST: usize = 400;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_not_told() {
        let text = without_queries("Error GET https://h/c?sig=SECRET&x=1 -\n <Error>Slow?</Error>");
        assert_eq!(text, "Error GET https://h/c - <Error>Slow?</Error>");
        assert_eq!(without_queries(&"x".repeat(1000)).chars().count(), 401);
    }
}
