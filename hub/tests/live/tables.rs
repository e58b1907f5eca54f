//! Streams of tables: deltas, unchanged rows, qualities behind an offline link, and the extremes of the day.

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{Micros, Ordinal, PointId, Quality, Reading};
use serde_json::{Value, json};
use store::Writer;
use store::seed::PointSeed;
use store::writer::{Batch, Sample};
use wire::bus::BusMessage;

use crate::client::Client;
use crate::seeding::now;
use crate::site::Site;

/// Adds points to the feeder; the hub reads the registry again.
async fn measure(site: &Site, codes: &[&str]) -> Vec<PointId> {
    let seed = |code: &&str| {
        let quantity = Quantity::of_code(code);
        PointSeed {
            client: site.own.client,
            gateway: site.own.gateway,
            device: "F1".into(),
            metric: format!("F1/{code}"),
            code: (*code).into(),
            asset: site.own.feeder,
            kind: kind_of_code(code),
            quantity,
            unit: quantity.unit().into(),
            decimals: quantity.decimals(),
            scale: 1.0,
            expected_ms: Some(2_000),
        }
    };
    let points = site.store.put_points(&codes.iter().map(seed).collect::<Vec<_>>()).await.expect("points");
    site.bus.publish(BusMessage::Registry { client: site.own.client.0 });
    points
}

/// A client's copy of one stream of rows.
struct Table {
    client: Client,
    stream: String,
    key: &'static str,
    place: i64,
    rows: Vec<Value>,
    columns: Value,
    deltas: usize,
}

impl Table {
    async fn open(site: &Site, stream: String, key: &'static str) -> Self {
        let mut client = Client::sign_in(site.port, &site.token().await).await;
        let joined = client.subscribe(&stream).await;
        assert_eq!((&joined["ok"], &joined["class"]), (&json!(true), &json!("latest")), "{joined}");
        let rows = joined["snapshot"]["rows"].as_array().expect("rows").clone();
        let (place, columns) = (joined["offset"].as_i64().expect("an offset"), joined["snapshot"]["columns"].clone());
        Self { client, stream, key, place, rows, columns, deltas: 0 }
    }

    async fn next(&mut self) -> Value {
        loop {
            let delta = self.client.event("delta").await;
            if delta["stream"] != json!(self.stream) {
                continue;
            }
            assert_eq!(delta["from"].as_i64(), Some(self.place), "{delta}");
            self.place = delta["offset"].as_i64().expect("an offset");
            self.deltas += 1;
            for row in delta["rows"].as_array().expect("rows") {
                match self.rows.iter_mut().find(|held| held[self.key] == row[self.key]) {
                    Some(held) => held.clone_from(row),
                    None => self.rows.push(row.clone()),
                }
            }
            if !delta["columns"].is_null() {
                self.columns = delta["columns"].clone();
            }
            return delta;
        }
    }

    async fn until(&mut self, is_there: impl Fn(&[Value]) -> bool) {
        while !is_there(&self.rows) {
            self.next().await;
        }
    }
}

#[tokio::test]
async fn a_table_is_continued_by_its_rows_and_gets_the_columns_that_appear() {
    let site = Site::start(|config| config).await;
    let mut energy = Table::open(&site, format!("energy/location/{}", site.own.location), "assetId").await;
    let names = |columns: &Value| columns.as_array().expect("columns").iter().map(|column| column["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&energy.columns), ["assetName", "reportedDateTime", "Ir"]);
    assert_eq!((&energy.rows[0]["Ir"], &energy.rows[0]["quality"]), (&Value::Null, &json!(6)), "{:?}", energy.rows);
    let power = measure(&site, &["P"]).await[0];
    energy.until(|rows| rows[0].get("P").is_some()).await;
    assert_eq!(names(&energy.columns), ["assetName", "reportedDateTime", "Ir", "P"]);
    site.changes(&[(site.own.currents[0], 61.0), (power, 1.25)]);
    energy.until(|rows| rows[0]["P"] == json!(1.25)).await;
    assert_eq!((&energy.rows[0]["Ir"], &energy.rows[0]["quality"]), (&json!(61.0), &json!(0)));
    // A client that subscribes now gets the same rows, and the table of the asset has one of them.
    assert_eq!(Table::open(&site, energy.stream.clone(), "assetId").await.rows, energy.rows);
    assert_eq!(Table::open(&site, format!("energy/asset/{}", site.own.feeder), "assetId").await.rows, energy.rows);
    for (stream, code) in [
        (format!("energy/location/{}", site.other.location), "unknown_stream"),
        (format!("energy/location/{}", site.own.circle), "unknown_stream"),
        (format!("energy/circle/{}", site.own.circle), "unknown_stream"),
        (format!("readings/{}", site.other.feeder), "unknown_stream"),
        (format!("assets/asset/{}", site.other.feeder), "unknown_stream"),
    ] {
        assert_eq!(energy.client.subscribe(&stream).await["code"], json!(code), "{stream}");
    }
}

#[tokio::test]
async fn row_of_offline_gateway_keeps_value_with_quality_comm_lost() {
    let site = Site::start(|config| config).await;
    let mut energy = Table::open(&site, format!("energy/asset/{}", site.own.feeder), "assetId").await;
    site.change(site.own.currents[0], 61.0);
    energy.until(|rows| rows[0]["quality"] == json!(0)).await;
    site.report_link(site.own.gateway, false);
    energy.until(|rows| rows[0]["quality"] == json!(5)).await;
    assert_eq!(energy.rows[0]["Ir"], json!(61.0), "it is the last one known");
    site.report_link(site.own.gateway, true);
    energy.until(|rows| rows[0]["quality"] == json!(0)).await;
    site.silence();
    energy.until(|rows| rows[0]["quality"] == json!(5)).await;
}

#[tokio::test]
async fn a_row_that_is_the_same_does_not_leave() {
    let site = Site::start(|config| config).await;
    let mut energy = Table::open(&site, format!("energy/location/{}", site.own.location), "assetId").await;
    site.change(site.own.currents[0], 61.0);
    energy.until(|rows| rows[0]["Ir"] == json!(61.0)).await;
    // All rows are computed again after a read of the registry, which a new point of the diagram shows. No row differs.
    let mut diagram = Client::sign_in(site.port, &site.token().await).await;
    diagram.subscribe(&format!("sld/{}", site.own.location)).await;
    let odd = measure(&site, &["Odd"]).await[0];
    loop {
        let delta = diagram.event("delta").await;
        if delta["changes"].as_array().is_some_and(|changes| changes.iter().any(|change| change[0] == json!(odd.0))) {
            break;
        }
    }
    let before = energy.deltas;
    site.change(site.own.currents[0], 62.0);
    energy.until(|rows| rows[0]["Ir"] == json!(62.0)).await;
    assert_eq!(energy.deltas - before, 1, "places have no gap, so no other delta has left");
}

/// Stores values of a point.
async fn store(site: &Site, point: PointId, values: &[(f64, Micros)]) {
    let sample = |(value, at): &(f64, Micros)| {
        let ordinal = Ordinal { epoch: 1, seq: at.0 };
        let reading = Reading { value: Some(*value), quality: Quality::Good, source: *at, received: *at, ordinal };
        Sample { point, client: site.own.client, reading, historical: false, repeated: false }
    };
    let mut writer = Writer::connect(site.database.url()).await.expect("a writer");
    writer.commit(&Batch { samples: values.iter().map(sample).collect(), ..Batch::default() }).await.expect("stored");
    writer.flush().await.expect("flushed");
}

#[tokio::test]
async fn live_readings_know_their_day_from_the_database_and_what_comes() {
    let site = Site::start(|config| config).await;
    let (start, current) = (now(), site.own.currents[0]);
    store(&site, current, &[(900.0, start.plus_millis(-25 * 3_600_000)), (40.0, start), (80.0, Micros(start.0 + 1))]).await;
    let mut readings = Table::open(&site, format!("readings/{}", site.own.feeder), "parameter").await;
    let day = |rows: &[Value]| (rows[0]["dayMin"].clone(), rows[0]["dayMax"].clone());
    readings.until(|rows| day(rows) == (json!(40.0), json!(80.0))).await;
    assert_eq!(
        (&readings.rows[0]["parameter"], &readings.rows[0]["unit"]),
        (&json!("Current"), &json!("A")),
        "of yesterday nothing counts"
    );
    for (value, expected) in [(95.0, (40.0, 95.0)), (60.0, (40.0, 95.0)), (12.0, (12.0, 95.0))] {
        site.change(current, value);
        readings.until(|rows| rows[0]["r"] == json!(value)).await;
        assert_eq!(day(&readings.rows), (json!(expected.0), json!(expected.1)));
    }
    assert_eq!((&readings.rows[0]["y"], &readings.rows[0]["total"]), (&Value::Null, &Value::Null));
    // Quantities that are discovered later have rows too, and extremes of the day.
    let frequency = measure(&site, &["Hz"]).await[0];
    readings.until(|rows| rows.len() == 2).await;
    site.change(frequency, 49.97);
    readings.until(|rows| rows[1]["total"] == json!(49.97)).await;
    assert_eq!(readings.rows[1]["dayMax"], json!(49.97));
}
