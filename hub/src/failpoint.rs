//! A named point at which a test can stop the core while the rest of the hub works. Does nothing unless built with the
//! feature `failpoints`.

/// At the beginning of each round of the core's loop.
pub(crate) const CORE_ROUND: &str = "core_round";

/// Waits while the file exists that the environment names (`FAILPOINTS="core_round=return(/tmp/held)"`).
#[cfg(feature = "failpoints")]
pub(crate) async fn hold(place: &str) {
    while is_held(place) {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[cfg(feature = "failpoints")]
fn is_held(place: &str) -> bool {
    fail::fail_point!(place, |file: Option<String>| file.is_some_and(|file| std::path::Path::new(&file).exists()));
    false
}

/// Returns at once: the feature is off.
#[cfg(not(feature = "failpoints"))]
pub(crate) fn hold(_: &str) -> std::future::Ready<()> {
    std::future::ready(())
}
