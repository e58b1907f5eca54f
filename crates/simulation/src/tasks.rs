//! A minimal executor: polls each future only after it was woken.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// The futures of one process, polled in the order in which they were added.
#[derive(Default)]
pub(crate) struct Tasks(Vec<Task>);

struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    woken: Arc<Woken>,
    waker: Waker,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Tasks {
    /// Adds a future. It is polled for the first time by the next [`Tasks::poll`].
    pub(crate) fn add(&mut self, future: impl Future<Output = ()> + 'static) {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&woken));
        self.0.push(Task { future: Box::pin(future), woken, waker });
    }

    /// Polls the tasks that were woken; returns whether there were any.
    pub(crate) fn poll(&mut self) -> bool {
        let mut any = false;
        self.0.retain_mut(|task| {
            if !task.woken.0.swap(false, Ordering::Relaxed) {
                return true;
            }
            any = true;
            task.future.as_mut().poll(&mut Context::from_waker(&task.waker)) == Poll::Pending
        });
        any
    }
}
