"""Run all zones on this machine: ``python -m docker.local.stack up|demo``.

Starts Redis, the two parties and the site, in that order, waits until each is ready, keeps them
running and ends every one of them on Ctrl-C, on SIGTERM and on any failure. What a client needs to
play with the installation is in ``<state>/operator/stack.json``.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from docker.local import broker, placement, ports, zones
from docker.local.addresses import Wish, reserve_site
from docker.local.files import write_private
from docker.local.party import Party
from docker.local.placement import Code
from docker.local.processes import StackError, Supervisor, adopt_orphans
from docker.local.website import Site

REDIS_TIMEOUT_S = 120
READY_TIMEOUT_S = 900
"""A first start compiles every kernel: half a minute, or several on a machine that is busy."""


def say(sentence: str) -> None:
    """Tell the operator something."""
    print(sentence, flush=True)


class Stack:
    """One installation on one machine, from its state directory to its running processes."""

    def __init__(
        self,
        place: Code,
        state: Path,
        wish: Wish,
        *,
        separate: bool,
        is_demo: bool = False,
    ) -> None:
        self.place = place
        self.wish = wish
        self.is_demo = is_demo
        self.state = state
        self.separate = separate
        self.zones = zones.make_zones(state, separate=separate)
        self.operator = state / "operator"
        self.supervisor = Supervisor()
        self.admin_url = os.environ.get("REDIS_URL", "")
        self.reserved: list[ports.Port] = []

    @property
    def description(self) -> Path:
        """The file that tells a client where everything is."""
        return self.operator / "stack.json"

    def start(self) -> Site:
        """Start everything and return the site."""
        address, port = reserve_site(self.wish)
        self.reserved.append(port)
        passwords = broker.fresh_passwords()
        server = self._start_broker(passwords)
        urls = {zone: broker.url_for(zone, word, server) for zone, word in passwords.items()}
        parties = self._configured_parties(urls)
        site = Site(
            self.place, self.zones["web"], self.state, address, urls["web"], is_demo=self.is_demo
        )
        say("Making the parties' keys, and preparing the site's database and files")
        _do_together(site.prepare, *(party.create for party in parties))
        for party in parties:
            party.publish(self.zones[party.peer])
        people = site.seed_people()
        say("Starting both parties and the site (the parties compile their kernels)")
        processes = [party.worker() for party in parties]
        self.supervisor.start(*processes, site.server(), site.worker(), timeout_s=READY_TIMEOUT_S)
        self._describe(site, parties, people)
        return site

    def _port(self, first: int) -> int:
        self.reserved.append(ports.reserve(first))
        return self.reserved[-1].number

    def _start_broker(self, passwords: dict[str, str]) -> str:
        if self.admin_url:
            broker.add_users(self.admin_url, passwords)
            say("Using the Redis server of REDIS_URL")
            return self.admin_url
        port = self._port(ports.BROKER)
        process, server = broker.embedded(self.place, self.zones["redis"], port, passwords)
        self.supervisor.start(process, timeout_s=REDIS_TIMEOUT_S)
        return server

    def _configured_parties(self, urls: dict[str, str]) -> list[Party]:
        address = f"{ports.LOOPBACK}:{self._port(ports.PARTIES)}"
        parties = [
            Party(self.place, self.zones[role], self.state / "public", self.operator)
            for role in zones.PARTIES
        ]
        for party in parties:
            party.configure(urls[party.role], address)
        return parties

    def _describe(self, site: Site, parties: list[Party], people: str) -> None:
        description = {
            "base_url": site.base_url,
            "state": str(self.state),
            "approver_keys": {party.role: str(party.approver_key) for party in parties},
            "party_configs": {party.role: str(party.config) for party in parties},
            "people": json.loads(people),
            "isolated": self.separate,
            "users": {name: zone.user for name, zone in self.zones.items()},
            "python": str(self.place.python),
            "code": str(self.place.root),
            "logs": {name: str(zone.logs) for name, zone in self.zones.items()},
        }
        write_private(self.description, json.dumps(description, indent=2) + "\n")

    def stop(self) -> None:
        """End every process and take back what only a running stack needs."""
        self.supervisor.stop()
        self.description.unlink(missing_ok=True)
        for port in self.reserved:
            port.release()
        if self.admin_url and not broker.remove_users(self.admin_url):
            say("The Redis server of REDIS_URL is away: the zones' users stay on it")


def _do_together(*steps: Callable[[], None]) -> None:
    """Take steps that need nothing of each other at the same time; raise the first one's error."""
    with ThreadPoolExecutor(len(steps)) as pool:
        for step in [pool.submit(step) for step in steps]:
            step.result()


def choose_place() -> tuple[Code, bool]:
    """Return the code to run and whether each zone gets a user of its own; say so if not."""
    place = placement.in_place()
    reason = zones.why_not_separate()
    if not reason:
        if not placement.why_not_readable(place):
            return place, True
        say(f"Copying the code to {placement.SHARED}, where the zones' users can read it")
        copied = placement.copied_for_zones()
        reason = placement.why_not_readable(copied)
        if not reason:
            return copied, True
    say(f"zones not isolated on this machine ({reason})")
    return place, False


@contextmanager
def only_one(operator: Path) -> Iterator[None]:
    """Hold the pid file of this state directory, or say who holds it."""
    path = operator / "stack.pid"
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise StackError(
                f"A stack already runs on {operator.parent} (process {file.read().strip()})."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def run_demo(stack: Stack, arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start the demo as a client of the running stack."""
    command = [
        str(stack.place.python),
        "-m",
        "demo",
        f"--stack={stack.description}",
        *arguments,
    ]
    environment = {**os.environ, "PYTHONPATH": str(stack.place.root)}
    return subprocess.Popen(command, cwd=stack.place.root, env=environment)


def keep_running(stack: Stack, demo: subprocess.Popen[bytes] | None, *, once: bool) -> int:
    """Watch the processes until a signal, or with ``once`` until the demo has ended."""
    told = demo is None
    try:
        while not stack.supervisor.stopping:
            stack.supervisor.watch(say)
            if demo is not None and demo.poll() is not None:
                if once:
                    break
                if not told:
                    say("The site stays up. Ctrl-C stops it.")
                    told = True
            time.sleep(0.2)
        return 0 if demo is None or demo.returncode is None else demo.returncode
    finally:
        if demo is not None and demo.poll() is None:
            demo.terminate()
            demo.wait()


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the command, whether it runs once, and what the demo gets."""
    parser = argparse.ArgumentParser(prog="./run", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start everything and keep it running")
    demo = commands.add_parser("demo", help="start everything and play one study")
    demo.add_argument("--once", action="store_true", help="stop when the demo has ended")
    demo.add_argument("--seed", type=int, help="fix the demo's random choices")
    demo.add_argument("--permute-labels", action="store_true", help="swap who is favoured")
    for command in (up, demo):
        for name, meaning in (
            ("origin", "address people use, such as https://fair.example.org"),
            ("listen", "where the site listens: host:port, an IPv6 address in brackets"),
        ):
            variable = f"BLINDJUSTICE_{name.upper()}"
            command.add_argument(
                f"--{name}",
                default=os.environ.get(variable, "").strip(),
                help=f"{meaning} (or set {variable})",
            )
    chosen = parser.parse_args(arguments)
    passed_on = []
    if chosen.command == "demo":
        passed_on += [f"--seed={chosen.seed}"] if chosen.seed is not None else []
        passed_on += ["--permute-labels"] if chosen.permute_labels else []
    return chosen, passed_on


def main(arguments: list[str]) -> int:
    """Run the command and end everything it started, whatever happens."""
    chosen, passed_on = parse(arguments)
    place, separate = choose_place()
    state = Path(os.environ.get("BLINDJUSTICE_STATE_DIR") or place.state).absolute()
    try:
        is_demo = chosen.command == "demo"
        wish = Wish(origin=chosen.origin, listen=chosen.listen)
        stack = Stack(place, state, wish, separate=separate, is_demo=is_demo)
        with only_one(stack.operator):
            return _run(stack, getattr(chosen, "once", False), passed_on)
    except StackError as error:
        print(f"run: {error}", file=sys.stderr)
        return 1


def _run(stack: Stack, once: bool, passed_on: list[str]) -> int:
    def on_signal(number: int, frame: object) -> None:
        stack.supervisor.stopping = True

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    adopt_orphans()
    try:
        site = stack.start()
        if stack.supervisor.stopping:
            return 130
        demo = run_demo(stack, passed_on) if stack.is_demo else None
        if demo is None:
            say(f"Running at {site.base_url} (log-ins: {stack.description}). Ctrl-C stops it.")
        return keep_running(stack, demo, once=once)
    finally:
        stack.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
