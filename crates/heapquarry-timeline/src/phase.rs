//! The phases of the Trace Event Format, from the member `ph`.

/// Declares the phases, each with its byte.
macro_rules! phases {
    ($($(#[$doc:meta])* $name:ident = $byte:literal,)+) => {
        /// The phase of an event: the first byte of `ph`, stored as that byte.
        ///
        /// The names are those of Chromium's `TRACE_EVENT_PHASE_*` constants, the groups those of the specification.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Phase {
            /// A missing or empty `ph`, or one that the format does not define.
            #[default]
            Unknown = 0,
            $($(#[$doc])* $name = $byte,)+
        }

        impl Phase {
            /// All phases of the format.
            pub const ALL: &[Phase] = &[$(Phase::$name),+];

            /// The phase with that byte; [`Phase::Unknown`] if the format has none.
            #[inline]
            pub const fn from_byte(byte: u8) -> Phase {
                match byte {
                    $($byte => Phase::$name,)+
                    _ => Phase::Unknown,
                }
            }
        }
    };
}

phases! {
    /// `B`: a duration event begins a slice of its thread.
    Begin = b'B',
    /// `E`: a duration event ends a slice of its thread.
    End = b'E',
    /// `X`: a slice of its thread, begin and end in one event.
    Complete = b'X',
    /// `i`: an instant.
    Instant = b'i',
    /// `I`: the older form of [`Phase::Instant`].
    LegacyInstant = b'I',
    /// `C`: values of a counter.
    Counter = b'C',
    /// `b`: an asynchronous operation begins.
    NestableAsyncBegin = b'b',
    /// `n`: an instant of an asynchronous operation.
    NestableAsyncInstant = b'n',
    /// `e`: an asynchronous operation ends.
    NestableAsyncEnd = b'e',
    /// `S`: an asynchronous operation begins, in the legacy form.
    AsyncBegin = b'S',
    /// `T`: a step begins, in the legacy form.
    AsyncStepInto = b'T',
    /// `p`: a step ends, in the legacy form.
    AsyncStepPast = b'p',
    /// `F`: an asynchronous operation ends, in the legacy form.
    AsyncEnd = b'F',
    /// `s`: a flow begins.
    FlowBegin = b's',
    /// `t`: a step of a flow.
    FlowStep = b't',
    /// `f`: a flow ends.
    FlowEnd = b'f',
    /// `P`: a sample.
    Sample = b'P',
    /// `N`: an object is created.
    CreateObject = b'N',
    /// `O`: a snapshot of an object.
    SnapshotObject = b'O',
    /// `D`: an object is deleted.
    DeleteObject = b'D',
    /// `M`: metadata of a process or thread.
    Metadata = b'M',
    /// `v`: a memory dump of a process.
    ProcessMemoryDump = b'v',
    /// `V`: a memory dump of all processes.
    GlobalMemoryDump = b'V',
    /// `R`: a mark of the Navigation Timing API.
    Mark = b'R',
    /// `c`: a clock synchronisation.
    ClockSync = b'c',
    /// `(`: a thread enters a context.
    EnterContext = b'(',
    /// `)`: a thread leaves a context.
    LeaveContext = b')',
    /// `=`: two ids refer to the same thing.
    LinkIds = b'=',
}

impl Phase {
    /// The phase of a `ph` with this text.
    #[inline]
    pub fn from_text(ph: &[u8]) -> Phase {
        ph.first().map_or(Phase::Unknown, |&byte| Phase::from_byte(byte))
    }

    /// The byte in files; 0 for [`Phase::Unknown`].
    #[inline]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Whether it belongs to the slices of a thread.
    #[inline]
    pub const fn is_slice(self) -> bool {
        matches!(self, Phase::Begin | Phase::End | Phase::Complete)
    }

    /// Whether it is an instant, a mark or a sample.
    #[inline]
    pub const fn is_instant(self) -> bool {
        matches!(self, Phase::Instant | Phase::LegacyInstant | Phase::Mark | Phase::Sample)
    }

    /// Whether it belongs to an asynchronous operation.
    #[inline]
    pub const fn is_nestable_async(self) -> bool {
        use Phase::{NestableAsyncBegin, NestableAsyncEnd, NestableAsyncInstant};
        matches!(self, NestableAsyncBegin | NestableAsyncInstant | NestableAsyncEnd)
    }

    /// Whether it belongs to an asynchronous operation in the legacy form.
    #[inline]
    pub const fn is_legacy_async(self) -> bool {
        use Phase::{AsyncBegin, AsyncEnd, AsyncStepInto, AsyncStepPast};
        matches!(self, AsyncBegin | AsyncStepInto | AsyncStepPast | AsyncEnd)
    }

    /// Whether it belongs to a flow with separate events.
    #[inline]
    pub const fn is_flow(self) -> bool {
        matches!(self, Phase::FlowBegin | Phase::FlowStep | Phase::FlowEnd)
    }

    /// Whether it belongs to an object.
    #[inline]
    pub const fn is_object(self) -> bool {
        matches!(self, Phase::CreateObject | Phase::SnapshotObject | Phase::DeleteObject)
    }

    /// Whether it belongs to a context.
    #[inline]
    pub const fn is_context(self) -> bool {
        matches!(self, Phase::EnterContext | Phase::LeaveContext)
    }

    /// Whether its events need a time. Asynchronous events and flows need one too, if they have an id.
    pub(crate) const fn needs_time(self) -> bool {
        self.is_slice()
            || self.is_instant()
            || self.is_object()
            || self.is_context()
            || matches!(self, Phase::Counter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_a_byte_of_its_own() {
        let known = b"BEXiICbneSTpFstfPNODMvVRc()=";
        assert_eq!(Phase::ALL.iter().map(|phase| phase.byte()).collect::<Vec<_>>(), known);
        for byte in 0..=u8::MAX {
            let phase = Phase::from_byte(byte);
            let expected = if known.contains(&byte) { byte } else { 0 };
            assert_eq!(phase.byte(), expected, "{byte}");
            assert_eq!(Phase::from_text(&[byte, b'X']), phase);
        }
        assert_eq!(Phase::from_text(b""), Phase::Unknown);
        assert_eq!(size_of::<Option<Phase>>(), 1);
    }

    #[test]
    fn groups_are_those_of_the_format() {
        type Group = fn(Phase) -> bool;
        let groups: [(Group, &[u8]); 8] = [
            (Phase::is_slice, b"BEX"),
            (Phase::is_instant, b"iIPR"),
            (Phase::is_nestable_async, b"bne"),
            (Phase::is_legacy_async, b"STpF"),
            (Phase::is_flow, b"stf"),
            (Phase::is_object, b"NOD"),
            (Phase::is_context, b"()"),
            (Phase::needs_time, b"BEXiICPNODR()"),
        ];
        for (group, expected) in groups {
            let members = Phase::ALL.iter().filter(|&&phase| group(phase));
            assert_eq!(members.map(|phase| phase.byte()).collect::<Vec<_>>(), expected);
            assert!(!group(Phase::Unknown));
        }
    }
}
