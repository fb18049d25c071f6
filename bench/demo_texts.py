"""Invented file contents and edits for the example history, by kind of file."""

import random
from pathlib import PurePosixPath

CONTENTS = {
    "py": '''\
from decimal import ROUND_HALF_EVEN, Decimal


def total(lines: list[Line]) -> Decimal:
    """Sum of a basket, rounded to cents."""
    return sum(line.price * line.count for line in lines)
''',
    "ts": """\
import { z } from "zod";

export const basketSchema = z.object({
  id: z.string(),
  lines: z.array(lineSchema),
});
""",
    "tsx": """\
export function Basket({ lines }: Props) {
  const total = useMemo(() => sum(lines), [lines]);
  return <section className="basket">{format(total)}</section>;
}
""",
    "rs": """\
use std::io::{self, BufRead};

pub fn cut(reader: impl BufRead, field: usize) -> io::Result<()> {
    for line in reader.lines() {
        emit(line?.split('\\t').nth(field));
    }
    Ok(())
}
""",
    "go": """\
package relay

func (s *Server) Forward(ctx context.Context, m Message) error {
	if err := s.queue.Push(ctx, m); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	return nil
}
""",
    "md": """\
# Overview

A basket holds lines; a line holds a product and a count.

## Limits

- 200 lines
""",
    "toml": """\
[package]
name = "logcut"
version = "0.4.1"
edition = "2024"
""",
    "json": """\
{
  "name": "web-store",
  "scripts": { "test": "vitest run", "build": "vite build" }
}
""",
    "yml": """\
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: make test
""",
    "sql": """\
create index concurrently orders_by_day
  on orders (created_at)
  where state = 'paid';
""",
    "css": """\
.basket {
  display: grid;
  gap: 0.5rem;
}
""",
}
CHANGES = {
    "py": [
        ("    return round(total, 2)", "    return total.quantize(CENT, ROUND_HALF_EVEN)"),
        ("    timeout=5,", "    timeout=settings.http_timeout,\n    retries=2,"),
        (
            "for row in rows:\n    cache.get(row.id)",
            "found = cache.get_many([row.id for row in rows])",
        ),
        (
            "except Exception:\n    pass",
            "except RateLimited as error:\n    await sleep(error.after)",
        ),
    ],
    "ts": [
        ("const price = Number(raw);", "const price = parsePrice(raw);"),
        ("  retry: false,", "  retry: 2,\n  staleTime: 30_000,"),
        ("as any", "as BasketLine"),
    ],
    "tsx": [
        ("<button onClick={add}>", '<button type="button" disabled={pending} onClick={add}>'),
        ("useEffect(() => load(), []);", "useEffect(() => load(id), [id]);"),
    ],
    "rs": [
        (".unwrap()", '.context("read header")?'),
        ("let line = line.to_string();", "let line = Cow::from(line);"),
        ("fn parse(s: &str)", "fn parse<'a>(s: &'a str)"),
    ],
    "go": [
        (
            "ctx := context.Background()",
            "ctx, stop := context.WithTimeout(parent, s.limit)\n\tdefer stop()",
        ),
        ("s.conns[id] = c", "s.mu.Lock()\n\ts.conns[id] = c\n\ts.mu.Unlock()"),
        ("return err", 'return fmt.Errorf("dial %s: %w", addr, err)'),
    ],
    "md": [("TODO: describe limits", "A basket holds at most 200 lines.")],
    "toml": [('version = "0.4.1"', 'version = "0.5.0"')],
    "json": [('"vite": "^6.0.0"', '"vite": "^7.1.0"')],
    "yml": [("      - run: make test", "      - run: make lint\n      - run: make test")],
    "sql": [("select *", "select id, state, total")],
    "css": [("  gap: 0.5rem;", "  gap: 0.75rem;\n  align-items: start;")],
}
VERBS = {
    "pytest": "Run the tests",
    "npm": "Run the package script",
    "git": "Look at or change the repository",
    "cargo": "Build or test the crate",
    "go": "Build or test the module",
    "docker": "Work with containers",
    "make": "Run the make target",
    "curl": "Ask the service",
}


def _kind(path: str) -> str:
    name = PurePosixPath(path).suffix.lstrip(".")
    name = {"yaml": "yml", "lock": "toml", "mod": "go"}.get(name, name)
    return name if name in CONTENTS else "md"


def content(path: str) -> str:
    """Text of a file."""
    return CONTENTS[_kind(path)]


def numbered(path: str, offset: int = 0) -> str:
    """The same as a tool shows it: with line numbers."""
    lines = content(path).splitlines()
    return "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, offset or 1))


def change(path: str, chance: random.Random) -> tuple[str, str]:
    """An old and a new piece of a file."""
    return chance.choice(CHANGES[_kind(path)])


def describe(command: str) -> str:
    """One line that says what a command is for."""
    first = command.split(" && ")[-1].split()[0]
    return VERBS.get(first, "Run a command")
