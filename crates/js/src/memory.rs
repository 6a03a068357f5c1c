//! The global allocator, which grows the wasm memory in large steps. The allocator of `std` grows it by 64 KiB at a
//! time, and the browser scans its own heap at each growth. For the largest cluster these scans took a quarter of the
//! first three seconds.

#![allow(unsafe_code)] // GlobalAlloc is an unsafe trait; every call is passed to `System`

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::wasm32::memory_size;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Size of a page of wasm memory, in bytes.
const PAGE_BYTES: usize = 1 << 16;
/// Maximum size by which [`GrowAhead`] grows the memory in advance at one time, in bytes.
const MAX_GROWTH_BYTES: usize = 2 << 20;

/// Allocator that passes each call to [`System`]. If a call has grown the wasm memory, the allocator grows the memory
/// by another eighth in advance.
struct GrowAhead {
    /// Number of wasm memory pages after the last growth.
    pages: AtomicUsize,
}

#[global_allocator]
static ALLOCATOR: GrowAhead = GrowAhead {
    pages: AtomicUsize::new(0),
};

impl GrowAhead {
    /// Grows the memory by an eighth if it has grown since the last call.
    fn grow(&self) {
        let pages = memory_size::<0>();
        if pages == self.pages.load(Ordering::Relaxed) {
            return;
        }
        let more = (pages * PAGE_BYTES / 8).min(MAX_GROWTH_BYTES);
        if let Ok(layout) = Layout::from_size_align(more, 16) {
            // SAFETY: the size is not zero, since there is memory, and the block is freed with the layout of its
            // allocation. The memory stays with the allocator, which cannot return it to the browser.
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

// SAFETY: each call is passed to `System` unchanged.
unsafe impl GlobalAlloc for GrowAhead {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = unsafe { System.alloc(layout) };
        self.grow();
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let block = unsafe { System.alloc_zeroed(layout) };
        self.grow();
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let block = unsafe { System.realloc(block, layout, size) };
        self.grow();
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}
