//! The product as separate processes with a separate broker and database, and a [`Proxy`] on every link between them.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::Value;
use testkit::{Flavour, SmallDisk, TestBroker, TestPostgres, free_port};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use crate::proxy::Proxy;

/// Time limit of a start, also on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Mapping for the JSON lane of the ingests: topics `rig/NODE/DEVICE`, in the builtin form `flat`.
const MAPPINGS: &str = "[[mapping]]\nbuiltin = \"flat\"\ngroup = \"SAGAR\"\ntopic = \"rig/{node}/{device}\"\n";

/// The key that signs commands in trials. It protects nothing.
pub const SIGNING_KEY: [u8; 32] = [9; 32];

/// Signs a message with any key, such as the key of a foreign signer.
pub fn sign(key: [u8; 32], message: &[u8]) -> Vec<u8> {
    SigningKey::from_bytes(&key).sign(message).to_bytes().to_vec()
}

/// The processes of a site.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The executable.
    pub switchyard: PathBuf,
    /// Number of ingests, each with an equal share of the gateways.
    pub ingests: u32,
    /// Number of hubs.
    pub hubs: u32,
    /// Whether the first ingest has a standby, with its own state folder.
    pub standby: bool,
    /// The processes whose clocks can be set.
    pub clocks: bool,
    /// Whether the cores of the hubs can be held.
    pub held: bool,
    /// Sizes of the disks of the database and of the state folder, MiB; `None`: both are on the normal disk.
    pub disks: Option<(u32, u32)>,
}

impl Shape {
    /// Returns one process of each service. The variable `SWITCHYARD_BIN` names the executable; default: the release build.
    pub fn of_benchmark() -> Self {
        let switchyard = std::env::var_os("SWITCHYARD_BIN").map_or_else(|| "target/release/switchyard".into(), PathBuf::from);
        Self { switchyard, ingests: 1, hubs: 1, standby: false, clocks: false, held: false, disks: None }
    }
}

/// A running process of the product.
#[derive(Debug)]
pub struct Service {
    name: String,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    log: PathBuf,
    port: u16,
    process: Child,
}

/// The links with faults, named by client and server.
pub type Links = BTreeMap<&'static str, Proxy>;

/// The product with its broker, database and links.
#[derive(Debug)]
pub struct Site {
    /// The database.
    pub postgres: TestPostgres,
    /// The broker.
    pub broker: TestBroker,
    /// The links.
    pub links: Links,
    /// The processes, by name: `ingest1`, `hub1`, `api`.
    pub services: BTreeMap<String, Service>,
    /// The folder of this trial.
    pub folder: PathBuf,
    /// The links of observers to each hub.
    pub hubs: Vec<Proxy>,
    faketime: Option<PathBuf>,
    state_disk: Option<SmallDisk>,
}

impl Site {
    /// Starts all processes and waits until they are ready. The demo utility is seeded for its logins.
    pub async fn start(shape: &Shape) -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(testkit::unique("rig"));
        std::fs::create_dir_all(&folder)?;
        let faketime = if shape.clocks { Some(testkit::faketime().context("libfaketime is installed")?) } else { None };
        let (postgres, state_disk) = match shape.disks {
            None => (testkit::postgres_server(Flavour::Timescale).await, None),
            Some((database, state)) => {
                let disk = SmallDisk::mount(&folder.join("state"), state).map_err(anyhow::Error::msg)?;
                (testkit::postgres_server_on_small_disk(Flavour::Timescale, database).await.map_err(anyhow::Error::msg)?, Some(disk))
            }
        };
        let broker = testkit::broker().await;
        let mut links = Links::new();
        for (name, port) in [
            ("ingest/database", postgres.port()),
            ("standby/database", postgres.port()),
            ("hub/database", postgres.port()),
            ("api/database", postgres.port()),
            ("ingest/broker", broker.port()),
            ("standby/broker", broker.port()),
            ("hub/broker", broker.port()),
            ("api/broker", broker.port()),
            ("field/broker", broker.port()),
        ] {
            links.insert(name, Proxy::to(port).await);
        }
        let mut site = Self { postgres, broker, links, services: BTreeMap::new(), folder, hubs: Vec::new(), faketime, state_disk };
        site.write_settings()?;
        site.prepare(&shape.switchyard, &site.postgres).await?;
        for number in 1..=shape.ingests {
            let share = if shape.ingests == 1 { String::new() } else { format!("{number}/{}", shape.ingests) };
            let settings = [
                ("SWITCHYARD__INGEST__CLIENT_ID", format!("rig-ingest-{number}")),
                ("SWITCHYARD__INGEST__HOST_ID", format!("rig{number}")),
                ("SWITCHYARD__INGEST__SHARE", share),
            ];
            site.add(&shape.switchyard, &format!("ingest{number}"), "ingest", &settings)?;
        }
        for number in 1..=shape.hubs {
            let core = if shape.held { format!("core_round=return({})", site.hold_file().display()) } else { String::new() };
            site.add(&shape.switchyard, &format!("hub{number}"), "hub", &[("FAILPOINTS", core)])?;
        }
        site.add(&shape.switchyard, "api", "api", &[])?;
        for service in site.services.values() {
            service.ready().await?;
        }
        if shape.standby {
            let settings = [
                ("SWITCHYARD__INGEST__CLIENT_ID", "rig-ingest-1".to_owned()),
                ("SWITCHYARD__INGEST__HOST_ID", "rig1".to_owned()),
                ("SWITCHYARD__STATE__DIR", site.folder.join("standby").display().to_string()),
            ];
            site.add(&shape.switchyard, "standby", "ingest", &settings)?;
            site.service("standby")?.ready().await?;
        }
        for number in 1..=shape.hubs {
            site.hubs.push(Proxy::to(site.service(&format!("hub{number}"))?.port).await);
        }
        Ok(site)
    }

    fn link(&self, name: &str) -> u16 {
        self.links.get(name).map_or(0, Proxy::port)
    }

    /// Returns the path of the settings file that all processes share. Their differences are in environment variables.
    fn settings(&self) -> PathBuf {
        self.folder.join("switchyard.toml")
    }

    fn write_settings(&self) -> anyhow::Result<()> {
        let folder = self.folder.display();
        let log = std::env::var("SWITCHYARD_TEST_LOG").unwrap_or_else(|_| "info".to_owned());
        // All observers use one session of one user, so the limits per session and user are raised.
        let text = format!(
            "[state]\ndir = \"{folder}/state\"\n[demo]\nlogins = true\n[control]\nsigning_key_file = \"{folder}/control.key\"\n[hub]\nsockets_per_session = 10000\nsockets_per_member = 10000\nsockets_unauthenticated_per_address = 10000\n\
             [ingest]\nmappings = \"{folder}/mappings.toml\"\n[log]\nfilter = \"{log}\"\n"
        );
        std::fs::write(self.settings(), text)?;
        std::fs::write(self.folder.join("control.key"), STANDARD.encode(SIGNING_KEY))?;
        Ok(std::fs::write(self.folder.join("mappings.toml"), MAPPINGS)?)
    }

    /// Runs a command to its end, such as `migrate`.
    async fn run(&self, switchyard: &Path, arguments: &[&str], database: &str) -> anyhow::Result<()> {
        let mut command = Command::new(switchyard);
        command.arg("--config").arg(self.settings()).args(arguments).env("DATABASE_URL", database).stdin(Stdio::null()).kill_on_drop(true);
        let done = command.output().await?;
        anyhow::ensure!(done.status.success(), "switchyard {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        Ok(())
    }

    async fn prepare(&self, switchyard: &Path, postgres: &TestPostgres) -> anyhow::Result<()> {
        self.run(switchyard, &["migrate"], &postgres.url()).await?;
        self.run(switchyard, &["seed", "--demo"], &postgres.url()).await
    }

    /// Starts the product a second time with the same broker, as one process with its own database. Returns that database.
    pub async fn add_twin(&mut self, switchyard: &Path) -> anyhow::Result<TestPostgres> {
        let postgres = testkit::postgres_server(Flavour::Timescale).await;
        self.prepare(switchyard, &postgres).await?;
        let settings = [
            ("SWITCHYARD__INGEST__CLIENT_ID", "rig-ingest-twin".to_owned()),
            ("SWITCHYARD__INGEST__HOST_ID", "rigtwin".to_owned()),
            ("SWITCHYARD__STATE__DIR", self.folder.join("twin").display().to_string()),
            ("DATABASE_URL", postgres.url()),
            ("MQTT_URL", self.broker.url()),
        ];
        self.add(switchyard, "twin", "all", &settings)?;
        self.service("twin")?.ready().await?;
        Ok(postgres)
    }

    /// Starts the demo's RTUs as the process `simulate`, which requires signed commands. Journals and outboxes are on disk.
    pub fn add_field(&mut self, switchyard: &Path) -> anyhow::Result<()> {
        let key = STANDARD.encode(SigningKey::from_bytes(&SIGNING_KEY).verifying_key().as_bytes());
        let settings = [("MQTT_URL", self.field_url()), ("SWITCHYARD__SIMULATE__COMMAND_KEY", key)];
        self.add(switchyard, "simulate", "simulate", &settings)
    }

    fn add(&mut self, switchyard: &Path, name: &str, role: &str, settings: &[(&str, String)]) -> anyhow::Result<()> {
        let port = free_port();
        let log = self.folder.join(format!("{name}.log"));
        let mut environment: Vec<(String, String)> = settings.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        environment.push(("SWITCHYARD__HTTP__LISTEN".into(), format!("127.0.0.1:{port}")));
        // The process has its own links, or uses those of its role.
        let links = [name, role].into_iter().find(|from| self.links.contains_key(format!("{from}/database").as_str()));
        if let Some(from) = links {
            let database = format!("postgres://postgres@127.0.0.1:{}/postgres", self.link(&format!("{from}/database")));
            environment.push(("DATABASE_URL".into(), database));
            environment.push(("MQTT_URL".into(), format!("mqtt://127.0.0.1:{}", self.link(&format!("{from}/broker")))));
        }
        if let Some(library) = &self.faketime {
            let clock = self.clock(name);
            std::fs::write(&clock, "+0")?;
            for (key, value) in [
                ("LD_PRELOAD", library.display().to_string()),
                ("FAKETIME_TIMESTAMP_FILE", clock.display().to_string()),
                ("FAKETIME_CACHE_DURATION", "1".to_owned()),
                ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            ] {
                environment.push((key.to_owned(), value));
            }
        }
        let (switchyard, settings) = (switchyard.display().to_string(), self.settings().display().to_string());
        let arguments = vec![switchyard, "--config".to_owned(), settings, role.to_owned()];
        let process = spawn(&arguments, &environment, &log)?;
        self.services.insert(name.to_owned(), Service { name: name.to_owned(), arguments, environment, log, port, process });
        Ok(())
    }

    fn clock(&self, service: &str) -> PathBuf {
        self.folder.join(format!("{service}.clock"))
    }

    /// Sets the clock of a process in the notation of libfaketime: `+3600` is an hour ahead, `+0 x1.5` runs 1.5 times as fast. It takes effect within
    /// two seconds.
    pub fn set_clock(&self, service: &str, to: &str) -> anyhow::Result<()> {
        Ok(std::fs::write(self.clock(service), to)?)
    }

    /// Fills the disk of the state folder, or frees it.
    pub fn fill_state(&mut self, full: bool) -> anyhow::Result<()> {
        Ok(self.state_disk.as_mut().context("a disk of its own")?.fill(full)?)
    }

    /// Returns the path of the file that blocks the cores of the hubs while it exists.
    pub fn hold_file(&self) -> PathBuf {
        self.folder.join("held")
    }

    /// Returns a process by its name.
    pub fn service(&self, name: &str) -> anyhow::Result<&Service> {
        self.services.get(name).with_context(|| format!("there is no {name}"))
    }

    /// Returns a process by its name, to stop or start it.
    pub fn service_mut(&mut self, name: &str) -> anyhow::Result<&mut Service> {
        self.services.get_mut(name).with_context(|| format!("there is no {name}"))
    }

    /// Returns the URL of the broker for gateways.
    pub fn field_url(&self) -> String {
        format!("mqtt://127.0.0.1:{}", self.link("field/broker"))
    }

    /// Returns a client of the database that connects without a faulty link.
    pub async fn sql(&self) -> anyhow::Result<tokio_postgres::Client> {
        let (client, connection) = tokio_postgres::connect(&self.postgres.url(), tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// Sends a GET request with this token to the api; returns the HTTP status.
    pub async fn call(&self, path: &str, token: &str) -> anyhow::Result<u16> {
        let head = format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n");
        Ok(exchange(self.service("api")?.port, &head).await.context("the api answers")?.0)
    }

    /// Returns an access token of the demo's administrator.
    pub async fn token(&self) -> anyhow::Result<String> {
        let form = "username=admin&password=switchyard-demo&feui=1";
        let (status, body) = request(self.service("api")?.port, "POST", "/api/token", form).await.context("the api answers")?;
        anyhow::ensure!(status == 200, "sign-in: {status} {body}");
        let login: Value = serde_json::from_str(&body)?;
        Ok(login["token"].as_str().context("a token")?.to_owned())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn spawn(arguments: &[String], environment: &[(String, String)], log: &Path) -> anyhow::Result<Child> {
    let output = File::options().create(true).append(true).open(log)?;
    let errors = output.try_clone()?;
    Command::new(&arguments[0])
        .args(&arguments[1..])
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{arguments:?}"))
}

impl Service {
    /// Returns its HTTP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits until `/readyz` reports ready.
    pub async fn ready(&self) -> anyhow::Result<()> {
        self.await_readiness(true).await
    }

    /// Waits until `/readyz` reports not ready, or until the process does not answer.
    pub async fn unready(&self) -> anyhow::Result<()> {
        self.await_readiness(false).await
    }

    async fn await_readiness(&self, ready: bool) -> anyhow::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while matches!(request(self.port, "GET", "/readyz", "").await, Some((200, _))) != ready {
            if Instant::now() > deadline {
                let word = if ready { "not" } else { "still" };
                bail!("{} is {word} ready after {PATIENCE:?}; see {}", self.name, self.log.display());
            }
            // There is no event to await before the port is open.
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Kills it with SIGKILL, like a crash.
    pub async fn kill(&mut self) -> anyhow::Result<()> {
        Ok(self.process.kill().await?)
    }

    /// Starts it again on the same port.
    pub fn start(&mut self) -> anyhow::Result<()> {
        self.start_with(&[])
    }

    /// Starts it again with additional environment variables.
    pub fn start_with(&mut self, more: &[(String, String)]) -> anyhow::Result<()> {
        self.process = spawn(&self.arguments, &[&self.environment, more].concat(), &self.log)?;
        Ok(())
    }

    /// Waits until it has ended by itself.
    pub async fn ended(&mut self, patience: Duration) -> anyhow::Result<()> {
        let status = tokio::time::timeout(patience, self.process.wait()).await;
        status.with_context(|| format!("{} still runs after {patience:?}", self.name))??;
        Ok(())
    }

    /// Returns whether it has ended by itself.
    pub fn has_ended(&mut self) -> anyhow::Result<bool> {
        Ok(self.process.try_wait()?.is_some())
    }

    /// Returns its process id; `None` after it has ended.
    pub fn pid(&self) -> Option<u32> {
        self.process.id()
    }

    /// Sends a signal such as `STOP`, `CONT` or `TERM`.
    pub async fn signal(&self, signal: &str) -> anyhow::Result<()> {
        send_signal(self.process.id().context("it runs")?, signal).await
    }

    /// Returns its resident memory, MiB.
    pub fn resident_mib(&self) -> u64 {
        self.memory_mib("VmRSS:")
    }

    /// Returns the maximum of its resident memory since its start, MiB.
    pub fn peak_mib(&self) -> u64 {
        self.memory_mib("VmHWM:")
    }

    fn memory_mib(&self, what: &str) -> u64 {
        let status = self.process.id().and_then(|pid| std::fs::read_to_string(format!("/proc/{pid}/status")).ok()).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(what));
        line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1024
    }

    /// Returns its processor time since its start, s.
    pub fn cpu_seconds(&self) -> f64 {
        // proc_pid_stat(5): after the name in brackets, user and system time are the 12th and 13th fields, in hundredths of a second.
        let stat = self.process.id().and_then(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()).unwrap_or_default();
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
    }

    /// Returns one of its metrics, summed over all labels; 0 without an answer.
    pub async fn metric(&self, name: &str) -> f64 {
        let Some((200, body)) = request(self.port, "GET", "/metrics", "").await else { return 0.0 };
        let of_name = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']));
        body.lines().filter(of_name).filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
    }
}

/// Sends a signal to a process.
pub async fn send_signal(pid: u32, signal: &str) -> anyhow::Result<()> {
    let done = Command::new("kill").args([format!("-{signal}"), pid.to_string()]).status().await?;
    anyhow::ensure!(done.success(), "kill -{signal} {pid}: {done}");
    Ok(())
}

/// Sends one request; `None` without an answer.
async fn request(port: u16, method: &str, path: &str, form: &str) -> Option<(u16, String)> {
    let length = form.len();
    let kind = "application/x-www-form-urlencoded";
    let head = format!(
        "{method} {path} HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:{port}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{form}"
    );
    exchange(port, &head).await
}

/// Sends one JSON request, with an Idempotency-Key unless `key` is empty. Returns the status and the body; `None` without an answer.
pub async fn call_json(port: u16, method: &str, path: &str, token: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let key = if key.is_empty() { String::new() } else { format!("Idempotency-Key: {key}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n{key}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, answer) = exchange(port, &head).await?;
    Some((status, serde_json::from_str(&answer).unwrap_or_default()))
}

/// Sends one HTTP request on its own connection; `None` without an answer.
async fn exchange(port: u16, request: &str) -> Option<(u16, String)> {
    let exchange = async {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.ok()?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1)?.parse().ok()?;
        Some((status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned())?))
    };
    tokio::time::timeout(Duration::from_secs(6), exchange).await.ok().flatten()
}
