//! Named points at which a test can abort the process. Does nothing unless built with the feature `failpoints`.

/// Before a batch's COMMIT is sent.
pub(crate) const BEFORE_COMMIT: &str = "before_commit";
/// After the database has confirmed the COMMIT.
pub(crate) const AFTER_COMMIT: &str = "after_commit";
/// Before an acknowledgement is sent to a gateway.
pub(crate) const BEFORE_ACKNOWLEDGEMENT: &str = "before_acknowledgement";

/// Aborts the process like kill -9 if the environment requests it (`FAILPOINTS="after_commit=5*off->return"`: the sixth
/// time).
#[cfg(feature = "failpoints")]
pub(crate) fn reach(place: &str) {
    fail::fail_point!(place, |_| std::process::abort());
}

/// Does nothing: the feature is off.
#[cfg(not(feature = "failpoints"))]
pub(crate) const fn reach(_: &str) {}

/// Reads the failpoints from the environment, for the rest of the process.
#[cfg(feature = "failpoints")]
pub fn arm() {
    std::mem::forget(fail::FailScenario::setup());
}

/// Does nothing: the feature is off.
#[cfg(not(feature = "failpoints"))]
pub const fn arm() {}
