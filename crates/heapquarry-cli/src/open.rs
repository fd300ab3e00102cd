//! The command that serves a page.

use crate::{args::Open, failure::Failure, print, progress, sql::Database};
use heapquarry_explore::{Opened, Server};
use heapquarry_query::Session;
use heapquarry_store::duckdb::Ready;
use std::{
    env,
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

pub(crate) fn run(args: &Open) -> Result<(), Failure> {
    let port = args.port.unwrap_or_default();
    let server = Server::bind(port).map_err(|error| {
        Failure::Output(format!("cannot listen at port {port} of 127.0.0.1: {error}"))
    })?;
    let bar = progress::Bar::new(args.work.quiet);
    let options = crate::options::work_options(&args.work)?;
    let cancel = options.cancel.clone();
    let ready = Arc::<Ready>::default();
    server.sql(Database::new(&args.inputs, &options, args.work.no_cache, ready.clone()));
    let options = options.progress(server.progress(Arc::new(bar.clone())));
    let session = Session::new(args.inputs.iter().cloned(), &options);
    let close_after = Some(Duration::from_secs(args.close_after.into()));
    let result = server.run(session, close_after, &cancel, |opened| show(opened, args));
    ready.end();
    bar.finish();
    Ok(result?)
}

/// Says where the page is, and opens it.
fn show(opened: &Opened, args: &Open) {
    // The server runs also where nobody reads the address.
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{}", opened.address).and_then(|()| out.flush());
    drop(out);
    if !args.work.quiet {
        print::message("note", "Ctrl-C ends it, as does closing its last page");
    }
    if args.no_browser {
        return;
    }
    if env::var_os("SSH_CONNECTION").is_some() {
        let port = opened.port;
        let how = format!(
            "on your own machine run `ssh -L {port}:127.0.0.1:{port} HOST`, then open the address there"
        );
        print::message("note", &how);
    } else if let Err(error) = open::that_detached(&opened.once) {
        print::message(
            "note",
            &format!("no browser was found ({error}): open the address yourself"),
        );
    }
}
