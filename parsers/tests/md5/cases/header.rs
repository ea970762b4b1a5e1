//! Header, sections, blanks and comments of a mesh (docs/formats/md5.md "Words and numbers").

use super::Expected::{Fails, Same, Says};
use super::{SAME, run_mesh};

#[test]
fn mesh_header_and_words() {
    run_mesh(&[
        ("M01", &[], SAME),
        (
            "M02 11",
            &[("Version 10", "Version 11")],
            Says("MD5Version 11\n", &["1:12 version 11, expected 10; Doom 3 refuses the file"]),
        ),
        (
            "M02 12",
            &[("Version 10", "Version 12")],
            Says("MD5Version 12\n", &["1:12 version 12, expected 10; Doom 3 refuses the file"]),
        ),
        (
            "M02 6",
            &[("Version 10", "Version 6")],
            Fails(
                "1:12 version 6 is the layout of the Doom 3 alpha (numbones, channel); only the layout of version 10 is read, so export the file again",
            ),
        ),
        ("M02b 10.0", &[("Version 10", "Version 10.0")], Same(&["1:12 '10.0' is cut to the integer 10"])),
        ("M02b 10.9", &[("Version 10", "Version 10.9")], Same(&["1:12 '10.9' is cut to the integer 10"])),
        (
            "M02b 0xA",
            &[("Version 10", "Version 0xA")],
            Same(&["1:12 '0xA' is read as 10; most readers know decimal numbers only"]),
        ),
        (
            "M02b 012",
            &[("Version 10", "Version 012")],
            Same(&["1:12 '012' begins with 0 and is read as 10; write it without the 0, which means octal in Doom 3"]),
        ),
        (
            "M02b 0b1010",
            &[("Version 10", "Version 0b1010")],
            Same(&["1:12 '0b1010' is read as 10; most readers know decimal numbers only"]),
        ),
        ("M02b 10u", &[("Version 10", "Version 10u")], Same(&["1:14 a letter after a number is ignored"])),
        ("M02e", &[("Version 10", "Version 10f")], Same(&["1:14 a letter after a number is ignored"])),
        (
            "wrapping version",
            &[("Version 10", "Version 4294967306")],
            Same(&["1:12 '4294967306' does not fit in 32 bits; Doom 3 reads it as 10"]),
        ),
        (
            "4843",
            &[("Version 10", "Version 4843")],
            Fails(
                "1:12 version 4843 is an exporter's own layout with 'objects' and 'materials'; only the layout of version 10 is read, so export the file again",
            ),
        ),
        ("no version", &[("MD5Version 10\n", "")], Says("\nnumJoints 2", &["1:1 there is no 'MD5Version'"])),
        ("M03", &[("commandline \"x\"", "")], Says("MD5Version 10\n\nnumJoints", &["4:1 there is no 'commandline'"])),
        ("M04", &[("\"x\"", "x")], Same(&["2:13 a command line without quotes"])),
        ("M05", &[("\"x\"", "mesh foo")], Says("commandline \"mesh foo\"\n", &["2:13 a command line without quotes"])),
        ("M05b", &[("\"x\"", "\"x\" \"y\"")], Says("commandline \"xy\"\n", &["2:13 adjacent strings are read as one"])),
        (
            "bare command line",
            &[("\"x\"", "")],
            Says("commandline \"\"\n", &["2:1 'commandline' is followed by no text; write commandline \"\""]),
        ),
        ("open command line", &[("\"x\"", "\"x")], Same(&["2:13 the command line has no closing quote"])),
        ("command line below", &[(" \"x\"", "\n\n\"x\"")], SAME),
        ("command line with a comment", &[("\"x\"", "\"x\" // y")], SAME),
        (
            "M08",
            &[("numJoints 2", "numJoints 0"), ("numMeshes 1", "numMeshes 0"), ("\"origin\"…", "}")],
            Says("joints {\n}\n", &[]),
        ),
        (
            "M41",
            &[("models/test…", "models")],
            Fails("14:16 the file ends here: 1 of 1 meshes are missing; export or download it again"),
        ),
        ("newline in a string", &[("test\"", "test")], Fails("14:9 the string has no closing quote on its line")),
        ("M43", &[("10 )\n}\n", "10 )\n}\n// end")], SAME),
        ("M44b", &[("0 0 10", "0 0 /*/ 10")], Same(&["9:17 '/*/' is read as a whole comment, as Doom 3 does"])),
        (
            "swallowed byte",
            &[("0 0 10", "0 0 /* ten */10")],
            Same(&["9:26 Doom 3 skips the character right after '*/'; put a blank there"]),
        ),
        ("comment", &[("0 0 10", "0 0 /* ten\n\n */ 10")], SAME),
        (
            "nested comment",
            &[("0 0 10", "0 0 /* /* */ 10")],
            Same(&["9:20 '/*' inside a comment; comments do not nest"]),
        ),
        (
            "open comment",
            &[("10 )\n}\n", "10 )\n}\n/* the end")],
            Same(&["33:1 the comment has no end, so the file ends here"]),
        ),
        (
            "open comment in between",
            &[("numtris 2", "/* numtris 2")],
            Fails("22:2 this comment has no end, expected 'numtris' or 'numweights'"),
        ),
        (
            "M47",
            &[("MD5Version", "\u{feff}MD5Version")],
            Same(&["1:1 a byte order mark before the first word; save the file without it"]),
        ),
        (
            "no-break space",
            &[("numJoints 2", "numJoints\u{a0}2")],
            Same(&["4:10 a byte outside ASCII between words is read as white space"]),
        ),
        ("M56", &[("mesh {", "\0mesh {")], Fails("12:1 a 0 byte ends the file here, expected 'mesh { … }'")),
        (
            "NUL at the beginning",
            &[("MD5Version", "\0\0MD5Version")],
            Fails("1:1 a 0 byte ends the file here, expected 'MD5Version 10'"),
        ),
        (
            "NUL at the end",
            &[("10 )\n}\n", "10 )\n}\n\0\0\0")],
            Same(&["33:1 a 0 byte ends the file here; 2 bytes are not read"]),
        ),
        ("M57", &[("numJoints 2", "numJoints\u{1}\u{b}2")], Same(&["4:10 control byte 0x01 is read as white space"])),
        ("M60", &[("joints {", "\"joints\" {")], Same(&["7:1 the keyword 'joints' is in quotes"])),
        ("M63", &[("meshes: m", "meshes: } { m")], Says("\t// meshes: } { m\n", &[])),
        (
            "M65",
            &[("numMeshes 1", "numMeshes 1;")],
            Same(&["5:12 ';' is read as white space, but Doom 3 refuses it; remove it"]),
        ),
        ("M66", &[("-10 )\n}\n", "-10 )\n")], Same(&["31:29 'mesh' has no closing '}'"])),
        ("joints not closed", &[("}\n\nmesh", "mesh")], Same(&["10:1 'joints' has no closing '}'"])),
        (
            "mesh not closed",
            &[("-10 )\n}\n", "-10 )\nmesh { shader \"b\"\n}\n"), ("numMeshes 1", "numMeshes 2")],
            Says(
                "\nmesh {\n\tshader \"b\"\n\n\tnumverts 0\n",
                &[
                    "32:1 'mesh' has no closing '}'",
                    "32:7 there is no 'numverts'",
                    "32:7 there is no 'numtris'",
                    "32:7 there is no 'numweights'",
                ],
            ),
        ),
        ("empty mesh", &[("shader…}", "}")], Fails("14:2 expected 'shader', found '}'")),
        ("M35", &[("10 )\n}\n", "10 )\n}\n\"unterminated { )")], Same(&["33:1 text after the last block is not read"])),
        (
            "broken mesh behind the last",
            &[("10 )\n}\n", "10 )\n}\nmesh { shader nan numverts (")],
            Same(&["33:1 text after the last block is not read"]),
        ),
        ("M74", &[("0 0 10", "0 @ 10")], Fails("9:15 expected a number, found '@'")),
        (
            "upper case",
            &[("joints {", "JOINTS {"), ("vert 0", "Vert 0")],
            Same(&[
                "7:1 'JOINTS' is read as 'joints'; Doom 3 is case-sensitive",
                "17:2 'Vert' is read as 'vert'; Doom 3 is case-sensitive",
            ]),
        ),
        (
            "counts swapped",
            &[("numJoints 2\nnumMeshes 1", "numMeshes 1\nnumJoints 2")],
            Same(&["5:1 'numJoints' comes too late; Doom 3 refuses this order"]),
        ),
        (
            "numJoints twice",
            &[("numJoints 2", "numJoints 3\nnumJoints 2")],
            Same(&["5:1 a second 'numJoints'; this one counts"]),
        ),
        ("no numJoints", &[("numJoints 2\n", "")], Same(&["4:1 there is no 'numJoints'"])),
        (
            "joints last",
            &[
                ("joints {…}\n\n", ""),
                (
                    "-10 )\n}\n",
                    "-10 )\n}\njoints { \"origin\" -1 (0 0 0) (0 0 0) \"bone\" 0 (0 0 10) (0 0 0.7071067691) }",
                ),
            ],
            Same(&["28:1 'joints' comes too late; Doom 3 refuses this order"]),
        ),
        ("no joints", &[("joints {…}\n\n", "")], Fails("7:1 there is no 'joints { … }' block")),
        (
            "joints twice",
            &[("mesh {", "joints { }\nmesh {")],
            Fails("12:1 a second 'joints { … }' block, expected one; remove the one that does not belong here"),
        ),
        ("unknown section", &[("mesh {", "meshes {")], Fails("12:1 expected 'mesh', found 'meshes'")),
        (
            "misspelled keyword",
            &[("numMeshes", "nunMeshes")],
            Fails("5:1 expected 'numMeshes' or 'joints' or 'mesh', found 'nunMeshes'"),
        ),
        ("an anim", &[("numMeshes", "numFrames")], Fails("5:1 this is a .md5anim, expected a .md5mesh")),
    ]);
}
