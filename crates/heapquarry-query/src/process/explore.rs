//! A watch of a process, as a page asks for it.

use super::{
    Subject,
    curves::{MemoryChart, ShortCurve, charts, short},
};
use crate::{Session, answer::Answered};
use serde::Serialize;

/// A watch in memory.
pub struct WatchExplorer {
    session: Session,
    watch: Subject,
}

/// The memory over time.
#[derive(Clone, Debug, Serialize)]
pub struct CurvesAnswer {
    /// The charts for which there are figures.
    pub charts: Vec<MemoryChart>,
}

impl WatchExplorer {
    pub(crate) fn new(session: &Session, watch: Subject) -> Self {
        WatchExplorer { session: session.clone(), watch }
    }

    /// The session, for questions that verbs ask too.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The memory over time.
    pub fn curves(&self) -> Answered<CurvesAnswer> {
        let answer = CurvesAnswer { charts: charts(&self.watch.recording) };
        let (inputs, caveats) = (self.session.names(), self.watch.caveats());
        Answered::new("curves", inputs, caveats, answer, usize::MAX)
    }

    /// The memory over time in short, with at most so many points a curve.
    pub fn short_curves(&self, points: usize) -> Vec<ShortCurve> {
        short(&self.watch.recording, points)
    }
}
