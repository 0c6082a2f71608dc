"""Plays the examples on a cluster of their own and shows what happens and why.

    python3 examples/play --binary SLUICE [PATTERN…]

Each story has queues of its own, so all are played at the same time; they are shown one after the
other. Ends with exit code 1 where one does not do what its README says, and tells what was waited
for. A pattern is a part of an example's name.
"""

import argparse
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# A run that is cut short takes its cluster down too; Ctrl-C says so as a shell does.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
signal.signal(signal.SIGINT, lambda *_: sys.exit(128 + signal.SIGINT))

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from client import ApiError  # noqa: E402
from planes import make_plane  # noqa: E402
from scene import EXAMPLES, Scene, Unexpected  # noqa: E402
from show_jobs import table  # noqa: E402
from stories import STORIES  # noqa: E402


class Played(threading.Thread):
    """One story, played while others are."""

    def __init__(self, story, cluster):
        super().__init__(daemon=True)
        self.story = story
        self.scene = Scene(cluster, story.folder, story.spaces, story.queues)
        self.failure, self.seconds = None, 0.0

    def run(self):
        began = time.monotonic()
        try:
            self.story.play(self.scene)
        except (Unexpected, ApiError) as error:
            self.failure = str(error)
            self.add_picture()
        except Exception as error:  # a mistake of the story's must not end in silence
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self.seconds = time.monotonic() - began
            self.scene.out.close()

    def add_picture(self):
        try:
            self.scene.show()
        except ApiError as error:
            self.scene.out.add(f"  {error}")

    def print(self):
        print(f"\n== {self.story.number} {self.story.title}")
        for line in self.scene.out:
            print(line, flush=True)
        if self.failure is not None:
            print(f"  FAILED: {self.story.folder}: {self.failure}", flush=True)


def play(stories, cluster):
    played = [Played(story, cluster) for story in stories]
    for each in played:
        each.start()
    return played


def play_all(plane, chosen):
    """The cluster of most stories, and all that was played."""
    print("\n== starting", flush=True)
    cluster = plane.start()
    played = play([each for each in chosen if not each.configuration], cluster)
    alone = [each for each in chosen if each.configuration]
    if cluster.is_real:
        # There is one controller, which is started anew for them.
        for each in played:
            each.print()
            each.join()
    for story in alone:
        played += play([story], plane.start(EXAMPLES / story.folder / story.configuration))
    for each in played:
        if each.is_alive() or not cluster.is_real or each.story.configuration:
            each.print()
            each.join()
    return cluster, played


def print_summary(played):
    print("\n== summary")
    rows = [
        (
            each.story.folder,
            each.story.title,
            "as promised" if each.failure is None else "FAILED",
            f"{each.seconds:.1f} s",
        )
        for each in sorted(played, key=lambda each: each.story.folder)
    ]
    print("\n".join(table(("EXAMPLE", "WHAT IT SHOWS", "RESULT", "TOOK"), rows)), flush=True)


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument(
        "--real", action="store_true", help="on a real control plane, not on `sluice dev`"
    )
    parser.add_argument("--keep", action="store_true", help="leaves it running")
    parser.add_argument(
        "--no-kubectl", action="store_true", help="as on a machine that has no kubectl"
    )
    parser.add_argument(
        "--patience", type=float, default=180.0, help="seconds to wait for what is promised"
    )
    parser.add_argument("patterns", nargs="*", help="parts of the names of examples")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    patterns = arguments.patterns or [""]
    chosen = [each for each in STORIES if any(part in each.folder for part in patterns)]
    if not chosen:
        sys.exit("no example has one of these in its name: " + " ".join(patterns))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-quickstart-"))
    plane = make_plane(arguments, folder)
    is_kept = False
    try:
        cluster, played = play_all(plane, chosen)
        print_summary(played)
        failed = [each for each in played if each.failure is not None]
        for each in failed:
            print(f"error: {each.story.folder}: {each.failure}", file=sys.stderr)
        if arguments.keep and not failed:
            is_kept = True
            print(f"\nLeft running. To look around:\n{plane.farewell(cluster)}")
        return 1 if failed else 0
    except (Unexpected, ApiError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left behind
        if not is_kept:
            plane.stop()
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
