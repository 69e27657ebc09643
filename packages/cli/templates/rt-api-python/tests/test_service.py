"""Run with: python3 -m unittest discover tests"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

ROOT = Path(__file__).parent.parent


class Service(unittest.TestCase):
    per_minute = "1000"

    def setUp(self) -> None:
        env = {**os.environ, "HOST": "127.0.0.1", "PORT": "0", "DATA_DIR": self.folder()}
        env["REQUESTS_PER_MINUTE"] = self.per_minute
        line = [sys.executable, str(ROOT / "src" / "service.py")]
        self.running = subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = re.search(r":(\d+)$", self.running.stdout.readline().strip()).group(1)
        self.url = f"http://127.0.0.1:{port}"

    def folder(self) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def tearDown(self) -> None:
        self.running.kill()
        self.running.wait()
        self.running.stdout.close()

    def command(self, *args: str) -> subprocess.CompletedProcess:
        env = {**os.environ, "SERVICE_URL": self.url, "PYTHONPATH": str(ROOT / "cli")}
        return subprocess.run([sys.executable, "-m", "TEMPLATE_MODULE.main", *args], capture_output=True, text=True, env=env)

    def test_health_answers_200(self) -> None:
        with urlopen(f"{self.url}/health", timeout=5) as answer:
            self.assertEqual((answer.status, json.load(answer)), (200, {"status": "ok"}))

    def test_the_command_adds_once_and_finds(self) -> None:
        for _ in range(2):
            self.assertEqual(json.loads(self.command("add", "Replace the router", "--json").stdout)["id"], 1)
        found = json.loads(self.command("query", "--filter", "router", "--json").stdout)
        self.assertEqual([row["title"] for row in found], ["Replace the router"])

    def test_errors_are_json_and_the_command_fails_with_them(self) -> None:
        with self.assertRaises(HTTPError) as caught:
            urlopen(f"{self.url}/nothing", timeout=5)
        self.assertIn("error", json.load(caught.exception))
        refused = self.command("add", " ", "--json")
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("400", refused.stderr)

    def test_a_service_that_is_away_is_an_error_not_a_crash(self) -> None:
        self.url = "http://127.0.0.1:9"
        refused = self.command("query", "--json")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("does not answer", refused.stderr)

    def test_connections_are_reused(self) -> None:
        sys.path.insert(0, str(ROOT / "src"))
        import service

        path = Path(self.folder()) / "state.sqlite"
        pool = service.Pool(path, 2)
        seen = set()
        for _ in range(20):
            with pool.connection() as connection:
                seen.add(id(connection))
        pool.close()
        self.assertEqual((pool.opened, len(seen)), (2, 2))

    def test_sigterm_stops_it_cleanly(self) -> None:
        self.running.send_signal(signal.SIGTERM)
        self.assertEqual(self.running.wait(10), 0)
        self.assertIn("stopped", self.running.stdout.read())


class Limited(Service):
    per_minute = "3"

    def test_a_client_that_asks_too_often_gets_429(self) -> None:
        statuses = []
        for _ in range(5):
            try:
                statuses.append(urlopen(f"{self.url}/items", timeout=5).status)
            except HTTPError as error:
                statuses.append(error.code)
                self.assertEqual(error.headers["retry-after"], "5")
        self.assertEqual(statuses, [200, 200, 200, 429, 429])
        self.assertEqual(urlopen(f"{self.url}/health", timeout=5).status, 200)


if __name__ == "__main__":
    unittest.main()
