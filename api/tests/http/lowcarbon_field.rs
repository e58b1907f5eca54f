//! A low-carbon site of utility one with its meters, and uploads of its files.

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, PointId};
use serde_json::{Value, json};
use store::Store;
use store::seed::PointSeed;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::energy_field::asset;
use crate::server::{Answer, Server};

/// The device id of the site.
pub(crate) const DEVICE: i64 = 12_193;
pub(crate) const RUN: &str = "/api/optimisebattery/12193";
pub(crate) const ADMIN: &str = "/api/admin/lowcarbonsite/12193";
const BOUNDARY: &str = "a-boundary-of-the-test";
/// Interval between values, ms.
const EXPECTED_MS: i64 = 600_000;

/// The points that measure the site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meters {
    pub(crate) asset: AssetId,
    pub(crate) site: PointId,
    pub(crate) solar: PointId,
    pub(crate) battery: PointId,
    pub(crate) grid: PointId,
    pub(crate) storage: PointId,
}

/// Creates the points of the site: its demand in kW, its panels in MW, its battery in W, and the charge in percent.
pub(crate) async fn meters(server: &Server) -> Meters {
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    let one = &server.one;
    let ids = store.put_assets(&[asset(one, one.location, "SITE", 13, "load", 0.44)]).await.expect("assets");
    let seed = |(metric, unit): (&str, &str)| {
        let code = metric.rsplit('/').next().expect("a code");
        PointSeed {
            client: one.client,
            gateway: one.gateway,
            device: "SITE".into(),
            metric: metric.into(),
            code: code.into(),
            asset: ids[0],
            kind: kind_of_code(code),
            quantity: Quantity::of_code(code),
            unit: unit.into(),
            decimals: 1,
            scale: 1.0,
            expected_ms: Some(EXPECTED_MS),
        }
    };
    let seeds = [("SITE/P", "kW"), ("PV/P", "MW"), ("BAT/P", "W"), ("GRID/P", "kW"), ("BAT/Soc", "%")].map(seed);
    let points = store.put_points(&seeds).await.expect("points");
    Meters { asset: ids[0], site: points[0], solar: points[1], battery: points[2], grid: points[3], storage: points[4] }
}

/// Returns the site as an administrator enters it: cheap until noon, expensive afterwards, no sun, and a battery that may be used all day
/// and ends with its initial charge.
pub(crate) fn entry(server: &Server, meters: &Meters) -> Value {
    let prices: Vec<f64> = (0..48).map(|slot| if slot < 24 { 4.0 } else { 8.0 }).collect();
    json!({
        "name": "Cold Hall", "locationId": server.one.location.0, "lat": 17.6868, "lon": 83.2185,
        "parameters": {
            "ChargingEndTimeHours": "48", "DischargingStartTimeHours": 0, "DischargingEndTimeHours": 48, "SolarCapacityKwp": 0
        },
        "tariff": { "currency": "INR", "importPrice": prices, "exportPrice": null },
        "endsAsItBegan": true, "mayExport": false, "importLimitKw": 56,
        "points": {
            "site": meters.site.0, "solar": meters.solar.0, "battery": meters.battery.0, "grid": meters.grid.0, "storage": meters.storage.0
        }
    })
}

/// Creates points and site.
pub(crate) async fn enter(server: &Server) -> Meters {
    let meters = meters(server).await;
    change(server, &meters, &json!({})).await;
    meters
}

/// Stores the site with some changed fields.
pub(crate) async fn change(server: &Server, meters: &Meters, fields: &Value) {
    let token = server.sign_in("one-admin").await;
    let answer = server.json_as(&token, "PUT", ADMIN, &with(entry(server, meters), fields)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Returns an object with some changed fields.
pub(crate) fn with(mut body: Value, fields: &Value) -> Value {
    let fields = fields.as_object().expect("fields").clone();
    body.as_object_mut().expect("an object").extend(fields);
    body
}

/// Sends a form with these parts. The last `cut` bytes are announced but not sent.
pub(crate) async fn send_form(server: &Server, token: &str, path: &str, parts: &[(&str, &[u8])], cut: usize) -> Answer {
    let mut body = Vec::new();
    for (name, content) in parts {
        let file = if *name == "file" { "; filename=\"demand.csv\"\r\nContent-Type: text/csv" } else { "" };
        body.extend(format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").into_bytes());
        body.extend_from_slice(content);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    let head = format!(
        "POST {path} HTTP/1.0\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.expect("connected");
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream.write_all(&body[..body.len() - cut]).await.expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("answered");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// An upload of a demand file that has not ended.
pub(crate) struct SlowUpload {
    stream: TcpStream,
    rest: String,
}

impl SlowUpload {
    /// Sends the head and waits until the server requests the body, which it does when it starts to read it.
    pub(crate) async fn begin(server: &Server, token: &str) -> Self {
        let rest = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"demand.csv\"\r\n\r\n{}\r\n--{BOUNDARY}--\r\n",
            "50\n".repeat(48)
        );
        let head = format!(
            "POST {RUN}/demandfile HTTP/1.1\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\nExpect: 100-continue\r\n\
             Connection: close\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {}\r\n\r\n",
            rest.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.expect("connected");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut go_on = [0; 25];
        stream.read_exact(&mut go_on).await.expect("answered");
        assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
        Self { stream, rest }
    }

    /// Sends the rest and returns the status.
    pub(crate) async fn end(mut self) -> u16 {
        self.stream.write_all(self.rest.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).await.expect("answered");
        answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }
}

/// Uploads a demand file for a site.
pub(crate) async fn upload(server: &Server, token: &str, device: i64, file: &[u8]) -> Answer {
    send_form(server, token, &format!("/api/optimisebattery/{device}/demandfile"), &[("file", file)], 0).await
}

/// Uploads a valid file with a constant demand and returns its handle.
pub(crate) async fn handle(server: &Server, token: &str, kw: f64) -> String {
    let answer = upload(server, token, DEVICE, format!("{kw}\n").repeat(48).as_bytes()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"]["handle"].as_str().expect("a handle").to_owned()
}

/// Returns the answer of a run.
pub(crate) async fn run(server: &Server, token: &str, body: &Value) -> Value {
    let answer = server.json_as(token, "POST", RUN, body).await;
    assert_eq!(answer.status, 200, "{body}: {answer:?}");
    answer.json()["result"].clone()
}

/// Returns the error message of a run.
pub(crate) async fn refused(server: &Server, token: &str, body: &Value) -> (u16, String) {
    let answer = server.json_as(token, "POST", RUN, body).await;
    (answer.status, answer.json()["message"].as_str().expect("a message").to_owned())
}

/// Returns an answer without the parts that differ between requests.
pub(crate) fn alike(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    body["correlationId"] = "".into();
    (answer.status, body)
}

/// Returns the number of rows of a table.
pub(crate) async fn count(server: &Server, table: &str) -> i64 {
    server.database.client().await.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.expect("a row").get(0)
}

/// Returns a number of an answer.
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Compares numbers with a tolerance for rounding.
pub(crate) fn near(what: &str, value: &Value, expected: f64) {
    assert!((number(value) - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{what}: {value}, expected {expected}");
}
