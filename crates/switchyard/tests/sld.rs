//! Tests `switchyard sld` on a console: its messages, its exit status and the stored drawings.

use std::path::PathBuf;
use std::process::{Command, Output};

use grid::{ClientId, Level, NodeId};
use serde_json::Value;
use store::Store;
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, NodeSeed, PointSeed};
use testkit::TestDatabase;

struct Console {
    database: TestDatabase,
    store: Store,
    folder: PathBuf,
    client: ClientId,
    location: NodeId,
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Console {
    /// Starts with a utility that has one substation: a busbar, and a feeder with its breaker.
    async fn start() -> Self {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 2).await.expect("connected");
        let seed = ClientSeed { code: "NORTH".into(), name: "North Grid".into(), time_zone: "UTC".into(), config: serde_json::json!({}) };
        let client = store.put_client(&seed).await.expect("a utility");
        let mut parent = None;
        for level in Level::ALL {
            let node = NodeSeed { client, level, parent, code: "S1".into(), name: "Hill".into(), kv: None, lat: None, lon: None };
            parent = Some(store.put_node(&node).await.expect("a node"));
        }
        let location = parent.expect("a substation");
        let asset = |code: &str, class: &str, type_id| AssetSeed {
            device: "F1".into(),
            kv: Some(11.0),
            ..AssetSeed::new(client, location, code, type_id, class)
        };
        let ids =
            store.put_assets(&[asset("F1CB", "breaker", 3), asset("F1", "feeder", 1), asset("BUSA", "busbar", 12)]).await.expect("assets");
        let gateway = GatewaySeed { client, code: "G".into(), name: "G".into(), location };
        let gateway = store.put_gateway(&gateway).await.expect("a gateway");
        let point = PointSeed {
            client,
            gateway,
            device: "F1".into(),
            metric: "F1CB/Pos".into(),
            code: "Pos".into(),
            asset: ids[0],
            kind: grid::point::kind_of_code("Pos"),
            quantity: grid::measure::Quantity::of_code("Pos"),
            unit: String::new(),
            decimals: 0,
            scale: 1.0,
            expected_ms: None,
        };
        store.put_points(&[point]).await.expect("a point");
        let folder = std::env::temp_dir().join(testkit::unique("sld"));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self { database, store, folder, client, location }
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    /// Runs `switchyard sld`. Returns whether it succeeded, its standard output and its standard error.
    fn sld(&self, arguments: &[&str]) -> (bool, String, String) {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_switchyard"))
            .arg("sld")
            .args(arguments)
            .env("DATABASE_URL", self.database.url())
            .output()
            .expect("it runs");
        (status.success(), String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned())
    }

    async fn stored(&self) -> Option<Value> {
        self.store.drawing(self.client, self.location).await.expect("read")
    }

    async fn audited(&self) -> Vec<(String, Option<Value>)> {
        let rows = self.store.audit_rows(self.client, None, 100).await.expect("read");
        rows.into_iter().filter(|row| row.action == "drawing_replaced").map(|row| (row.subject, row.after)).collect()
    }
}

const DRAWING: &str = r#"{"format": "switchyard-sld", "version": 1, "name": "Hill", "size": {"width": 400, "height": 600}, "elements": [
  {"id": "bus", "class": "busbar", "x1": 100, "y1": 100, "x2": 300, "y2": 100, "kv": 11, "asset": "BUSA"},
  {"id": "f1", "class": "bay", "template": "feeder", "x": 200, "y": 100, "asset": "F1", "kv": 11}]}"#;

const SCL: &str = r#"<?xml version="1.0"?>
<SCL xmlns="http://www.iec.ch/61850/2003/SCL"><Substation name="S1"><VoltageLevel name="K"><Voltage unit="V" multiplier="k">11</Voltage>
<Bay name="BUSA"><ConnectivityNode name="N" pathName="S1/K/BUSA/N"/></Bay>
<Bay name="F1"><ConductingEquipment name="CB" type="CBR"><Terminal connectivityNode="S1/K/BUSA/N"/><Terminal connectivityNode="S1/K/F1/A"/></ConductingEquipment>
<ConductingEquipment name="X" type="LIN"><Terminal connectivityNode="S1/K/F1/A"/></ConductingEquipment><ConnectivityNode name="A" pathName="S1/K/F1/A"/></Bay>
</VoltageLevel></Substation></SCL>"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_drawing_is_tried_then_stored_and_a_wrong_one_is_told_line_by_line() {
    let console = Console::start().await;
    let file = console.file("good.json", DRAWING);
    let (ok, message, _) = console.sld(&["check", &file]);
    assert!(ok && message.contains("is a drawing of Hill with 9 elements"), "{message}");
    let (ok, message, _) = console.sld(&["put", "NORTH", "S1", &file, "--dry-run"]);
    assert!(ok && message.contains("9 elements would be stored for Hill"), "{message}");
    assert_eq!((console.stored().await, console.audited().await.len()), (None, 0));
    let (ok, message, beside) = console.sld(&["put", "NORTH", "S1", &file]);
    assert!(ok && message.contains("Stored 9 elements for Hill"), "{message}");
    assert!(beside.contains("the substation has no asset \"F1IS\"") && !beside.contains("F1CB/Pos"), "{beside}");
    let stored = console.stored().await.expect("stored");
    assert_eq!(stored["elements"][3]["position"]["point"], "F1/F1CB/Pos");
    let after = serde_json::json!({"name": "Hill", "elements": 9});
    assert_eq!(console.audited().await, [(format!("location {}", console.location), Some(after))]);

    let wrong = console.file("wrong.json", &DRAWING.replace("\"kv\": 11, \"asset\": \"BUSA\"", "\"volts\": 11").replace("feeder", "feder"));
    for arguments in [vec!["check", wrong.as_str()], vec!["put", "NORTH", "S1", wrong.as_str()]] {
        let (ok, message, beside) = console.sld(&arguments);
        assert!(!ok && message.contains("line 2, column ") && message.contains("unknown field `volts`"), "{message}");
        assert!(message.contains("line 3, column 3: bay \"f1\": there is no template \"feder\""), "{message}");
        assert!(beside.contains("has 2 faults; nothing is stored"), "{beside}");
    }
    assert_eq!(console.stored().await, Some(stored));

    // The output of `get` is a valid input of `put`.
    let (ok, message, _) = console.sld(&["get", "NORTH", "S1"]);
    assert!(ok, "{message}");
    let (ok, message, _) = console.sld(&["put", "NORTH", "S1", &console.file("again.json", &message)]);
    assert!(ok && message.contains("Stored 9 elements"), "{message}");
    assert_eq!(console.audited().await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_files_are_known_by_content_and_find_the_assets() {
    let console = Console::start().await;
    let into = ["--client", "NORTH", "--substation", "S1"];
    let import = |file: &str, more: &[&str]| console.sld(&[&["import", file], &into[..], more].concat());
    let scl = console.file("station.txt", SCL);
    let (ok, message, _) = import(&scl, &["--dry-run"]);
    assert!(ok && message.contains("would be stored for Hill"), "{message}");
    assert_eq!(console.stored().await, None);
    let (ok, message, beside) = import(&scl, &[]);
    assert!(ok && message.contains("Stored ") && beside.contains("\"K/F1/X\" is no asset of the substation"), "{message}{beside}");
    let stored = console.stored().await.expect("stored");
    let breaker = stored["elements"].as_array().expect("elements").iter().find(|element| element["class"] == "breaker").expect("a breaker");
    assert_eq!((breaker["asset"].as_str(), breaker["position"]["point"].as_str()), (Some("F1CB"), Some("F1/F1CB/Pos")));

    for (name, text, expected) in [
        ("cut.scd", &SCL[..400], "nothing is stored"),
        ("bomb.scd", "<!DOCTYPE SCL [<!ENTITY a \"b\">]><SCL>&a;</SCL>", "nothing is stored"),
        ("page.svg", "<html/>", "is no drawing, no SCL and no SVG"),
        ("picture.svg", "<svg/>", "--metadata"),
    ] {
        let (ok, _, beside) = import(&console.file(name, text), &[]);
        assert!(!ok && beside.contains(expected), "{name}: {beside}");
    }
    let large = console.folder.join("large.scd");
    std::fs::write(&large, vec![b' '; 30 << 20]).expect("written");
    let (ok, _, _) = import(&large.display().to_string(), &[]);
    assert!(!ok);
    let (ok, _, beside) = import(&scl, &["--metadata", &scl]);
    assert!(!ok && beside.contains("only an SVG has metadata"), "{beside}");
    assert_eq!(console.stored().await, Some(stored), "nothing that was refused has changed it");

    let svg = console.file("picture.xml", "<svg><g id=\"B\"><line x2=\"90\"/></g><g id=\"F1CB\" transform=\"translate(10,-40)\"/></svg>");
    let metadata = console.file(
        "metadata.json",
        r#"{"nodes": [{"id": "B", "componentType": "BUSBAR_SECTION"}, {"id": "F1CB", "componentType": "BREAKER"}], "wires": []}"#,
    );
    let (ok, message, _) = import(&svg, &["--metadata", &metadata]);
    assert!(ok && message.contains("Stored 2 elements for Hill"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_substation_without_drawing_is_laid_out_from_its_assets() {
    let console = Console::start().await;
    let (ok, message, _) = console.sld(&["layout", "NORTH", "S1"]);
    assert!(ok, "{message}");
    let drawn: Value = serde_json::from_str(&message).expect("a drawing and nothing else");
    assert_eq!(drawn["format"], "switchyard-sld");
    assert_eq!(console.stored().await, None, "it was only printed");
    let (ok, message, _) = console.sld(&["layout", "NORTH", "S1", "--store"]);
    assert!(ok && message.contains("Stored "), "{message}");
    assert_eq!(console.stored().await, Some(drawn));
    assert_eq!(console.audited().await.len(), 1);
}

#[test]
fn the_schema_is_printed_without_a_database() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_switchyard")).args(["sld", "schema"]).env_remove("DATABASE_URL").output().expect("it runs");
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../drawing/schema/switchyard-sld-1.json");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), std::fs::read_to_string(published).expect("published"));
}

#[tokio::test(flavor = "multi_thread")]
async fn hubs_that_run_are_told_of_a_drawing_that_is_stored_and_of_nothing_else() {
    let console = Console::start().await;
    let broker = testkit::broker().await;
    let hub = bus::Bus::mqtt(bus::RemoteSettings::new(broker.url(), "a-hub"), 64).expect("a bus");
    let mut messages = hub.subscribe();
    assert!(hub.ready(std::time::Duration::from_mins(1)).await, "the broker is there");
    let sld = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
        command.arg("sld").args(arguments).env("DATABASE_URL", console.database.url()).env("MQTT_URL", broker.url());
        String::from_utf8_lossy(&command.output().expect("it runs").stdout).into_owned()
    };
    let (good, scl) = (console.file("good.json", DRAWING), console.file("station.scd", SCL));
    for silent in [vec!["put", "NORTH", "S1", good.as_str(), "--dry-run"], vec!["layout", "NORTH", "S1"], vec!["get", "NORTH", "S1"]] {
        assert!(!sld(&silent).contains("told"), "{silent:?}");
    }
    let client = console.client.0;
    for arguments in [
        vec!["put", "NORTH", "S1", good.as_str()],
        vec!["import", scl.as_str(), "--client", "NORTH", "--substation", "S1"],
        vec!["layout", "NORTH", "S1", "--store"],
    ] {
        let expected_message = sld(&arguments);
        assert!(expected_message.contains("Hubs that run have been told."), "{arguments:?}: {expected_message}");
        let mut reported = messages.next().await.expect("the bus is there");
        // A new connection is first reported as possibly missed messages.
        while matches!(reported, bus::Received::Lagged) {
            reported = messages.next().await.expect("the bus is there");
        }
        let is_it = matches!(&reported, bus::Received::Message(message) if matches!(**message, wire::bus::BusMessage::Registry { client: of } if of == client));
        assert!(is_it, "{arguments:?}: {reported:?}");
        assert!(messages.try_next().is_none(), "once");
    }
    hub.close().await;
}
