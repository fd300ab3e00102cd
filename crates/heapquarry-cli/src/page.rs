//! The command that writes a page.

use crate::{
    args::{Report, Work},
    ask::with_progress,
    failure::Failure,
    print,
};
use heapquarry::{
    Source,
    html::{MARK, Page},
};
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
    let page = with_progress(work, |o| heapquarry::page(inputs, title, o))?;
    if is_stdout {
        let mut out = BufWriter::new(io::stdout().lock());
        page.write(&mut out)?;
        return Ok(out.flush()?);
    }
    let bytes = write(&page, &output)
        .map_err(|error| Failure::Output(format!("cannot write {}: {error}", output.display())))?;
    if !work.quiet {
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

/// Writes beside the file and renames, so that the file is whole or not there.
fn write(page: &Page, path: &Path) -> io::Result<u64> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(name);
    let mut create = File::options();
    create.write(true).create_new(true);
    // As for the tables: what is in a heap is for its owner.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut create, 0o600);
    let written = create.open(&partial).and_then(|file| {
        let mut out = BufWriter::new(file);
        page.write(&mut out)?;
        let file = out.into_inner()?;
        fs::rename(&partial, path)?;
        Ok(file.metadata()?.len())
    });
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written
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
