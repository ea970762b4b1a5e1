"""Check folders for engines, and print a line for each file that one does not load: ``python batch.py vkquake,ironwail models/``"""

from __future__ import annotations

import sys

import bindpose


def main(engines: str, *paths: str) -> int:
    report = bindpose.validate(paths, engines)
    for found in report.errors:
        print(found, f"({found.help})")
    failed = 0
    for path, verdicts in report.verdicts.items():
        refusing = [f"{engine}: {verdict.message or verdict.effect}" for engine, verdict in verdicts.items() if not verdict.loads]
        failed += bool(refusing)
        if refusing:
            print(path, "; ".join(refusing))
    print(f"{len(report.verdicts)} files, {failed} do not load")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
