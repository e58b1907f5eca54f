//! Ports that nobody uses.

use std::fs::{File, create_dir_all};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, mem, process};

/// Below 32768 the system takes no port for an outgoing connection, so a killed server finds its port free again.
const FIRST: u32 = 27_000;
const COUNT: u32 = 5_000;

/// A TCP port on 127.0.0.1 that is free now and stays free between a server's death and its return.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Tests run as processes side by side: each begins its search somewhere else.
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

/// Keeps a port for this process until it ends: between the choice and the moment in which a server has started, another test must not choose it too.
fn reserve(port: u16) -> bool {
    let folder = env::temp_dir().join("switchyard-ports");
    let file = create_dir_all(&folder).and_then(|()| File::options().create(true).append(true).open(folder.join(port.to_string())));
    let Ok(file) = file else { return true };
    let is_ours = file.try_lock().is_ok();
    if is_ours {
        // The lock goes with the process.
        mem::forget(file);
    }
    is_ours
}
