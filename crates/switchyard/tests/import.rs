//! Tests `switchyard admin import-hierarchy` on a console: its messages, its exit status and the stored rows.

use std::process::{Command, Output};

use store::Store;
use store::seed::ClientSeed;
use testkit::TestDatabase;

struct Console {
    database: TestDatabase,
    store: Store,
    file: std::path::PathBuf,
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Console {
    async fn start() -> Self {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 2).await.expect("connected");
        let seed = ClientSeed { code: "NORTH".into(), name: "North Grid".into(), time_zone: "UTC".into(), config: serde_json::json!({}) };
        store.put_client(&seed).await.expect("a utility");
        Self { database, store, file: std::env::temp_dir().join(format!("{}.csv", testkit::unique("import"))) }
    }

    fn import(&self, csv: &str, arguments: &[&str]) -> (bool, String) {
        std::fs::write(&self.file, csv).expect("written");
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_switchyard"))
            .args(["admin", "import-hierarchy"])
            .arg(&self.file)
            .args(arguments)
            .env("DATABASE_URL", self.database.url())
            .output()
            .expect("it runs");
        (status.success(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
    }

    async fn nodes(&self) -> usize {
        self.store.registry(None).await.expect("read").nodes.len()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_tried_then_stored_and_a_wrong_one_is_told_line_by_line() {
    let console = Console::start().await;
    let good = "level,code,name,parent\ndivision,D,Upper,C\ncircle,C,Middle,\n";
    let (ok, message) = console.import(good, &["--client", "NORTH", "--dry-run"]);
    assert!(ok && message.contains("This would be stored for North Grid: nodes 2 new, 0 changed, 0 as before"), "{message}");
    assert_eq!(console.nodes().await, 0);
    let (ok, message) = console.import(good, &["--client", "NORTH"]);
    assert!(ok && message.contains("Stored for North Grid: nodes 2 new"), "{message}");
    assert_eq!(console.nodes().await, 2);
    let (ok, message) = console.import("level,code,name,parent\ncircle,C2,,\ntown,T,Town,NONE\n", &["--client", "NORTH"]);
    assert!(!ok && message.contains("line 2, column name") && message.contains("nothing is stored"), "{message}");
    let (ok, message) = console.import("level,code,name,parent\ncircle,C2,Two,\ntown,T,Town,NONE\n", &["--client", "NORTH"]);
    assert!(!ok && message.contains("line 3, column parent: there is no division \"NONE\""), "{message}");
    let (ok, message) = console.import(good, &["--client", "SOUTH"]);
    assert!(!ok && message.contains("there is no utility \"SOUTH\""), "{message}");
    assert_eq!(console.nodes().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn cables_are_tried_then_stored_and_a_wrong_file_is_told_line_by_line() {
    let console = Console::start().await;
    let network = "level,code,name,parent,type,class,customers\ncircle,C,C,,,,\ndivision,D,D,C,,,\ntown,T,T,D,,,\nsubdivision,B,B,T,,,\nsection,E,E,B,,,\n\
                   substation,S,S,E,,,\nasset,F1,Feeder,S,1,feeder,0\n";
    let (ok, message) = console.import(network, &["--client", "NORTH"]);
    assert!(ok && message.contains("warning: line 8, column customers: feeder \"F1\" has 0 customers"), "{message}");
    let columns = "cable_object_id,substation,feeder,cable,section,voltage_kv,installed_year,length_km\n";
    let import = |row: &str, arguments: &[&str]| {
        std::fs::write(&console.file, format!("{columns}{row}")).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
        command.args(["admin", "import-cable-health", "register"]).arg(&console.file).args(["--client", "NORTH"]).args(arguments);
        let Output { status, stdout, stderr } = command.env("DATABASE_URL", console.database.url()).output().expect("it runs");
        (status.success(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
    };
    let (ok, message) = import("A,S,F1,Cable,1,33,2000,1\n", &["--dry-run"]);
    assert!(ok && message.contains("This would be stored for North Grid: 1 new, 0 changed, 0 as before"), "{message}");
    let (ok, message) = import("A,S,F1,Cable,1,33,2000,1\nB,S,F9,Cable,1,33,2000,1\n", &[]);
    assert!(!ok && message.contains("line 3, column feeder: there is no feeder") && message.contains("nothing is stored"), "{message}");
    let (ok, message) = import("A,S,F1,Cable,1,33,2000,1\n", &[]);
    assert!(ok && message.contains("Stored for North Grid: 1 new"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hubs_that_run_are_told_of_what_was_imported_and_of_nothing_else() {
    let console = Console::start().await;
    let broker = testkit::broker().await;
    let hub = bus::Bus::mqtt(bus::RemoteSettings::new(broker.url(), "a-hub"), 64).expect("a bus");
    let mut messages = hub.subscribe();
    assert!(hub.ready(std::time::Duration::from_mins(1)).await, "the broker is there");
    // A new subscriber is informed that it has missed earlier messages.
    assert!(matches!(messages.next().await, Some(bus::Received::Lagged)));
    let import = |rows: &str, arguments: &[&str]| {
        std::fs::write(&console.file, format!("level,code,name,parent\n{rows}")).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
        command.args(["admin", "import-hierarchy"]).arg(&console.file).args(["--client", "NORTH"]).args(arguments);
        let output = command.env("DATABASE_URL", console.database.url()).env("MQTT_URL", broker.url()).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(!import("circle,C,One,\n", &["--dry-run"]).contains("told"));
    assert!(!import("circle,,One,\n", &[]).contains("told"));
    let expected_message = import("circle,C,One,\n", &[]);
    assert!(expected_message.contains("Hubs that run have been told."), "{expected_message}");
    let client = console.store.clients().await.expect("read")[0].id.0;
    let reported = messages.next().await.expect("the bus is there");
    let is_it = matches!(&reported, bus::Received::Message(message) if matches!(**message, wire::bus::BusMessage::Registry { client: of } if of == client));
    assert!(is_it, "{reported:?}");
    assert!(messages.try_next().is_none(), "once");
    hub.close().await;
}
