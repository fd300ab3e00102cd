//! The thread on which requests run, and what their errors say.

use crate::{Cancel, url::masked};
use futures_util::future::{Either, select};
use object_store::Error;
use std::{
    borrow::Cow,
    future::Future,
    io,
    pin::pin,
    sync::{
        OnceLock,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
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

/// How long to wait before it is checked whether the work is cancelled.
pub(super) const MOMENT: Duration = Duration::from_millis(50);

/// Waits for the result of requests. They are given up when the work is cancelled.
pub(super) fn wait<T: Send + 'static>(
    cancel: &Cancel,
    requests: impl Future<Output = io::Result<T>> + Send + 'static,
) -> io::Result<T> {
    check(cancel)?;
    let (sender, result) = mpsc::sync_channel(1);
    let task = runtime()?.spawn(async move {
        let _ = sender.send(requests.await);
    });
    loop {
        match result.recv_timeout(MOMENT) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => check(cancel).inspect_err(|_| task.abort())?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the request was given up"));
            }
        }
    }
}

/// An error if the work is cancelled. What callers make of it does not matter: the work ends as cancelled.
pub(super) fn check(cancel: &Cancel) -> io::Result<()> {
    match cancel.is_cancelled() {
        // Not `Interrupted`: that means that it may be tried again.
        true => Err(io::Error::other("interrupted")),
        false => Ok(()),
    }
}

/// The result of requests, or an error as soon as the work is cancelled: for those that must be followed by others.
pub(super) async fn until<T>(
    cancel: &Cancel,
    requests: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    let cancelled = async {
        while !cancel.is_cancelled() {
            tokio::time::sleep(MOMENT).await;
        }
    };
    match select(pin!(requests), pin!(cancelled)).await {
        Either::Left((result, _)) => result,
        Either::Right(_) => check(cancel).and(Err(io::ErrorKind::Other.into())),
    }
}

/// What is said of an object that is not the one that was opened.
pub(super) const REPLACED: &str = "the object was replaced while it was read";

/// The error as one of the system. Its text has nothing that may be a secret.
pub(super) fn told(error: Error) -> io::Error {
    use io::ErrorKind::{AlreadyExists, NotFound, Other, PermissionDenied};
    match error {
        Error::NotFound { .. } => io::Error::new(NotFound, "there is no such object"),
        Error::AlreadyExists { .. } => io::Error::new(AlreadyExists, "the object exists"),
        Error::Precondition { .. } => io::Error::new(Other, REPLACED),
        Error::PermissionDenied { .. } => io::Error::new(PermissionDenied, "access is denied"),
        Error::Unauthenticated { .. } => {
            io::Error::new(PermissionDenied, "the credentials are missing or not valid")
        }
        other => io::Error::new(Other, without_secrets(&other.to_string())),
    }
}

/// The text on one line, without what can be secret in addresses: users, passwords, and queries, which can be
/// signatures. An answer in XML comes last; it can hold a token, so only its code and its message are told.
fn without_secrets(text: &str) -> String {
    let (text, answer) = text.split_at(text.find('<').unwrap_or(text.len()));
    let words = text.split_whitespace().map(|word| match word.find("://") {
        Some(_) => masked(word.split('?').next().unwrap_or(word)),
        None => word.into(),
    });
    let told = ["<Code>", "<Message>"].into_iter().filter_map(|tag| content(answer, tag));
    let told = told.flat_map(str::split_whitespace).map(Cow::Borrowed);
    let text = words.chain(told).collect::<Vec<_>>().join(" ");
    const LONGEST: usize = 400;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The text of the first element with this tag.
pub(super) fn content<'a>(xml: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(tag)?;
    rest.split('<').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_told() {
        for (text, told) in [
            ("Error GET https://h/c?sig=SECRET&x=1 -\n slow?", "Error GET https://h/c - slow?"),
            (
                "400: <?xml version=\"1.0\"?>\n<Error><Code>ExpiredToken</Code><Message>The token\n has \
                 expired.</Message><Token-0>SECRET</Token-0></Error>",
                "400: ExpiredToken The token has expired.",
            ),
            ("400: <Error><Token-0>SECRET</Token-0></Error>", "400:"),
            ("400: <Error><Message>a<Token-0>SECRET", "400: a"),
            ("502: <html>SECRET</html>", "502:"),
            ("Error GET http://u:SECRET@h:1/b/c: refused", "Error GET http://***@h:1/b/c: refused"),
        ] {
            assert_eq!(without_secrets(text), told);
        }
        assert_eq!(without_secrets(&"x".repeat(1000)).chars().count(), 401);
    }
}
