//! Accounts and access list of the deployed broker, on a real mosquitto: each account can publish and read its own topics only.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use testkit::{BrokerSetup, TestBroker, broker_with};

const CONFIGURATION: &str = include_str!("../../../deploy/mosquitto/mosquitto.conf");
const ACL: &str = include_str!("../../../deploy/mosquitto/acl");
const ACCOUNTS: &str = include_str!("../../../deploy/mosquitto/accounts.sh");
const GATEWAY: &str = include_str!("../../../deploy/mosquitto/gateway.sh");

/// Starts a broker with the passwords `ingest-secret`, `hub-secret`, … and the gateways G1/N1 and G1/N2, whose password is `gateway`.
async fn deployed() -> TestBroker {
    let make =
        "export CONFIG=. DATA=. INGEST_PASSWORD=ingest-secret HUB_PASSWORD=hub-secret API_PASSWORD=api-secret ALARMS_PASSWORD=alarms-secret ANALYTICS_PASSWORD=analytics-secret
        for node in N1 N2; do
          sh gateway.sh G1 $node >/dev/null
          echo G1.$node:gateway >gateways/G1.$node.passwords
          mosquitto_passwd -U gateways/G1.$node.passwords
        done
        sh accounts.sh";
    broker_with(&BrokerSetup {
        settings: &CONFIGURATION.replace("\nlistener 1883\n", "\n").replace("/mosquitto/data", "{dir}"),
        files: &[("acl", ACL), ("accounts.sh", ACCOUNTS), ("gateway.sh", GATEWAY)],
        before: &[&["sh", "-ec", make]],
    })
    .await
}

fn password(user: &str) -> String {
    if user.starts_with("G1.") { "gateway".into() } else { format!("{user}-secret") }
}

/// Returns whether a user can publish on a topic. MQTT 5 with QoS 1 is used, because its acknowledgement reports a refusal.
fn may_write(broker: &TestBroker, user: &str, topic: &str) -> bool {
    let secret = password(user);
    broker.tool("mosquitto_pub", &["-V", "5", "-q", "1", "-u", user, "-P", &secret, "-t", topic, "-m", "x"]).is_ok()
}

#[tokio::test]
async fn each_account_writes_its_own_topics_and_no_other() {
    let broker = deployed().await;
    for (user, topic, expected) in [
        ("G1.N1", "spBv1.0/G1/NBIRTH/N1", true),
        ("G1.N1", "spBv1.0/G1/DDATA/N1/F3", true),
        ("G1.N1", "spBv1.0/G1/NDEATH/N1", true),
        ("G1.N1", "spBv1.0/G1/NBIRTH/N2", false),
        ("G1.N1", "spBv1.0/G1/DDATA/N2/F3", false),
        ("G1.N1", "spBv1.0/G2/NDATA/N1", false),
        ("G1.N1", "spBv1.0/G1/NCMD/N1", false),
        ("G1.N1", "spBv1.0/G1/DCMD/N1/F3", false),
        ("G1.N1", "spBv1.0/STATE/switchyard", false),
        ("G1.N1", "switchyard/live/1/changes", false),
        ("ingest", "spBv1.0/G1/NCMD/N1", true),
        ("ingest", "spBv1.0/STATE/switchyard", true),
        ("ingest", "switchyard/live/1/changes", true),
        ("ingest", "spBv1.0/G1/DCMD/N1/F3", false),
        ("ingest", "spBv1.0/G1/DDATA/N1/F3", false),
        ("hub", "switchyard/live/1/changes", false),
        ("hub", "spBv1.0/G1/NCMD/N1", false),
        ("api", "spBv1.0/G1/DCMD/N1/F3", true),
        ("api", "switchyard/live/1/commands", true),
        ("api", "switchyard/live/1/session", true),
        ("api", "switchyard/live/1/acknowledged", true),
        ("api", "switchyard/live/1/alarms", true),
        ("api", "switchyard/live/1/rules", true),
        ("api", "switchyard/live/1/faults", false),
        ("api", "switchyard/live/1/changes", false),
        ("alarms", "switchyard/live/1/alarms", true),
        ("alarms", "switchyard/live/1/faults", true),
        ("alarms", "switchyard/live/1/events", false),
        ("analytics", "switchyard/live/1/alarms", false),
        ("alarms", "spBv1.0/G1/DCMD/N1/F3", false),
        ("api", "switchyard/live/1/answer", false),
        ("api", "spBv1.0/G1/NCMD/N1", true),
        ("hub", "spBv1.0/G1/DCMD/N1/F3", false),
        ("hub", "switchyard/live/1/commands", false),
    ] {
        assert_eq!(may_write(&broker, user, topic), expected, "{user} writes {topic}");
    }
}

#[tokio::test]
async fn nobody_comes_in_without_the_right_password() {
    let broker = deployed().await;
    for credentials in
        [&[][..], &["-u", "ingest", "-P", "wrong"], &["-u", "simulate", "-P", ""], &["-u", "simulate", "-P", "simulate-secret"]]
    {
        let tried = broker.tool("mosquitto_pub", &[credentials, &["-t", "spBv1.0/STATE/x", "-m", "x"]].concat());
        assert!(tried.is_err(), "{credentials:?}");
    }
}

/// Returns the topics of the retained messages that a user receives for a subscription to everything, at most `count` and one more. The last one is a message
/// on `topic`, which the user can read. It is published until the user has disconnected; retained messages come before it.
fn received_until_the_end(broker: &TestBroker, user: &str, topic: &str, count: usize) -> Vec<String> {
    let (secret, count) = (password(user), (count + 1).to_string());
    let left = AtomicBool::new(false);
    let received = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !left.load(Ordering::Relaxed) {
                broker
                    .tool("mosquitto_pub", &["-u", "ingest", "-P", "ingest-secret", "-q", "1", "-t", topic, "-m", "end"])
                    .expect("published");
            }
        });
        let received = broker.tool("mosquitto_sub", &["-u", user, "-P", &secret, "-t", "#", "-C", &count, "-W", "60", "-F", "%p %t"]);
        left.store(true, Ordering::Relaxed);
        received.expect("received")
    });
    let mut topics: Vec<String> = received.lines().filter_map(|line| line.strip_prefix("x ")).map(str::to_owned).collect();
    topics.sort_unstable();
    topics
}

#[tokio::test]
async fn gateway_receives_only_its_own_commands() {
    let broker = deployed().await;
    // Retained, so that a later subscription receives at once all messages that the user can read.
    for topic in ["spBv1.0/G1/NCMD/N1", "spBv1.0/G1/NCMD/N2", "switchyard/live/1/changes", "spBv1.0/STATE/switchyard"] {
        broker.tool("mosquitto_pub", &["-u", "ingest", "-P", "ingest-secret", "-q", "1", "-r", "-t", topic, "-m", "x"]).unwrap();
    }
    for (user, mut expected) in [
        ("G1.N1", vec!["spBv1.0/G1/NCMD/N1", "spBv1.0/STATE/switchyard"]),
        ("G1.N2", vec!["spBv1.0/G1/NCMD/N2", "spBv1.0/STATE/switchyard"]),
        ("hub", vec!["switchyard/live/1/changes"]),
        ("alarms", vec!["switchyard/live/1/changes"]),
    ] {
        expected.sort_unstable();
        assert_eq!(received_until_the_end(&broker, user, expected[expected.len() - 1], expected.len()), expected, "{user}");
    }
}

#[test]
fn a_gateway_cannot_be_named_as_a_wildcard() {
    for (group, node) in [("+", "N1"), ("G1", "#"), ("G1", "a/b"), ("G1", ""), ("STATE", "N1")] {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/mosquitto/gateway.sh");
        let done = std::process::Command::new("sh").args([script, group, node]).env("DATA", "/nonexistent").stderr(Stdio::null()).status();
        assert!(!done.unwrap().success(), "{group} {node}");
    }
}
