//! Compares fan-out servers: deliveries per second to 1,000 sockets in one room. The servers are the hub, Node's socket.io, nats-server and mosquitto
//! over WebSocket, and a bare TCP server that writes the same bytes (the limit). The server has one core and the load generator another, if `taskset`
//! exists. `--short` runs a small size. Lines that begin with `=` are figures for `scripts/bench`.
//!
//! There are two loads. "backlog": 2,000 messages are broadcast at once. "nearly live": at most 10 messages are in flight. The best round
//! counts.
//!
//! Every wait has a time limit. If a server closes a socket, loses messages or does not start, the benchmark ends with the reason.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::print_stderr, reason = "a benchmark that cannot run says why")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

#[path = "fanout/load.rs"]
mod load;
#[path = "fanout/peers.rs"]
mod peers;
#[path = "../tests/live/seeding.rs"]
mod seeding;
#[path = "fanout/servers.rs"]
mod servers;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A result, or the message with which the benchmark ends.
type Outcome<T> = Result<T, String>;

/// The size of a measurement.
#[derive(Debug, Clone, Copy)]
struct Size {
    sockets: usize,
    /// Messages of a backlog.
    backlog: usize,
    /// Rounds of [`WINDOW`] messages.
    live_turns: usize,
    rounds: usize,
    peer_rounds: usize,
}

const FULL: Size = Size { sockets: 1_000, backlog: 2_000, live_turns: 40, rounds: 3, peer_rounds: 2 };
const SHORT: Size = Size { sockets: 50, backlog: 100, live_turns: 4, rounds: 1, peer_rounds: 1 };
/// Maximum number of messages in flight in the nearly live load.
const WINDOW: usize = 10;

/// Time limit for the start of a server.
const START_LIMIT: Duration = Duration::from_secs(30);
/// Time limit for the load generator to join with all sockets, or to count all deliveries. Without progress it reports a failure earlier.
const LOAD_LIMIT: Duration = Duration::from_mins(10);

/// A child process that exchanges lines with the benchmark.
struct Peer {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Peer {
    fn start(name: &str, core: &Core, program: &str, arguments: &[String], environment: &[(&str, &str)]) -> Outcome<Self> {
        let mut command = core.command(program);
        command.args(arguments).envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{name}: {program} does not start: {error}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
        Ok(Self { name: name.to_owned(), child, input, lines })
    }

    fn send(&mut self, line: &str) -> Outcome<()> {
        let sent = self.input.as_mut().map(|input| writeln!(input, "{line}"));
        if matches!(sent, Some(Ok(()))) { Ok(()) } else { Err(format!("{} ended before it took \"{line}\"", self.name)) }
    }

    /// Returns the rest of the next line that begins with `word`. A line that begins with `failed` becomes the error.
    fn receive(&mut self, word: &str, limit: Duration) -> Outcome<String> {
        let deadline = Instant::now() + limit;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    if let Some(rest) = line.strip_prefix(word) {
                        return Ok(rest.trim().to_owned());
                    }
                    if let Some(reason) = line.strip_prefix("failed ") {
                        return Err(format!("{}: {reason}", self.name));
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(format!("{} did not print \"{word}\" within {limit:?}", self.name)),
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                    return Err(format!("{} ended before it printed \"{word}\": {status}", self.name));
                }
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // A child ends when its input ends, and so do its own children.
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

/// A core to which processes are pinned, in the notation of `taskset`; `None` if processes cannot be pinned.
struct Core(Option<String>);

impl Core {
    /// Returns a core for the server and one for the load generator: the first two on which this process may run.
    fn pair() -> (Self, Self) {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).map(cores).unwrap_or_default();
        let has_taskset = Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_ok();
        match allowed[..] {
            [first, second, ..] if has_taskset => (Self(Some(first.to_string())), Self(Some(second.to_string()))),
            _ => {
                println!("server and load generator share all cores: taskset is missing, or there is one core only");
                (Self(None), Self(None))
            }
        }
    }

    fn command(&self, program: &str) -> Command {
        let Self(Some(core)) = self else { return Command::new(program) };
        let mut command = Command::new("taskset");
        command.args(["-c", core, program]);
        command
    }

    /// Moves a running process with all its threads to this core.
    fn pin(&self, pid: &str) {
        if let Self(Some(core)) = self {
            let _ = Command::new("taskset").args(["-a", "-c", "-p", core, pid]).stdout(Stdio::null()).status();
        }
    }
}

/// Parses a list such as `0-3,6`.
fn cores(list: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

/// Deliveries per second of both loads, and the server's memory per joined connection.
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

/// A server with its load generator, joined and ready.
struct Contestant {
    name: &'static str,
    size: Size,
    // Dropped before the server. Otherwise it would report the end of the server as a failure.
    load: Peer,
    server: Peer,
    figures: Figures,
}

impl Contestant {
    fn join(name: &'static str, size: Size, mut server: Peer, protocol: &str, token: &str, core: &Core) -> Outcome<Self> {
        let ready = server.receive("ready", START_LIMIT)?;
        let (port, pid) = ready.split_once(' ').unwrap();
        let own = std::env::current_exe().unwrap().display().to_string();
        let before = resident_kib(pid);
        let arguments = ["load".into(), port.into(), protocol.into(), token.into(), size.sockets.to_string()];
        let mut load = Peer::start(&format!("the load generator of {name}"), core, &own, &arguments, &[])?;
        load.receive("joined", LOAD_LIMIT)?;
        let figures = Figures { backlog: 0.0, live: 0.0, kib_each: (resident_kib(pid) - before) / size.sockets as f64 };
        let mut joined = Self { name, size, load, server, figures };
        joined.deliver(50)?;
        Ok(joined)
    }

    /// Broadcasts `messages` messages and waits until every socket has received them.
    fn deliver(&mut self, messages: usize) -> Outcome<()> {
        self.load.send(&format!("expect {}", messages * self.size.sockets))?;
        self.server.send(&format!("go {messages}"))?;
        self.load.receive("done", LOAD_LIMIT).map(drop)
    }

    fn measure(&mut self) -> Outcome<()> {
        let Size { sockets, backlog, live_turns, .. } = self.size;
        let began = Instant::now();
        self.deliver(backlog)?;
        self.figures.backlog = self.figures.backlog.max((backlog * sockets) as f64 / began.elapsed().as_secs_f64());
        let began = Instant::now();
        for _ in 0..live_turns {
            self.deliver(WINDOW)?;
        }
        self.figures.live = self.figures.live.max((live_turns * WINDOW * sockets) as f64 / began.elapsed().as_secs_f64());
        Ok(())
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("load") => load::run(&arguments[1], &arguments[2], &arguments[3], arguments[4].parse().unwrap()),
        Some("nats") => peers::nats(),
        Some("mosquitto") => peers::mosquitto(&arguments[1], &arguments[2], &arguments[3]),
        Some("hub") => servers::hub(&std::env::var("BENCH_DATABASE").unwrap()),
        Some("raw") => servers::raw(),
        argument => {
            if let Err(reason) = compare(if argument == Some("--short") { SHORT } else { FULL }) {
                eprintln!("fanout: {reason}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn compare(size: Size) -> Outcome<()> {
    let own = std::env::current_exe().unwrap().display().to_string();
    let (server_core, load_core) = Core::pair();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = runtime.block_on(testkit::database());
    let (url, token) = (database.url().to_owned(), runtime.block_on(servers::seed(database.url())));
    let server = |name: &str, program: &str, arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Peer::start(name, &server_core, program, &arguments, &[("BENCH_DATABASE", &url)])
    };
    let mut all = vec![
        Contestant::join("our hub", size, server("our hub", &own, &["hub"])?, "socket.io", &token, &load_core)?,
        Contestant::join("the raw limit", size, server("the raw limit", &own, &["raw"])?, "socket.io", "-", &load_core)?,
    ];
    // The rounds alternate, so that other work on the machine affects both alike.
    for _ in 0..size.rounds {
        all.iter_mut().try_for_each(Contestant::measure)?;
    }
    let mut measured: Vec<(&str, Figures)> = all.into_iter().map(|contestant| (contestant.name, contestant.figures)).collect();
    // Each peer runs alone.
    let mut alone = |mut peer: Contestant| {
        (0..size.peer_rounds).try_for_each(|_| peer.measure())?;
        measured.push((peer.name, peer.figures));
        Outcome::Ok(())
    };
    if peers::has_socket_io() {
        let node = server("Node socket.io", "node", &[peers::SOCKET_IO])?;
        alone(Contestant::join("Node socket.io", size, node, "socket.io", "-", &load_core)?)?;
    } else {
        println!("Node socket.io is left out: run npm ci in hub/bench");
    }
    if peers::has_nats() {
        let nats = server("nats-server", &own, &["nats"])?;
        alone(Contestant::join("nats-server", size, nats, "nats", "-", &load_core)?)?;
    } else {
        println!("nats-server is left out: install it (scripts/services install-peers does on Debian and Ubuntu)");
    }
    let websocket = testkit::free_port();
    let settings = format!(
        "allow_anonymous true\nmax_queued_messages 1000000\nset_tcp_nodelay true\nlistener {websocket} 127.0.0.1\nprotocol websockets\n"
    );
    let broker = runtime.block_on(testkit::broker_with(&testkit::BrokerSetup { settings: &settings, ..testkit::BrokerSetup::default() }));
    let pid = broker.pid().unwrap().to_string();
    server_core.pin(&pid);
    let mosquitto = server("mosquitto", &own, &["mosquitto", &broker.port().to_string(), &websocket.to_string(), &pid])?;
    alone(Contestant::join("mosquitto", size, mosquitto, "mqtt", "-", &load_core)?)?;
    print(size, &measured);
    Ok(())
}

fn print(size: Size, measured: &[(&str, Figures)]) {
    println!(
        "{} sockets in one room, one core for the server; deliveries/s, best of {}, peers of {}",
        size.sockets, size.rounds, size.peer_rounds
    );
    println!("                         backlog   nearly live   KiB a connection");
    for (name, figures) in measured {
        println!("{name:<20} {:>11.0} {:>13.0} {:>18.1}", figures.backlog, figures.live, figures.kib_each);
    }
    let ours = &measured[0].1;
    for (name, figures) in &measured[1..] {
        let aims = match *name {
            "the raw limit" => (">= 0.33", ">= 0.5"),
            "Node socket.io" => (">= 15", ">= 3"),
            "nats-server" => (">= 1.5", ">= 1.5"),
            _ => ("", ""),
        };
        println!("= fan-out with backlog, to {name} | {:.2} | {}", ours.backlog / figures.backlog, aims.0);
        println!("= fan-out nearly live, to {name} | {:.2} | {}", ours.live / figures.live, aims.1);
    }
    println!("= memory of a joined connection, KiB | {:.1} | <= 32", ours.kib_each);
}
