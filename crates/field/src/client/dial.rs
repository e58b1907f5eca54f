//! Connects to a broker by name: tries all of its addresses, each shortly after the previous one, until one answers.

use std::io;
use std::time::Duration;

use rumqttc::NetworkOptions;
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;

/// How long one address is tried before the next one in parallel (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);

/// Returns the first connection to any address of `host`, which is a name or an address with a port.
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
            // Dropping the set cancels the other attempts.
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
        // `localhost` may have two addresses, and only one has a listener.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let stream = dial(format!("localhost:{port}"), NetworkOptions::new()).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap().port(), port);
        assert!(dial("127.0.0.1:1".to_owned(), NetworkOptions::new()).await.is_err());
    }
}
