//! A TCP link with faults: it can be cut, reset, frozen, delayed, slowed, or split into small pieces while it runs.

use std::net::SocketAddr;
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

/// The fault of all current and new connections.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// No fault.
    None,
    /// Connections are closed, new ones too.
    Cut,
    /// Connections are reset, new ones too.
    Reset,
    /// Connections stay open, new ones are accepted, and no bytes pass. Bytes in flight arrive when the link is healed.
    Frozen,
    /// Like a partition: the server's side is closed, the client's side stays open without traffic. New connections are
    /// accepted and frozen.
    Isolated,
    /// Every piece is delayed by this time.
    Late(Duration),
    /// At most this many bytes per second in each direction.
    Slow(u32),
    /// Split into pieces of at most this many bytes.
    Torn(usize),
}

/// Maximum bytes read at once.
const PIECE: usize = 16 * 1024;

/// A link; dropping it ends it.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    fault: watch::Sender<Fault>,
    task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// A link to a port of this machine.
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (fault, _) = watch::channel(Fault::None);
        let faults = fault.clone();
        let task = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => drop(tokio::spawn(carry(stream, port, faults.subscribe()))),
                    // Usually the limit of open files. A link that ended here would look like a fault of the product.
                    Err(error) => {
                        eprintln!("a link cannot accept a connection: {error}");
                        sleep(Duration::from_millis(100)).await;
                    }
                }
            }
        });
        Self { address, fault, task }
    }

    /// Returns its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sets the fault.
    pub fn set(&self, fault: Fault) {
        self.fault.send_replace(fault);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.fault.send_replace(Fault::Cut);
    }
}

async fn carry(near: TcpStream, port: u16, mut faults: watch::Receiver<Fault>) {
    let _ = near.set_nodelay(true);
    // A frozen link accepts connections without connecting to the server, so the client cannot detect whether the server is available.
    if faults.wait_for(|fault| !is_silent(*fault)).await.is_err() {
        return;
    }
    let fault = *faults.borrow();
    if matches!(fault, Fault::Cut | Fault::Reset) {
        return close(&near, fault);
    }
    let Ok(far) = TcpStream::connect(("127.0.0.1", port)).await else { return };
    let _ = far.set_nodelay(true);
    // Kept until the end: dropping the halves would close the client's side, which must stay open while the link is isolated.
    let (mut near_read, mut near_write) = near.into_split();
    let (mut far_read, mut far_write) = far.into_split();
    let fault = {
        let out = pump(&mut near_read, &mut far_write, faults.clone());
        let back = pump(&mut far_read, &mut near_write, faults.clone());
        tokio::select! {
            // Half-closed connections are legal, so both directions have to end.
            _ = async { tokio::join!(out, back) } => Fault::Cut,
            fault = ended(&mut faults) => fault,
        }
    };
    let (near_end, far_end) = (SockRef::from(near_write.as_ref()), SockRef::from(far_write.as_ref()));
    if fault == Fault::Isolated {
        let _ = far_end.shutdown(std::net::Shutdown::Both);
        // The client's side is closed after the link is healed.
        let _ = faults.wait_for(|fault| !is_silent(*fault)).await;
        let _ = near_end.shutdown(std::net::Shutdown::Both);
        return;
    }
    for end in [near_end, far_end] {
        if fault == Fault::Reset {
            let _ = end.set_linger(Some(Duration::ZERO));
        } else {
            let _ = end.shutdown(std::net::Shutdown::Both);
        }
    }
}

async fn ended(faults: &mut watch::Receiver<Fault>) -> Fault {
    faults.wait_for(|fault| matches!(fault, Fault::Cut | Fault::Reset | Fault::Isolated)).await.map_or(Fault::Cut, |fault| *fault)
}

fn is_silent(fault: Fault) -> bool {
    matches!(fault, Fault::Frozen | Fault::Isolated)
}

fn close(stream: &TcpStream, fault: Fault) {
    if fault == Fault::Reset {
        let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
    }
}

/// Carries one direction to its end, then passes the end on.
async fn pump(from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf, faults: watch::Receiver<Fault>) {
    let _ = carry_pieces(from, to, faults).await;
    let _ = to.shutdown().await;
}

async fn carry_pieces(from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf, mut faults: watch::Receiver<Fault>) -> std::io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let length = from.read(&mut piece).await?;
        if length == 0 || faults.wait_for(|fault| *fault != Fault::Frozen).await.is_err() {
            return Ok(());
        }
        let fault = *faults.borrow();
        let size = match fault {
            Fault::Torn(size) => size.clamp(1, PIECE),
            Fault::Slow(rate) => (rate as usize / 20).clamp(1, PIECE),
            _ => PIECE,
        };
        for part in piece[..length].chunks(size) {
            match fault {
                Fault::Late(by) => sleep(by).await,
                Fault::Slow(rate) => sleep(Duration::from_secs_f64(part.len() as f64 / f64::from(rate.max(1)))).await,
                _ => {}
            }
            to.write_all(part).await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    async fn echo() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut read, mut write) = stream.split();
                    tokio::io::copy(&mut read, &mut write).await
                });
            }
        });
        port
    }

    async fn says(stream: &mut TcpStream, text: &str) -> std::io::Result<String> {
        stream.write_all(text.as_bytes()).await?;
        let mut received = vec![0; text.len()];
        stream.read_exact(&mut received).await?;
        Ok(String::from_utf8_lossy(&received).into_owned())
    }

    #[tokio::test]
    async fn every_fault_does_what_it_says_and_heals() {
        let proxy = Proxy::to(echo().await).await;
        let connect = async || TcpStream::connect(("127.0.0.1", proxy.port())).await.expect("it accepts");
        let mut stream = connect().await;
        assert_eq!(says(&mut stream, "hello").await.expect("it goes through"), "hello");
        proxy.set(Fault::Torn(1));
        assert_eq!(says(&mut stream, "in pieces").await.expect("it goes through"), "in pieces");
        proxy.set(Fault::Late(Duration::from_millis(60)));
        let began = Instant::now();
        says(&mut stream, "late").await.expect("it goes through");
        assert!(began.elapsed() >= Duration::from_millis(120), "both ways");
        proxy.set(Fault::Slow(10_000));
        let began = Instant::now();
        says(&mut stream, &"x".repeat(2_000)).await.expect("it goes through");
        assert!(began.elapsed() >= Duration::from_millis(200));
        proxy.set(Fault::Frozen);
        let silent = tokio::time::timeout(Duration::from_millis(100), says(&mut stream, "frozen")).await;
        assert!(silent.is_err(), "nothing moves and nothing is closed");
        let mut during = connect().await;
        proxy.set(Fault::None);
        let mut received = [0; 6];
        stream.read_exact(&mut received).await.expect("what was under way arrives");
        assert_eq!(&received, b"frozen");
        assert_eq!(says(&mut during, "new").await.expect("accepted meanwhile"), "new");
        proxy.set(Fault::Isolated);
        let silent = tokio::time::timeout(Duration::from_millis(100), says(&mut during, "isolated")).await;
        assert!(silent.is_err(), "the client notices nothing");
        proxy.set(Fault::None);
        assert!(says(&mut during, "healed").await.is_err(), "its connection is gone");
        for fault in [Fault::Cut, Fault::Reset] {
            let mut stream = connect().await;
            says(&mut stream, "x").await.expect("it goes through");
            proxy.set(fault);
            assert!(says(&mut stream, "cut").await.is_err(), "{fault:?}");
            let refused = async { says(&mut connect().await, "new").await };
            assert!(refused.await.is_err(), "{fault:?}: new ones are closed too");
            proxy.set(Fault::None);
        }
        assert_eq!(says(&mut connect().await, "healed").await.expect("it goes through"), "healed");
    }
}
