//! A progress bar on standard error, if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

#[derive(Clone)]
pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub(crate) fn new(quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Bar(ProgressBar::with_draw_target(None, target))
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl heapquarry::Progress for Bar {
    fn begin(&self, name: &str, bytes: u64) {
        let template =
            "{msg} {bar:30} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta}";
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        // In this order, as each is drawn: no bytes of the document before are counted to this one.
        self.0.reset();
        self.0.set_message(heapquarry::report::printable(name).into_owned());
        self.0.set_length(bytes);
        self.0.set_style(style);
    }

    fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    fn received(&self, name: &str, bytes: u64, pieces: u64) {
        // With the first piece a file begins.
        if pieces == 1 {
            let style =
                ProgressStyle::with_template("{msg} {decimal_bytes} {decimal_bytes_per_sec}");
            self.0.reset();
            self.0.set_message(heapquarry::report::printable(name).into_owned());
            self.0.unset_length();
            self.0.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        }
        self.0.set_position(bytes);
    }

    fn waiting(&self, what: &str) {
        self.0.suspend(|| crate::print::message("note", what));
    }

    fn remark(&self, what: &str) {
        self.0.suspend(|| crate::print::message("note", what));
    }

    fn saved(&self, what: &str) {
        self.remark(what);
    }
}
