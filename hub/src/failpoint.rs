//! A named place at which a test holds the core, as a wait that does not end would, while the rest of the hub works. Nothing, unless built with the feature.

/// At the beginning of each round of the core's loop.
pub(crate) const CORE_ROUND: &str = "core_round";

/// Waits here while a file exists, if the environment names one (`FAILPOINTS="core_round=return(/tmp/held)"`).
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

/// Waits here if the feature is there.
#[cfg(not(feature = "failpoints"))]
pub(crate) fn hold(_: &str) -> std::future::Ready<()> {
    std::future::ready(())
}
