//! Named places at which a test has the process die, so that a crash hits them on purpose and not by luck. Nothing, unless built with the feature.

/// Before a batch's COMMIT is sent.
pub(crate) const BEFORE_COMMIT: &str = "before_commit";
/// After the database has answered that it is committed.
pub(crate) const AFTER_COMMIT: &str = "after_commit";
/// Before a gateway is told that its messages are durable.
pub(crate) const BEFORE_ACKNOWLEDGEMENT: &str = "before_acknowledgement";

/// Dies here, as kill -9 would have it, if the environment says so (`FAILPOINTS="after_commit=5*off->return"`: at the sixth time).
#[cfg(feature = "failpoints")]
pub(crate) fn reach(place: &str) {
    fail::fail_point!(place, |_| std::process::abort());
}

/// Dies here if the feature is there.
#[cfg(not(feature = "failpoints"))]
pub(crate) const fn reach(_: &str) {}

/// Reads from the environment where to die, for the rest of this process's life.
#[cfg(feature = "failpoints")]
pub fn arm() {
    std::mem::forget(fail::FailScenario::setup());
}

/// Reads from the environment where to die, if the feature is there.
#[cfg(not(feature = "failpoints"))]
pub const fn arm() {}
