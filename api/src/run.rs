//! Serving a site: one listener, addresses of the callers kept, an end that is clean and bounded.

use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use socket2::SockRef;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Calls under way get this long after the end was asked for.
const DRAIN_MAX: Duration = Duration::from_secs(3);

/// Bytes of a connection that the kernel takes without having sent them. Without the bound it hides megabytes of stale values from us for a client
/// that does not read, and they reach the screen before anything new does.
const NOT_SENT_MAX: u32 = 16 * 1024;

/// Opens the listener; the message says what to do when somebody else has the port.
pub async fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let advice =
            format!("cannot listen on {address} ({error}): stop what uses the port, or choose another by SWITCHYARD__HTTP__LISTEN");
        std::io::Error::new(error.kind(), advice)
    })
}

/// Serves until `shutdown`, then lets calls under way finish for a moment.
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
    let told = shutdown.clone();
    let service = site.into_make_service_with_connect_info::<SocketAddr>();
    let listener = listener.tap_io(|connection| {
        // What is written is whole: waiting for more would only make it late (RFC 896 against RFC 1122, section 4.2.3.2: up to 200 ms).
        let set = connection.set_nodelay(true);
        if let Err(error) = set.and_then(|()| SockRef::from(&*connection).set_tcp_notsent_lowat(NOT_SENT_MAX)) {
            tracing::debug!(%error, "a connection keeps the kernel's own limit");
        }
    });
    let serving = axum::serve(listener, service).with_graceful_shutdown(async move { told.cancelled().await });
    let overdue = async {
        shutdown.cancelled().await;
        tokio::time::sleep(DRAIN_MAX).await;
    };
    tokio::select! {
        done = serving => done,
        () = overdue => Ok(()),
    }
}
