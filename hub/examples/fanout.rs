//! Fan-out side by side in one run: deliveries a second to 1,000 sockets in one room, by our hub, by Node's socket.io, and by a bare TCP server
//! that writes the same bytes (the limit). The server has one core and the load generator the other, where `taskset` is there.
//!
//! "backlog": 2,000 messages are broadcast at once. "nearly live": never more than 10 messages are on the way. Best of three.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

#[path = "fanout/load.rs"]
mod load;
#[path = "fanout/servers.rs"]
mod servers;

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

const SOCKETS: usize = 1_000;
const BACKLOG: usize = 2_000;
const WINDOW: usize = 10;
const ROUNDS: usize = 3;
const LIVE_TURNS: usize = 40;

/// A child that speaks lines.
struct Peer {
    child: Child,
    input: ChildStdin,
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
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, input, output }
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
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
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Deliveries a second with backlog, and nearly live.
struct Figures {
    backlog: f64,
    live: f64,
}

fn measure(server: &mut Peer, token: &str) -> Figures {
    let port = server.hear("ready");
    let own = std::env::current_exe().unwrap().display().to_string();
    let mut load = Peer::start("1", &own, &["load".into(), port, token.into(), SOCKETS.to_string()], &[]);
    load.hear("joined");
    let mut figures = Figures { backlog: 0.0, live: 0.0 };
    let mut expect = |server: &mut Peer, messages: usize| {
        load.tell(&format!("expect {}", messages * SOCKETS));
        server.tell(&format!("go {messages}"));
        load.hear("done");
    };
    expect(server, 50);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        expect(server, BACKLOG);
        figures.backlog = figures.backlog.max((BACKLOG * SOCKETS) as f64 / began.elapsed().as_secs_f64());
        let began = Instant::now();
        for _ in 0..LIVE_TURNS {
            expect(server, WINDOW);
        }
        figures.live = figures.live.max((LIVE_TURNS * WINDOW * SOCKETS) as f64 / began.elapsed().as_secs_f64());
    }
    figures
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("load") => load::run(&arguments[1], &arguments[2], arguments[3].parse().unwrap()),
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
    let ours = measure(&mut Peer::start("0", &own, &["hub".into()], &[("BENCH_DATABASE", &url)]), &token);
    let raw = measure(&mut Peer::start("0", &own, &["raw".into()], &[]), "-");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/socketio.mjs");
    let node = measure(&mut Peer::start("0", "node", &[script.into()], &[]), "-");
    drop(runtime.enter());
    println!("{SOCKETS} sockets in one room, one core for the server; deliveries/s, best of {ROUNDS}");
    println!("                         backlog   nearly live");
    for (name, figures) in [("raw TCP (the limit)", &raw), ("our hub", &ours), ("Node socket.io", &node)] {
        println!("{name:<20} {:>11.0} {:>13.0}", figures.backlog, figures.live);
    }
    println!("our hub / Node       {:>11.1} {:>13.1}", ours.backlog / node.backlog, ours.live / node.live);
    println!("our hub / the limit  {:>11.2} {:>13.2}", ours.backlog / raw.backlog, ours.live / raw.live);
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).map_or("", |rest| rest.trim_start_matches([' ', '\t', ':']));
    println!("{} cores, {model}", std::thread::available_parallelism().map_or(0, usize::from));
}
