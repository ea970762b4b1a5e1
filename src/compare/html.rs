//! Parts shared by the HTML pages of commands.

use bindpose_core::diagnostic::Escaped;

/// Style sheet, light or dark as the reader's system.
pub const STYLE: &str = "\
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: .4rem; }
:focus-visible { outline: 2px solid; outline-offset: 2px; }
@media print { body { max-width: none; margin: 0; } pre { white-space: pre-wrap; } }
figcaption { font-size: .85rem; }
img { border: 1px solid #8886; border-radius: .4rem; }
";

/// Escapes text for HTML and Markdown, and control characters for terminals.
pub fn text(text: &str) -> String {
    let lines = text.lines().map(|line| Escaped(line).to_string()).collect::<Vec<_>>().join("\n");
    lines.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escapes text for one line of Markdown, even in a table.
pub fn line(line: &str) -> String {
    text(line).replace('\\', "\\\\").replace('|', "\\|").replace('\n', " ")
}

/// End of a page.
pub const END: &str = "</main>\n</body>\n</html>\n";

/// Returns the start of a page with its heading. `style` is added to [`STYLE`], `head` to the head; [`END`] ends the
/// page.
pub fn start(title: &str, style: &str, head: &str) -> String {
    let title = text(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n{head}<title>{title}</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    )
}
