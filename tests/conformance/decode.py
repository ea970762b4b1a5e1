"""An independent decoder of .x. Of the suite in a folder, prints the words of each file that also exists as text, if the
encodings differ. With -, reads pairs of paths, and prints those whose objects or templates differ."""
import json, re, struct, sys, zlib

MARKS = {10: "{", 11: "}", 12: "(", 13: ")", 14: "[", 15: "]", 16: "<", 17: ">", 18: ".", 19: ",", 20: ";", 31: "template", 52: "array", 40: "WORD",
         41: "DWORD", 42: "FLOAT", 43: "DOUBLE", 44: "CHAR", 45: "UCHAR", 46: "SWORD", 47: "SDWORD", 49: "STRING", 50: "UNICODE", 51: "CSTRING"}

def unpack(data):
    if data[8:12] not in (b"tzip", b"bzip"): return data
    total, at, out = struct.unpack_from("<I", data, 16)[0], 20, b""
    while at < len(data):
        size, packed = struct.unpack_from("<HH", data, at)
        assert data[at + 4:at + 6] == b"CK" and size <= 32768
        block = zlib.decompressobj(-15, zdict=out[-32768:]).decompress(data[at + 6:at + 4 + packed])
        assert len(block) == size
        out, at = out + block, at + 4 + packed
    assert total == len(out) + 16
    return data[:8] + {b"tzip": b"txt ", b"bzip": b"bin "}[data[8:12]] + data[12:16] + out

def text_words(data):
    text = re.sub(r'("[^"]*")|(?://|#)[^\n]*', r"\1", data[16:].decode("latin-1"))
    return re.findall(r'"[^"]*"|<[^>]*>|[{}\[\]]|[^\s\0{}\[\];,<>"]+', text)

def binary_words(data):
    at, words = 16, []
    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values
    while any(data[at:at + 2]):
        token, = take("H")
        if token in (1, 2):
            word = take("%ds" % take("I"))[0].decode("latin-1")
            words += word.rstrip("\0").split() if token == 1 else ['"%s"' % word]
        elif token == 3: words.append(take("I")[0])
        elif token == 5: words.append("<%08X-%04X-%04X-%s-%s>" % (*take("IHH"), take("2s")[0].hex().upper(), take("6s")[0].hex().upper()))
        elif token in (6, 7): words += take("%d%s" % (*take("I"), "I" if token == 6 else {b"0032": "f", b"0064": "d"}[data[12:16]]))
        else: words.append(MARKS[token])
    return [word for word in words if word not in (",", ";")]

def plain(word):
    """Normalises words: numbers as numbers, keywords and GUIDs in one case."""
    try: return float(struct.unpack("f", struct.pack("f", float(word)))[0])
    except ValueError: return word if word.startswith('"') else word.upper()

def words(path):
    data = unpack(open(path, "rb").read())
    return [plain(word) for word in (text_words if data[8:12] == b"txt " else binary_words)(data)]

def items(path):
    """Returns the objects at top level in order, and the templates."""
    depth, item, objects, templates = 0, [], [], []
    for word in words(path):
        # Integers of binary files have no sign, and `...` may be three marks.
        if isinstance(word, float) and word < 0 and word.is_integer(): word = plain(word + 2**32)
        if word == "..." : item += "..."
        else: item.append("<%s>" % word.strip("<> ").upper().replace(" ", "") if str(word).startswith("<") else word)
        depth += {"{": 1, "}": -1}.get(word, 0)
        if depth == 0 and word == "}":
            (templates if item[0] == "TEMPLATE" else objects).append(item)
            item = []
    return objects, templates

if sys.argv[1] == "-":
    known, compared = {}, 0
    for line in sys.stdin:
        one, other = line.rstrip("\n").split("\t")
        (expected, templates), (found, kept) = known.get(one) or known.setdefault(one, items(one)), items(other)
        for left, right in [(templates, kept), (expected, found)]:
            if left != right:
                first = next(((a, b) for x, y in zip(left, right) for a, b in zip(x, y) if a != b), (len(left), len(right)))
                print(one, other, *first, sep="\n  ")
        compared += 1
    print(compared, "compared")
    sys.exit()
folder, compared = sys.argv[1], 0
for rule in json.load(open(folder + "/rules.json"))["rules"]:
    kind, _, name = rule["file"].rpartition("/")
    if kind in ("x/binary", "x/text-compressed", "x/binary-compressed") and rule["load"] == "must":
        try: expected = words(folder + "/x/text/" + name)
        except FileNotFoundError: continue
        compared += 1
        if words(folder + "/" + rule["file"]) != expected: print(rule["file"], words(folder + "/" + rule["file"]), expected, sep="\n")
print(compared, "compared")
