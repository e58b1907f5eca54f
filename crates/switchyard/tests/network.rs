//! Runs `switchyard network` on files, as a user does.

use std::process::Command;

use grid::{ClientId, Level};
use serde_json::{Value, json};
use store::Store;
use store::network::VersionNumber;
use store::seed::{ClientSeed, NodeSeed};

const SWITCHYARD: &str = env!("CARGO_BIN_EXE_switchyard");

/// Two buses with a breaker between them and a source at the first.
fn file() -> String {
    let frame = |columns: Value, data: Value| {
        let index: Vec<usize> = (0..data.as_array().expect("rows").len()).collect();
        json!({ "_class": "DataFrame", "orient": "split", "_object": json!({ "columns": columns, "index": index, "data": data }).to_string() })
    };
    let tables = json!({
        "bus": frame(json!(["vn_kv"]), json!([[11.0], [11.0]])),
        "switch": frame(json!(["bus", "element", "et", "type", "closed"]), json!([[0, 1, "b", "CB", true]])),
        "ext_grid": frame(json!(["bus"]), json!([[0]])),
    });
    json!({ "_class": "pandapowerNet", "_object": tables }).to_string()
}

/// The standard output and the standard error of a command, if it succeeded or not.
type Ended = (bool, String, String);

fn ended(command: &mut Command) -> Ended {
    let output = command.output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("it runs");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// A file that is removed at the end of a test.
struct TemporaryFile(std::path::PathBuf);

impl TemporaryFile {
    fn with(text: &str) -> Self {
        let path = std::env::temp_dir().join(testkit::unique("network"));
        std::fs::write(&path, text).expect("written");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a path")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs `network islands` on the file.
fn run(arguments: &[&str]) -> Ended {
    let file = TemporaryFile::with(&file());
    ended(Command::new(SWITCHYARD).args(["network", "islands", "--file", file.path()]).args(arguments))
}

/// A database with utilities of these codes.
struct Console {
    database: testkit::TestDatabase,
    store: Store,
}

impl Console {
    async fn start(codes: &[&str]) -> Self {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 2).await.expect("connected");
        for code in codes {
            let seed = ClientSeed { code: (*code).into(), name: format!("{code} Grid"), time_zone: "UTC".into(), config: json!({}) };
            store.put_client(&seed).await.expect("a utility");
        }
        Self { database, store }
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        ended(Command::new(SWITCHYARD).arg("network").args(arguments).env("DATABASE_URL", self.database.url()))
    }

    fn succeed(&self, arguments: &[&str]) -> String {
        let (is_ok, out, err) = self.run(arguments);
        assert!(is_ok, "{arguments:?}: {out}{err}");
        out
    }

    fn fail(&self, arguments: &[&str]) -> String {
        let (is_ok, out, err) = self.run(arguments);
        assert!(!is_ok, "{arguments:?}: {out}{err}");
        out + &err
    }
}

#[test]
fn islands_follow_positions_on_the_command_line() {
    let answer = |arguments: &[&str]| {
        let (is_ok, out, err) = run(arguments);
        assert!(is_ok, "{err}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let whole = json!({ "islands": [{ "live": true, "nodes": ["bus:0", "bus:1"] }], "dead": [], "loops": 0 });
    assert_eq!(answer(&["--json"]), whole);
    assert_eq!(answer(&["--json", "--close", "switch:0"]), whole);
    let divided = json!({
        "islands": [{ "live": true, "nodes": ["bus:0"] }, { "live": false, "nodes": ["bus:1"] }], "dead": ["bus:1"], "loops": 0
    });
    assert_eq!(answer(&["--json", "--open", "switch:0"]), divided);
}

#[test]
fn unknown_switch_is_refused_with_its_name() {
    let (is_ok, out, err) = run(&["--open", "switch:9"]);
    assert!(!is_ok && out.is_empty());
    assert!(err.contains("switch:9 is not in the network; ids look like switch:12"), "{err}");
    let (is_ok, _, err) = run(&["--open", "switch:0", "--close", "switch:0"]);
    assert!(!is_ok && err.contains("switch:0 is to be opened and closed: name it once"), "{err}");
    let (_, _, err) = run(&["--open", "ext_grid:0"]);
    assert!(err.contains("ext_grid:0 is no switch but: EnergySource"), "{err}");
}

#[tokio::test(flavor = "multi_thread")]
async fn file_is_tried_stored_activated_and_exported() {
    let console = Console::start(&["NORTH"]).await;
    let file = TemporaryFile::with(&file());
    let tried = console.succeed(&["import", file.path(), "--dry-run"]);
    assert!(tried.contains("warning: equipment switch:0: no measurement Pos with a point belongs to this Breaker."), "{tried}");
    assert!(tried.contains("Compared with an empty network:\n  nodes: 2 added (bus:0, bus:1)\n  equipment: 2 added"), "{tried}");
    assert!(tried.contains("0 errors, 1 warnings.") && tried.ends_with("Nothing is stored: this was a dry run.\n"), "{tried}");
    assert!(console.fail(&["islands"]).contains("NORTH Grid has no network yet"));
    let stored = console.succeed(&["import", file.path(), "--note", "the first"]);
    assert!(stored.contains("Stored version 1 of the network of NORTH Grid.\nActivate it with: switchyard network activate 1"), "{stored}");
    let islands = console.succeed(&["islands", "--json", "--open", "switch:0"]);
    assert_eq!(serde_json::from_str::<Value>(&islands).expect("JSON")["dead"], json!(["bus:1"]));
    assert!(console.succeed(&["activate", "1"]).contains("Version 1 is the network of NORTH Grid from "));
    assert!(console.succeed(&["import", file.path()]).contains("Nothing is stored: the network is as before."));
    let versions = console.succeed(&["versions"]);
    assert!(
        versions.contains("2 nodes, 2 pieces of equipment, 0 measurements. the first") && versions.contains("active from"),
        "{versions}"
    );
    let exported = console.succeed(&["export", "--format", "json", "--version", "1"]);
    let same = TemporaryFile::with(&exported);
    assert!(console.succeed(&["import", same.path()]).contains("Nothing is stored: the network is as before."));
    let pandapower = console.succeed(&["export", "--format", "pandapower"]);
    let again = TemporaryFile::with(&pandapower);
    assert!(console.succeed(&["islands", "--file", again.path()]).starts_with("1 islands, 1 of them energised"));
    let client = console.store.clients().await.expect("read")[0].id;
    let audit = console.store.audit_rows(client, None, 10).await.expect("read");
    let entered: Vec<_> = audit.iter().map(|entry| (entry.action.as_str(), entry.from.as_str())).collect();
    assert_eq!(entered, [("network_activated", "console"), ("network_version_stored", "console")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn network_with_errors_is_stored_and_not_activated() {
    let console = Console::start(&["NORTH", "SOUTH"]).await;
    let wrong = json!({
        "nodes": [{ "id": "bus", "nominal_kv": -11.0 }],
        "equipment": [{ "id": "G", "kind": "EnergySource", "terminals": [{ "node": "bus" }] }],
    });
    let file = TemporaryFile::with(&wrong.to_string());
    let several = console.fail(&["import", file.path()]);
    assert!(several.contains("name one with --utility. Their codes: NORTH, SOUTH"), "{several}");
    let refused = console.fail(&["import", file.path(), "--utility", "SOUTH"]);
    assert!(refused.contains("error: node bus: nominal_kv is -11; allowed: above 0, up to 2000. Correct the number."), "{refused}");
    assert!(refused.contains("version 1 cannot be activated before its errors are corrected"), "{refused}");
    let refused = console.fail(&["activate", "1", "--utility", "SOUTH"]);
    assert!(refused.contains("the network has 1 errors. Nothing was changed. The first: node bus: nominal_kv is -11"), "{refused}");
    assert!(console.fail(&["check", "--utility", "SOUTH"]).contains("the network has errors and cannot be activated"));
    assert!(console.fail(&["check", "--utility", "NORTH"]).contains("NORTH Grid has no network yet"));
    assert!(console.fail(&["check", "--file", file.path()]).contains("1 errors, 0 warnings."));
    let neither = TemporaryFile::with("{\"nodes\": 1}");
    let refused = console.fail(&["check", "--file", neither.path()]);
    assert!(refused.contains("the file cannot be read as JSON: invalid type: integer `1`, expected a sequence"), "{refused}");
}

/// A source, a breaker and a feeder in a row, as a drawing of substation HBR.
fn drawing(between: [&str; 2]) -> Value {
    json!({ "name": "Harbour", "elements": [
        { "id": "in", "class": "source", "nodes": ["a"], "kv": 11.0 },
        { "id": "q1", "class": "breaker", "nodes": between, "position": { "point": "F1/Q1/Pos" } },
        { "id": "f1", "class": "feeder", "nodes": ["b"] },
    ] })
}

#[tokio::test(flavor = "multi_thread")]
async fn network_is_derived_from_drawings_and_compared_with_them() {
    let console = Console::start(&["NORTH"]).await;
    let client = console.store.clients().await.expect("read")[0].id;
    let mut parent = None;
    for level in Level::ALL {
        let (code, name) = if level == Level::Substation { ("HBR", "Harbour") } else { ("A", "A") };
        let node = NodeSeed { client, level, parent, code: code.into(), name: name.into(), kv: None, lat: None, lon: None };
        parent = Some(console.store.put_node(&node).await.expect("a node"));
    }
    let location = parent.expect("a substation");
    console.store.put_drawing(client, location, "Harbour", &drawing(["a", "b"])).await.expect("stored");
    let tried = console.succeed(&["derive", "--dry-run"]);
    assert!(tried.contains("1 substations are derived from their drawings; 0 have a model already."), "{tried}");
    assert!(tried.contains("equipment: 3 added (HBR/in, HBR/q1, HBR/f1)") && tried.ends_with("this was a dry run.\n"), "{tried}");
    let derived = console.succeed(&["derive", "--activate"]);
    assert!(derived.contains("Version 1 is the network of NORTH Grid from "), "{derived}");
    let islands = console.succeed(&["islands", "--json", "--open", "HBR/q1"]);
    assert_eq!(serde_json::from_str::<Value>(&islands).expect("JSON")["dead"], json!(["HBR/q1:2"]));
    assert!(console.succeed(&["check"]).contains("0 differences between drawings and the network."));
    assert!(console.succeed(&["derive"]).contains("0 substations are derived from their drawings; 1 have a model already."));
    console.store.put_drawing(client, location, "Harbour", &drawing(["a", "c"])).await.expect("stored");
    let checked = console.succeed(&["check"]);
    assert!(checked.contains("drawing: HBR: the model connects HBR/q1 with HBR/f1, the drawing does not"), "{checked}");
}

/// Runs `seed --demo` on the database.
fn seed_demo(console: &Console) {
    let (is_ok, out, err) = ended(Command::new(SWITCHYARD).args(["seed", "--demo"]).env("DATABASE_URL", console.database.url()));
    assert!(is_ok, "{out}{err}");
}

/// Returns the number of measurements whose point `gateway/device/metric` exists.
async fn measurements_with_a_point(console: &Console, client: ClientId) -> i64 {
    let counted = "SELECT count(*) FROM network_measurement m
        JOIN point p USING (client_id) JOIN gateway g ON g.id = p.gateway_id
        WHERE m.client_id = $1 AND m.point = g.code || '/' || p.device || '/' || p.metric";
    console.database.client().await.query_one(counted, &[&client.0]).await.expect("read").get(0)
}

/// Checks that version 1 of each utility is active since before the longest history, that each point of a measurement exists, and that the check finds
/// nothing but what the demo leaves open: switches without telemetry.
async fn demo_has_its_networks(console: &Console) {
    let now = wire::time::now();
    let history_ms = 730 * 86_400_000;
    for utility in console.store.clients().await.expect("read") {
        let active = console.store.active_network(utility.id, now).await.expect("read").expect("an active network");
        assert_eq!((active.version, active.since.millis() <= now.millis() - history_ms), (VersionNumber(1), true), "{}", utility.code);
        let network = console.store.network(utility.id, active.version).await.expect("read").expect("a network");
        assert_eq!(measurements_with_a_point(console, utility.id).await, network.measurements.len() as i64, "{}", utility.code);
        let checked = console.succeed(&["check", "--utility", &utility.code]);
        assert!(checked.contains("\n0 errors, "), "{checked}");
        // Drawings have symbols at their border, and ids of their own for busbars and transformers. What they connect is the same.
        assert!(!checked.contains("connects"), "{checked}");
        let is_explained = |line: &&str| {
            line.contains("no measurement Pos with a point belongs to this")
                || line.contains("/source/V") && line.contains("its point")
                || line.contains("more findings of these kinds")
        };
        let unexplained: Vec<&str> = checked.lines().filter(|line| line.starts_with("warning") && !is_explained(line)).collect();
        assert_eq!(unexplained, [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_gets_its_networks_once_also_in_a_database_of_before() {
    let console = Console::start(&[]).await;
    seed_demo(&console);
    demo_has_its_networks(&console).await;
    let versions = |console: &Console| console.succeed(&["versions", "--utility", "SAGAR"]);
    let seeded = versions(&console);
    seed_demo(&console);
    assert_eq!(versions(&console), seeded, "a second seed changes nothing");
    let assets = "SELECT count(*), sum(customers) FROM asset";
    let (client, connection) = tokio_postgres::connect(console.database.url(), tokio_postgres::NoTls).await.expect("connected");
    let connection = tokio::spawn(connection);
    let rows = |row: tokio_postgres::Row| (row.get::<_, i64>(0), row.get::<_, i64>(1));
    let before = rows(client.query_one(assets, &[]).await.expect("read"));
    let without = "TRUNCATE manual_entry, temporary_change, network_version, network_activation, network_container, network_node, network_equipment, network_measurement";
    client.batch_execute(without).await.expect("as a release before networks");
    let former = "UPDATE asset SET customers = customers + 7 WHERE class_name = 'feeder'";
    client.batch_execute(former).await.expect("as a release with other customers");
    seed_demo(&console);
    demo_has_its_networks(&console).await;
    assert_eq!(rows(client.query_one(assets, &[]).await.expect("read")), before);
    client.batch_execute("DELETE FROM network_activation").await.expect("as after an interrupted seed");
    seed_demo(&console);
    demo_has_its_networks(&console).await;
    connection.abort();
}
