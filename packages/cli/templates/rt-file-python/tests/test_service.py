"""Run with: python3 -m unittest discover tests"""
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

ROOT = Path(__file__).parent.parent


class Service(unittest.TestCase):
    def setUp(self) -> None:
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)
        self.outbox = self.home / "outbox"
        self.env = {
            **os.environ,
            "HOME": str(self.home),
            "TRIGGER_OUTBOX": str(self.outbox),
            "DELEGATED_USER": "user@example.com",
            "POLL_INTERVAL": "0.1",
            "PYTHONPATH": str(ROOT / "cli"),
        }
        self.data = self.home / "capabilities" / "TEMPLATE_NAME"

    def load(self):
        os.environ.update(self.env)
        spec = importlib.util.spec_from_file_location("service", ROOT / "src" / "service.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.INCOMING.mkdir(parents=True, exist_ok=True)
        module.OUTBOX.mkdir(parents=True, exist_ok=True)
        return module

    def event(self, name: str, title: str) -> None:
        (self.data / "incoming" / f"{name}.json").write_text(json.dumps({"title": title}))

    def command(self, *args: str) -> subprocess.CompletedProcess:
        line = [sys.executable, "-m", "TEMPLATE_MODULE.main", *args]
        return subprocess.run(line, capture_output=True, text=True, env=self.env)

    def test_an_event_becomes_an_item_and_one_trigger(self) -> None:
        service = self.load()
        state = service.open_state()
        self.event("item-1", "Read me")
        self.assertEqual(service.poll(state), 1)
        self.assertEqual(service.poll(state), 0)
        [file] = self.outbox.iterdir()
        trigger = json.loads(file.read_text())
        self.assertEqual(uuid.UUID(trigger["id"]).version, 4)
        self.assertEqual(file.name, trigger["id"] + ".json")
        self.assertEqual(trigger["payload"]["item_id"], "item-1")

    def test_a_crash_after_the_trigger_was_written_repeats_the_same_trigger(self) -> None:
        service = self.load()
        state = service.open_state()
        self.event("item-1", "Read me")
        service.poll(state)
        before = sorted(each.name for each in self.outbox.iterdir())
        with state:
            state.execute("UPDATE items SET triggered = 0")
        service.poll(state)
        self.assertEqual(sorted(each.name for each in self.outbox.iterdir()), before)

    def test_state_is_in_wal_mode(self) -> None:
        state = self.load().open_state()
        self.assertEqual(state.execute("PRAGMA journal_mode").fetchone()[0], "wal")

    def test_old_settled_items_are_removed(self) -> None:
        service = self.load()
        state = service.open_state()
        with state:
            state.execute("INSERT INTO items VALUES ('old', 'x', 'approved', 't', 1, '2001-01-01T00:00:00Z')")
            state.execute("INSERT INTO items VALUES ('wait', 'x', 'waiting', 't', 1, '2001-01-01T00:00:00Z')")
        service.poll(state)
        self.assertEqual(state.execute("SELECT id FROM items").fetchall(), [("wait",)])

    def test_half_written_and_unreadable_events_do_no_harm(self) -> None:
        service = self.load()
        state = service.open_state()
        (self.data / "incoming" / "a.json.tmp").write_text("{")
        (self.data / "incoming" / "b.json").write_text("{")
        self.assertEqual(service.poll(state), 0)
        self.assertEqual(sorted(os.listdir(self.data / "incoming")), ["a.json.tmp", "b.invalid"])

    def test_the_command_lists_and_approves_and_may_be_repeated(self) -> None:
        service = self.load()
        self.event("item-1", "Read me")
        service.poll(service.open_state())
        self.assertEqual(json.loads(self.command("list", "--status", "waiting", "--json").stdout)[0]["id"], "item-1")
        for _ in range(2):
            self.assertEqual(json.loads(self.command("approve", "item-1", "--json").stdout)["status"], "approved")
        self.assertEqual(json.loads(self.command("status", "--json").stdout)["waiting"], 0)
        refused = self.command("approve", "nope", "--json")
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("error:", refused.stderr)

    def test_settings_are_written_whole_and_the_service_heeds_them(self) -> None:
        service = self.load()
        self.command("configure", "paused", "true", "--json")
        self.event("item-1", "Read me")
        self.assertEqual(service.poll(service.open_state()), 0)
        self.assertEqual(sorted(each.name for each in self.data.glob("config*")), ["config.json"])

    def test_sigterm_stops_it_cleanly(self) -> None:
        line = [sys.executable, str(ROOT / "src" / "service.py")]
        running = subprocess.Popen(line, env=self.env, stdout=subprocess.PIPE, text=True)
        self.assertIn("works for", running.stdout.readline())
        running.send_signal(signal.SIGTERM)
        self.assertEqual(running.wait(10), 0)
        self.assertIn("stopped", running.stdout.read())


if __name__ == "__main__":
    unittest.main()
