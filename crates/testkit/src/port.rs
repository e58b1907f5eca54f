//! Free TCP ports for servers of tests.

use std::fs::{File, create_dir_all};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, mem, process};

/// The system uses no port below 32768 for outgoing connections, so the port of a killed server is still free at its restart.
const FIRST: u32 = 27_000;
const COUNT: u32 = 5_000;

/// Returns a TCP port on 127.0.0.1 that is free now, and stays free between the end and the restart of a server.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Tests run as parallel processes, so each one starts its search at another port.
    let start = process::id().wrapping_mul(7919) ^ SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.subsec_micros());
    for _ in 0..COUNT {
        let port = FIRST + start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT;
        let port = port as u16;
        if reserve(port) && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
    panic!("no free port between {FIRST} and {}", FIRST + COUNT);
}

/// Reserves a port until this process ends, so that another test does not choose it before the server has started.
fn reserve(port: u16) -> bool {
    let folder = env::temp_dir().join("switchyard-ports");
    let file = create_dir_all(&folder).and_then(|()| File::options().create(true).append(true).open(folder.join(port.to_string())));
    let Ok(file) = file else { return true };
    let is_ours = file.try_lock().is_ok();
    if is_ours {
        // The lock ends with the process.
        mem::forget(file);
    }
    is_ours
}
