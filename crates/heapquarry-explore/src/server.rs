//! The life of the server: it listens, analyses, and ends with the last page.

use crate::{connection, event::Event, routes, shared::Shared, sql::Sql, state::Told};
use heapquarry::{Cancel, Error, ErrorKind, Progress, Result};
use heapquarry_query::{Explored, Session};
use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// Most connections at a time; browsers open six.
const MOST_CONNECTIONS: usize = 64;
/// How often an interrupt is looked for.
const POLL: Duration = Duration::from_millis(20);

/// Addresses of a page.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The address, with the token: for people to open.
    pub address: String,
    /// An address that leads there once: for the command line of a browser, which others can read.
    pub once: String,
    /// The port.
    pub port: u16,
}

/// A server on this machine for one page.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    events: Receiver<Event>,
}

impl Server {
    /// Listens at a port of 127.0.0.1; at a free one for 0.
    ///
    /// # Errors
    /// If the port is taken, or the system has no random numbers.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let (send, events) = mpsc::channel();
        let shared = Arc::new(Shared {
            token: random()?,
            ticket: Mutex::new(Some(random()?)),
            state: Arc::default(),
            events: send,
            connections: AtomicUsize::new(0),
            is_closing: AtomicBool::new(false),
            querying: Mutex::default(),
        });
        let own = shared.clone();
        thread::Builder::new().name("connections".into()).spawn(move || accept(&listener, &own))?;
        Ok(Server { address, shared, events })
    }

    /// Where the page is.
    pub fn opened(&self) -> Opened {
        let ticket = self.shared.ticket.lock().unwrap_or_else(PoisonError::into_inner);
        let at = |path: &str| format!("http://{}{path}", self.address);
        Opened {
            address: at(&self.shared.path()),
            once: at(&format!("/{}", ticket.as_deref().unwrap_or_default())),
            port: self.address.port(),
        }
    }

    /// Shows progress on the page; another listener is told too.
    pub fn progress(&self, other: Arc<dyn Progress>) -> Arc<dyn Progress> {
        let (state, begun) = (self.shared.state.clone(), self.shared.events.clone());
        Arc::new(Told { state, begun, other })
    }

    /// Has the page ask in SQL, too. Of several that are given the first one counts.
    pub fn sql(&self, sql: impl Sql + 'static) {
        let _ = self.shared.state.sql.set(Box::new(sql));
    }

    /// Analyses the input of a session, and answers until the last page has been closed for a time; without a time,
    /// until `cancel`. `begun` is called once it is known that the input can be opened.
    ///
    /// # Errors
    /// If the input cannot be read; [`ErrorKind::Cancelled`] after `cancel`.
    pub fn run(
        self,
        session: Session,
        close_after: Option<Duration>,
        cancel: &Cancel,
        begun: impl FnOnce(&Opened),
    ) -> Result<()> {
        let shared = self.shared.clone();
        let analyse = move || {
            let result = Explored::open(&session).map(|explored| {
                shared.state.explored.get_or_init(|| explored);
            });
            let is_open = result.is_ok();
            let _ = shared.events.send(Event::Analysed(result));
            if is_open {
                // Nothing waits for it at the end: it reads and writes memory alone. What a page begins with comes
                // first.
                let prepare = move || {
                    shared.state.explored.get().map(|explored| {
                        let _ = routes::overview(&shared.state, explored);
                        explored.prepare();
                    })
                };
                let _ = thread::Builder::new().name("preparation".into()).spawn(prepare);
            }
        };
        let failed = |source| {
            Error::from(ErrorKind::Input {
                path: "analysis".into(),
                doing: "start a thread for the",
                source,
            })
        };
        let analysis =
            thread::Builder::new().name("analysis".into()).spawn(analyse).map_err(failed)?;
        let result = self.wait(close_after, cancel, begun);
        if result.is_ok() {
            // Pages that were closed early leave an analysis that nobody waits for.
            cancel.cancel();
        }
        let _ = analysis.join();
        result
    }

    fn wait(
        &self,
        close_after: Option<Duration>,
        cancel: &Cancel,
        begun: impl FnOnce(&Opened),
    ) -> Result<()> {
        let mut begun = Some(begun);
        let mut begin = || begun.take().into_iter().for_each(|begun| begun(&self.opened()));
        let (mut pages, mut end) = (0usize, None::<Instant>);
        loop {
            let left = end.map_or(POLL, |end| end.saturating_duration_since(Instant::now()));
            match self.events.recv_timeout(left.min(POLL)) {
                Ok(Event::Begun) => begin(),
                Ok(Event::Analysed(result)) => {
                    result?;
                    begin();
                }
                Ok(Event::Opened) => (pages, end) = (pages + 1, None),
                Ok(Event::Closed) => {
                    pages = pages.saturating_sub(1);
                    let is_last = pages == 0;
                    end = close_after
                        .filter(|_| is_last)
                        .and_then(|after| Instant::now().checked_add(after));
                }
                Err(RecvTimeoutError::Timeout) if end.is_some_and(|end| end <= Instant::now()) => {
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if cancel.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_closing.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
        // What runs for a query is not left behind: it has been cancelled with everything else.
        drop(self.shared.querying.lock());
    }
}

/// Gives each connection a thread.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_closing.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else {
            // The system has too many open files: some will be closed.
            thread::sleep(POLL);
            continue;
        };
        let place = Place::take(shared);
        let Some(place) = place else { continue };
        // Without a thread the connection is dropped.
        let serve = move || connection::serve(stream, &place.0);
        let _ = thread::Builder::new().name("connection".into()).spawn(serve);
    }
}

/// One of the connections that there may be at a time.
struct Place(Arc<Shared>);

impl Place {
    fn take(shared: &Arc<Shared>) -> Option<Self> {
        let place = Place(shared.clone());
        let before = shared.connections.fetch_add(1, Ordering::Relaxed);
        (before < MOST_CONNECTIONS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// 128 random bits, as hexadecimal digits.
fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
