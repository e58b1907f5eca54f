//! Fuzzes Engine.IO packets, Socket.IO packets and names of streams.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| hub::read_anything(text));
