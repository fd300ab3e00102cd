//! The bytes of a connection.

use crate::{Address, Error, Result};
use std::{
    cell::Cell,
    io::{self, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// How long connecting, an answer over HTTP, and each write may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long a call of the system blocks before it is asked whether to go on.
pub(crate) const POLL: Duration = Duration::from_millis(50);

/// When to give up. It is asked before each call of the system, so that a target which sends a byte now and then cannot
/// keep us.
pub(crate) struct Watch<'a> {
    stop: &'a dyn Fn() -> bool,
    /// Whether `stop` said so: that counts until it was acted upon.
    stopped: Cell<bool>,
    until: Cell<Option<Instant>>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(stop: &'a dyn Fn() -> bool) -> Self {
        Watch { stop, stopped: Cell::new(false), until: Cell::new(None) }
    }

    /// Whether it was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        if !self.stopped.get() {
            self.stopped.set((self.stop)());
        }
        self.stopped.get()
    }

    /// Goes on: what stopped it was acted upon.
    pub(crate) fn resume(&self) {
        self.stopped.set(false);
    }

    /// Sets when it is too late.
    pub(crate) fn set_until(&self, until: Option<Instant>) {
        self.until.set(until);
    }

    /// Whether it is too late.
    pub(crate) fn is_late(&self) -> bool {
        self.until.get().is_some_and(|until| until <= Instant::now())
    }
}

/// A connection. A read fails with `WouldBlock` if there is nothing yet, it is too late, or it was stopped.
pub(crate) struct Stream<'a> {
    bytes: Bytes,
    pub(crate) watch: Watch<'a>,
}

enum Bytes {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<tls::Connection>),
}

impl<'a> Stream<'a> {
    /// Connects, over TLS if the address says so.
    pub(crate) fn connect(address: &Address, watch: Watch<'a>) -> Result<Self> {
        let fail = |why: String| Error::Unreachable { place: address.to_string(), why };
        if address.tls && cfg!(not(feature = "tls")) {
            let why = "this build has no TLS (its feature tls); forward the port with ssh -L";
            return Err(fail(why.into()));
        }
        let tcp = dialled(address, &watch)?;
        let bytes = match address.tls {
            #[cfg(feature = "tls")]
            true => tls::connect(&address.host, tcp).map(Box::new).map(Bytes::Tls).map_err(fail)?,
            _ => Bytes::Plain(tcp),
        };
        Ok(Stream { bytes, watch })
    }

    fn write_now(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::Plain(tcp) => tcp.write(buf),
            #[cfg(feature = "tls")]
            Bytes::Tls(tls) => tls.write(buf),
        }
    }
}

/// Connects on another thread: nothing can interrupt the search for a name.
fn dialled(address: &Address, watch: &Watch<'_>) -> Result<TcpStream> {
    let fail = |why: String| Error::Unreachable { place: address.to_string(), why };
    let (sender, found) = mpsc::sync_channel(1);
    let (host, port) = (address.host.clone(), address.port);
    let dial = move || drop(sender.send(dial(&host, port)));
    let spawned = thread::Builder::new().name("dial".into()).spawn(dial);
    spawned.map_err(|error| fail(error.to_string()))?;
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if watch.is_stopped() {
            return Err(Error::Interrupted);
        }
        match found.recv_timeout(POLL) {
            Ok(found) => return found.map_err(|error| fail(error.to_string())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Err(fail("it does not answer".into()))
}

fn dial(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut failure = io::Error::other("the host has no address");
    for ip in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&ip, PATIENCE) {
            Ok(tcp) => {
                tcp.set_nodelay(true)?;
                tcp.set_read_timeout(Some(POLL))?;
                tcp.set_write_timeout(Some(POLL))?;
                return Ok(tcp);
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Whether a call of the system gave up for now. One with a time limit is not restarted after a signal: signal(7).
pub(crate) fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

impl Read for Stream<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.watch.is_stopped() || self.watch.is_late() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let read = match &mut self.bytes {
            Bytes::Plain(tcp) => tcp.read(buf),
            #[cfg(feature = "tls")]
            Bytes::Tls(tls) => tls.read(buf),
        };
        read.map_err(|error| match is_timeout(&error) {
            true => io::ErrorKind::WouldBlock.into(),
            false => error,
        })
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.write_now(buf) {
                Err(error) if is_timeout(&error) => {
                    if self.watch.is_stopped() || end <= Instant::now() {
                        return Err(io::Error::new(io::ErrorKind::TimedOut, "it takes nothing"));
                    }
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.bytes {
            Bytes::Plain(tcp) => tcp.flush(),
            #[cfg(feature = "tls")]
            Bytes::Tls(tls) => tls.flush(),
        }
    }
}

#[cfg(feature = "tls")]
mod tls {
    use rustls::{
        ClientConfig, ClientConnection, StreamOwned, crypto::ring, pki_types::ServerName,
    };
    use rustls_platform_verifier::BuilderVerifierExt;
    use std::{net::TcpStream, sync::Arc};

    pub(super) type Connection = StreamOwned<ClientConnection, TcpStream>;

    /// Encrypts a connection. The handshake is part of the first write.
    pub(super) fn connect(host: &str, tcp: TcpStream) -> Result<Connection, String> {
        let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_platform_verifier())
            .map_err(|error| error.to_string())?
            .with_no_client_auth();
        let client = ClientConnection::new(Arc::new(config), name).map_err(|e| e.to_string())?;
        Ok(StreamOwned::new(client, tcp))
    }
}
