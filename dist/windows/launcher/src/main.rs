//! Starts `bindpose.exe` from the same folder with the same arguments and without a console window.
//!
//! In Windows, the program determines whether a double click opens a console, so there are two programs, as in Blender:
//! `bindpose.exe` for terminals, with output and exit codes as usual, and this one for the desktop. A message box shows
//! the errors of `bindpose.exe`.

#![cfg_attr(windows, windows_subsystem = "windows")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Largest number of characters of a report with which a message box fits on the screen.
const LONGEST_REPORT: usize = 2_000;

fn main() -> ExitCode {
    match run() {
        Ok((0, _)) => ExitCode::SUCCESS,
        Ok((code, report)) if report.is_empty() => {
            show(&format!("bindpose.exe ended with exit code {code}"));
            ExitCode::from(code)
        }
        Ok((code, report)) => {
            show(&report.chars().take(LONGEST_REPORT).collect::<String>());
            ExitCode::from(code)
        }
        Err(error) => {
            show(&format!("bindpose.exe, which has to be in the same folder, does not start: {error}"));
            ExitCode::from(2)
        }
    }
}

/// Returns the exit code of `bindpose`, and its output to stderr.
fn run() -> std::io::Result<(u8, String)> {
    let program = std::env::current_exe()?.with_file_name("bindpose").with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).stdin(Stdio::null()).stdout(Stdio::null());
    if let Some(folder) = folder() {
        command.current_dir(folder);
    }
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        command.creation_flags(CREATE_NO_WINDOW);
    }
    let output = command.output()?;
    let code = output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2);
    Ok((code, String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// Returns the folder of the first file, or without a file the user's, for recordings and screenshots. The desktop starts
/// programs in their own folder or in that of Windows. Returns `None` for relative paths, which a shell passes.
fn folder() -> Option<PathBuf> {
    match std::env::args_os().nth(1).map(PathBuf::from) {
        Some(file) if file.is_absolute() => file.parent().map(Path::to_owned),
        Some(_) => None,
        None => std::env::home_dir(),
    }
}

#[cfg(windows)]
fn show(text: &str) {
    use windows_sys::Win32::UI::WindowsAndMessaging::{MB_ICONERROR, MessageBoxW};
    use windows_sys::w;
    let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
    // SAFETY: both texts end with 0 and outlive the call.
    unsafe { MessageBoxW(std::ptr::null_mut(), text.as_ptr(), w!("bindpose"), MB_ICONERROR) };
}

#[cfg(not(windows))]
fn show(text: &str) {
    eprintln!("{text}");
}
