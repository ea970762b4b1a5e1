//! Ctrl-C and other termination requests.

#[cfg(unix)]
pub use unix::{clean_up_on_signals, restore_terminal_on_signals};
#[cfg(windows)]
pub use windows::clean_up_on_signals;

#[cfg(windows)]
mod windows {
    use bindpose_core::write::remove_unfinished;

    /// Exit code of a program terminated by Ctrl-C, as Windows shells know it.
    const CONTROL_C_EXIT: u32 = 0xC000_013A;

    /// Makes Ctrl-C, Ctrl-Break and a closed console remove unfinished files and terminate the program.
    ///
    /// # Errors
    ///
    /// Errors of the system. Ctrl-C then terminates the program in the usual way.
    pub fn clean_up_on_signals() -> Result<(), ctrlc::Error> {
        ctrlc::set_handler(|| {
            remove_unfinished();
            std::process::exit(CONTROL_C_EXIT as i32);
        })
    }
}

#[cfg(unix)]
mod unix {
    use bindpose_core::write::remove_unfinished;
    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::io;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, OnceLock};

    /// Mode of the terminal to restore.
    static TERMINAL: OnceLock<Termios> = OnceLock::new();

    /// Makes signals restore the mode that the terminal has now, before a program reads single keys.
    pub fn restore_terminal_on_signals() {
        if let Ok(mode) = tcgetattr(io::stdin()) {
            TERMINAL.get_or_init(|| mode);
        }
    }

    /// Makes SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU (a limit of CPU time) remove unfinished files and exit with 128
    /// plus the number of the signal, as in shells: 130, 143, 129, 131 and 152. Exceeding a file-size limit becomes a
    /// write error, which removes the file, instead of SIGXFSZ.
    ///
    /// # Errors
    ///
    /// Errors of the system. A signal then terminates the program in the usual way.
    pub fn clean_up_on_signals() -> io::Result<()> {
        // With any handler, even one that does nothing, the system call fails instead of raising the signal.
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT, SIGXCPU])?;
        if !is_hangup_ignored() {
            signals.add_signal(SIGHUP)?;
        }
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                remove_unfinished();
                if let Some(mode) = TERMINAL.get() {
                    let _ = tcsetattr(io::stdin(), OptionalActions::Now, mode);
                }
                // Exit handlers of libraries must not run, because other threads are still drawing.
                signal_hook::low_level::exit(128 + signal);
            }
        })?;
        Ok(())
    }

    /// True if the program was started by `nohup`, which ignores SIGHUP. Only detected on Linux.
    fn is_hangup_ignored() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
        ignored.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 1 << (SIGHUP - 1) != 0)
    }
}
