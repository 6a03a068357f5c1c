//! The engine's memory grows in large steps. `std`'s allocator asks for 64 KiB at a time, and each time the browser looks
//! through its own heap: of the first three seconds of the largest cluster, that was a quarter.

#![allow(unsafe_code)] // an allocator can be no other; it hands on what it is given

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::wasm32::memory_size;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a page of wasm memory.
const PAGE: usize = 1 << 16;
/// At most so many bytes are taken before they are needed.
const STEP: usize = 2 << 20;

/// [`System`], which is given an eighth more memory whenever it has taken some.
struct Ahead {
    /// Pages when that was last done.
    pages: AtomicUsize,
}

#[global_allocator]
static ALLOCATOR: Ahead = Ahead {
    pages: AtomicUsize::new(0),
};

impl Ahead {
    fn look_ahead(&self) {
        let pages = memory_size::<0>();
        if pages == self.pages.load(Ordering::Relaxed) {
            return;
        }
        let more = (pages * PAGE / 8).min(STEP);
        if let Ok(layout) = Layout::from_size_align(more, 16) {
            // SAFETY: the size is not zero, since there is memory; what came is given back as it was asked for. It stays
            // with the allocator, which has no way to return memory to the browser.
            unsafe {
                let block = System.alloc(layout);
                if !block.is_null() {
                    System.dealloc(block, layout);
                }
            }
        }
        self.pages.store(memory_size::<0>(), Ordering::Relaxed);
    }
}

// SAFETY: each call is handed on to `System` as it came.
unsafe impl GlobalAlloc for Ahead {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = unsafe { System.alloc(layout) };
        self.look_ahead();
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let block = unsafe { System.alloc_zeroed(layout) };
        self.look_ahead();
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let block = unsafe { System.realloc(block, layout, size) };
        self.look_ahead();
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}
