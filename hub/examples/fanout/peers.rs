//! Starts the peers: Node's socket.io and the message brokers. A broker runs as a child on the server's core and receives the messages over its own
//! TCP protocol from the same core. The other servers create their messages themselves.

use std::io::{BufRead, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::servers::delta_text;

/// Path of the program that runs Node's socket.io.
pub(crate) const SOCKET_IO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/socketio.mjs");

/// Runs nats-server with a WebSocket listener, and publishes to it.
pub(crate) fn nats() {
    let (port, websocket) = (testkit::free_port(), testkit::free_port());
    let folder = std::env::temp_dir().join(testkit::unique("nats"));
    std::fs::create_dir_all(&folder).unwrap();
    let settings = folder.join("nats.conf");
    let text = format!(
        "listen: 127.0.0.1:{port}\nmax_pending: 1GB\nwrite_deadline: \"60s\"\nwebsocket {{ listen: \"127.0.0.1:{websocket}\", no_tls: true }}\n"
    );
    std::fs::write(&settings, text).unwrap();
    let mut server = Command::new("nats-server")
        .arg("-c")
        .arg(&settings)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stream = connect(port);
    stream.write_all(b"CONNECT {\"verbose\":false}\r\n").unwrap();
    connect(websocket);
    println!("ready {websocket} {}", server.id());
    let pings = stream.try_clone().unwrap();
    answer_pings(pings);
    broadcast(|offset| {
        let text = delta_text(offset);
        stream.write_all(format!("PUB liv {}\r\n{text}\r\n", text.len()).as_bytes()).unwrap();
    });
    end(&mut server);
    let _ = std::fs::remove_dir_all(folder);
}

/// Publishes to a running mosquitto, given its TCP port, its WebSocket port and its process id.
pub(crate) fn mosquitto(port: &str, websocket: &str, pid: &str) {
    let mut stream = connect(port.parse().unwrap());
    stream.write_all(&[0x10, 13, 0, 4, b'M', b'Q', b'T', b'T', 4, 2, 0, 0, 0, 1, b'p']).unwrap();
    stream.read_exact(&mut [0; 4]).unwrap();
    println!("ready {websocket} {pid}");
    broadcast(|offset| {
        let text = delta_text(offset);
        let length = text.len() + 5;
        let mut packet = vec![0x30, (length & 0x7f) as u8 | 0x80, (length >> 7) as u8, 0, 3, b'l', b'i', b'v'];
        packet.extend(text.as_bytes());
        stream.write_all(&packet).unwrap();
    });
}

/// Returns whether the packages of [`SOCKET_IO`] are installed.
pub(crate) fn has_socket_io() -> bool {
    std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/bench/node_modules/socket.io")).exists()
}

/// Returns whether nats-server is installed.
pub(crate) fn has_nats() -> bool {
    Command::new("nats-server").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn connect(port: u16) -> TcpStream {
    let began = Instant::now();
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(error) => assert!(began.elapsed() < Duration::from_secs(10), "port {port}: {error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn answer_pings(mut stream: TcpStream) {
    std::thread::spawn(move || {
        let mut buffer = [0; 4_096];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            if buffer[..count].windows(4).any(|four| four == b"PING") && stream.write_all(b"PONG\r\n").is_err() {
                return;
            }
        }
    });
}

fn broadcast(mut one: impl FnMut(i64)) {
    let mut top = 0;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let count: i64 = line.trim_start_matches("go ").parse().unwrap();
        for _ in 0..count {
            one(top);
            top += 1;
        }
    }
}

fn end(server: &mut Child) {
    let _ = server.kill();
    let _ = server.wait();
}
