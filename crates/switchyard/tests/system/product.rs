//! Runs the executable as processes on free ports, with a database and a broker of the test.

use std::process::Stdio;
use std::time::Duration;

use field::client::{Event, Qos, Settings, connect};
use field::sparkplug::read_state;
use serde_json::Value;
use testkit::free_port;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

/// The password of the demo logins, as published in the README.
const PASSWORD: &str = "switchyard-demo";
/// Longer than any operation of these tests on a busy machine. Only a failure reaches it.
pub(crate) const PATIENCE: Duration = Duration::from_mins(3);

/// The addresses of the servers that the product's processes use.
#[derive(Clone)]
pub(crate) struct Servers {
    pub(crate) database: String,
    pub(crate) mqtt: String,
}

impl Servers {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
        // Each broker has its own state folder, so that the spool of one test is not stored in the database of another.
        let site = self.mqtt.rsplit(':').next().unwrap_or_default();
        let state = std::env::temp_dir().join(format!("switchyard_test_{}_{site}", std::process::id()));
        command
            .args(arguments)
            .env("DATABASE_URL", &self.database)
            .env("MQTT_URL", &self.mqtt)
            .env("SWITCHYARD__STATE__DIR", state)
            .env("SWITCHYARD__BUS__KIND", "mqtt")
            .env("SWITCHYARD__DEMO__LOGINS", "true")
            .env("SWITCHYARD__LOG__FILTER", std::env::var("SWITCHYARD_TEST_LOG").unwrap_or_else(|_| "warn".to_owned()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs a subcommand until it ends.
    pub(crate) async fn finish(&self, arguments: &[&str]) {
        let status = self.command(arguments).status().await.expect("the executable starts");
        assert!(status.success(), "switchyard {arguments:?}: {status}");
    }

    /// Applies the migrations and seeds the demo utility.
    pub(crate) async fn prepare(&self) {
        self.finish(&["migrate"]).await;
        self.finish(&["seed", "--demo"]).await;
    }

    /// Waits until ingest takes messages, which its STATE message reports. The service is ready earlier, and messages of QoS 0 would be lost.
    pub(crate) async fn ingest_online(&self) {
        let subscriptions = vec![("spBv1.0/STATE/+".to_owned(), Qos::AtLeastOnce)];
        let settings = Settings { subscriptions, ..Settings::new(&self.mqtt, testkit::unique("watcher")) };
        let (_publisher, mut events) = connect(settings).expect("a good address");
        let online = async {
            loop {
                if let Event::Message(message) = events.next().await.expect("a connection")
                    && read_state(&message.payload).is_some_and(|(online, _)| online)
                {
                    return;
                }
            }
        };
        timeout(PATIENCE, online).await.expect("ingest is online in time");
    }

    /// Starts a service on a free port and waits until it is ready.
    pub(crate) async fn start(&self, arguments: &[&str]) -> Service {
        let service = self.launch(arguments, free_port());
        service.ready().await;
        service
    }

    /// Starts a service on a given port without waiting.
    pub(crate) fn launch(&self, arguments: &[&str], port: u16) -> Service {
        let process =
            self.command(arguments).env("SWITCHYARD__HTTP__LISTEN", format!("127.0.0.1:{port}")).spawn().expect("the executable starts");
        Service { name: format!("switchyard {}", arguments.join(" ")), process, port }
    }
}

/// A running service. Dropping it kills it.
pub(crate) struct Service {
    name: String,
    process: Child,
    port: u16,
}

impl Service {
    /// Returns its base URL.
    pub(crate) fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Waits until `/readyz` reports ready.
    pub(crate) async fn ready(&self) {
        let deadline = Instant::now() + PATIENCE;
        while !matches!(request(self.port, "GET", "/readyz", None, "").await, Some((200, _))) {
            assert!(Instant::now() < deadline, "{} is not ready after {PATIENCE:?}", self.name);
            // There is no event to await before the port is open.
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// The body of /readyz, as soon as the port is served and it is not ready.
    pub(crate) async fn not_ready(&self) -> Value {
        self.not_ready_until(|_| true).await
    }

    /// The same, as soon as `is_it` holds for the body.
    pub(crate) async fn not_ready_until(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // Reasons are for callers on this machine, which HTTP/1.0 does not prove.
            if let Some((503, body)) = exchange("HTTP/1.1", self.port, "GET", "/readyz", None, "").await {
                let body = serde_json::from_str(&body).expect("JSON");
                if is_it(&body) {
                    return body;
                }
            }
            assert!(Instant::now() < deadline, "{} says nothing of it after {PATIENCE:?}", self.name);
            // There is no event to await from outside.
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// The status of a path; `None` when the port is not served.
    pub(crate) async fn status(&self, path: &str) -> Option<u16> {
        request(self.port, "GET", path, None, "").await.map(|(status, _)| status)
    }

    /// SIGTERM, as an orderly stop sends it; returns how the process ended.
    pub(crate) async fn stop(&mut self) -> std::process::ExitStatus {
        let id = self.process.id().expect("it is running").to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().await.expect("a signal");
        assert!(sent.success());
        timeout(PATIENCE, self.process.wait()).await.expect("the end in time").expect("a status")
    }

    /// SIGKILL, as a crash would have it.
    pub(crate) async fn kill9(&mut self) {
        self.process.kill().await.expect("it was running");
    }

    /// Signs in and returns the answer.
    pub(crate) async fn sign_in(&self, user: &str) -> Value {
        let form = format!("username={user}&password={PASSWORD}&feui=1");
        let (status, body) = request(self.port, "POST", "/api/token", None, &form).await.expect("an answer");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// Sends a GET request with a token; returns the body, whatever the status.
    pub(crate) async fn get(&self, token: &str, path: &str) -> Value {
        let (_, body) = request(self.port, "GET", path, Some(token), "").await.expect("an answer");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error}: {body}"))
    }
}

/// Sends one HTTP/1.1 request on its own connection; `None` if nothing listens. A client library would cost more build time than this function.
async fn request(port: u16, method: &str, path: &str, token: Option<&str>, form: &str) -> Option<(u16, String)> {
    exchange("HTTP/1.0", port, method, path, token, form).await
}

async fn exchange(version: &str, port: u16, method: &str, path: &str, token: Option<&str>, form: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
    let authorization = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let head = format!(
        "{method} {path} {version}\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{authorization}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.ok()?;
    let answer = String::from_utf8(answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned())?;
    Some((status, body))
}
