"""An audit as text for people: what was raw, dropped and counted, and the lines behind it."""

from collections.abc import Mapping
from typing import Any

from agentpprof.audit import KEYS
from agentpprof.models import Answer
from agentpprof.text.tables import write_table


def audit_text(document: Mapping[str, Any]) -> str:
    """Return the audit for people: a table an agent, then what was skipped, then the lines."""
    parts = []
    for agent, account in document["agents"].items():
        table = write_table(_account_table(account))
        parts.append(f"{agent}\n{table}")
    if document["skipped"]:
        columns = ("agent", "kind", "version", "unknown", "records")
        rows = [
            (kind["agent"], kind["kind"], kind["version"], kind["is_unknown"], kind["records"])
            for kind in document["skipped"]
        ]
        parts.append(f"records that are no operation\n{write_table(Answer(columns, rows))}")
    if document.get("lines"):
        rows = [tuple(line.values()) for line in document["lines"]]
        columns = tuple(document["lines"][0])
        parts.append(f"lines that carried usage\n{write_table(Answer(columns, rows))}")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts).rstrip("\n")


def _account_table(account: Mapping[str, Any]) -> Answer:
    """Return one account: a row a key, from raw by reasons to counted."""
    reasons = list(account["dropped"])
    columns = ("what", "raw", *(f"- {reason}" for reason in reasons), "= counted")
    sums = (account["raw"], *(account["dropped"][reason] for reason in reasons), account["counted"])
    texts = [[f"{of_kind[key]:,}" for key in KEYS] for of_kind in sums]
    widths = [max(map(len, column)) for column in texts]
    rows = [
        (
            key.replace("_", " "),
            *(texts[n][place].rjust(width) for n, width in enumerate(widths)),
        )
        for place, key in enumerate(KEYS)
    ]
    return Answer(columns, rows)
