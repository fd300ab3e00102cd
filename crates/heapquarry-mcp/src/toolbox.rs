//! The tools, with the inputs that they have open.

use crate::{
    Answer, Failure, Sql, Text, Tool, resources,
    roots::Roots,
    sessions::Sessions,
    tools::{self, Context},
};
use heapquarry::{Cancel, Progress, RunOptions, options, report::printable};
use serde_json::Value;
use std::{fmt, io, path::PathBuf, sync::Arc};

options! {
    /// How tools work.
    #[derive(Clone)]
    pub struct ToolOptions {
        /// Folders whose files may be read; none for all files.
        pub roots: Vec<PathBuf>,
        /// Memory for all inputs that are open, in bytes. The least recently used one is closed for another.
        pub memory: u64,
        /// Whether processes of this machine may be captured into files.
        pub captures: bool,
        /// How work is run: threads, temporary files, redaction. Its handle cancels all work.
        pub run: RunOptions,
        /// What runs SQL.
        pub sql: Arc<dyn Sql>,
    }
}

impl ToolOptions {
    /// The defaults: all files, 8 GB, no captures.
    pub fn new(sql: Arc<dyn Sql>) -> Self {
        let run = RunOptions::default();
        ToolOptions { roots: Vec::new(), memory: 8_000_000_000, captures: false, run, sql }
    }
}

impl fmt::Debug for ToolOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ToolOptions { roots, memory, captures, run, .. } = self;
        let mut fields = f.debug_struct("ToolOptions");
        fields.field("roots", roots).field("memory", memory);
        fields.field("captures", captures).field("run", run);
        fields.finish_non_exhaustive()
    }
}

/// What can be asked. Several threads can ask at once.
pub struct Toolbox {
    context: Context,
    tools: Vec<Tool>,
    run: RunOptions,
}

impl Toolbox {
    /// All tools, with no input open.
    ///
    /// # Errors
    /// If a folder of the options cannot be used.
    pub fn new(options: ToolOptions) -> io::Result<Self> {
        let ToolOptions { roots, memory, captures, run, sql } = options;
        let mut run = run.memory(memory);
        run.is_confined = !roots.is_empty();
        let roots = Roots::new(&roots, run.redaction.is_some())?;
        let sessions = Sessions::new(roots, memory, run.clone());
        let context = Context { sessions, sql, captures };
        Ok(Toolbox { context, tools: tools::all(captures), run })
    }

    /// The tools, in the order in which clients see them.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Texts that a client can read.
    pub fn texts(&self) -> &'static [Text] {
        &resources::ALL
    }

    /// What cancels the work of one call. It is cancelled with all others when the handle of the options is.
    pub fn cancel(&self) -> Cancel {
        self.run.cancel.child()
    }

    /// Calls a tool with arguments as a model writes them.
    ///
    /// # Errors
    /// If there is no such tool, or it has no answer.
    pub fn call(
        &self,
        name: &str,
        args: Value,
        cancel: Cancel,
        progress: Arc<dyn Progress>,
    ) -> Result<Answer, Failure> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == name) else {
            return Err(Failure::new(format!("unknown tool {}", printable(name))));
        };
        let run = self.run.clone().cancel(cancel).progress(progress);
        (tool.call)(args, &self.context, &run)
    }
}
