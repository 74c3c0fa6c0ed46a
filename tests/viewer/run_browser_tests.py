"""Runs the browser tests: run_browser_tests.py KNEAD FOLDER NODE NPM. Exit code 77: skipped, and the reason is said.

Playwright is installed into FOLDER by npm once per change of package-lock.json; the browser is Debian's chromium.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
HERE = Path(__file__).resolve().parent
knead, folder, node, npm = sys.argv[1:5]


def skip(reason):
    print(f"viewer: skipped: {reason}")
    sys.exit(SKIPPED)


def install(target):
    stamp = target / "installed"
    lock = (HERE / "package-lock.json").read_text()
    if stamp.exists() and stamp.read_text() == lock:
        return
    target.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, target / name)
    done = subprocess.run([npm, "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], cwd=target,
                          capture_output=True, text=True)
    if done.returncode:
        skip("npm could not install playwright-core: " + done.stderr.strip())
    stamp.write_text(lock)


browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
if not browser:
    skip("there is no chromium; scripts/setup.sh --test installs it")
install(Path(folder))
environment = dict(os.environ, NODE_PATH=str(Path(folder) / "node_modules"), CHROMIUM=browser)
with tempfile.TemporaryDirectory() as work:
    sys.exit(subprocess.run([node, HERE / "browser_tests.cjs", knead, work], env=environment).returncode)
