//! Ctrl-C and other requests to end.

#[cfg(unix)]
pub use unix::clean_up_on_signals;
#[cfg(windows)]
pub use windows::clean_up_on_signals;

#[cfg(windows)]
mod windows {
    use bindpose::write::remove_unfinished;

    /// Exit code of a program that Ctrl-C ends, as shells of Windows know it.
    const CONTROL_C_EXIT: u32 = 0xC000_013A;

    /// Makes Ctrl-C, Ctrl-Break and a closed console remove unfinished files and end the program.
    ///
    /// # Errors
    ///
    /// The system's; then Ctrl-C ends the program as it always does.
    pub fn clean_up_on_signals() -> Result<(), ctrlc::Error> {
        ctrlc::set_handler(|| {
            remove_unfinished();
            std::process::exit(CONTROL_C_EXIT as i32);
        })
    }
}

#[cfg(unix)]
mod unix {
    use bindpose::write::remove_unfinished;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// Makes SIGINT, SIGTERM and SIGHUP remove unfinished files and end the program with 128 plus their number, as shells count: 130,
    /// 143 and 129. A file-size limit becomes an error of writing, which removes the file, instead of SIGXFSZ.
    ///
    /// # Errors
    ///
    /// The system's; then a signal ends the program as it always does.
    pub fn clean_up_on_signals() -> io::Result<()> {
        // A handler, even one that does nothing, turns the signal into an error of the system call.
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        if !is_hangup_ignored() {
            signals.add_signal(SIGHUP)?;
        }
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                remove_unfinished();
                // Without the handlers of libraries: other threads still draw.
                signal_hook::low_level::exit(128 + signal);
            }
        })?;
        Ok(())
    }

    /// True if the program was started by `nohup`, which ignores SIGHUP; known on Linux only.
    fn is_hangup_ignored() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
        ignored.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 1 << (SIGHUP - 1) != 0)
    }
}
