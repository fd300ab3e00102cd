//! The command `info`.

use crate::{args::Info, failure::Failure, interrupt::catch_interrupts, options::with_unpacking};
use heapquarry::RunOptions;
use std::io::Write;

pub(crate) fn run(args: &Info, out: &mut impl Write) -> Result<(), Failure> {
    let options = RunOptions::default().cancel(catch_interrupts());
    let options = with_unpacking(options, &args.unpack);
    let infos = args.inputs.iter().map(|input| heapquarry::info(input, &options));
    let infos = infos.collect::<Result<Vec<_>, _>>()?;
    if args.json {
        writeln!(out, "{}", heapquarry::Info::json(&infos))?;
    } else {
        infos.iter().try_for_each(|info| write!(out, "{info}"))?;
    }
    Ok(())
}
