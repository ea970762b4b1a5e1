//! Work without the GIL, on threads that survive `fork`.

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// The threads of a process. A child made by `fork` (as `multiprocessing` does by default on Linux before Python 3.14)
/// inherits a pool without threads, which would wait for ever.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

fn pool() -> Option<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pool.as_ref().is_none_or(|(owner, _)| *owner != process) {
        let made = Arc::new(ThreadPoolBuilder::new().thread_name(|_| "bindpose".into()).build().ok()?);
        // The parent's pool cannot be joined here.
        std::mem::forget(pool.replace((process, made)));
    }
    pool.as_ref().map(|(_, pool)| Arc::clone(pool))
}

/// Runs `work` without the GIL.
pub fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    py.detach(|| match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    })
}
