//! An api on a free port over a database of the test, and a small HTTP client.

use std::fmt::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use grid::{ClientId, NodeId};
use serde_json::Value;
use store::Store;
use store::seed::MemberSeed;
use testkit::TestDatabase;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;

use crate::field::{PASSWORD, Utility, enter};

/// A running api. Dropping it stops it.
pub(crate) struct Server {
    pub(crate) database: TestDatabase,
    pub(crate) one: Utility,
    pub(crate) two: Utility,
    pub(crate) bus: bus::Bus,
    /// The address of the mail server.
    pub(crate) smtp: String,
    mails: Mutex<mpsc::Receiver<String>>,
    /// The registry that its apis follow.
    pub(crate) registry: registry::Registry,
    /// What its first api knows of each utility.
    pub(crate) fields: registry::Fields,
    port: u16,
    stop: CancellationToken,
    heart: Mutex<Option<JoinHandle<()>>>,
}

/// An answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Server {
    /// Starts with two utilities, `one` and `two`.
    pub(crate) async fn start() -> Self {
        Self::start_as(false).await
    }

    /// Starts with or without the demo logins.
    pub(crate) async fn start_as(demo_logins: bool) -> Self {
        let server = Self::start_on(demo_logins, &testkit::shared_mqtt_url()).await;
        server.beat().await;
        server
    }

    /// Starts with a broker of the test, for operating. No ingest is running until the test starts one.
    pub(crate) async fn start_on(demo_logins: bool, broker: &str) -> Self {
        let database = testkit::database().await;
        let url = database.url().to_owned();
        Self::start_whole(database, &url, broker, demo_logins, identity::SecondFactor::Offered).await
    }

    /// Starts with another address of the database for the api.
    pub(crate) async fn start_over(database: TestDatabase, url: &str, demo_logins: bool) -> Self {
        Self::start_with(database, url, demo_logins, identity::SecondFactor::Offered).await
    }

    /// Starts with a setting of the second factor.
    pub(crate) async fn start_with(database: TestDatabase, url: &str, demo_logins: bool, second_factor: identity::SecondFactor) -> Self {
        let server = Self::start_whole(database, url, &testkit::shared_mqtt_url(), demo_logins, second_factor).await;
        server.beat().await;
        server
    }

    /// Starts with all settings. No ingest is running.
    pub(crate) async fn start_whole(
        database: TestDatabase,
        url: &str,
        broker: &str,
        demo_logins: bool,
        second_factor: identity::SecondFactor,
    ) -> Self {
        let store = Store::connect(database.url(), 4).await.expect("connected");
        let hash = auth::hash_password(PASSWORD.to_owned()).await.expect("hashed");
        let (one, two) = (enter(&store, "one", &hash).await, enter(&store, "two", &hash).await);
        let store = Store::connect(url, 4).await.expect("connected");
        let bus = bus::Bus::local(4_096);
        let (smtp, mails) = mail_server().await;
        let stop = CancellationToken::new();
        // Of all utilities, so not on the api's own connections: these may be those of a user who sees one utility at a time.
        let of_all = Store::connect(database.url(), 2).await.expect("connected");
        let follow = registry::FollowSettings::new(database.url());
        let registry = registry::follow(of_all, follow, stop.clone()).await.expect("followed");
        let (broker, smtp_url) = (broker.to_owned(), smtp.clone());
        let settings = ServeSettings { registry: registry.clone(), broker, demo_logins, second_factor, smtp: smtp_url, power_bi: None };
        let deps = deps(store, bus.clone(), settings, &stop);
        let fields = deps.fields.clone();
        let port = serve_deps(deps, stop.clone()).await;
        Self { database, one, two, bus, smtp, mails: Mutex::new(mails), registry, fields, port, stop, heart: Mutex::default() }
    }

    /// Publishes the heartbeat of an ingest with all utilities; without one nothing is live.
    pub(crate) async fn beat(&self) {
        let (bus, stop) = (self.bus.clone(), self.stop.clone());
        let alive = || BusMessage::Alive { ingest: "test".into(), clients: Vec::new(), share: None, since: (0, 0) };
        bus.publish(alive());
        let heart = tokio::spawn(async move {
            while !stop.is_cancelled() {
                tokio::time::sleep(Duration::from_millis(500)).await;
                bus.publish(alive());
            }
        });
        *self.heart.lock().await = Some(heart);
    }

    /// Subscribes to the messages of the api to the hubs.
    pub(crate) fn bus_messages(&self) -> BusMessages {
        BusMessages(self.bus.subscribe())
    }

    /// Ends the heartbeat of the ingest.
    pub(crate) async fn silence(&self) {
        if let Some(heart) = self.heart.lock().await.take() {
            heart.abort();
        }
    }

    /// Returns the port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Sends further requests to another api.
    pub(crate) fn turn_to(&mut self, port: u16) {
        self.port = port;
    }

    /// Sends a GET without a token.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").await
    }

    /// Sends a GET with a token.
    pub(crate) async fn get_as(&self, token: &str, path: &str) -> Answer {
        Self::get_from(self.port, token, path).await
    }

    /// Sends a GET with a token to the api at a port.
    pub(crate) async fn get_from(port: u16, token: &str, path: &str) -> Answer {
        send_to(port, "GET", path, &[("Authorization", &format!("Bearer {token}"))], "").await
    }

    /// Sends POST /api/token with a form.
    pub(crate) async fn token(&self, form: &str) -> Answer {
        self.send("POST", "/api/token", &[("Content-Type", "application/x-www-form-urlencoded")], form).await
    }

    /// Sends POST /api/token as through a proxy, with the address of the client and the cookies of a browser.
    pub(crate) async fn token_from(&self, from: &str, cookies: &str, form: &str) -> Answer {
        let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("X-Forwarded-For", from), ("Cookie", cookies)];
        self.send("POST", "/api/token", &headers, form).await
    }

    /// Signs in and returns the access token.
    pub(crate) async fn sign_in(&self, username: &str) -> String {
        let answer = self.token(&format!("username={username}&password={}&feui=1", PASSWORD.replace(' ', "+"))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["token"].as_str().expect("a token").to_owned()
    }

    /// Sends a request with a JSON body.
    pub(crate) async fn json_as(&self, token: &str, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [("Authorization", &*format!("Bearer {token}")), ("Content-Type", "application/json")];
        self.send(method, path, &headers, &body.to_string()).await
    }

    /// Creates a member of utility `one` with the common password; returns the id.
    pub(crate) async fn enter(&self, username: &str, role_id: i32, node: Option<NodeId>) -> i64 {
        let store = Store::connect(self.database.url(), 1).await.expect("connected");
        let seed = MemberSeed {
            client: self.one.client,
            username: username.to_owned(),
            email: format!("{username}@example.org"),
            first_name: "A".to_owned(),
            last_name: "B".to_owned(),
            role_id,
            role_name: "Role".to_owned(),
            password_hash: auth::hash_password(PASSWORD.to_owned()).await.expect("hashed"),
            node,
            can_operate: false,
            demo: false,
        };
        store.put_member(&seed).await.expect("member").0
    }

    /// Returns action and subject of the audit rows of a utility, oldest first.
    pub(crate) async fn audited(&self, client: ClientId) -> Vec<(String, String)> {
        let store = Store::connect(self.database.url(), 1).await.expect("connected");
        let rows = store.audit_rows(client, None, 1_000).await.expect("rows");
        rows.into_iter().rev().map(|row| (row.action, row.subject)).collect()
    }

    /// Returns the next mail that the mail server received.
    pub(crate) async fn mail(&self) -> String {
        self.mails.lock().await.recv().await.expect("a mail")
    }

    /// Returns whether no mail was received.
    pub(crate) async fn no_mail(&self) -> bool {
        self.mails.lock().await.try_recv().is_err()
    }

    /// Sends a request on a connection of its own. The api sees the registry as the test has left it.
    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.registry.refresh().await;
        send_to(self.port, method, path, headers, body).await
    }

    /// Sends the given bytes and returns the bytes of the answer. The api sees the registry as the test has left it.
    pub(crate) async fn exchange(&self, request: &str) -> Vec<u8> {
        self.registry.refresh().await;
        exchange(self.port, request).await
    }

    /// Sends the given bytes; the answer ends with the connection.
    pub(crate) async fn ask_as_written(&self, request: &str) -> Answer {
        answer(self.exchange(request).await)
    }
}

async fn send_to(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut request = format!("{method} {path} HTTP/1.0\r\nHost: portal.example\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        write!(request, "{name}: {value}\r\n").expect("a string takes everything");
    }
    request.push_str("\r\n");
    request.push_str(body);
    answer(exchange(port, &request).await)
}

async fn exchange(port: u16, request: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("connected");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("answered");
    answer
}

fn answer(bytes: Vec<u8>) -> Answer {
    let answer = String::from_utf8(bytes).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// The settings in which apis of tests differ.
pub(crate) struct ServeSettings {
    pub(crate) registry: registry::Registry,
    pub(crate) broker: String,
    pub(crate) demo_logins: bool,
    pub(crate) second_factor: identity::SecondFactor,
    pub(crate) smtp: String,
    pub(crate) power_bi: Option<embed::PowerBiSettings>,
}

/// How long a piece of a file waits for a client that does not read.
pub(crate) const READER_PATIENCE: Duration = Duration::from_secs(5);

/// What an api works with.
pub(crate) fn deps(store: Store, bus: bus::Bus, settings: ServeSettings, stop: &CancellationToken) -> api::Deps {
    let ServeSettings { registry, broker, demo_logins, second_factor, smtp, power_bi } = settings;
    let lifetimes = identity::Lifetimes { access_ms: 900_000, idle_ms: 10_800_000, absolute_ms: 43_200_000, device_ms: 31_536_000_000 };
    let mail = mail::MailSettings { smtp: Some(smtp), from: "Portal <portal@portal.example>".to_owned(), folder: PathBuf::new() };
    let mail = mail::Mailer::start(&mail).expect("a mailer");
    let public_url = "https://portal.example".to_owned();
    let map_hosts = vec!["tiles.example".to_owned()];
    let embed = embed::EmbedSettings { frame_hosts: vec!["reports.example".to_owned()], power_bi };
    let proxies = vec![IpAddr::from([127, 0, 0, 1]).into()];
    let settings = control::ControlSettings { mqtt_url: broker, signing_key: Some(control::SigningKey::from_bytes(&[7; 32])) };
    let control = control::Control::start(settings, &store, bus.clone(), stop.clone()).expect("a good address");
    let leases = control.clone();
    let fields = registry::Fields::new(registry, &store, move || leases.leases());
    let sign_in = identity::IdentitySettings { lifetimes, demo_logins, second_factor, public_url: public_url.clone() };
    let identity = identity::Identity::new(&store, fields.clone(), bus.clone(), mail.clone(), sign_in);
    let folder = std::env::temp_dir();
    let site = folder.clone();
    let settings = reports::ReportSettings { rows_max: 100, folder, reader_patience: READER_PATIENCE, site, public_url };
    let reports = reports::Reports::new(&store, fields.clone(), mail.clone(), settings);
    api::Deps { store, bus, fields, identity, control, reports, mail, map_hosts, embed, proxies }
}

/// Serves an api on a free port.
pub(crate) async fn serve(store: Store, bus: bus::Bus, settings: ServeSettings, stop: CancellationToken) -> u16 {
    serve_deps(deps(store, bus, settings, &stop), stop).await
}

async fn serve_deps(deps: api::Deps, stop: CancellationToken) -> u16 {
    let frames = deps.embed.hosts();
    let routes = api::router(deps);
    let probes = api::probes::router(api::probes::Probes { checks: Vec::new(), metrics: Arc::new(|| "a 1\n".to_owned()) });
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(api::serve(listener, api::shell::wrap(routes.merge(probes), api::templates(), &frames, &[]), stop));
    port
}

/// Starts a mail server that accepts everything and passes it on. It ends with the test's runtime.
async fn mail_server() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("smtp://{}", listener.local_addr().expect("an address"));
    let (taken, mails) = mpsc::channel(100);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(take_mails(stream, taken.clone()));
        }
    });
    (address, mails)
}

/// Implements the part of RFC 5321 that the client needs.
async fn take_mails(stream: TcpStream, taken: mpsc::Sender<String>) {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let mut answer = "220 portal.example";
    loop {
        if writer.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
            return;
        }
        let Ok(Some(line)) = lines.next_line().await else { return };
        answer = if line.starts_with("DATA") {
            writer.write_all(b"354 go on\r\n").await.expect("sent");
            let mut mail = String::new();
            while let Ok(Some(line)) = lines.next_line().await {
                if line == "." {
                    break;
                }
                mail.push_str(&line);
                mail.push('\n');
            }
            let _ = taken.send(mail).await;
            "250 taken"
        } else if line.starts_with("QUIT") {
            "221 bye"
        } else {
            "250 well"
        };
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The messages to the hubs, without heartbeats.
pub(crate) struct BusMessages(bus::Subscription);

impl BusMessages {
    /// Waits for the next message.
    pub(crate) async fn next(&mut self) -> Arc<BusMessage> {
        loop {
            match self.0.next().await {
                Some(bus::Received::Message(message)) if matches!(*message, BusMessage::Alive { .. }) => {}
                Some(bus::Received::Message(message)) => return message,
                Some(bus::Received::Lagged) | None => panic!("nothing on the bus"),
            }
        }
    }

    /// Returns the next message if one has arrived.
    pub(crate) fn try_next(&mut self) -> Option<Arc<BusMessage>> {
        loop {
            match self.0.try_next()? {
                bus::Received::Message(message) if matches!(*message, BusMessage::Alive { .. }) => {}
                bus::Received::Message(message) => return Some(message),
                bus::Received::Lagged => panic!("the bus was too fast"),
            }
        }
    }
}
