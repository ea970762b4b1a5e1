"""An independent decoder of .x: prints the words of each file that also exists as text, if the encodings differ."""
import json, re, struct, sys, zlib

MARKS = {10: "{", 11: "}", 14: "[", 15: "]", 19: ",", 20: ";", 31: "template", 52: "array", 40: "WORD", 41: "DWORD", 42: "FLOAT", 49: "STRING"}

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
    return re.findall(r'"[^"]*"|<[^>]*>|[{}\[\]]|[^\s{}\[\];,<>"]+', text)

def binary_words(data):
    at, words = 16, []
    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values
    while at < len(data):
        token, = take("H")
        if token in (1, 2):
            word = take("%ds" % take("I"))[0].decode("latin-1")
            words.append(word if token == 1 else '"%s"' % word)
        elif token == 3: words.append(take("I")[0])
        elif token == 5: words.append("<%08X-%04X-%04X-%s-%s>" % (*take("IHH"), take("2s")[0].hex().upper(), take("6s")[0].hex().upper()))
        elif token in (6, 7): words += take("%d%s" % (*take("I"), "If"[token - 6]))
        else: words.append(MARKS[token])
    return [word for word in words if word not in (",", ";")]

def plain(word):
    """Normalises words: numbers as numbers, keywords and GUIDs in one case."""
    try: return float(struct.unpack("f", struct.pack("f", float(word)))[0])
    except ValueError: return word if word.startswith('"') else word.upper()

def words(path):
    data = unpack(open(path, "rb").read())
    return [plain(word) for word in (text_words if data[8:12] == b"txt " else binary_words)(data)]

folder, compared = sys.argv[1], 0
for rule in json.load(open(folder + "/rules.json"))["rules"]:
    kind, _, name = rule["file"].rpartition("/")
    if kind in ("x/binary", "x/text-compressed", "x/binary-compressed") and rule["load"] == "must":
        try: expected = words(folder + "/x/text/" + name)
        except FileNotFoundError: continue
        compared += 1
        if words(folder + "/" + rule["file"]) != expected: print(rule["file"], words(folder + "/" + rule["file"]), expected, sep="\n")
print(compared, "compared")
