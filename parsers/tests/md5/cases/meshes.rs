//! Joints, names and geometry (docs/formats/md5.md "The mesh file").

use super::Expected::{Fails, Same, Says};
use super::{SAME, run_mesh};

#[test]
fn mesh_joints_and_names() {
    run_mesh(&[
        ("M09 self", &[("\t0 ( 0 0 10", "\t1 ( 0 0 10")], Says("\"bone\"\t1 ( 0 0 10 )", &[])),
        ("M09 forward", &[("-1 ( 0 0 0", "1 ( 0 0 0")], Says("\"origin\"\t1 (", &[])),
        ("M10", &[("-1 ( 0 0 0", "0 ( 0 0 0")], Says("\"origin\"\t0 (", &[])),
        (
            "parent beyond",
            &[("\t0 ( 0 0 10", "\t2 ( 0 0 10")],
            Fails("9:9 joint 'bone' names parent 2, but the file has 2 joints"),
        ),
        ("M14", &[("\"bone\"", "\"origin\"")], Says("\"origin\"\t0 (", &[])),
        ("M39", &[("\"bone\"", "\"bo\" \"ne\"")], Same(&["9:2 adjacent strings are read as one"])),
        ("M39b", &[("\"bone\"", "bone")], Same(&["9:2 text without quotes"])),
        ("M39c", &[("\"bone\"", "Bip01.L/Arm")], Says("\"Bip01.L/Arm\"", &["9:2 text without quotes"])),
        ("M39f", &[("\"bone\"", "'bone'")], Same(&["9:2 text in single quotes, expected double quotes"])),
        ("M55", &[("numJoints 2", "numJoints -1")], Says("numJoints -1\n", &["4:11 numJoints says -1, but 2 follow"])),
        (
            "too many joints",
            &[("numJoints 2", "numJoints 1")],
            Says("numJoints 1\n", &["4:11 numJoints says 1, but 2 follow"]),
        ),
        (
            "too few joints",
            &[("numJoints 2", "numJoints 3")],
            Says("numJoints 3\n", &["4:11 numJoints says 3, but 2 follow"]),
        ),
        (
            "M75",
            &[
                (
                    "joints {…}",
                    "joints { \"a\" -1 (0 0 0) (0 0 0) \"b\" 0 (0 0 0) (0 0 0) \"c\" 0 (0 0 0) (0 0 0) \"d\" 1 (0 0 0) (0 0 0) }",
                ),
                ("numJoints 2", "numJoints 4"),
            ],
            Says("\"d\"\t1 (", &[]),
        ),
        ("a joint called mesh", &[("\"bone\"", "mesh")], Says("\"mesh\"\t0", &["9:2 text without quotes"])),
        ("a number for a name", &[("\"bone\"", "7")], Says("\"7\"\t0", &["9:2 text without quotes"])),
        (
            "name of two words",
            &[("\"bone\"", "the bone")],
            Fails("9:6 expected the index of the joint's parent, found 'bone'"),
        ),
        (
            "a name in the exporter's comment",
            &[("meshes: m", "meshes:  Big head \r")],
            Says("{\n\t// meshes: Big head\n\tshader", &[]),
        ),
        ("no name", &[("\"bone\"", "")], Fails("9:5 expected the index of the joint's parent, found '('")),
    ]);
}

#[test]
fn mesh_geometry() {
    run_mesh(&[
        ("M24", &[("3 2\n", "3 0\n")], Says(") 3 0\n", &["20:2 a vertex without weights; Doom 3 refuses the file"])),
        (
            "no weights, far off",
            &[("3 2\n", "99 0\n")],
            Says(") 5 0\n", &["20:2 a vertex without weights; Doom 3 refuses the file"]),
        ),
        ("M24b", &[("3 2\n", "3 -1\n")], Fails("20:19 vert 3 takes -1 from weight 3 on, but the mesh has 5 weights")),
        (
            "negative first",
            &[("3 2\n", "-3 2\n")],
            Fails("20:20 vert 3 takes 2 from weight -3 on, but the mesh has 5 weights"),
        ),
        ("M26", &[("3 2\n", "4 2\n")], Fails("20:19 vert 3 takes 2 from weight 4 on, but the mesh has 5 weights")),
        ("M27", &[("1 0 1 ( 8", "1 0 0.5 ( 8")], Says("weight 1 0 0.5 ( 8", &[])),
        ("M28", &[("0 0.5 ( 0 8", "0 1.5 ( 0 8"), ("1 0.5 ( -8", "1 -0.5 ( -8")], Says("weight 4 1 -0.5 ( -8", &[])),
        ("M29", &[("tri 1 0 3 2", "tri 1 0 4 2")], Fails("24:10 tri 1 names vertex 4, but the mesh has 4 vertices")),
        ("M30", &[("tri 1 0 3 2", "tri 1 0 3 -1")], Fails("24:12 tri 1 names vertex -1, but the mesh has 4 vertices")),
        ("M32", &[("weight 4 1", "weight 4 -1")], Fails("31:11 weight 4 names joint -1, but the file has 2 joints")),
        ("M32 2", &[("weight 4 1", "weight 4 2")], Fails("31:11 weight 4 names joint 2, but the file has 2 joints")),
        ("M33", &[("numMeshes 1", "numMeshes 2")], Says("numMeshes 2\n", &["5:11 numMeshes says 2, but 1 follow"])),
        (
            "one mesh more",
            &[("10 )\n}\n", "10 )\n}\nmesh { shader \"b\" numverts 0 numtris 0 numweights 0 }")],
            Says("shader \"b\"", &["5:11 numMeshes says 1, but 2 follow"]),
        ),
        ("M36", &[("shader", "name \"foo\"\n\tshader")], Says("\tname \"foo\"\n\tshader \"models/test\"", &[])),
        (
            "M36b",
            &[("shader", "flags { a { 1 } b }\n\tshader")],
            Same(&["14:2 'flags' belongs to another version and is skipped"]),
        ),
        ("M37c", &[("models/test", "")], Says("shader \"\"", &[])),
        ("M38", &[("shader \"models/test\"", "")], Says("shader \"\"", &["12:7 there is no 'shader'"])),
        ("M54", &[("numverts 4", "numverts -1")], Says("numverts -1\n", &["16:11 numverts says -1, but 4 follow"])),
        ("M54b", &[("numtris 2", "numtris -1")], Says("numtris -1\n", &["22:10 numtris says -1, but 2 follow"])),
        ("M54c", &[("numMeshes 1", "numMeshes -1")], Says("numMeshes -1\n", &["5:11 numMeshes says -1, but 1 follow"])),
        ("M68", &[("numverts 4", "numverts 5")], Says("numverts 5\n", &["16:11 numverts says 5, but 4 follow"])),
        ("M69", &[("numverts 4", "numverts 3")], Says("numverts 3\n", &["16:11 numverts says 3, but 4 follow"])),
        ("no count", &[("numtris 2", "")], Same(&["12:7 there is no 'numtris'"])),
        (
            "too much to be true",
            &[("numverts 4", "numverts 2000000000")],
            Fails("16:11 numverts says 2000000000, but a file of 486 bytes holds fewer than 61"),
        ),
        ("misspelled record", &[("vert 2", "vrt 2")], Fails("19:2 expected 'vert' (2 of 4 read), found 'vrt'")),
        (
            "misspelled count",
            &[("numtris", "numtri")],
            Fails("22:2 expected 'numtris' or 'numweights', found 'numtri'"),
        ),
        (
            "number missing",
            &[("2 1\n\tvert 3", "2\n\tvert 3")],
            Fails("19:18 expected the number of the vertex's weights, found the end of the line"),
        ),
        (
            "corner missing",
            &[("2 1\n\ttri 1", "2\n\n// no third\n\ttri 1")],
            Fails("23:11 expected the index of a vertex, found the end of the line"),
        ),
        ("parenthesis missing", &[("8 8 0 )", "8 8 0")], Fails("29:22 expected ')', found the end of the line")),
        (
            "vector missing",
            &[("( 0 0 0.7071067691 )\t\t//", "//")],
            Fails("9:21 expected '(', found the end of the line"),
        ),
        ("count missing", &[("numtris 2", "numtris")], Fails("22:9 expected a count, found the end of the line")),
        (
            "shader missing",
            &[(" \"models/test\"", "")],
            Fails("14:8 expected a shader's name, found the end of the line"),
        ),
        ("brace missing", &[("mesh {\n\t//", "mesh\n//")], Fails("12:5 expected '{', found the end of the line")),
        ("word at the end", &[("-10 )\n}", "-10 )\nfoo }")], Fails("32:1 expected '}', found 'foo'")),
        (
            "cut off in a list",
            &[("vert 2…", "vert 2 ( 1")],
            Fails("19:12 the file ends here: 2 of 4 vertices are missing; export or download it again"),
        ),
        (
            "cut off in a number",
            &[("1 0 ) 1 1…", "1.5e")],
            Fails("18:15 the file ends here: 3 of 4 vertices are missing; export or download it again"),
        ),
        (
            "cut off in a keyword",
            &[("weight 3…", "wei")],
            Fails("30:5 the file ends here: 2 of 5 weights are missing; export or download it again"),
        ),
        (
            "cut off in a name",
            &[("bone\"…", "bo")],
            Fails("9:5 the file ends here: 1 of 2 joints are missing; export or download it again"),
        ),
        (
            "cut off between records",
            &[("vert 2…", "")],
            Fails("18:20 the file ends here: 2 of 4 vertices are missing; export or download it again"),
        ),
        (
            "M70",
            &[("weight 1 0 1 ( 8 0 0 )\n\tweight 2 0 1 ( 8 8 0 )", "weight 2 0 1 ( 8 8 0 )\n\tweight 1 0 1 ( 8 0 0 )")],
            Says("weight 2 0 1 ( 8 8 0 )\n\tweight 1 0 1 ( 8 0 0 )", &[]),
        ),
        ("M76", &[("( 0 1 ) 3 2", "( 0 1 ) 0 5")], Says("( 0 1 ) 0 5\n", &[])),
        (
            "the least record number",
            &[("tri 0", "tri -9223372036854775808")],
            Says("tri -9223372036854775808 0 2 1", &[]),
        ),
        (
            "M80",
            &[("vert 0", "vert 4294967295"), ("tri 0", "tri 4294967295"), ("weight 0", "weight 4294967295")],
            Says("tri 4294967295 0 2 1", &[]),
        ),
        ("M81", &[("weight 4 1", "weight 4 999")], Fails("31:11 weight 4 names joint 999, but the file has 2 joints")),
        (
            "version 12 vertex",
            &[
                ("Version 10", "Version 12"),
                ("vert 0 ( 0 0 )", "vert 0 ( 0 0 ) ( 0 0 1 ) ( 1 0 0 1 )"),
                ("numtris", "numvertexcolors 1 vertexcolor 0 ( 1 1 1 1 )\n\tnumtris"),
            ],
            Says(
                "\tvert 0 ( 0 0 ) 0 1\n",
                &[
                    "1:12 version 12, expected 10; Doom 3 refuses the file",
                    "17:17 'normal and tangent' belongs to another version and is skipped",
                    "22:2 'numvertexcolors' belongs to another version and is skipped",
                    "22:20 'vertexcolor' belongs to another version and is skipped",
                ],
            ),
        ),
        (
            "lists in other order",
            &[("\tnumtris 2…\n\n", ""), ("-10 )\n", "-10 )\n\tnumtris 2\n\ttri 0 0 2 1\n\ttri 1 0 3 2\n")],
            SAME,
        ),
    ]);
}
