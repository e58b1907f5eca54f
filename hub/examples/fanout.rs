//! Fan-out side by side in one run: deliveries a second to 1,000 sockets in one room, by our hub, by Node's socket.io, by nats-server and mosquitto over
//! WebSocket, and by a bare TCP server that writes the same bytes (the limit). The server has one core and the load generator the other, where
//! `taskset` is there. Lines that begin with `=` are for the table at the end of `make bench`.
//!
//! "backlog": 2,000 messages are broadcast at once. "nearly live": never more than 10 messages are on the way. Best of three.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

#[path = "fanout/load.rs"]
mod load;
#[path = "fanout/peers.rs"]
mod peers;
#[path = "fanout/servers.rs"]
mod servers;

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const SOCKETS: usize = 1_000;
const BACKLOG: usize = 2_000;
const WINDOW: usize = 10;
const ROUNDS: usize = 3;
const PEER_ROUNDS: usize = 2;
const LIVE_TURNS: usize = 40;

/// A child that speaks lines.
struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    fn start(core: &str, program: &str, arguments: &[String], environment: &[(&str, &str)]) -> Self {
        let pinned = Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_ok();
        let mut command = if pinned { Command::new("taskset") } else { Command::new(program) };
        if pinned {
            command.args(["-c", core, program]);
        }
        let mut child =
            command.args(arguments).envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect(program);
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, input, output }
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next line that begins with `word`, without it.
    fn hear(&mut self, word: &str) -> String {
        loop {
            let line = self.output.next().expect("the peer speaks").unwrap();
            if let Some(rest) = line.strip_prefix(word) {
                return rest.trim().to_owned();
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input is its end, and that of its own children.
        self.input = None;
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Deliveries a second with backlog, and nearly live; what a joined connection takes of the server's memory.
struct Figures {
    backlog: f64,
    live: f64,
    kib_each: f64,
}

fn resident_kib(pid: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(f64::NAN)
}

/// A server with its load, joined and ready.
struct Contestant {
    name: &'static str,
    // Ends before the server, whose end it would take for a fault.
    load: Peer,
    server: Peer,
    figures: Figures,
}

impl Contestant {
    fn join(name: &'static str, mut server: Peer, speech: &str, token: &str) -> Self {
        let ready = server.hear("ready");
        let (port, pid) = ready.split_once(' ').unwrap();
        let own = std::env::current_exe().unwrap().display().to_string();
        let before = resident_kib(pid);
        let mut load = Peer::start("1", &own, &["load".into(), port.into(), speech.into(), token.into(), SOCKETS.to_string()], &[]);
        load.hear("joined");
        let figures = Figures { backlog: 0.0, live: 0.0, kib_each: (resident_kib(pid) - before) / SOCKETS as f64 };
        let mut joined = Self { name, load, server, figures };
        joined.expect(50);
        joined
    }

    fn expect(&mut self, messages: usize) {
        self.load.tell(&format!("expect {}", messages * SOCKETS));
        self.server.tell(&format!("go {messages}"));
        self.load.hear("done");
    }

    fn measure(&mut self) {
        let began = Instant::now();
        self.expect(BACKLOG);
        self.figures.backlog = self.figures.backlog.max((BACKLOG * SOCKETS) as f64 / began.elapsed().as_secs_f64());
        let began = Instant::now();
        for _ in 0..LIVE_TURNS {
            self.expect(WINDOW);
        }
        self.figures.live = self.figures.live.max((LIVE_TURNS * WINDOW * SOCKETS) as f64 / began.elapsed().as_secs_f64());
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("load") => load::run(&arguments[1], &arguments[2], &arguments[3], arguments[4].parse().unwrap()),
        Some("nats") => peers::nats(),
        Some("mosquitto") => peers::mosquitto(&arguments[1], &arguments[2], &arguments[3]),
        Some("hub") => servers::hub(&std::env::var("BENCH_DATABASE").unwrap()),
        Some("raw") => servers::raw(),
        _ => compare(),
    }
}

fn compare() {
    let own = std::env::current_exe().unwrap().display().to_string();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = runtime.block_on(testkit::database());
    let (url, token) = (database.url().to_owned(), runtime.block_on(servers::seed(database.url())));
    let on_core = |program: &str, arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Peer::start("0", program, &arguments, &[("BENCH_DATABASE", &url)])
    };
    let mut all = vec![
        Contestant::join("our hub", on_core(&own, &["hub"]), "socket.io", &token),
        Contestant::join("the raw limit", on_core(&own, &["raw"]), "socket.io", "-"),
    ];
    // In turns, so that what else the machine does falls on both alike.
    for _ in 0..ROUNDS {
        all.iter_mut().for_each(Contestant::measure);
    }
    let mut measured: Vec<(&str, Figures)> = all.into_iter().map(|contestant| (contestant.name, contestant.figures)).collect();
    // The peers have a machine without them.
    let mut alone = |mut peer: Contestant| {
        (0..PEER_ROUNDS).for_each(|_| peer.measure());
        measured.push((peer.name, peer.figures));
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/socketio.mjs");
    alone(Contestant::join("Node socket.io", on_core("node", &[script]), "socket.io", "-"));
    if peers::has_nats() {
        alone(Contestant::join("nats-server", on_core(&own, &["nats"]), "nats", "-"));
    }
    let websocket = testkit::free_port();
    let settings = format!(
        "allow_anonymous true\nmax_queued_messages 1000000\nset_tcp_nodelay true\nlistener {websocket} 127.0.0.1\nprotocol websockets\n"
    );
    let broker = runtime.block_on(testkit::broker_with(&testkit::BrokerSetup { settings: &settings, ..testkit::BrokerSetup::default() }));
    let pid = broker.pid().unwrap().to_string();
    let _ = Command::new("taskset").args(["-a", "-c", "-p", "0", &pid]).stdout(Stdio::null()).status();
    let arguments = ["mosquitto", &broker.port().to_string(), &websocket.to_string(), &pid];
    alone(Contestant::join("mosquitto", on_core(&own, &arguments), "mqtt", "-"));

    println!("{SOCKETS} sockets in one room, one core for the server; deliveries/s, best of {ROUNDS}, peers of {PEER_ROUNDS}");
    println!("                         backlog   nearly live   KiB a connection");
    for (name, figures) in &measured {
        println!("{name:<20} {:>11.0} {:>13.0} {:>18.1}", figures.backlog, figures.live, figures.kib_each);
    }
    let ours = &measured[0].1;
    for (name, figures) in &measured[1..] {
        let aims = match *name {
            "the raw limit" => (">= 0.33", ">= 0.5"),
            "Node socket.io" => (">= 15", ">= 3"),
            "nats-server" => (">= 1.5", ">= 1.5"),
            _ => ("-", "-"),
        };
        println!("= fan-out with backlog, to {name} | {:.2} | {}", ours.backlog / figures.backlog, aims.0);
        println!("= fan-out nearly live, to {name} | {:.2} | {}", ours.live / figures.live, aims.1);
    }
    println!("= memory of a joined connection, KiB | {:.1} | <= 32", ours.kib_each);
}
