"""A simple reader of MD5, as written in an hour, and its runner: prints results for `bindpose conformance`."""
import json, math, re, sys

def words(path):
    text = re.sub(r"//[^\n]*", "", open(path, encoding="latin-1").read())
    return iter(re.findall(r'"[^"]*"|[(){}]|[^\s(){}"]+', text))

def until(tokens, word):
    while next(tokens) != word: pass

def numbers(tokens, count): return [float(word) for word in (next(tokens) for _ in range(count + 2)) if word not in "()"]

def turn(q, v):
    w = -math.sqrt(max(0, 1 - sum(c * c for c in q)))
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * c for c in cross(q, v)]
    return [a + w * b + c for a, b, c in zip(v, t, cross(q, t))]

def joint(tokens): return next(tokens).strip('"'), int(next(tokens)), numbers(tokens, 3), numbers(tokens, 3)

def mesh(path):
    tokens, found = words(path), {}
    until(tokens, "numJoints"); count = int(next(tokens))
    until(tokens, "joints"); next(tokens)
    joints = [joint(tokens) for _ in range(count)]
    until(tokens, "shader"); shader = next(tokens).strip('"')
    for kind, key in [("vert", "numverts"), ("tri", "numtris"), ("weight", "numweights")]:
        until(tokens, key); rows = found[kind] = []
        for _ in range(int(next(tokens))):
            until(tokens, kind); next(tokens)
            if kind == "vert": rows.append((numbers(tokens, 2), int(next(tokens)), int(next(tokens))))
            elif kind == "tri": rows.append([int(next(tokens)) for _ in range(3)])
            else: rows.append((int(next(tokens)), float(next(tokens)), numbers(tokens, 3)))
    return joints, shader, found

def result(folder, rule):
    joints, shader, found = mesh(folder + rule["file"])
    at = lambda j, v: [a + b for a, b in zip(joints[j][2], turn(joints[j][3], v))]
    corner = lambda v: [sum(w * at(j, o)[axis] for j, w, o in found["weight"][v[1]:v[1] + v[2]]) for axis in range(3)]
    triangles = [[corner(found["vert"][v]) for v in tri] for tri in found["tri"]]
    parents = {name: joints[parent][0] if parent >= 0 else None for name, parent, *_ in joints}
    return {"loads": True, "joints": parents, "textures": [shader] * len(triangles), "poses": [{"triangles": triangles}],
            "uvs": [[found["vert"][v][0] for v in tri] for tri in found["tri"]]}

files = {}
for rule in json.load(open(sys.argv[1] + "/rules.json"))["rules"]:
    if rule["file"].endswith(".md5mesh"):
        try: files[rule["file"]] = result(sys.argv[1] + "/", rule)
        except Exception as error: files[rule["file"]] = {"loads": False, "error": str(error) or type(error).__name__}
print(json.dumps({"loader": "naive.py", "files": files}).replace("Infinity", "1e30").replace("NaN", "1e30"))
