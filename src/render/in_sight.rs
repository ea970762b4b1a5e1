//! Whether an X server shows a window: one on another desktop is drawn for nobody, and no event says so.

use raw_window_handle::{HasWindowHandle, RawWindowHandle};
use std::cell::Cell;
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::{ConnectionExt, MapState};
use x11rb::rust_connection::RustConnection;

/// How often the server is asked while the window is in sight.
const PERIOD: Duration = Duration::from_millis(250);

/// A window of an X server, and a connection to ask about it.
pub(super) struct InSight {
    connection: RustConnection,
    window: u32,
    seen_at: Cell<Option<Instant>>,
}

impl InSight {
    /// For a window; `None` for one of another system, which does not let it draw where nobody sees it.
    pub(super) fn of(window: &impl HasWindowHandle) -> Option<Self> {
        let window = match window.window_handle().ok()?.as_raw() {
            RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).ok()?,
            RawWindowHandle::Xcb(handle) => handle.window.get(),
            _ => return None,
        };
        let (connection, _) = x11rb::connect(None).ok()?;
        Some(Self { connection, window, seen_at: Cell::new(None) })
    }

    /// Whether it, and all that it lies in, is on the screen now, or was a moment ago. Becoming so brings a redraw event.
    pub(super) fn is_shown(&self) -> bool {
        if self.seen_at.get().is_some_and(|then| then.elapsed() < PERIOD) {
            return true;
        }
        let answer = self.connection.get_window_attributes(self.window).ok().and_then(|asked| asked.reply().ok());
        // Of a window that is gone, or a server, other events tell.
        let is_shown = answer.is_none_or(|answer| answer.map_state == MapState::VIEWABLE);
        self.seen_at.set(is_shown.then(Instant::now));
        is_shown
    }
}
