# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts like `bindpose convert --json`, with the wheel, in a Python process without Blender.

python -I worker.py FOLDER-OF-WHEEL --version|REQUEST, where REQUEST is JSON: paths, output, and arguments of `bindpose.convert`
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import bindpose


def main(request):
    if request == "--version":
        print("bindpose", bindpose.__version__)
        return 0
    paths, out, arguments = json.loads(request)
    try:
        bindpose.convert(paths, out, **arguments)
    except bindpose.ParseError as error:
        errors = [f"{one.code}: {one.message}" for one in error.diagnostics if one.severity == "error"]
    except Exception as error:
        errors = [str(error)]
    else:
        sys.stdout.buffer.write(Path(arguments["report"]).read_bytes())
        return 0
    print(json.dumps({"errors": errors}))
    return 1


sys.exit(main(sys.argv[2]))
