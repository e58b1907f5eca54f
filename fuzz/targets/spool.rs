//! Fuzzes records of the spool, as a defective disk may return them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ingest::read_spooled(bytes));
