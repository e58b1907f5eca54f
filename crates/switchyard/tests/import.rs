//! `switchyard admin import-hierarchy` at a console: what it says, how it ends, what it leaves.

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
    let (ok, said) = console.import(good, &["--client", "NORTH", "--dry-run"]);
    assert!(ok && said.contains("This would be stored for North Grid: nodes 2 new, 0 changed, 0 as before"), "{said}");
    assert_eq!(console.nodes().await, 0);
    let (ok, said) = console.import(good, &["--client", "NORTH"]);
    assert!(ok && said.contains("Stored for North Grid: nodes 2 new"), "{said}");
    assert_eq!(console.nodes().await, 2);
    let (ok, said) = console.import("level,code,name,parent\ncircle,C2,,\ntown,T,Town,NONE\n", &["--client", "NORTH"]);
    assert!(!ok && said.contains("line 2, column name") && said.contains("nothing is stored"), "{said}");
    let (ok, said) = console.import("level,code,name,parent\ncircle,C2,Two,\ntown,T,Town,NONE\n", &["--client", "NORTH"]);
    assert!(!ok && said.contains("line 3, column parent: there is no division \"NONE\""), "{said}");
    let (ok, said) = console.import(good, &["--client", "SOUTH"]);
    assert!(!ok && said.contains("there is no utility \"SOUTH\""), "{said}");
    assert_eq!(console.nodes().await, 2);
}
