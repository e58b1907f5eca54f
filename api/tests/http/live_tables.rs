//! Tables of present values: the same rows over REST, in the stream and in the database; live readings, phasors, and stored values for a
//! spreadsheet.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, Micros, Ordinal, PointId, Quality, Reading};
use serde_json::{Value, json};
use store::seed::{AssetSeed, PointSeed};
use store::writer::{Batch, GatewayMark, Sample};
use store::{Store, Writer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;

use crate::server::Server;

/// Further points of the feeder, a transformer and a battery of utility one.
const MEASURED: [(usize, &str); 16] = [
    (0, "P"),
    (0, "Hz"),
    (0, "Vr"),
    (0, "Vy"),
    (0, "Vb"),
    (0, "AVr"),
    (0, "AVy"),
    (0, "AVb"),
    (0, "Vuf"),
    (0, "ThdVr"),
    (0, "Plt"),
    (1, "OTI"),
    (1, "Tap"),
    (1, "OilLevel"),
    (2, "BatV"),
    (2, "BatA"),
];

/// Limit of attempts to join a stream until its rows match. A query of the database needs a few.
const TRIES: usize = 2_000;

/// A substation with values.
struct Measured {
    server: Server,
    store: Store,
    token: String,
    points: HashMap<&'static str, PointId>,
    transformer: AssetId,
}

fn now() -> Micros {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    Micros(since.as_micros() as i64)
}

impl Measured {
    async fn start() -> Self {
        let server = Server::start().await;
        let store = Store::connect(server.database.url(), 2).await.expect("connected");
        let one = &server.one;
        let asset = |(code, type_id, class): (&str, i32, &str)| AssetSeed {
            kv: Some(33.0),
            ..AssetSeed::new(one.client, one.location, code, type_id, class)
        };
        let more = store.put_assets(&[("TX1", 2, "transformer"), ("BAT", 8, "battery")].map(asset)).await.expect("assets");
        let assets = [one.feeder, more[0], more[1]];
        let seeds = MEASURED.map(|(asset, code)| {
            let quantity = Quantity::of_code(code);
            PointSeed {
                client: one.client,
                gateway: one.gateway,
                device: "F1".into(),
                metric: format!("{asset}/{code}"),
                code: code.into(),
                asset: assets[asset],
                kind: kind_of_code(code),
                quantity,
                unit: quantity.unit().into(),
                decimals: quantity.decimals(),
                scale: 1.0,
                expected_ms: Some(2_000),
            }
        });
        let ids = store.put_points(&seeds).await.expect("points");
        let mut points: HashMap<&str, PointId> = MEASURED.iter().map(|(_, code)| *code).zip(ids).collect();
        points.insert("Ir", one.current);
        let mut measured = Self { store, token: String::new(), points, transformer: more[0], server };
        // The gateway is online before the api first reads its link state, which is then cached for a moment.
        measured.feed(&[]).await;
        measured.token = measured.server.sign_in("one-admin").await;
        measured
    }

    /// Stores values as ingest does. The gateway is online.
    async fn feed(&self, values: &[(&str, f64, Micros)]) {
        let one = &self.server.one;
        let samples = values.iter().map(|(code, value, at)| {
            let ordinal = Ordinal { epoch: 1, seq: at.0 };
            let reading = Reading { value: Some(*value), quality: Quality::Good, source: *at, received: *at, ordinal };
            Sample { point: self.points[code], client: one.client, reading, historical: false, repeated: false }
        });
        let gateways = vec![GatewayMark {
            gateway: one.gateway,
            online: Some(true),
            at: Micros::from_millis(1_000),
            order: grid::LinkOrder::default(),
            entered: true,
        }];
        let mut writer = Writer::connect(self.server.database.url()).await.expect("writer");
        writer.commit(&Batch { samples: samples.collect(), gateways, ..Batch::default() }).await.expect("stored");
        writer.flush().await.expect("flushed");
    }

    async fn result(&self, path: &str) -> Value {
        let answer = self.server.get_as(&self.token, path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()["result"].clone()
    }
}

/// A hub with a client that uses polling.
pub(crate) struct Socket {
    port: u16,
    sid: String,
    requests: AtomicU64,
    stop: CancellationToken,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Socket {
    pub(crate) async fn open(server: &Server, store: &Store, token: &str) -> Self {
        let stop = CancellationToken::new();
        let bus = server.bus.clone();
        // The test polls very often.
        let config = hub::HubConfig { messages_per_s: 100_000, ..hub::HubConfig::default() };
        let follow = registry::FollowSettings::new(server.database.url());
        let registry = registry::follow(store.clone(), follow, stop.clone()).await.expect("followed");
        let router = hub::start(config, hub::Deps { store: store.clone(), registry, bus: bus.clone() }, stop.clone()).routes;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        tokio::spawn(api::serve(listener, router, stop.clone()));
        // Ingest's heartbeat: without it nothing is live.
        let over = stop.clone();
        tokio::spawn(async move {
            while !over.is_cancelled() {
                bus.publish(BusMessage::Alive { ingest: "test".into(), clients: Vec::new(), share: None, since: (0, 0) });
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            }
        });
        let mut socket = Self { port, sid: String::new(), requests: AtomicU64::new(0), stop };
        let hello = socket.exchange("GET", "").await;
        let hello: Value = serde_json::from_str(&hello[1..]).expect("a handshake");
        socket.sid = format!("&sid={}", hello["sid"].as_str().expect("a name"));
        socket.exchange("POST", &format!("40/live,{}", json!({ "token": token }))).await;
        while !socket.poll().await.iter().any(|packet| packet.starts_with("40/live,")) {}
        socket
    }

    /// Sends one request of the polling transport.
    async fn exchange(&self, method: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.expect("connected");
        let path = format!("/socket.io/?EIO=4&transport=polling{}", self.sid);
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("answered");
        answer.split_once("\r\n\r\n").expect("a head").1.to_owned()
    }

    /// Returns the messages for the client, and answers pings.
    async fn poll(&self) -> Vec<String> {
        let answer = self.exchange("GET", "").await;
        assert!(!answer.starts_with('{'), "the session is over: {answer}");
        let packets: Vec<String> = answer.split('\u{1e}').map(str::to_owned).collect();
        if packets.iter().any(|packet| packet == "2") {
            self.exchange("POST", "3").await;
        }
        packets
    }

    async fn ask(&self, event: &str, argument: &Value) -> Value {
        let id = self.requests.fetch_add(1, Ordering::Relaxed);
        self.exchange("POST", &format!("42/live,{id}{}", json!([event, argument]))).await;
        loop {
            for packet in self.poll().await {
                if let Some(answer) = packet.strip_prefix(&format!("43/live,{id}")) {
                    let answer: Value = serde_json::from_str(answer).expect("JSON");
                    return answer[0].clone();
                }
            }
        }
    }

    /// Returns the snapshot of a stream once its rows match. The hub may not have received all changes yet.
    pub(crate) async fn until(&self, stream: &str, rows: &Value) -> Value {
        let mut last = Value::Null;
        for _ in 0..TRIES {
            let joined = self.ask("subscribe", &json!({ "stream": stream })).await;
            if joined["code"] == json!("unavailable") {
                continue;
            }
            assert_eq!(joined["ok"], json!(true), "{stream}: {joined}");
            last = joined["snapshot"].clone();
            if last["rows"] == *rows {
                return last;
            }
        }
        panic!("{stream}: {last}, but over REST {rows}");
    }
}

#[tokio::test]
async fn rows_are_the_same_over_rest_over_the_stream_and_in_the_database() {
    let measured = Measured::start().await;
    let at = now();
    let values: Vec<(&str, f64, Micros)> =
        MEASURED.iter().enumerate().map(|(index, (_, code))| (*code, 1.5 + index as f64, Micros(at.0 + index as i64 * 1_000))).collect();
    measured.feed(&values).await;
    measured.feed(&[("Ir", 61.0, at)]).await;
    let socket = Socket::open(&measured.server, &measured.store, &measured.token).await;
    let (location, feeder, transformer) = (measured.server.one.location, measured.server.one.feeder, measured.transformer);
    for (stream, path, data, columns, rows) in [
        (format!("energy/location/{location}"), format!("getpdsdata/location/{location}"), "pdsData", "pdsColumns", 1),
        (format!("energy/asset/{feeder}"), format!("getpdsdata/ast/{feeder}"), "pdsData", "pdsColumns", 1),
        (format!("energy/asset/{transformer}"), format!("getpdsdata/ast/{transformer}"), "pdsData", "pdsColumns", 0),
        (format!("pq/location/{location}"), format!("getpqdata/location/{location}"), "pqData", "pqColumns", 1),
        (format!("pq/asset/{feeder}"), format!("getpqdata/ast/{feeder}"), "pqData", "pqColumns", 1),
        (format!("assets/location/{location}"), format!("getadsdata/location/{location}"), "adsData", "adsColumns", 3),
        (format!("assets/asset/{transformer}"), format!("getadsdata/ast/{transformer}"), "adsData", "adsColumns", 1),
    ] {
        let rest = measured.result(&format!("/api/monitoring/{path}")).await;
        let live = socket.until(&stream, &rest[data]).await;
        assert_eq!(live["columns"], rest[columns], "{stream}");
        assert_eq!(rest[data].as_array().map(Vec::len), Some(rows), "{path}");
    }
    for (stream, path) in [
        (format!("readings/{feeder}"), format!("/api/report/feederinstantaneousdata/{feeder}")),
        (format!("readings/{transformer}"), format!("/api/report/feederinstantaneousdata/{transformer}")),
        (format!("overview/location/{location}"), format!("/api/overview/location/{location}")),
        (format!("overview/client/{}", measured.server.one.client), format!("/api/overview/client/{}", measured.server.one.client)),
    ] {
        let rest = measured.result(&path).await;
        assert!(rest.as_array().is_some_and(|rows| !rows.is_empty()), "{path}");
        socket.until(&stream, &rest).await;
    }
    // Both equal the database.
    let latest = measured.store.latest_of(measured.server.one.client, Some(location)).await.expect("read");
    let stored: HashMap<PointId, Reading> = latest.into_iter().collect();
    let (energy, pq, assets) = (
        measured.result(&format!("/api/monitoring/getpdsdata/ast/{feeder}")).await["pdsData"][0].clone(),
        measured.result(&format!("/api/monitoring/getpqdata/ast/{feeder}")).await["pqData"][0].clone(),
        measured.result(&format!("/api/monitoring/getadsdata/ast/{transformer}")).await["adsData"][0].clone(),
    );
    for (row, key, code) in [
        (&energy, "P", "P"),
        (&energy, "Ir", "Ir"),
        (&energy, "Vb", "Vb"),
        (&pq, "Vuf", "Vuf"),
        (&pq, "Plt", "Plt"),
        (&pq, "Hz", "Hz"),
        (&assets, "oti", "OTI"),
        (&assets, "tapPosition", "Tap"),
        (&assets, "oilLevel", "OilLevel"),
    ] {
        assert_eq!(row[key].as_f64(), stored[&measured.points[code]].value, "{key}: {row}");
    }
    assert_eq!((&energy["Iy"], &energy["quality"], &energy["ageLimitMs"]), (&Value::Null, &json!(0), &json!(30_000)));
    assert_eq!(energy["reportedDateTime"], wire::time::iso(stored[&measured.points["Vb"]].source));
}

#[tokio::test]
async fn live_readings_have_their_day_and_the_phasors_their_direction() {
    let measured = Measured::start().await;
    let (at, feeder) = (now(), measured.server.one.feeder);
    let yesterday = at.plus_millis(-25 * 3_600_000);
    measured.feed(&[("Ir", 900.0, yesterday), ("Ir", 40.0, at), ("Ir", 80.0, Micros(at.0 + 1)), ("Ir", 61.0, Micros(at.0 + 2))]).await;
    let angles = [("AVr", 0.0), ("AVy", -120.0), ("AVb", 120.0), ("Vr", 6.35), ("Vy", 6.35), ("Vb", 6.35), ("P", 2.5)];
    measured.feed(&angles.map(|(code, value)| (code, value, at))).await;
    let rows = measured.result(&format!("/api/report/feederinstantaneousdata/{feeder}")).await;
    let names: Vec<&str> = rows.as_array().expect("rows").iter().map(|row| row["parameter"].as_str().expect("a name")).collect();
    let expected =
        ["Voltage L-N", "Voltage L-L", "Current", "Active power", "Frequency", "Angle of voltage", "Unbalance (VUF, V2/V1)", "THD voltage"];
    assert_eq!(names, expected);
    let current = &rows[2];
    assert_eq!(
        (&current["r"], &current["dayMin"], &current["dayMax"]),
        (&json!(61.0), &json!(40.0), &json!(80.0)),
        "yesterday does not count"
    );
    assert_eq!(
        (&current["quality"], &current["y"], &current["unit"]),
        (&json!(6), &Value::Null, &json!("A")),
        "two phases have never come"
    );
    assert!((rows[1]["r"].as_f64().expect("a value") - 6.35 * 3.0_f64.sqrt()).abs() < 1e-9, "between the phases: {}", rows[1]);
    assert_eq!((&rows[3]["total"], &rows[4]["total"], &rows[4]["dayMin"]), (&json!(2.5), &Value::Null, &Value::Null));
    assert_eq!((&rows[5]["y"], &rows[5]["dayMin"]), (&json!(-120.0), &Value::Null), "angles go round");
    let phasors = measured.result(&format!("/api/report/phasordiagram/{feeder}")).await;
    assert_eq!((&phasors["vbph"], &phasors["vcrms"], &phasors["sequence"]), (&json!(-120.0), &json!(6.35), &json!("R-Y-B")));
    assert_eq!((&phasors["iarms"], &phasors["iaph"], &phasors["quality"]), (&json!(61.0), &Value::Null, &json!(6)));
    assert!(phasors["vufPercent"].as_f64().expect("a figure") < 1e-9);
    let none = measured.result(&format!("/api/report/phasordiagram/{}", measured.transformer)).await;
    assert_eq!((&none["varms"], &none["sequence"], &none["quality"]), (&Value::Null, &Value::Null, &json!(6)));
    let generic = measured.result(&format!("/api/monitoring/getgdsdata/asset/{}", measured.transformer)).await;
    assert_eq!(generic["gdsData"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn a_sheet_has_every_stored_value_once_even_where_one_answer_cannot_hold_them() {
    let measured = Measured::start().await;
    let (from, to) = ("2026-03-01T00:00:00Z", "2026-03-02T12:00:00Z");
    // Two codes a second: one instant has two rows, so that a cut may fall between them.
    let client = measured.server.database.client().await;
    for (code, rows) in [("Ir", 60_001_i32), ("P", 60_000)] {
        let statement = "INSERT INTO sample
            SELECT $1, '2026-03-01 00:00Z'::timestamptz + n * interval '1 s', now(), n, 0 FROM generate_series(0, $2 - 1) n";
        client.execute(statement, &[&measured.points[code].0, &rows]).await.expect("stored");
    }
    let asset = measured.server.one.feeder;
    let search = |from: &str, codes: &str| format!("/api/product/getdataforcsvbysearch?assetId={asset}&from={from}&to={to}&codes={codes}");
    let first = measured.result(&search(from, "Ir,P,Hz")).await;
    let rows = first["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), &first["cut"]), (100_000, &json!(true)));
    let second = measured.result(&search(first["nextFrom"].as_str().expect("an instant"), "Ir,P,Hz")).await;
    assert_eq!((second["rows"].as_array().map(Vec::len), &second["cut"], &second["nextFrom"]), (Some(20_001), &json!(false), &Value::Null));
    assert_eq!((&rows[0]["value"], &rows[0]["reportedDateTime"]), (&json!(0.0), &json!("2026-03-01T00:00:00.000Z")));
    let one = measured.result(&search(from, "P")).await;
    assert_eq!((one["rows"].as_array().map(Vec::len), &one["rows"][7]["unit"]), (Some(60_000), &json!("MW")));
    let of = async |asset: i64, codes: &str, from: &str| {
        let path = format!("/api/product/getdataforcsvbysearch?assetId={asset}&from={from}&to={to}&codes={codes}");
        let answer = measured.server.get_as(&measured.token, &path).await;
        (answer.status, answer.json()["message"].clone())
    };
    let foreign = of(measured.server.two.feeder.0, "Ir", from).await;
    assert_eq!((foreign.0, &foreign), (404, &of(999_999_999, "Ir", from).await), "a foreign asset is told like a missing one");
    let other = measured.server.sign_in("one-division").await;
    assert_eq!(measured.server.get_as(&other, &search(from, "P")).await.status, 404, "what lies elsewhere is not there");
    for (codes, from) in [("", from), ("Ir", "yesterday"), ("Ir", "2026-01-01T00:00:00Z"), ("Ir", "2026-03-05T00:00:00Z")] {
        assert_eq!(of(asset.0, codes, from).await.0, 400, "{codes} {from}");
    }
}
