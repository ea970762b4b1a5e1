//! An allocator that requests huge pages from Linux for large blocks.
//!
//! Loading a large file writes each of its blocks once, and a third of that time is spent in the kernel, which provides
//! 4 KiB at a time. If `/sys/kernel/mm/transparent_hugepage/enabled` is `madvise`, as on most distributions, it
//! provides 2 MiB to programs that request them. docs/performance.md has the times.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;

/// Size and alignment of a huge page.
const HUGE_PAGE: usize = 2 << 20;
/// Smallest size in bytes of a block that contains a whole huge page, wherever it begins.
const LARGE: usize = 2 * HUGE_PAGE;

/// The system's allocator, with huge pages for blocks of 4 MiB or more.
pub struct HugePages;

/// Requests huge pages for the part of a block that consists of whole ones. A refusal has no effect.
fn advise(block: *mut u8, size: usize) {
    if size < LARGE || block.is_null() {
        return;
    }
    let start = block.addr().next_multiple_of(HUGE_PAGE);
    let end = (block.addr() + size) / HUGE_PAGE * HUGE_PAGE;
    // SAFETY: the range is in a block of this program, and the advice changes neither its content nor its bounds.
    unsafe { libc::madvise(block.with_addr(start).cast::<c_void>(), end - start, libc::MADV_HUGEPAGE) };
}

// SAFETY: every block comes from the system allocator, which upholds the contract; advice does not move or change it.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's guarantees are those that `System` needs.
        let block = unsafe { System.alloc(layout) };
        advise(block, layout.size());
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let block = unsafe { System.alloc_zeroed(layout) };
        advise(block, layout.size());
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let block = unsafe { System.realloc(block, layout, size) };
        advise(block, size);
        block
    }
}

/// Makes the allocator keep freed blocks of up to 32 MiB, and up to 64 MiB at the end of its heap, for later ones. Else
/// it returns each to Linux, which clears its pages when they are requested again.
///
/// GNU's allocator sets the same by itself once a block of 32 MiB is freed.
pub fn keep_freed_blocks() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets numbers of the allocator, before there are other threads.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
    }
}
