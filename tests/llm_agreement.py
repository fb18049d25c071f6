"""How far a real model's tags agree with labelled prompts: `make test-llm`, not a usual test.

AGENTPPROF_LLM_MODEL names the model's file, AGENTPPROF_LABELS a JSON list of `text` and `tag`.
The share is reported, not asserted: a small model keeps to the form, not always to the sense.
"""

import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest
from builders import ClaudeSession
from command_line import run
from llama_server import running

from agentpprof.keys import hash_of
from agentpprof.store.database import default_path, opened_for_reading
from agentpprof.tagging.builtin import tag_prompt

HERE = Path(__file__).parent
# Read here: in a test these variables are gone.
MODEL = os.environ.get("AGENTPPROF_LLM_MODEL", "")
LABELS = Path(
    os.environ.get("AGENTPPROF_LABELS") or HERE.parent.parent / "shared" / "labelled-prompts.json"
)


def test_agreement_with_labels(isolated_machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not MODEL or not LABELS.is_file():
        pytest.skip("AGENTPPROF_LLM_MODEL or AGENTPPROF_LABELS names no file")
    labelled = {each["text"]: each["tag"] for each in json.loads(LABELS.read_text())}
    log = ClaudeSession("labelled")
    for text in labelled:
        log.user(text)
        log.assistant("Done.")
    log.write(isolated_machine / ".claude")
    lines = (HERE / "data" / "llm_task_choices.txt").read_text().splitlines()
    choices = [argument for line in lines for argument in ("--task-choice", line)]
    with running(Path(MODEL), slots=1, context=4096) as server:
        started = time.monotonic()
        ran = run(
            "tags", "run", "--tagger", "llm", "--llama-url", server.url, "--all-projects",
            "--kind", "prompt", *choices,
        )  # fmt: skip
        seconds = time.monotonic() - started
    assert ran.code == 0, ran.err
    tags = _tags()
    known = {text: tags[hash_of(text)] for text in labelled if hash_of(text) in tags}
    allowed = {line.partition("=")[0] for line in lines}
    assert set(known.values()) <= allowed
    assert len(known) > len(labelled) / 2
    agreed = sum(tag == labelled[text] for text, tag in known.items())
    by_rules = sum(tag_prompt(text) == labelled[text] for text in known)
    with capsys.disabled():
        print(  # noqa: T201 # what this is for
            f"\n{Path(MODEL).name}: {agreed} of {len(known)} tags agree "
            f"({100 * agreed / len(known):.0f} %), the built-in rules' {by_rules}; "
            f"{seconds / len(known):.2f} s a prompt; {Counter(known.values()).most_common(5)}"
        )


def _tags() -> dict[int, str]:
    with opened_for_reading(default_path()) as connection:
        rows = connection.execute(
            "select tag.text_hash, tag.tag from tag "
            "inner join tagger on tag.tagger_id = tagger.id where tagger.name = 'llm'"
        )
        return dict(rows.fetchall())
