//! Tests `switchyard admin` for users and audit: a password set by a link, and the verification of the audit.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use store::Store;
use store::seed::ClientSeed;

fn admin(url: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
    command.arg("admin").args(arguments).env("DATABASE_URL", url).env("SWITCHYARD__HTTP__PUBLIC_URL", "https://scada.example/");
    // The state folder belongs to the test.
    command.env("SWITCHYARD__STATE__DIR", state(url));
    command.output().expect("the program runs")
}

/// Returns the state folder for one database.
fn state(url: &str) -> PathBuf {
    let name = url.rsplit_once('/').expect("a database").1;
    std::env::temp_dir().join(format!("switchyard-state-{}", name.split('?').next().expect("a name")))
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[tokio::test]
async fn the_first_administrator_gets_a_link_and_no_password() {
    let database = testkit::database().await;
    let store = Store::connect(database.url(), 2).await.expect("connected");
    for code in ["NORTH", "SOUTH"] {
        let seed = ClientSeed { code: code.into(), name: format!("{code} Grid"), time_zone: "UTC".into(), config: serde_json::json!({}) };
        store.put_client(&seed).await.expect("a utility");
    }
    let first = ["first-administrator", "NORTH", "asha", "asha@example.org"];
    let output = admin(database.url(), &first);
    assert!(output.status.success(), "{}", text(&output));
    let message = text(&output);
    let token = message.split_once("https://scada.example/setpassword#").expect("a link").1.lines().next().expect("a line").to_owned();
    let now = grid::Micros(jiff::Timestamp::now().as_microsecond());
    let member = store.member_by_link(&auth::hash_token(&token), now).await.expect("asked").expect("somebody");
    assert_eq!((member.username.as_str(), member.role_id, member.node), ("asha", 2, None));
    let again = admin(database.url(), &first);
    assert!(again.status.success() && !text(&again).contains(&token), "a new link for the same: {}", text(&again));
    for (arguments, word) in [
        (["first-administrator", "WEST", "asha", "asha@example.org"], "no utility"),
        (["first-administrator", "SOUTH", "asha", "asha@example.org"], "another utility"),
    ] {
        let output = admin(database.url(), &arguments);
        assert!(!output.status.success() && text(&output).contains(word), "{}", text(&output));
    }
    assert_eq!(store.members(member.client, 0, 10).await.expect("members").len(), 1);
}

#[tokio::test]
async fn a_second_factor_is_removed_at_the_console_and_its_person_told() {
    let database = testkit::database().await;
    let (url, state) = (database.url(), state(database.url()));
    let store = Store::connect(url, 2).await.expect("connected");
    let seed = ClientSeed { code: "NORTH".into(), name: "North Grid".into(), time_zone: "UTC".into(), config: serde_json::json!({}) };
    let client = store.put_client(&seed).await.expect("a utility");
    assert!(admin(url, &["first-administrator", "NORTH", "asha", "asha@example.org"]).status.success());
    let member = store.member_by_username("asha").await.expect("asked").expect("somebody");
    let remove = |username: &str| admin(url, &["second-factor", "remove", username]);
    for (username, word) in [("asha", "asha has no second factor"), ("ravi", "nobody with the name")] {
        let refused = remove(username);
        assert!(!refused.status.success() && text(&refused).contains(word), "{}", text(&refused));
    }
    let origin = store::audit::Origin { client: Some(client), ..Default::default() };
    let (whose, now) = ((client, member.id), grid::Micros(1));
    assert!(store.begin_second_factor(whose, b"locked", now, &origin).await.expect("begun"));
    let confirmed = store::people::Confirmed { secret: b"locked".to_vec(), step: 1, codes: vec![[7; 32]], session: 0, now };
    assert_eq!(store.confirm_second_factor(whose, &confirmed, &origin).await.expect("asked"), Some(Vec::new()));
    let removed = remove("ASHA");
    assert!(removed.status.success() && text(&removed).contains("told by mail"), "{}", text(&removed));
    assert_eq!(store.second_factor(member.id).await.expect("asked"), None);
    let rows = store.audit_rows(client, None, 1).await.expect("rows");
    assert_eq!((rows[0].action.as_str(), rows[0].from.as_str(), rows[0].actor), ("second_factor_removed", "console", None));
    let mails: Vec<_> = std::fs::read_dir(state.join("mail")).expect("a folder").flatten().collect();
    let mail = std::fs::read_to_string(mails[0].path()).expect("a mail");
    assert!(mails.len() == 1 && mail.contains("To: asha@example.org") && mail.contains("at the console of the server"), "{mail}");
    std::fs::remove_dir_all(&state).expect("gone");
}

#[tokio::test]
async fn a_touched_audit_is_told_by_its_row_and_fails() {
    let database = testkit::database().await;
    let store = Store::connect(database.url(), 2).await.expect("connected");
    let seed = ClientSeed { code: "NORTH".into(), name: "North Grid".into(), time_zone: "UTC".into(), config: serde_json::json!({}) };
    store.put_client(&seed).await.expect("a utility");
    for number in 0..2 {
        let username = format!("asha{number}");
        assert!(admin(database.url(), &["first-administrator", "NORTH", &username, "asha@example.org"]).status.success());
    }
    let good = admin(database.url(), &["audit", "verify"]);
    assert!(good.status.success() && text(&good).contains("NORTH: 4 rows, all as they were entered"), "{}", text(&good));
    let kept = std::env::temp_dir().join(testkit::unique("kept"));
    std::fs::write(&kept, &good.stdout).expect("kept");
    let expecting = ["audit", "verify", "--expect", kept.to_str().expect("a path")];
    assert!(admin(database.url(), &expecting).status.success());
    let client = database.client().await;
    // Removes the last row and adjusts the chain, so that the chain alone shows no error.
    client
        .batch_execute(
            "ALTER TABLE audit DISABLE TRIGGER USER; DELETE FROM audit WHERE seq = 4;
             UPDATE audit_chain SET (seq, hash) = (SELECT seq, hash FROM audit WHERE seq = 3)",
        )
        .await
        .expect("touched");
    let shorter = admin(database.url(), &["audit", "verify"]);
    assert!(shorter.status.success(), "{}", text(&shorter));
    let missed = admin(database.url(), &expecting);
    assert!(!missed.status.success() && text(&missed).contains("NORTH: 3 rows are good, row 4"), "{}", text(&missed));
    std::fs::write(&kept, "nothing").expect("written");
    let refused = admin(database.url(), &expecting);
    assert!(!refused.status.success() && text(&refused).contains("holds nothing"), "{}", text(&refused));
    std::fs::remove_file(&kept).expect("removed");
    let touch = "ALTER TABLE audit DISABLE TRIGGER USER; UPDATE audit SET subject = 'member 0' WHERE seq = 3";
    client.batch_execute(touch).await.expect("touched");
    let touched = admin(database.url(), &["audit", "verify"]);
    assert!(!touched.status.success(), "{}", text(&touched));
    assert!(
        text(&touched).contains("NORTH: 2 rows are good, row 3 is the first that is not: it is not as it was entered"),
        "{}",
        text(&touched)
    );
}

#[tokio::test]
async fn rows_that_were_cut_off_show_by_signed_checkpoints() {
    let database = testkit::database().await;
    let (url, state) = (database.url(), state(database.url()));
    let store = Store::connect(url, 2).await.expect("connected");
    let seed = ClientSeed { code: "NORTH".into(), name: "North Grid".into(), time_zone: "UTC".into(), config: serde_json::json!({}) };
    store.put_client(&seed).await.expect("a utility");
    let first = ["first-administrator", "NORTH", "asha", "asha@example.org"];
    assert!(admin(url, &first).status.success());
    let made = admin(url, &["audit", "checkpoint"]);
    assert!(made.status.success(), "{}", text(&made));
    let key = text(&made).split_once("Signed with the key ").expect("a key").1.trim().to_owned();
    assert!(admin(url, &first).status.success() && admin(url, &["audit", "verify"]).status.success());
    assert!(admin(url, &["audit", "checkpoint"]).status.success());
    let file = state.join("audit.checkpoints");
    let whole = std::fs::read_to_string(&file).expect("kept");
    assert_eq!(whole.lines().count(), 2);
    let good = admin(url, &["audit", "verify"]);
    assert!(good.status.success() && text(&good).contains("audit.checkpoints: 2 checkpoints, the last of 20"), "{}", text(&good));
    let without_the_first = whole.lines().nth(1).expect("a second").to_owned() + "\n";
    for (left, why) in
        [(Some(""), "taken away or emptied"), (Some(&*without_the_first), "begins with checkpoint 2"), (None, "taken away or emptied")]
    {
        match left {
            Some(text) => std::fs::write(&file, text).expect("written"),
            None => std::fs::remove_file(&file).expect("removed"),
        }
        let missed = admin(url, &["audit", "verify"]);
        assert!(missed.status.code() == Some(1) && text(&missed).contains(why), "{left:?}: {}", text(&missed));
    }
    let not_anew = admin(url, &["audit", "checkpoint"]);
    assert!(!not_anew.status.success() && text(&not_anew).contains("taken away or emptied"), "{}", text(&not_anew));
    std::fs::write(&file, &whole).expect("put back");
    let client = database.client().await;
    client
        .batch_execute(
            "ALTER TABLE audit DISABLE TRIGGER USER; DELETE FROM audit WHERE seq = 3;
             UPDATE audit_chain SET (seq, hash) = (SELECT seq, hash FROM audit WHERE seq = 2)",
        )
        .await
        .expect("touched");
    let cut = admin(url, &["audit", "verify"]);
    assert!(
        !cut.status.success() && text(&cut).contains("NORTH: 2 rows are good, row 3 is the first that is not: it is missing"),
        "{}",
        text(&cut)
    );
    // Another machine has only a copy of the file and the public key.
    let copy = std::env::temp_dir().join(testkit::unique("copy"));
    std::fs::copy(&file, &copy).expect("copied");
    std::fs::remove_dir_all(&state).expect("another machine");
    let elsewhere = ["audit", "verify", "--checkpoints", copy.to_str().expect("a path"), "--key", &key];
    assert!(text(&admin(url, &elsewhere)).contains("row 3 is the first that is not"));
    // A copy may start at a later checkpoint, but must not be empty.
    let later = std::env::temp_dir().join(testkit::unique("later"));
    for (left, why) in [(&*without_the_first, "row 3 is the first that is not"), ("", "holds no checkpoint")] {
        std::fs::write(&later, left).expect("written");
        let message = admin(url, &["audit", "verify", "--checkpoints", later.to_str().expect("a path"), "--key", &key]);
        assert!(!message.status.success() && text(&message).contains(why), "{}", text(&message));
    }
    std::fs::remove_file(&later).expect("removed");
    let unknown = admin(url, &elsewhere[..4]);
    assert!(!unknown.status.success() && text(&unknown).contains("--key"), "{}", text(&unknown));
    let alone = admin(url, &["audit", "verify"]);
    assert!(alone.status.success() && text(&alone).contains("There are no checkpoints"), "{}", text(&alone));
    // Changes a checkpoint in the file too, so its signature no longer matches.
    let text_of = std::fs::read_to_string(&copy).expect("kept").replace("[1,", "[2,");
    std::fs::write(&copy, text_of).expect("written");
    let forged = admin(url, &elsewhere);
    assert!(!forged.status.success() && text(&forged).contains("was not signed by this key"), "{}", text(&forged));
    std::fs::remove_file(&copy).expect("removed");
}

#[cfg(unix)]
#[tokio::test]
async fn the_api_keeps_a_checkpoint_at_its_start_and_one_when_rows_were_entered() {
    let database = testkit::database().await;
    let (url, state) = (database.url(), state(database.url()));
    let mut api = Command::new(env!("CARGO_BIN_EXE_switchyard"))
        .arg("api")
        .env("DATABASE_URL", url)
        .env("MQTT_URL", testkit::shared_mqtt_url())
        .env("SWITCHYARD__HTTP__LISTEN", format!("127.0.0.1:{}", testkit::free_port()))
        .env("SWITCHYARD__STATE__DIR", &state)
        .env("SWITCHYARD__AUDIT__CHECKPOINT_EVERY_S", "1")
        .env("SWITCHYARD__LOG__FILTER", "info,switchyard=debug")
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let log = BufReader::new(api.stderr.take().expect("piped"));
    let mut log = log.lines().map_while(Result::ok);
    assert!(log.any(|line| line.contains("a checkpoint of the audit has been written")), "it ended before");
    let store = Store::connect(url, 1).await.expect("connected");
    let origin = store::audit::Origin { from: "console".into(), ..Default::default() };
    store.audit(&store::audit::Entry::new(&origin, "tried", "nothing")).await.expect("entered");
    assert!(log.any(|line| line.contains("a checkpoint of the audit has been written")), "it ended before");
    let killed = Command::new("kill").args(["-TERM", &api.id().to_string()]).status().expect("a signal is sent");
    assert!(killed.success());
    // Reads all output, because a full pipe would block the process.
    let rest: Vec<String> = log.collect();
    assert!(api.wait().expect("ended").success(), "{rest:?}");
    let kept = std::fs::read_to_string(state.join("audit.checkpoints")).expect("kept");
    assert_eq!(kept.lines().count(), 2, "none at the end, since nothing was entered after the second: {kept}");
    assert!(kept.lines().next().expect("a first").ends_with("\"heads\":[]}") && kept.contains("[0,1,"), "{kept}");
    let good = text(&admin(url, &["audit", "verify"]));
    assert!(good.contains("2 checkpoints") && good.contains("no utility: 1 rows"), "{good}");
    std::fs::remove_dir_all(&state).expect("gone");
}
