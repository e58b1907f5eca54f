//! Compares the ways to share the map of sessions between tasks, in one run: a map behind a `Mutex`, a map behind an `RwLock`, and `DashMap`.
//!
//! `cargo run --release -p hub --example shared_maps`. Prints millions of operations per second. One operation in ten ends a session and opens
//! another one, as a client that reconnects does; the others look a session up, as each request of a polling client does.

#![allow(clippy::print_stdout, reason = "the results are for a person at a terminal")]

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::{Arc, Barrier, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::Instant;

use dashmap::DashMap;

/// Open sessions, the default of `hub.sockets_max`.
const SESSIONS: usize = 10_000;
/// Operations of each thread.
const OPERATIONS: usize = 1_000_000;

trait Sessions: Send + Sync + 'static {
    fn insert(&self, sid: String, session: Arc<u64>);
    fn get(&self, sid: &str) -> Option<Arc<u64>>;
    fn remove(&self, sid: &str);
}

impl Sessions for Mutex<HashMap<String, Arc<u64>>> {
    fn insert(&self, sid: String, session: Arc<u64>) {
        self.lock().unwrap_or_else(PoisonError::into_inner).insert(sid, session);
    }
    fn get(&self, sid: &str) -> Option<Arc<u64>> {
        self.lock().unwrap_or_else(PoisonError::into_inner).get(sid).cloned()
    }
    fn remove(&self, sid: &str) {
        self.lock().unwrap_or_else(PoisonError::into_inner).remove(sid);
    }
}

impl Sessions for RwLock<HashMap<String, Arc<u64>>> {
    fn insert(&self, sid: String, session: Arc<u64>) {
        self.write().unwrap_or_else(PoisonError::into_inner).insert(sid, session);
    }
    fn get(&self, sid: &str) -> Option<Arc<u64>> {
        self.read().unwrap_or_else(PoisonError::into_inner).get(sid).cloned()
    }
    fn remove(&self, sid: &str) {
        self.write().unwrap_or_else(PoisonError::into_inner).remove(sid);
    }
}

impl Sessions for DashMap<String, Arc<u64>> {
    fn insert(&self, sid: String, session: Arc<u64>) {
        DashMap::insert(self, sid, session);
    }
    fn get(&self, sid: &str) -> Option<Arc<u64>> {
        DashMap::get(self, sid).map(|session| Arc::clone(&session))
    }
    fn remove(&self, sid: &str) {
        DashMap::remove(self, sid);
    }
}

fn sid(number: usize) -> String {
    format!("session-{number:012}")
}

/// Returns millions of operations per second of all threads together.
fn rate<S: Sessions + Default>(threads: usize) -> f64 {
    let sessions = Arc::new(S::default());
    for number in 0..SESSIONS {
        sessions.insert(sid(number), Arc::new(number as u64));
    }
    let barrier = Arc::new(Barrier::new(threads + 1));
    let work = |thread: usize| {
        let (sessions, barrier) = (Arc::clone(&sessions), Arc::clone(&barrier));
        thread::spawn(move || {
            let names: Vec<String> = (0..SESSIONS).map(sid).collect();
            let mut place = thread * 7_919;
            barrier.wait();
            for operation in 0..OPERATIONS {
                place = (place * 31 + 17) % SESSIONS;
                if operation % 10 == 0 {
                    sessions.remove(&names[place]);
                    sessions.insert(names[place].clone(), Arc::new(operation as u64));
                } else {
                    black_box(sessions.get(&names[place]));
                }
            }
        })
    };
    let workers: Vec<_> = (0..threads).map(work).collect();
    barrier.wait();
    let began = Instant::now();
    for worker in workers {
        worker.join().expect("no panic");
    }
    (threads * OPERATIONS) as f64 / began.elapsed().as_secs_f64() / 1e6
}

fn main() {
    println!("{SESSIONS} sessions, millions of operations per second, best of three");
    println!("threads   Mutex  RwLock  DashMap");
    for threads in [1, 2, 4, 8, 16] {
        let best = |rate: fn(usize) -> f64| (0..3).map(|_| rate(threads)).fold(0.0, f64::max);
        let (mutex, rwlock, dashmap) = (
            best(rate::<Mutex<HashMap<String, Arc<u64>>>>),
            best(rate::<RwLock<HashMap<String, Arc<u64>>>>),
            best(rate::<DashMap<String, Arc<u64>>>),
        );
        println!("{threads:7} {mutex:7.2} {rwlock:7.2} {dashmap:8.2}");
    }
}
