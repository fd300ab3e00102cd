//! Exit codes.

/// An exit code whose number can be read, unlike that of std: the Python package hands it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExitCode(u8);

impl ExitCode {
    pub(crate) const SUCCESS: Self = ExitCode(0);
    /// A limit was exceeded.
    pub(crate) const EXCEEDED: Self = ExitCode(1);
    pub(crate) const FAILURE: Self = ExitCode(2);
    /// Some inputs of several could not be converted.
    pub(crate) const PARTIAL: Self = ExitCode(3);
    pub(crate) const INTERRUPTED: Self = ExitCode(130);

    pub(crate) const fn number(self) -> u8 {
        self.0
    }
}
