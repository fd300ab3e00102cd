//! The command `export`.

use crate::{
    args::{Export, Select},
    failure::Failure,
    options::run_options,
};
use heapquarry_export::{export, export_difference};
use std::io::{BufWriter, Write};

pub(crate) fn run(args: &Export, out: &mut impl Write) -> Result<(), Failure> {
    let options = run_options(None, &args.unpack).memory(args.memory);
    let options = options.source_maps_at(&args.names.source_map)?;
    let input = args.only.of(&args.input);
    let mut out = BufWriter::new(out);
    match &args.later {
        None => export(&input, args.to, &mut out, &options)?,
        Some(later) => {
            export_difference(&input, &args.only.of(later), args.to, &mut out, &options)?;
        }
    }
    Ok(out.flush()?)
}
