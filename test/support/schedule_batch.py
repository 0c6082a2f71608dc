"""Runs many `sluice schedule` commands in a few processes (the program schedule_batch)."""

import concurrent.futures
import json
import subprocess
import tempfile
import typing

CHUNK = 50  # commands a process
SECONDS = 600  # bounds a chunk that hangs
SEPARATOR = "\x1e"


class Done(typing.NamedTuple):
    exit_code: int | str  # or how the process died
    stdout: str
    stderr: str


def records(text):
    """([(text, exit code)] of the commands that were answered, what came after them)."""
    first, *rest = text.split(SEPARATOR)
    found, output = [], first
    for each in rest:
        code, _, following = each.partition("\n")
        found.append((output, int(code)))
        output = following
    return found, output


def run_process(program, commands):
    """The results of the commands that were answered. If not all were, the process died of the next
    command, and its result is the last in the list."""
    lines = "".join(json.dumps(command) + "\n" for command in commands)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        try:
            code = subprocess.run(
                [program], input=lines, stdout=out, stderr=err, text=True, timeout=SECONDS
            ).returncode
            death = f"the process ended with {code}"
        except subprocess.TimeoutExpired:
            code, death = None, f"no answer within {SECONDS} s"
        out.seek(0)
        err.seek(0)
        answers, output = records(out.read())
        notes, errors = records(err.read())
    done = [Done(code, text, note) for (text, code), (note, _) in zip(answers, notes)]
    if code != 0 or len(done) < len(commands):
        # What a sanitizer finds at the end of all belongs to the last command.
        done = done[: len(commands) - 1]
        done.append(Done(death, output, errors))
    return done


def run_chunk(program, commands):
    done = []
    while len(done) < len(commands):
        done += run_process(program, commands[len(done) :])
    return done


def run_all(program, commands, jobs):
    """Yields what each command, a list of words after `sluice schedule`, did, in their order."""
    chunks = [commands[first : first + CHUNK] for first in range(0, len(commands), CHUNK)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in pool.map(lambda chunk: run_chunk(program, chunk), chunks):
            yield from done
