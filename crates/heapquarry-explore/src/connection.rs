//! One connection: a request and its response.

use crate::{
    event::Event,
    guard,
    request::{self, Bad, Request},
    response::{Response, write_endless},
    routes::{Reply, respond},
    shared::Shared,
};
use std::{
    io::{self, Read},
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};

/// How long a request may take to arrive, and a response to leave.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a body that are read, and not looked at: a connection with unread bytes is cut off, and its response with
/// it.
const MOST_UNREAD: u64 = 64 << 10;

/// Serves a connection until it ends. Errors are those of the other side, which is gone then.
pub(crate) fn serve(mut stream: TcpStream, shared: &Shared) {
    let _ = answer(&mut stream, shared);
}

fn answer(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let start = Instant::now();
    let is_late = |now: Instant| now.duration_since(start) > PATIENCE;
    let reply = match whole(stream, is_late) {
        Ok(request) => respond(shared, &request),
        Err(Bad::Answer(status)) => Reply::Whole(Response::empty(status)),
        Err(Bad::Gone) => return Ok(()),
    };
    match reply {
        Reply::Whole(response) => finish(stream, &response),
        Reply::Query(query) => {
            let response = query.answer(shared, || is_gone(stream));
            finish(stream, &response)
        }
        Reply::Alive => {
            stream.set_read_timeout(None)?;
            // Before the answer: what the page does next must not come before it.
            let _ = shared.events.send(Event::Opened);
            // The browser sends nothing more: this ends when the page is closed.
            let _ = write_endless(stream).and_then(|()| io::copy(stream, &mut io::sink()));
            let _ = shared.events.send(Event::Closed);
            Ok(())
        }
    }
}

fn finish(stream: &mut TcpStream, response: &Response) -> io::Result<()> {
    response.write(stream)?;
    stream.shutdown(Shutdown::Write)?;
    io::copy(&mut stream.take(MOST_UNREAD), &mut io::sink()).map(drop)
}

/// A request of someone who may ask, with its body.
fn whole(stream: &mut TcpStream, is_late: impl Fn(Instant) -> bool) -> Result<Request, Bad> {
    let mut request = request::read(stream, &is_late)?;
    guard::check(&request).map_err(Bad::Answer)?;
    if request.method == "POST" {
        request::read_body(stream, &mut request, is_late)?;
    }
    Ok(request)
}

/// Whether the page waits no more for its answer.
fn is_gone(stream: &TcpStream) -> bool {
    let mut next = [0];
    let looked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut next));
    let is_waiting = match looked {
        Ok(read) => read > 0,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    };
    stream.set_nonblocking(false).is_err() || !is_waiting
}
