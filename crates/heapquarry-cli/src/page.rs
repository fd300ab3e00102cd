//! The command that writes a page.

use crate::{
    args::{Report, Work},
    ask::with_progress,
    failure::Failure,
    print,
};
use heapquarry::{Place, Source};
use heapquarry_html::MARK;
use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

pub(crate) fn report(args: &Report) -> Result<(), Failure> {
    let (output, title) = (args.output.as_deref(), args.title.as_deref());
    draw(&args.inputs, output, title, args.force, &args.work)
}

/// Draws inputs into a file; `None` for that named after the last one.
pub(crate) fn draw(
    inputs: &[Source],
    output: Option<&Path>,
    title: Option<&str>,
    force: bool,
    work: &Work,
) -> Result<(), Failure> {
    let output = match output {
        Some(path) => path.to_owned(),
        None => default_output(&inputs[inputs.len() - 1].path),
    };
    let is_stdout = output == Path::new("-");
    let paths: Vec<&Path> = inputs.iter().filter_map(Source::on_disk).collect();
    let start = heapquarry::start_of(&output, MARK.len() as u64);
    let force = force || start.as_deref() == Some(MARK.as_bytes());
    if !is_stdout && !force && start.is_some() {
        let path = output.display();
        let what = "exists and is no report of heapquarry; give another name, or --force";
        return Err(Failure::Output(format!("{path} {what}")));
    }
    // Before the work instead of after it.
    if !is_stdout {
        Place::of(&output, force, &paths).map_err(heapquarry::Error::from)?;
    }
    let page = with_progress(work, |o| heapquarry_query::page(inputs, title, o))?;
    if is_stdout {
        let mut out = BufWriter::new(io::stdout().lock());
        page.write(&mut out)?;
        return Ok(out.flush()?);
    }
    let written = heapquarry::write_file(&output, force, &paths, |out| -> Result<(), Failure> {
        let mut out = BufWriter::new(out);
        page.write(&mut out)?;
        Ok(out.flush()?)
    })?;
    if !work.quiet {
        let (path, written) = (output.display(), fs::metadata(written));
        match written.ok().filter(fs::Metadata::is_file) {
            Some(file) => print::message("wrote", &format!("{path} ({} bytes)", file.len())),
            None => print::message("wrote", &path.to_string()),
        }
    }
    Ok(())
}

/// The input's name with `.html` for its extension, in the current directory.
fn default_output(input: &Path) -> PathBuf {
    crate::convert::default_output(input).with_extension("html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_named_after_the_input() {
        for (input, output) in [
            ("a/b/app.heapsnapshot", "app.html"),
            ("app.heapsnapshot.gz", "app.html"),
            ("app.tables", "app.html"),
            ("-", "stdin.html"),
        ] {
            assert_eq!(default_output(Path::new(input)), Path::new(output));
        }
    }
}
