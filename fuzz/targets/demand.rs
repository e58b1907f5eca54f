//! Fuzzes files with a site's demand: no file panics the parser, a rejected file has a reason, and accepted values are finite and not negative.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // After a valid first row, so that the times are parsed.
    read(&[b"time,kW\n2026-06-21 00:00,1\n".as_slice(), bytes].concat());
});

fn read(file: &[u8]) {
    match dispatch::demand_file(file, |_| dispatch::USUAL_HOURS) {
        Ok(demand) => assert!(demand.kw.iter().all(|kw| kw.is_finite() && *kw >= 0.0)),
        Err(faults) => assert!(!faults.is_empty() && faults.len() <= dispatch::FAULTS_MAX),
    }
}
