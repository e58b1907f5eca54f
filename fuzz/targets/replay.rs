//! Fuzzes CSV files of recorded values for the replay.
#![no_main]

use libfuzzer_sys::fuzz_target;
use simulators::replay::{Map, rows};

fuzz_target!(|bytes: &[u8]| {
    let column = |name: &str| simulators::replay::Column { name: name.into(), metric: format!("TX1/{name}"), unit: String::new() };
    let map = Map {
        group: "G".into(),
        node: "N".into(),
        device: "TX1".into(),
        time: "date".into(),
        zone: Some("Asia/Kolkata".into()),
        columns: vec![column("a"), column("b")],
    };
    let _ = rows(&map, bytes);
    // After a valid heading, so that the cells are parsed.
    let cells = [b"date,a,b\n2016-07-01 00:00:00,".as_slice(), bytes].concat();
    let _ = rows(&map, cells.as_slice());
});
