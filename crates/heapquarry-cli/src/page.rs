//! The command that writes a page.

use crate::{
    args::{Report, Work},
    ask::with_progress,
    failure::Failure,
    print,
};
use heapquarry::{Place, RunOptions, Source};
use heapquarry_html::MARK;
use heapquarry_query::Marks;
use std::{
    fs,
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

/// Most bytes of a file of marks: far more than people write.
const MOST_MARKS: u64 = 64 << 20;

pub(crate) fn report(args: &Report) -> Result<(), Failure> {
    let marks = args.marks.as_deref().map(marks).transpose()?;
    let page = Page {
        inputs: &args.inputs,
        output: args.output.as_deref(),
        title: args.title.as_deref(),
        marks: marks.as_ref(),
        force: args.force,
    };
    page.draw(&args.work, |options| options)
}

/// The marks of a file. It is read before the work, so that a wrong one costs none.
fn marks(path: &Path) -> Result<Marks, Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::Wrong(format!("{}: {why}", path.display()));
    let mut file = Vec::new();
    let open = fs::File::open(path).map_err(|error| failed(&error))?;
    open.take(MOST_MARKS + 1).read_to_end(&mut file).map_err(|error| failed(&error))?;
    if file.len() as u64 > MOST_MARKS {
        return Err(failed(&"more than 64 MB: the page of `open` saved no such file of marks"));
    }
    Marks::read(&file).map_err(|why| failed(&why))
}

/// A page that is to be written.
pub(crate) struct Page<'a> {
    pub(crate) inputs: &'a [Source],
    /// `None` for the file named after the last input.
    pub(crate) output: Option<&'a Path>,
    pub(crate) title: Option<&'a str>,
    pub(crate) marks: Option<&'a Marks>,
    /// Replaces what is there.
    pub(crate) force: bool,
}

impl Page<'_> {
    /// Draws the inputs into the file; `with` changes the options with which they are read.
    pub(crate) fn draw(
        self,
        work: &Work,
        with: impl Fn(RunOptions) -> RunOptions + Send,
    ) -> Result<(), Failure> {
        let Page { inputs, output, title, marks, force } = self;
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
        let mut page =
            with_progress(work, |o| heapquarry_query::page(inputs, title, &with(o.clone())))?;
        if let Some(marks) = marks {
            page.blocks.insert(0, marks.block(inputs));
        }
        if is_stdout {
            let mut out = BufWriter::new(io::stdout().lock());
            page.write(&mut out)?;
            return Ok(out.flush()?);
        }
        let written =
            heapquarry::write_file(&output, force, &paths, |out| -> Result<(), Failure> {
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
