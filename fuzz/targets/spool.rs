//! Records of the spool, as a broken disk may give them back.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ingest::read_spooled(bytes));
