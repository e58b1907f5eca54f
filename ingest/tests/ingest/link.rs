//! Simulates a network partition between clients and a server: the server sees its connections end, the client sees no
//! change.

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A link. Dropping it stops accepting connections.
pub(crate) struct Link {
    port: u16,
    is_cut: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Link {
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let own_port = listener.local_addr().expect("an address").port();
        let (is_cut, cut) = watch::channel(false);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, port, cut.clone()));
            }
        });
        Self { port: own_port, is_cut, accepting }
    }

    /// Returns the port on which clients connect.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Ends the connections on the server's side. The client's side stays open without traffic.
    pub(crate) fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    /// Ends the connections on the clients' side too. New connections reach the server.
    pub(crate) fn heal(&self) {
        self.is_cut.send_replace(false);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn carry(mut near: TcpStream, port: u16, mut cut: watch::Receiver<bool>) {
    if !*cut.borrow_and_update() {
        let Ok(mut far) = TcpStream::connect(("127.0.0.1", port)).await else { return };
        tokio::select! {
            _ = copy_bidirectional(&mut near, &mut far) => return,
            cut = cut.wait_for(|cut| *cut) => if cut.is_err() { return },
        }
    }
    // An error means that the link was dropped.
    let _ = cut.wait_for(|cut| !*cut).await;
}
