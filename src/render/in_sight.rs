//! Visibility of a window on an X server. No event reports that it is on another desktop.

use raw_window_handle::{HasWindowHandle, RawWindowHandle};
use std::cell::Cell;
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::{ConnectionExt, MapState};
use x11rb::rust_connection::RustConnection;

/// Interval of queries while the window is visible.
const PERIOD: Duration = Duration::from_millis(250);

/// Window of an X server, and a connection for queries.
pub(super) struct InSight {
    connection: RustConnection,
    window: u32,
    seen_at: Cell<Option<Instant>>,
}

impl InSight {
    /// Returns `None` for a window of another system, where hidden windows do not draw.
    pub(super) fn of(window: &impl HasWindowHandle) -> Option<Self> {
        let window = match window.window_handle().ok()?.as_raw() {
            RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).ok()?,
            RawWindowHandle::Xcb(handle) => handle.window.get(),
            _ => return None,
        };
        let (connection, _) = x11rb::connect(None).ok()?;
        Some(Self { connection, window, seen_at: Cell::new(None) })
    }

    /// True if the window and its parents are mapped, or were within the interval. A window that becomes visible gets a
    /// redraw event.
    pub(super) fn is_shown(&self) -> bool {
        if self.seen_at.get().is_some_and(|then| then.elapsed() < PERIOD) {
            return true;
        }
        let answer = self.connection.get_window_attributes(self.window).ok().and_then(|asked| asked.reply().ok());
        // If the window or the server is closed, other events report it.
        let is_shown = answer.is_none_or(|answer| answer.map_state == MapState::VIEWABLE);
        self.seen_at.set(is_shown.then(Instant::now));
        is_shown
    }
}
