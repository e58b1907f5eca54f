//! Reaches a broker by name: all its addresses, each a moment after the one before, until one answers.

use std::io;
use std::time::Duration;

use rumqttc::NetworkOptions;
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;

/// How long an address may take before the next one is tried beside it (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);

/// The first connection to any address of `host`, which is a name or an address with a port.
pub(super) async fn dial(host: String, network: NetworkOptions) -> io::Result<TcpStream> {
    let mut attempts = JoinSet::new();
    for (place, address) in (0..).zip(lookup_host(host).await?) {
        let network = network.clone();
        attempts.spawn(async move {
            tokio::time::sleep(HEAD_START * place).await;
            rumqttc::default_socket_connect(address.to_string(), network).await
        });
    }
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    while let Some(attempt) = attempts.join_next().await {
        match attempt {
            // The others end with the set.
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = error,
            Err(error) => last = io::Error::other(error),
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn one_address_that_answers_is_enough() {
        // On this machine `localhost` may have two addresses, of which only one is listened to.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let stream = dial(format!("localhost:{port}"), NetworkOptions::new()).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap().port(), port);
        assert!(dial("127.0.0.1:1".to_owned(), NetworkOptions::new()).await.is_err());
    }
}
