//! The command `extract`.

use crate::{args::Extract, failure::Failure, options::run_options, print};
use heapquarry::report::printable;
use std::io::Write;

pub(crate) fn run(args: Extract, out: &mut impl Write) -> Result<(), Failure> {
    let Extract { input, output, unpack, force } = args;
    let options = run_options(None, &unpack);
    let extracted = heapquarry::extract(&input, output, force, &options)?;
    for path in &extracted.paths {
        writeln!(out, "{}", printable(&path.to_string_lossy()))?;
    }
    extracted.losses.iter().for_each(|(name, loss)| print::loss(name, loss));
    Ok(())
}
