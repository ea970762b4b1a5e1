//! Embeds the application manifest of Windows (UTF-8 as the code page, paths of any length, sharp on every screen), and
//! exports the two symbols by which drivers let the faster of two graphics cards draw.

fn main() -> std::io::Result<()> {
    #[cfg(feature = "cli")]
    if std::env::var_os("CARGO_CFG_WINDOWS").is_some() {
        embed_manifest::embed_manifest(embed_manifest::new_manifest("bindpose"))?;
        prefer_fast_gpu()?;
    }
    Ok(())
}

/// Links an object file in which both symbols are 1 and exported. Drivers read them from the running program's file:
/// <https://docs.nvidia.com/gameworks/content/technologies/desktop/optimus.htm> and AMD's counterpart.
#[cfg(feature = "cli")]
fn prefer_fast_gpu() -> std::io::Result<()> {
    const SYMBOLS: [&str; 2] = ["NvOptimusEnablement", "AmdPowerXpressRequestHighPerformance"];
    const HEADER: u32 = 20;
    const SECTION: u32 = 40;
    let variable = |name| std::env::var(name).unwrap_or_default();
    let machine: u16 = match variable("CARGO_CFG_TARGET_ARCH").as_str() {
        "x86_64" => 0x8664,
        "aarch64" => 0xAA64,
        _ => return Ok(()),
    };
    let values = [1_u32.to_le_bytes(); SYMBOLS.len()].concat();
    // Both linkers read options from a section of this name.
    let options: String = SYMBOLS.iter().map(|symbol| format!(" -export:{symbol},data")).collect();
    let values_at = HEADER + 2 * SECTION;
    let options_at = values_at + values.len() as u32;
    let symbols_at = options_at + options.len() as u32;

    // The tables of Microsoft's "PE Format".
    let mut object = Vec::new();
    let mut put = |bytes: &[u8]| object.extend_from_slice(bytes);
    put(&machine.to_le_bytes());
    put(&2_u16.to_le_bytes());
    [0, symbols_at, SYMBOLS.len() as u32, 0].iter().for_each(|number: &u32| put(&number.to_le_bytes()));
    // Data to read, aligned to four bytes; and for the linker only, aligned to one.
    let sections = [
        (b".rdata\0\0", values.as_slice(), values_at, 0x4030_0040_u32),
        (b".drectve", options.as_bytes(), options_at, 0x0010_0A00),
    ];
    for (name, bytes, at, flags) in &sections {
        put(*name);
        [0, 0, bytes.len() as u32, *at, 0, 0, 0, *flags].iter().for_each(|number| put(&number.to_le_bytes()));
    }
    sections.iter().for_each(|(_, bytes, ..)| put(bytes));
    let mut names = Vec::new();
    for (number, symbol) in SYMBOLS.iter().enumerate() {
        // Its name in the table of names, its place in the first section, and "external".
        [0, 4 + names.len() as u32, 4 * number as u32].iter().for_each(|number| put(&number.to_le_bytes()));
        put(&[1, 0, 0, 0, 2, 0]);
        names.extend_from_slice(symbol.as_bytes());
        names.push(0);
    }
    put(&(4 + names.len() as u32).to_le_bytes());
    put(&names);
    let path = std::path::Path::new(&variable("OUT_DIR")).join("fast-gpu.o");
    std::fs::write(&path, object)?;
    println!("cargo::rustc-link-arg-bins={}", path.display());
    Ok(())
}
