//! Servers for one test, which the test can kill and restart with their data.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::{Flavour, SmallDisk, database, free_port, services};

/// A start takes some 100 ms, a return after a crash the time to replay the log. A busy machine takes many times that; more than this is a failure.
const PATIENCE: Duration = Duration::from_mins(2);

/// A mosquitto of one test. It keeps acknowledged messages over a clean stop. Over a kill it keeps those that it has saved, which it does
/// every 5 s.
#[derive(Debug)]
pub struct TestBroker {
    server: Server,
}

/// A broker open to every local client.
pub async fn broker() -> TestBroker {
    begin(Server::new("mosquitto")).await
}

/// Starts a broker with the given settings, files and accounts.
pub async fn broker_with(setup: &BrokerSetup<'_>) -> TestBroker {
    let server = Server::new("mosquitto");
    fs::create_dir_all(&server.folder).expect("a folder for the broker");
    for (name, content) in setup.files {
        fs::write(server.folder.join(name), content).expect("a file of the broker");
    }
    let folder = services::output(&["exec", &server.name, "pwd"]);
    fs::write(server.folder.join("extra.conf"), setup.settings.replace("{dir}", &folder)).expect("the broker's settings");
    services::output(&["adopt", &server.name]);
    for command in setup.before {
        services::output(&[&["exec", server.name.as_str()], *command].concat());
    }
    begin(server).await
}

/// The setup of a broker for [`broker_with`].
#[derive(Debug, Default)]
pub struct BrokerSetup<'a> {
    /// The content of mosquitto.conf without the listener; `{dir}` is replaced by the broker's folder.
    pub settings: &'a str,
    /// Files to create in that folder: name and content.
    pub files: &'a [(&'a str, &'a str)],
    /// Commands to run in that folder before the start.
    pub before: &'a [&'a [&'a str]],
}

async fn begin(mut server: Server) -> TestBroker {
    server.start();
    let mut broker = TestBroker { server };
    broker.ready().await;
    broker
}

impl TestBroker {
    /// `mqtt://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("mqtt://127.0.0.1:{}", self.server.port)
    }

    /// Returns its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.server.port
    }

    /// Returns the id of its process.
    pub fn pid(&self) -> Option<u32> {
        self.server.child.as_ref().map(Child::id)
    }

    /// Kills the process with SIGKILL and waits until it has ended.
    pub fn kill(&mut self) {
        self.server.kill();
    }

    /// Restarts it on the same port with the same data. If it still runs, it is killed first.
    pub async fn restart(&mut self) {
        self.server.kill();
        self.server.start();
        self.ready().await;
    }

    /// Runs `mosquitto_pub` or `mosquitto_sub` of the same installation against the broker. Returns the output, or the error text.
    pub fn tool(&self, program: &str, arguments: &[&str]) -> Result<String, String> {
        let port = self.server.port.to_string();
        let done = services::script().args(["exec", &self.server.name, program, "-h", "127.0.0.1", "-p", &port]).args(arguments).output();
        let done = done.map_err(|error| error.to_string())?;
        let stderr = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        // The tools report a refusal of the broker only as text, and the end of the waiting time (`-W`) as status 27.
        if done.status.code() == Some(27) || (done.status.success() && stderr.is_empty()) {
            Ok(String::from_utf8_lossy(&done.stdout).into_owned())
        } else {
            Err(stderr)
        }
    }

    async fn ready(&mut self) {
        let port = self.server.port;
        self.server.until(async || TcpStream::connect(("127.0.0.1", port)).await.is_ok()).await;
    }
}

/// A PostgreSQL server of one test, with or without TimescaleDB.
#[derive(Debug)]
pub struct TestPostgres {
    server: Server,
}

/// Starts a database server for one test. It has only the database `postgres`.
pub async fn postgres_server(flavour: Flavour) -> TestPostgres {
    begin_postgres(Server::new(kind_of(flavour))).await
}

/// Starts a database server on a separate disk of the given size, MiB. Fails where tests cannot mount disks.
pub async fn postgres_server_on_small_disk(flavour: Flavour, mib: u32) -> Result<TestPostgres, String> {
    let mut server = Server::new(kind_of(flavour));
    server.disk = Some(SmallDisk::mount(&server.folder, mib)?);
    Ok(begin_postgres(server).await)
}

fn kind_of(flavour: Flavour) -> &'static str {
    match flavour {
        Flavour::Timescale => "timescale",
        Flavour::Plain => "plain",
    }
}

async fn begin_postgres(mut server: Server) -> TestPostgres {
    server.start();
    let mut postgres = TestPostgres { server };
    postgres.ready().await;
    postgres
}

impl TestPostgres {
    /// Fills the server's disk, or frees it again.
    pub fn fill_disk(&mut self, full: bool) -> std::io::Result<()> {
        self.server.disk.as_mut().map_or(Ok(()), |disk| disk.fill(full))
    }

    /// Waits until the server answers. If it ends, it is started again.
    pub async fn revive(&mut self) {
        self.ready().await;
    }

    /// Returns the address of its database `postgres`, with all permissions.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.server.port)
    }

    /// Returns its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.server.port
    }

    /// Returns the id of its main process, the parent of its other processes.
    pub fn pid(&self) -> Option<u32> {
        self.server.child.as_ref().map(Child::id)
    }

    /// Kills all its processes with SIGKILL, as in a power failure, and waits until they have ended. A child process that is not killed would continue to serve
    /// its client.
    pub fn kill9(&mut self) {
        let children = self.pid().map(children_of).unwrap_or_default();
        self.server.kill();
        let _ = std::process::Command::new("kill").arg("-9").args(&children).stderr(Stdio::null()).status();
        while children.iter().any(|child| is_running(child)) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Restarts it on the same port with the same data. If it still runs, it is killed first.
    pub async fn restart(&mut self) {
        self.kill9();
        self.server.start();
        self.ready().await;
    }

    async fn ready(&mut self) {
        let url = self.url();
        self.server.until(async || database::connect(&url).await.is_ok()).await;
    }
}

/// Returns the ids of the child processes of a process, from the kernel.
fn children_of(pid: u32) -> Vec<String> {
    let listed = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    listed.split_whitespace().map(str::to_owned).collect()
}

/// Returns whether a process runs. A zombie counts as ended: its parent may not have waited for it yet.
fn is_running(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// One process started by `scripts/services run`. The script replaces itself by the server, so the process id is that of the server.
#[derive(Debug)]
struct Server {
    kind: &'static str,
    name: String,
    port: u16,
    folder: PathBuf,
    disk: Option<SmallDisk>,
    child: Option<Child>,
}

impl Server {
    fn new(kind: &'static str) -> Self {
        let name = services::unique(&format!("test_{kind}"));
        let folder = Path::new(&services::output(&["home"])).join(&name);
        Self { kind, name, port: free_port(), folder, disk: None, child: None }
    }

    fn log(&self) -> PathBuf {
        self.folder.with_extension("log")
    }

    fn start(&mut self) {
        let log = File::options().create(true).append(true).open(self.log()).expect("a log file for the server");
        let errors = log.try_clone().expect("a log file for the server");
        let mut command = services::script();
        command.args(["run", self.kind, &self.name, &self.port.to_string()]).stdin(Stdio::null()).stdout(log).stderr(errors);
        self.child = Some(command.spawn().expect("scripts/services runs"));
    }

    /// Waits until the server answers. One that ends instead is started again: after kill -9 its children may need a moment to notice.
    async fn until(&mut self, answers: impl AsyncFn() -> bool) {
        let began = Instant::now();
        while !answers().await {
            let ended = self.child.as_mut().is_none_or(|child| matches!(child.try_wait(), Ok(Some(_))));
            assert!(began.elapsed() < PATIENCE, "{} did not start:\n{}", self.kind, self.last_words());
            sleep(Duration::from_millis(20)).await;
            if ended {
                sleep(Duration::from_millis(200)).await;
                self.start();
            }
        }
    }

    fn last_words(&self) -> String {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended already; then there is nothing to kill and only its status to collect.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        self.disk = None;
        // What cannot be deleted now goes with the next `scripts/services down`; a panic here would hide the test's own.
        let _ = services::script().args(["remove", &self.name]).status();
        let _ = fs::remove_file(self.log());
    }
}
