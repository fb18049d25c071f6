"""Corpora for the bench, made once into bench/corpus/: the same bytes on every machine.

`dense` and `mixed` come from corpora/, `tiny` is 10,000 small files (the cost of looking),
`million` gives 1,000,000 operations in lines as short as they can be (the cost of profiling).
"""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
GENERATORS = HERE / "corpora"
sys.path[:0] = [str(GENERATORS), str(HERE.parent / "tests")]

MIXED_SIZES = {"mixed-50": (4.5e7, 100), "mixed-200": (1.8e8, 400), "mixed-1000": (9e8, 2000)}
PROMPTS = (
    "Fix the failing test in {}",
    "Why is {} slow? Profile it",
    "Add an option to {}",
    "Review the diff of {}",
    "Refactor {} and keep its tests green",
    "Explain how {} works",
    "Document {}",
    "Upgrade what {} depends on",
)
MODELS = ("claude-opus-4-6", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001")
AREAS = (
    "api",
    "auth",
    "cache",
    "cli",
    "config",
    "core",
    "db",
    "docs",
    "jobs",
    "model",
    "queue",
    "ui",
)


def corpus(name: str) -> Path:
    """Folder of corpus `name`, made now if it is not there."""
    folder = CORPUS / name
    if not (folder / ".complete").exists():
        print(f"making corpus {name}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _MAKERS[name](folder)
        (folder / ".complete").touch()
    return folder


def log_files(folder: Path) -> list[Path]:
    """All logs below `folder`, in a fixed order."""
    return sorted(folder.rglob("*.jsonl"))


def _generate(script: str, *arguments: object) -> None:
    command = [sys.executable, script, *map(str, arguments)]
    subprocess.run(command, cwd=GENERATORS, check=True, stdout=subprocess.DEVNULL)


def _dense(folder: Path) -> None:
    _generate("gen_claude.py", folder, 200, 500)
    (folder / ".claude").rename(folder / "claude")


def _mixed(name: str) -> Callable[[Path], None]:
    size, files = MIXED_SIZES[name]
    return lambda folder: _generate("gen_mixed.py", folder, "--bytes", size, "--files", files)


def _tiny(folder: Path) -> None:
    from builders import ClaudeSession

    chance = random.Random(3)
    for number in range(7_000):
        session_id = f"{number:08x}-0000-4000-8000-{number:012x}"
        cwd = f"/home/dev/project-{number % 24:02}"
        log = ClaudeSession(session_id, cwd=cwd)
        log.user(chance.choice(PROMPTS).format(chance.choice(AREAS)))
        log.call("Read", {"file_path": f"{cwd}/src/{chance.choice(AREAS)}.py"}, "x = 1")
        log.assistant("Done.")
        log.write(folder / "claude")
        if number < 3_000:
            agent = ClaudeSession(session_id, cwd=cwd, agent_id=f"a{number:07x}")
            agent.user("Look around")
            agent.assistant("Nothing here.")
            agent.write(folder / "claude")


def _million(folder: Path) -> None:
    for number in range(500):
        project = f"project-{number % 24:02}"
        path = folder / "claude" / "projects" / f"-home-dev-{project}"
        path.mkdir(parents=True, exist_ok=True)
        session_id = f"{number:08x}-1111-4000-8000-{number:012x}"
        lines = _short_lines(session_id, f"/home/dev/{project}", random.Random(number))
        (path / f"{session_id}.jsonl").write_text("".join(lines), encoding="utf-8")


def _short_lines(session_id: str, cwd: str, chance: random.Random) -> Iterator[str]:
    """2,000 operations of one session: 40 turns of 1 prompt, 25 responses and 24 calls."""
    from commands import command

    head = f'{{"sessionId":"{session_id}","cwd":"{cwd}","version":"2.1.140","gitBranch":"main",'
    short, at = session_id[:8], 1_777_000_000 + int(session_id[:8], 16) * 3_000

    def line(kind: str, number: int, message: str) -> str:
        nonlocal at
        at += chance.choice((1, 1, 2, 3, 5, 8, 30))
        time = f"2026-{1 + at // 2_419_200 % 12:02}-{1 + at // 86_400 % 28:02}T"
        time += f"{at // 3_600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}.000Z"
        ids = f'"type":"{kind}","uuid":"{short}-{number}-{kind}","timestamp":"{time}"'
        return f'{head}{ids},"message":{message}}}\n'

    def response(number: int, block: str, stop: str) -> str:
        usage = (
            f'{{"input_tokens":{chance.randint(2, 12)},"output_tokens":{chance.randint(40, 900)},'
            f'"cache_creation_input_tokens":{chance.randint(200, 4000)},'
            f'"cache_read_input_tokens":{chance.randint(9_000, 160_000)}}}'
        )
        return line(
            "assistant",
            number,
            f'{{"id":"msg_{short}_{number}","role":"assistant","model":"{chance.choice(MODELS)}",'
            f'"content":[{block}],"stop_reason":"{stop}","usage":{usage}}}',
        )

    number = 0
    for _ in range(40):
        prompt = chance.choice(PROMPTS).format(chance.choice(AREAS) + ".py")
        yield line("user", number, json.dumps({"role": "user", "content": prompt}))
        for _ in range(24):
            number += 1
            path = f"{cwd}/src/{chance.choice(AREAS)}/{chance.choice(AREAS)}.py"
            name, given = chance.choice(
                (
                    ("Read", {"file_path": path}),
                    ("Read", {"file_path": path, "offset": chance.randint(1, 900)}),
                    ("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}),
                    ("Grep", {"pattern": chance.choice(AREAS), "path": cwd}),
                    ("Bash", {"command": command(random.Random(chance.randrange(4_000)), cwd)}),
                    ("Bash", {"command": f"pytest tests/{chance.choice(AREAS)} -q"}),
                    ("WebFetch", {"url": f"https://{chance.choice(AREAS)}.example.com/x"}),
                )
            )
            call = {"type": "tool_use", "id": f"toolu_{short}_{number}", "name": name}
            yield response(number, json.dumps({**call, "input": given}), "tool_use")
            result = {"tool_use_id": call["id"], "type": "tool_result", "content": "ok"}
            if chance.random() < 0.06:
                result |= {"content": "Exit code 1", "is_error": True}
            yield line("user", number, json.dumps({"role": "user", "content": [result]}))
        number += 1
        yield response(number, '{"type":"text","text":"Done."}', "end_turn")


_MAKERS: dict[str, Callable[[Path], None]] = {
    "dense": _dense,
    "tiny": _tiny,
    "million": _million,
    **{name: _mixed(name) for name in MIXED_SIZES},
}
