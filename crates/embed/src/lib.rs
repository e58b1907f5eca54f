//! Embedded pages of other servers: the hosts that may be framed, and tokens that open a report for one utility only (specification 3,
//! section 2.6).
//!
//! The server requests a token with the utility as its effective identity, so that the other server filters the rows. A filter in the
//! browser would only hide them. Requests for tokens are sent one at a time, and a token is cached until shortly before it expires.

mod https;
mod listed_host;
mod power_bi;
mod provider;

use std::collections::HashMap;

use dashmap::DashMap;
use grid::{ClientId, Micros};
use provider::Provider;
use tokio::sync::Mutex;

pub use listed_host::is_on_listed_host;
pub use power_bi::{PowerBiHosts, PowerBiSettings};
pub use provider::{Grant, Trouble};

/// The settings that embedding requires, as an administrator of the server writes them.
pub const POWER_BI_SETTINGS: [&str; 6] =
    ["powerbi.tenant_id", "powerbi.app_id", "powerbi.app_secret_file", "powerbi.workspace_id", "powerbi.report_id", "powerbi.role"];

/// A token that expires within this time is not returned any more, ms.
const MARGIN_MS: i64 = 5 * 60_000;
/// Time after a failure in which no request is sent, ms. Callers that wait get the same error. If the server did not answer, the pause applies to callers of
/// all utilities.
const PAUSE_MS: i64 = 5_000;

/// Settings of embedded pages.
#[derive(Debug, Clone, Default)]
pub struct EmbedSettings {
    /// Further hosts whose pages a utility may frame.
    pub frame_hosts: Vec<String>,
    /// The settings of Power BI; `None` if not configured.
    pub power_bi: Option<PowerBiSettings>,
}

impl EmbedSettings {
    /// Returns all hosts that may be framed, for the content security policy.
    pub fn hosts(&self) -> Vec<String> {
        let power_bi = self.power_bi.iter().map(|_| power_bi::FRAME_HOST.to_owned());
        let mut hosts: Vec<String> = self.frame_hosts.iter().cloned().chain(power_bi).collect();
        hosts.sort();
        hosts.dedup();
        hosts
    }
}

/// Returns tokens for embedded reports.
pub struct Embedding {
    provider: Option<Box<dyn Provider>>,
    /// The token of each utility. Bounded by the number of utilities.
    kept: DashMap<ClientId, Grant>,
    /// The latest failures. Locked while a token is requested, so that one is requested at a time.
    asking: Mutex<Failed>,
}

/// The latest failures, with their times.
#[derive(Default)]
struct Failed {
    /// The failure of each utility.
    of: HashMap<ClientId, (Micros, Trouble)>,
    /// The last time at which the server did not answer. After it, no request is sent for a while, so that utilities do not wait for the server one after the
    /// other.
    silent: Option<Micros>,
}

impl Failed {
    /// Returns the error for a utility while no request may be sent.
    fn of(&self, client: ClientId, now: Micros) -> Option<Trouble> {
        let is_late = |at: Micros| (0..PAUSE_MS).contains(&now.millis_since(at));
        let own = self.of.get(&client).filter(|(at, _)| is_late(*at)).map(|(_, trouble)| *trouble);
        own.or_else(|| self.silent.filter(|at| is_late(*at)).map(|_| Trouble::Silent))
    }
}

impl Embedding {
    /// Creates it with the provider in the settings, if any.
    pub fn new(settings: &EmbedSettings) -> Self {
        let power_bi = settings.power_bi.clone().map(|settings| Box::new(power_bi::PowerBi::new(settings)) as Box<dyn Provider>);
        Self::by(power_bi)
    }

    fn by(provider: Option<Box<dyn Provider>>) -> Self {
        Self { provider, kept: DashMap::new(), asking: Mutex::default() }
    }

    /// Returns the token that opens the report for a utility; `None` if embedding is not configured.
    pub async fn grant(&self, client: ClientId, now: impl Fn() -> Micros) -> Option<Result<Grant, Trouble>> {
        let provider = self.provider.as_ref()?;
        if let Some(kept) = self.kept(client, now()) {
            return Some(Ok(kept));
        }
        let mut failed = self.asking.lock().await;
        // Another caller may have fetched the token in the meantime.
        if let Some(kept) = self.kept(client, now()) {
            return Some(Ok(kept));
        }
        if let Some(trouble) = failed.of(client, now()) {
            return Some(Err(trouble));
        }
        let granted = provider.grant(&client.0.to_string()).await;
        match &granted {
            Ok(grant) => {
                failed.of.remove(&client);
                failed.silent = None;
                self.kept.insert(client, grant.clone());
            }
            Err(trouble) => {
                let at = now();
                failed.of.insert(client, (at, *trouble));
                failed.silent = (*trouble == Trouble::Silent).then_some(at);
            }
        }
        Some(granted)
    }

    fn kept(&self, client: ClientId, now: Micros) -> Option<Grant> {
        self.kept.get(&client).filter(|grant| grant.expires.millis_since(now) > MARGIN_MS).map(|grant| grant.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

    use super::*;
    use crate::provider::Asking;

    #[derive(Default)]
    struct Counted {
        requests: AtomicUsize,
        at_once: AtomicUsize,
        fails: Option<Trouble>,
    }

    impl Provider for Arc<Counted> {
        fn grant<'a>(&'a self, identity: &'a str) -> Asking<'a> {
            Box::pin(async move {
                let nth = self.requests.fetch_add(1, Ordering::SeqCst);
                assert_eq!(self.at_once.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
                tokio::task::yield_now().await;
                self.at_once.fetch_sub(1, Ordering::SeqCst);
                if let Some(trouble) = self.fails {
                    return Err(trouble);
                }
                let access_token = format!("{identity} {nth}");
                let expires = Micros::from_millis(3_600_000 * (1 + nth as i64));
                Ok(Grant { access_token, embed_url: String::new(), report_id: String::new(), filter: None, expires })
            })
        }
    }

    #[tokio::test]
    async fn a_token_is_asked_for_once_and_again_shortly_before_it_ends() {
        let counted = Arc::new(Counted::default());
        let embedding = Embedding::by(Some(Box::new(Arc::clone(&counted))));
        let clock = AtomicI64::new(0);
        let of = async |client: i64| {
            let now = || Micros::from_millis(clock.load(Ordering::SeqCst));
            embedding.grant(ClientId(client), now).await.expect("configured").expect("granted").access_token
        };
        let (a, b, c) = tokio::join!(of(16), of(16), of(17));
        assert_eq!((a.as_str(), b.as_str(), c.as_str()), ("16 0", "16 0", "17 1"));
        clock.store(3_600_000 - MARGIN_MS - 1, Ordering::SeqCst);
        assert_eq!(of(16).await, "16 0");
        clock.store(3_600_000 - MARGIN_MS, Ordering::SeqCst);
        assert_eq!((of(16).await.as_str(), of(17).await.as_str()), ("16 2", "17 1"), "that of 17 lasts an hour longer");
        assert!(Embedding::by(None).grant(ClientId(16), || Micros(0)).await.is_none());
    }

    #[tokio::test]
    async fn who_waits_for_what_has_failed_does_not_make_it_fail_again() {
        let counted = Arc::new(Counted { fails: Some(Trouble::Refused(403)), ..Counted::default() });
        let embedding = Embedding::by(Some(Box::new(Arc::clone(&counted))));
        for (at, requests) in [(0, 1), (PAUSE_MS - 1, 1), (PAUSE_MS, 2), (1, 3)] {
            let found = embedding.grant(ClientId(16), || Micros::from_millis(at)).await;
            assert!(matches!(found, Some(Err(Trouble::Refused(403)))));
            assert_eq!(counted.requests.load(Ordering::SeqCst), requests, "at {at}: a clock that was put back holds nobody up");
        }
    }

    #[tokio::test]
    async fn who_is_silent_to_one_is_not_asked_for_others_and_who_refuses_one_is() {
        for (trouble, requests) in [(Trouble::Silent, 1), (Trouble::Refused(403), 3)] {
            let counted = Arc::new(Counted { fails: Some(trouble), ..Counted::default() });
            let embedding = Embedding::by(Some(Box::new(Arc::clone(&counted))));
            let of = |client: i64, at: i64| embedding.grant(ClientId(client), move || Micros::from_millis(at));
            let all = tokio::join!(of(16, 0), of(17, 0), of(18, PAUSE_MS - 1));
            for found in [all.0, all.1, all.2] {
                assert!(matches!(found, Some(Err(found)) if found == trouble));
            }
            assert_eq!(counted.requests.load(Ordering::SeqCst), requests, "{trouble}");
            drop(of(17, 2 * PAUSE_MS).await);
            assert_eq!(counted.requests.load(Ordering::SeqCst), requests + 1, "{trouble}: after the pause");
        }
    }

    #[test]
    fn only_listed_hosts_are_framed() {
        let hosts = ["reports.example".to_owned()];
        for (address, may) in [
            ("https://reports.example/a?b=c", true),
            ("https://reports.example.evil.example/", false),
            ("https://user@reports.example/", false),
            ("https://reports.example:8443/", false),
            ("http://reports.example/", false),
            ("https://REPORTS.example/", true),
            ("javascript:alert(1)//https://reports.example", false),
            ("/reports", false),
            ("", false),
        ] {
            assert_eq!(is_on_listed_host(address, &hosts), may, "{address}");
        }
        let settings = EmbedSettings { frame_hosts: hosts.into(), power_bi: None };
        assert_eq!(settings.hosts(), ["reports.example"]);
    }
}
