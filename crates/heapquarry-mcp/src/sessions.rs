//! Inputs that stay open between questions.

use crate::{
    Failure,
    roots::{Named, Roots},
};
use heapquarry::{ErrorKind, RunOptions, Source};
use heapquarry_query::Session;
use std::{
    any::Any,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::{Duration, SystemTime},
};

/// Inputs that are remembered. Of most of them only what they looked like is known.
const MOST: usize = 1000;

/// Time between two looks at whether another input has been read.
const POLL: Duration = Duration::from_millis(10);

/// The inputs that are open.
pub(crate) struct Sessions {
    roots: Roots,
    memory: u64,
    run: RunOptions,
    known: Mutex<Vec<Known>>,
    /// The last answer that is remembered, with its question and what its inputs looked like.
    last: Mutex<Option<Remembered>>,
    /// Held while an input is read: what two of them need together would not be known.
    reading: Mutex<()>,
}

type Remembered = ((String, Vec<Option<Stamp>>), Arc<dyn Any + Send + Sync>);

/// An input that was asked for; the least recently used one comes first.
struct Known {
    name: String,
    stamp: Option<Stamp>,
    session: Session,
}

/// An input for one request.
pub(crate) struct Opened {
    pub(crate) session: Session,
    /// Whether it has changed since an earlier request, so that it was read again.
    pub(crate) has_changed: bool,
}

/// What tells that a file or a converted directory has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
    /// `None` for what is no file.
    fn of(path: &Path) -> Option<Self> {
        let data =
            fs::metadata(path.join("_manifest.json")).or_else(|_| fs::metadata(path)).ok()?;
        Some(Stamp {
            bytes: data.len(),
            modified: data.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&data),
        })
    }
}

impl Sessions {
    pub(crate) fn new(roots: Roots, memory: u64, run: RunOptions) -> Self {
        let (known, last, reading) = (Mutex::default(), Mutex::default(), Mutex::default());
        Sessions { roots, memory, run, known, last, reading }
    }

    /// The input that a client names, unread.
    pub(crate) fn source(&self, text: &str) -> Result<Source, Failure> {
        Ok(self.named(text)?.source)
    }

    /// The input that a client names, unread, and where it is.
    pub(crate) fn named(&self, text: &str) -> Result<Named, Failure> {
        self.roots.named(text)
    }

    /// The file that a client names, to be written.
    pub(crate) fn output(&self, text: &str) -> Result<PathBuf, Failure> {
        self.roots.output(text)
    }

    /// The input that a client names, unread, and whether it has changed since an earlier request.
    pub(crate) fn look(&self, text: &str) -> Result<(Source, bool), Failure> {
        let named = self.named(text)?;
        let (_, has_changed) = self.session(&named);
        Ok((named.source, has_changed))
    }

    /// The answer to a question about inputs that do not stay open: that of a request before, as long as they are what
    /// they were, or a new one. So the rest of a list does not read them again.
    pub(crate) fn remembered<T: Any + Send + Sync>(
        &self,
        question: String,
        inputs: &[String],
        ask: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<Arc<T>, Failure> {
        let stamp = |input: &String| Stamp::of(&self.named(input).ok()?.path);
        let stamps = || -> Vec<_> { inputs.iter().map(stamp).collect() };
        let asked = (question, stamps());
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last().as_ref().filter(|(before, _)| *before == asked).map(|(_, a)| a.clone());
        if let Some(answer) = before.and_then(|answer| answer.downcast().ok()) {
            return Ok(answer);
        }
        let answer = Arc::new(ask()?);
        // What is no file, or was changed meanwhile, is asked again.
        if asked.1.iter().all(Option::is_some) && asked.1 == stamps() {
            *last() = Some((asked, answer.clone()));
        }
        Ok(answer)
    }

    /// The input that a client names, in memory. What is not there yet is read for this request, and others are closed
    /// for it if need be.
    pub(crate) fn open(&self, text: &str, run: &RunOptions) -> Result<Opened, Failure> {
        let named = self.named(text)?;
        let (session, has_changed) = self.session(&named);
        let session = session.under(run);
        if !session.is_open() {
            let _reading = self.turn(run)?;
            self.read(&named.key(), &session, run)?;
            self.prepare(&named.key(), &session);
        }
        Ok(Opened { session, has_changed })
    }

    fn known(&self) -> MutexGuard<'_, Vec<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of an input, now the last used one, and whether the input has changed.
    fn session(&self, named: &Named) -> (Session, bool) {
        let (name, stamp) = (named.key(), Stamp::of(&named.path));
        let mut known = self.known();
        let at = known.iter().position(|known| known.name == name);
        let before = at.map(|at| known.remove(at));
        let has_changed = before.as_ref().is_some_and(|before| before.stamp != stamp);
        let session = match before {
            Some(before) if !has_changed => before.session,
            _ => Session::new([named.source.clone()], &self.run),
        };
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(Known { name, stamp, session: session.under(&self.run) });
        (session, has_changed)
    }

    /// Waits until no other input is read.
    fn turn(&self, run: &RunOptions) -> Result<MutexGuard<'_, ()>, Failure> {
        loop {
            match self.reading.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(TryLockError::WouldBlock) if run.cancel.is_cancelled() => {
                    return Err(Failure::Cancelled);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(POLL),
            }
        }
    }

    /// Does work that reads inputs which do not stay open.
    pub(crate) fn with_room<T>(
        &self,
        run: &RunOptions,
        work: impl Fn(&RunOptions) -> heapquarry::Result<T>,
    ) -> Result<T, Failure> {
        let _reading = self.turn(run)?;
        self.beside_others("", run, work)
    }

    /// Does work that reads inputs. Open ones but this are closed until it fits beside the rest: how much memory it
    /// needs is known once the beginning of an input has been read.
    fn beside_others<T>(
        &self,
        name: &str,
        run: &RunOptions,
        work: impl Fn(&RunOptions) -> heapquarry::Result<T>,
    ) -> Result<T, Failure> {
        loop {
            let held = self.held_by_others(name);
            match work(&run.clone().memory(self.memory).beside(held)) {
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => {
                    if !self.close_oldest(name) {
                        return Err(error.into());
                    }
                }
                done => return Ok(done?),
            }
        }
    }

    fn read(&self, name: &str, session: &Session, run: &RunOptions) -> Result<(), Failure> {
        self.beside_others(name, run, |run| session.under(run).open())?;
        // What it takes in the end can be more than the estimate.
        while self.held_by_others(name).saturating_add(session.held()) > self.memory {
            if !self.close_oldest(name) {
                break;
            }
        }
        Ok(())
    }

    /// Has what further questions need made beside the next ones, if there is room for it.
    fn prepare(&self, name: &str, session: &Session) {
        let held = self.held_by_others(name).saturating_add(session.held());
        if held.saturating_add(session.to_prepare()) <= self.memory {
            session.prepare();
        }
    }

    fn held_by_others(&self, name: &str) -> u64 {
        let known = self.known();
        known.iter().filter(|known| known.name != name).map(|known| known.session.held()).sum()
    }

    /// Closes the input that has not been used for the longest time; `false` if none is open but this one. Requests
    /// that use it keep it until they are answered.
    fn close_oldest(&self, but: &str) -> bool {
        let mut known = self.known();
        let oldest = known.iter_mut().find(|known| known.name != but && known.session.held() > 0);
        let Some(oldest) = oldest else { return false };
        oldest.session = Session::new(oldest.session.sources(), &self.run);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A heap of one object besides its root.
    fn heap(class: &str) -> String {
        format!(
            r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","object","synthetic"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["property"],"string_or_number","node"]}},"node_count":2,"edge_count":1}},"nodes":[2,0,1,0,1,1,1,3,64,0],"edges":[0,2,5],"strings":["","{class}","x"]}}"#
        )
    }

    fn sessions(memory: u64) -> Sessions {
        Sessions::new(Roots::new(&[], false).unwrap(), memory, RunOptions::default())
    }

    #[test]
    fn the_least_recently_used_input_is_closed_for_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).display().to_string();
        let names = ["a", "b", "c"].map(path);
        names.iter().for_each(|name| fs::write(name, heap("A")).unwrap());
        let run = RunOptions::default();
        let held = |memory| sessions(memory).open(&names[0], &run).unwrap().session.held();
        let one = held(u64::MAX);
        let bare = held(one - 1);
        // There is room for two with what is prepared, and not for a third that prepares nothing.
        let sessions = sessions(one * 2);
        let is_open = |name: &str| {
            let known = sessions.known();
            known.iter().any(|known| known.name.ends_with(name) && known.session.is_open())
        };
        for (asked, open) in [
            (0, [true, false, false]),
            (1, [true, true, false]),
            (0, [true, true, false]),
            (2, [true, false, true]),
            (1, [false, true, true]),
        ] {
            let opened = sessions.open(&names[asked], &run).unwrap();
            assert!(!opened.has_changed);
            assert_eq!(["/a", "/b", "/c"].map(is_open), open, "{asked}");
        }
        let small = self::sessions(bare / 2);
        assert!(
            matches!(small.open(&names[0], &run), Err(Failure::Wrong(why)) if why.contains("the limit is"))
        );
    }

    #[test]
    fn what_is_prepared_counts_and_is_left_out_where_there_is_no_room() {
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().join("a").display().to_string();
        fs::write(&name, heap("A")).unwrap();
        let run = RunOptions::default();
        let whole = sessions(u64::MAX).open(&name, &run).unwrap().session;
        assert_eq!(whole.to_prepare(), 0);
        let bare = sessions(whole.held() - 1).open(&name, &run).unwrap().session;
        assert!(bare.to_prepare() > 0);
        assert_eq!(bare.held() + bare.to_prepare(), whole.held());
        assert_eq!(sessions(whole.held()).open(&name, &run).unwrap().session.to_prepare(), 0);
    }

    #[test]
    fn a_changed_file_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.heapsnapshot");
        let name = path.display().to_string();
        let sessions = sessions(u64::MAX);
        let run = RunOptions::default();
        fs::write(&path, heap("Before")).unwrap();
        assert!(!sessions.open(&name, &run).unwrap().has_changed);
        assert!(!sessions.open(&name, &run).unwrap().has_changed);
        fs::write(&path, heap("AfterThat")).unwrap();
        assert!(sessions.open(&name, &run).unwrap().has_changed);
        assert!(!sessions.open(&name, &run).unwrap().has_changed);
    }

    #[test]
    fn an_answer_is_remembered_until_an_input_or_the_question_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.heapsnapshot");
        fs::write(&path, heap("Before")).unwrap();
        let sessions = sessions(u64::MAX);
        let mut asked = 0;
        let mut ask = |question: &str, path: &Path| {
            let inputs = [path.display().to_string()];
            let work = || {
                asked += 1;
                Ok(asked)
            };
            *sessions.remembered(question.into(), &inputs, work).unwrap()
        };
        assert_eq!([ask("a", &path), ask("a", &path), ask("b", &path)], [1, 1, 2]);
        fs::write(&path, heap("AfterThat")).unwrap();
        assert_eq!([ask("b", &path), ask("b", &path)], [3, 3]);
        // What cannot be looked at may change unseen.
        let none = dir.path().join("none");
        assert_eq!([ask("b", &none), ask("b", &none)], [4, 5]);
    }

    #[test]
    fn inputs_that_are_only_looked_at_are_known_to_have_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.heapsnapshot");
        let name = path.display().to_string();
        let sessions = sessions(u64::MAX);
        let looked = || sessions.look(&name).unwrap().1;
        fs::write(&path, heap("Before")).unwrap();
        assert!(!looked() && !looked());
        fs::write(&path, heap("AfterThat")).unwrap();
        assert!(looked() && !looked());
    }

    #[test]
    fn cancelled_requests_leave_the_queue_and_do_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().join("a").display().to_string();
        fs::write(&name, heap("A")).unwrap();
        let sessions = sessions(u64::MAX);
        let run = RunOptions::default();
        run.cancel.cancel();
        {
            let _reading = sessions.reading.lock().unwrap();
            assert!(matches!(sessions.open(&name, &run), Err(Failure::Cancelled)));
        }
        assert!(matches!(sessions.open(&name, &run), Err(Failure::Cancelled)));
        assert!(sessions.open(&name, &RunOptions::default()).is_ok());
    }
}
