//! HTTPS requests to other servers: limited in time and size, only to hosts that are compiled in, and without following redirects.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// Time limit of one exchange.
const EXCHANGE_MAX: Duration = Duration::from_secs(8);
/// Limit of the response body, bytes. A token has some thousand bytes.
const ANSWER_MAX: usize = 256 * 1024;

/// Why a request has no response.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("no answer within {} s", EXCHANGE_MAX.as_secs())]
    Late,
    #[error("{0}")]
    Connection(#[from] hyper_util::client::legacy::Error),
    #[error("the answer is larger than {ANSWER_MAX} bytes, or broke off")]
    Answer,
}

/// An HTTPS client that reuses its connections.
pub(crate) struct Https(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl Https {
    /// Creates a client with the compiled-in certificate authorities. Without TLS only in tests, to the same machine.
    pub(crate) fn new(plain: bool) -> Self {
        let builder = HttpsConnectorBuilder::new().with_webpki_roots();
        let builder = if plain { builder.https_or_http() } else { builder.https_only() };
        Self(Client::builder(TokioExecutor::new()).build(builder.enable_http1().build()))
    }

    /// Sends a request and reads the response. A redirect is returned with its status.
    pub(crate) async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes), Failed> {
        let whole = async {
            let answer = self.0.request(request).await?;
            let (parts, body) = answer.into_parts();
            let body = Limited::new(body, ANSWER_MAX).collect().await.map_err(|_| Failed::Answer)?.to_bytes();
            Ok((parts.status, body))
        };
        tokio::time::timeout(EXCHANGE_MAX, whole).await.map_err(|_| Failed::Late)?
    }
}
