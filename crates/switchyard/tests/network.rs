//! Runs `switchyard network` on files, as a user does.

use std::process::Command;

use serde_json::{Value, json};

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

/// Returns the exit status, the standard output and the standard error.
fn run(arguments: &[&str]) -> (bool, String, String) {
    let path = std::env::temp_dir().join(testkit::unique("network"));
    std::fs::write(&path, file()).expect("it runs");
    let output = Command::new(SWITCHYARD).args(["network", "islands", "--file"]).arg(&path).args(arguments).output().expect("it runs");
    std::fs::remove_file(&path).expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("it runs");
    (output.status.success(), text(output.stdout), text(output.stderr))
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
    assert!(err.contains("switch:9 is not in the file; ids look like switch:12"), "{err}");
    let (is_ok, _, err) = run(&["--open", "switch:0", "--close", "switch:0"]);
    assert!(!is_ok && err.contains("switch:0 is to be opened and closed: name it once"), "{err}");
    let (_, _, err) = run(&["--open", "ext_grid:0"]);
    assert!(err.contains("ext_grid:0 is no switch but: EnergySource"), "{err}");
}
