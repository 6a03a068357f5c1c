//! Memoized results of Filter plugins in one scheduling cycle. They are stored behind a lock, because Filter has only
//! shared access to the cycle state.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value that can be changed through a shared reference.
#[derive(Debug, Default)]
pub(crate) struct Memo<T>(Mutex<T>);

impl<T> Memo<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Locks the value. The lock is never contended, because a cycle runs on one thread.
    pub(crate) fn borrow(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone> Clone for Memo<T> {
    fn clone(&self) -> Self {
        Self::new(self.borrow().clone())
    }
}
