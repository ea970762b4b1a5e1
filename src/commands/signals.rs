//! Ctrl-C and other requests to end.

use bindpose::write::remove_unfinished;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;

/// From now on SIGINT and SIGTERM remove the files that are not finished and end the program with 128 and their number,
/// as shells count: 130 and 143.
///
/// # Errors
///
/// The system's; then a signal ends the program as it always does.
pub fn clean_up_on_signals() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            remove_unfinished();
            // Without the handlers of libraries: other threads still draw.
            signal_hook::low_level::exit(128 + signal);
        }
    })?;
    Ok(())
}
