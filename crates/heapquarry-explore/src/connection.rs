//! One connection: a request and its response.

use crate::{
    event::Event,
    request::{self, Bad},
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
    let reply = match request::read(stream, is_late) {
        Ok(request) => respond(shared, &request),
        Err(Bad::Answer(status)) => Reply::Whole(Response::empty(status)),
        Err(Bad::Gone) => return Ok(()),
    };
    match reply {
        Reply::Whole(response) => {
            response.write(stream)?;
            stream.shutdown(Shutdown::Write)?;
            io::copy(&mut stream.take(MOST_UNREAD), &mut io::sink())?;
        }
        Reply::Alive => {
            stream.set_read_timeout(None)?;
            // Before the answer: what the page does next must not come before it.
            let _ = shared.events.send(Event::Opened);
            // The browser sends nothing more: this ends when the page is closed.
            let _ = write_endless(stream).and_then(|()| io::copy(stream, &mut io::sink()));
            let _ = shared.events.send(Event::Closed);
        }
    }
    Ok(())
}
