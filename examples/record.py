#!/usr/bin/env python3
"""Records what `sluice dev` shows on a terminal, as an animated SVG.

    examples/record.py --binary SLUICE [--output examples/sluice-dev.svg]

Runs it on a terminal of its own, applies some of the examples meanwhile, and draws the screen each
time it has changed. Needs python3-pyte. The times and ports in it differ from run to run.
"""

import argparse
import fcntl
import html
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "play"), str(HERE)]

import pyte  # noqa: E402

from client import Client, read_objects  # noqa: E402
from planes import describe_nodes  # noqa: E402

COLUMNS, ROWS = 108, 30
# Seconds after the start, and what is applied then.
SCRIPT = [
    (1.0, "02_two_teams/1-queues.yaml"),
    (1.0, "02_two_teams/2-team-a.yaml"),
    (2.0, "04_published_gpu_manifests/manifests.yaml"),
    (3.5, "02_two_teams/3-team-b.yaml"),
    (4.0, "03_priority_preemption/1-queues.yaml"),
    (4.0, "03_priority_preemption/2-background.yaml"),
    (6.0, "03_priority_preemption/3-deadline.yaml"),
]
SECONDS = 16.0
STEP = 0.4  # between two looks at the screen
LAST = 3.0  # how long the last picture stays
CELL, LINE = 8.4, 18.0  # of a character, in pixels
BACKGROUND, FOREGROUND = "#11151c", "#d5dae3"
COLOURS = {
    "black": "#3b4252", "red": "#ec6a72", "green": "#8fce72", "brown": "#e5c266",
    "yellow": "#e5c266", "blue": "#6fa8f5", "magenta": "#c58af0", "cyan": "#62cbd6",
    "white": "#d5dae3", "brightblack": "#7b8698", "brightred": "#ff8b92",
    "brightgreen": "#a9e88c", "brightbrown": "#ffdf85", "brightyellow": "#ffdf85",
    "brightblue": "#90c0ff", "brightmagenta": "#dba8ff", "brightcyan": "#86e5ef",
    "brightwhite": "#ffffff",
}  # fmt: skip


class Terminal:
    """A screen that understands what a program writes to a terminal."""

    def __init__(self, columns=COLUMNS, rows=ROWS):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)

    def feed(self, data):
        self.stream.feed(data)

    def lines(self):
        """Each line as runs of cells that look alike: [(column, text, colour, bold)]."""
        return tuple(
            tuple(runs(self.screen.buffer[row], self.screen.columns))
            for row in range(self.screen.lines)
        )


def colour_of(cell):
    name = cell.bg if cell.reverse else cell.fg
    if name == "default":
        return BACKGROUND if cell.reverse else FOREGROUND
    return COLOURS.get(name, f"#{name}" if len(name) == 6 else FOREGROUND)


def runs(line, columns):
    start, text, look = 0, "", None
    for column in range(columns):
        cell = line[column]
        now = colour_of(cell), cell.bold
        if text and (now != look or cell.data == " " and text.endswith(" ")):
            if text.strip():
                yield start, text.rstrip(), *look
            text = ""
        if not text:
            start, look = column, now
        text += cell.data
        if not text.strip():
            text = ""
    if text.strip():
        yield start, text.rstrip(), *look


def draw_line(row, line):
    parts = []
    for column, text, colour, bold in line:
        weight = ' font-weight="bold"' if bold else ""
        fill = "" if colour == FOREGROUND else f' fill="{colour}"'
        parts.append(
            f'<text x="{column * CELL:.1f}" y="{(row + 1) * LINE:.0f}" '
            f'textLength="{len(text) * CELL:.1f}"{fill}{weight}>{html.escape(text)}</text>'
        )
    return "".join(parts)


def draw(frames, columns=COLUMNS, rows=ROWS):
    """An SVG of frames, each (seconds when it came, lines). Who reads no style sheets or wants no
    motion sees the last one."""
    end = frames[-1][0] + LAST
    width, height = columns * CELL + 32, rows * LINE + 56
    shapes, style, groups = {}, [], []
    for number, (begin, lines) in enumerate(frames):
        is_last = number + 1 == len(frames)
        until = end if is_last else frames[number + 1][0]
        drawn = [draw_line(row, line) for row, line in enumerate(lines) if line]
        # Most lines stay the same from one picture to the next.
        used = [f'<use href="#l{shapes.setdefault(line, len(shapes))}"/>' for line in drawn]
        groups.append(
            f'<g id="f{number}" opacity="{1 if is_last else 0}">' + "".join(used) + "</g>"
        )
        style.append(animate(f"f{number}", begin, until, end))
    defined = [f'<g id="l{number}">{line}</g>' for line, number in shapes.items()]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" '
            f'fill="{FOREGROUND}" xml:space="preserve">',
            f"<style>@media (prefers-reduced-motion: no-preference){{{''.join(style)}}}</style>",
            "<defs>", *defined, "</defs>",
            f'<rect width="100%" height="100%" rx="10" fill="{BACKGROUND}"/>',
            *(
                f'<circle cx="{20 + 20 * number}" cy="18" r="6" fill="{COLOURS[name]}"/>'
                for number, name in enumerate(("red", "yellow", "green"))
            ),
            '<g transform="translate(16 34)">', *groups, "</g>", "</svg>", "",
        ]
    )  # fmt: skip


def animate(name, begin, until, end):
    """Style by which one picture is seen from `begin` to `until`, of `end` seconds, again and
    again."""
    first = f"0%{{opacity:0}}{100 * begin / end:.3f}%{{opacity:1}}" if begin else "0%{opacity:1}"
    last = f"{100 * until / end:.3f}%{{opacity:0}}" if until < end else ""
    return (
        f"@keyframes {name}{{{first}{last}}}"
        f"#{name}{{animation:{name} {end:.1f}s infinite step-end}}"
    )


def start(binary, kubeconfig):
    """(process number, terminal's file) of `sluice dev` on a terminal of its own."""
    command = [str(binary), "dev", "--write-kubeconfig", str(kubeconfig), "--run-seconds", "3600"]
    for line in describe_nodes(HERE / "nodes.json"):
        command += ["--nodes", line]
    pid, file = pty.fork()
    if pid == 0:
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        os.environ["TERM"] = "xterm-256color"
        os.chdir(kubeconfig.parent)
        os.execv(binary, command)
    return pid, file


def apply_script(kubeconfig, began):
    client = None
    for when, name in SCRIPT:
        time.sleep(max(0.0, began + when - time.monotonic()))
        while client is None:
            if kubeconfig.exists():
                client = Client(kubeconfig)
            time.sleep(0.05)
        for item in read_objects(HERE / name):
            client.apply(item)


def record(binary, seconds):
    """The frames: what the screen showed, and since when."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-record-"))
    pid, file = start(binary, folder / "dev.kubeconfig")
    began = time.monotonic()
    thread = threading.Thread(
        target=apply_script, args=(folder / "dev.kubeconfig", began), daemon=True
    )
    thread.start()
    terminal, frames, look = Terminal(), [], began + STEP
    try:
        while time.monotonic() < began + seconds:
            ready, _, _ = select.select([file], [], [], 0.05)
            if ready:
                terminal.feed(os.read(file, 1 << 16))
            if time.monotonic() >= look:
                look += STEP
                lines = terminal.lines()
                if any(lines) and (not frames or lines != frames[-1][1]):
                    at = 0.0 if not frames else time.monotonic() - began
                    frames.append((at, lines))
    finally:
        os.kill(pid, signal.SIGTERM)
        while select.select([file], [], [], 10)[0]:
            try:
                if not os.read(file, 1 << 16):
                    break
            except OSError:  # the terminal is closed
                break
        os.waitpid(pid, 0)
        os.close(file)
        shutil.rmtree(folder)
    return frames


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "sluice-dev.svg")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    arguments = parser.parse_args()
    frames = record(arguments.binary.resolve(), arguments.seconds)
    if not frames:
        sys.exit("nothing was shown")
    arguments.output.write_text(draw(frames))
    print(f"{len(frames)} pictures in {arguments.output}")


if __name__ == "__main__":
    main()
