"""Run with: python3 -m unittest discover tests"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SRC = Path(__file__).parent.parent / "src"


def command(*args: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    return subprocess.run([sys.executable, "-m", "TEMPLATE_MODULE.main", *args], capture_output=True, text=True, env=env)


class Command(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_help_prints_the_manifest(self) -> None:
        self.assertEqual(json.loads(command("--help").stdout)["name"], "TEMPLATE_NAME")

    def test_json_output(self) -> None:
        (self.folder / "a.txt").write_text("one two\nthree\n")
        done = command("stats", str(self.folder / "a.txt"), "--json")
        self.assertEqual(json.loads(done.stdout)["words"], 3)

    def test_failures_go_to_stderr_with_a_code(self) -> None:
        done = command("stats", str(self.folder / "missing.txt"), "--json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn("error:", done.stderr)

    def test_wrong_arguments_end_with_two(self) -> None:
        self.assertEqual(command("nonsense").returncode, 2)

    def test_the_same_call_twice_leaves_the_same_file(self) -> None:
        path = self.folder / "deep" / "b.txt"
        for _ in range(2):
            self.assertEqual(command("save", str(path), "hello", "--json").returncode, 0)
        self.assertEqual(path.read_text(), "hello")
        self.assertEqual([each.name for each in path.parent.iterdir()], ["b.txt"])


if __name__ == "__main__":
    unittest.main()
