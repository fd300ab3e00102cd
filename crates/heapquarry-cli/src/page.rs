//! The command that writes a page.

use crate::{
    args::{Report, Work},
    ask::with_progress,
    failure::Failure,
    print,
};
use heapquarry::Source;
use heapquarry_html::MARK;
use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Write},
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
    if !is_stdout && !force && is_foreign(&output) {
        let path = output.display();
        let what = "exists and is no report of heapquarry; give another name, or --force";
        return Err(Failure::Output(format!("{path} {what}")));
    }
    let page = with_progress(work, |o| heapquarry_query::page(inputs, title, o))?;
    if is_stdout {
        let mut out = BufWriter::new(io::stdout().lock());
        page.write(&mut out)?;
        return Ok(out.flush()?);
    }
    let paths: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
    let written = heapquarry::write_file(&output, true, &paths, |out| -> Result<(), Failure> {
        let mut out = BufWriter::new(out);
        page.write(&mut out)?;
        Ok(out.flush()?)
    })?;
    if !work.quiet {
        let bytes = fs::metadata(written)?.len();
        print::message("wrote", &format!("{} ({bytes} bytes)", output.display()));
    }
    Ok(())
}

/// Whether there is something that this command did not write.
fn is_foreign(path: &Path) -> bool {
    let mut start = Vec::new();
    match File::open(path) {
        Ok(file) => {
            let read = file.take(MARK.len() as u64).read_to_end(&mut start);
            read.is_err() || start != MARK.as_bytes()
        }
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// The input's name with `.html` for its extension, in the current directory.
fn default_output(input: &Path) -> PathBuf {
    crate::default_output(input).with_extension("html")
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
