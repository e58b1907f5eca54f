//! Serves a site with one listener. The addresses of clients are passed on, and the shutdown is orderly and has a time limit.

use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use socket2::SockRef;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Maximum time for running requests to end after the shutdown has started.
const DRAIN_MAX: Duration = Duration::from_secs(3);

/// Maximum number of unsent bytes per connection in the kernel. Without this limit, megabytes of values are queued in the kernel for a client that does not
/// read. They would then be stale, and reach the screen before any newer value.
const NOT_SENT_MAX: u32 = 16 * 1024;

/// Opens the listener. If the port is in use, the error says what to do.
pub async fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let advice =
            format!("cannot listen on {address} ({error}): stop what uses the port, or choose another by SWITCHYARD__HTTP__LISTEN");
        std::io::Error::new(error.kind(), advice)
    })
}

/// Serves until `shutdown`, then waits for a short time for running requests.
///
/// The future is boxed so that its code is compiled in this crate and not in the executable.
pub fn serve(
    listener: TcpListener,
    site: Router,
    shutdown: CancellationToken,
) -> Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>> {
    Box::pin(serve_and_drain(listener, site, shutdown))
}

async fn serve_and_drain(listener: TcpListener, site: Router, shutdown: CancellationToken) -> std::io::Result<()> {
    let stopping = shutdown.clone();
    let service = site.into_make_service_with_connect_info::<SocketAddr>();
    let listener = listener.tap_io(|connection| {
        // Messages are written as a whole, so waiting for more data would only delay them, by up to 200 ms (RFC 896 with RFC 1122, section
        // 4.2.3.2).
        let set = connection.set_nodelay(true);
        if let Err(error) = set.and_then(|()| SockRef::from(&*connection).set_tcp_notsent_lowat(NOT_SENT_MAX)) {
            tracing::debug!(%error, "a connection keeps the kernel's own limit");
        }
    });
    let serving = axum::serve(listener, service).with_graceful_shutdown(async move { stopping.cancelled().await });
    let overdue = async {
        shutdown.cancelled().await;
        tokio::time::sleep(DRAIN_MAX).await;
    };
    tokio::select! {
        done = serving => done,
        () = overdue => Ok(()),
    }
}
