#!/usr/bin/env python3
"""Prints "N passed, N failed" for a ctest JUnit file and further results given as NAME:passed or NAME:failed."""
import re
import sys
import xml.etree.ElementTree

CASES = re.compile(r"\[doctest\] test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed")


def count_entry(entry):
    """A doctest program counts by its test cases; one that failed without saying so (a crash, a time-out) as one failure more."""
    skipped = entry.find("skipped")
    if skipped is not None and "SKIP_RETURN_CODE" in skipped.get("message", ""):
        return 0, 0  # what it needs is not on this machine, and it said so
    succeeded = entry.get("status") == "run"
    cases = CASES.findall(re.sub(r"\x1b\[[0-9;]*m", "", entry.findtext("system-out") or ""))
    passed, failed = (sum(int(case[i]) for case in cases) for i in (0, 1))
    if succeeded:
        return (passed, failed) if cases else (1, 0)
    return passed, max(failed, 1)


def main():
    entries = list(xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"))
    counts = [count_entry(entry) for entry in entries]
    counts += [(1, 0) if result.endswith(":passed") else (0, 1) for result in sys.argv[2:]]
    passed, failed = (sum(count[i] for count in counts) for i in (0, 1))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
