"""A shell command line becomes its segments: words and redirections, in the order they run.

Parsed by tree-sitter-bash. Only `MAX_PARSED` characters are parsed (hostile texts take more than
linear time), the tree is walked with a stack of its own (nested brackets overflow a recursion).
"""

import re
from functools import lru_cache
from typing import Any, Final

from agentpprof.semantics.plain import plain_segments
from agentpprof.semantics.scopes import MAX_VALUE, Scope, Segment
from agentpprof.semantics.words import SEVERAL, UNKNOWN, plain_word

MAX_PARSED: Final = 6144
_MAX_SEGMENTS = 400
_FOREIGN = re.compile(r"[^\t\n -~]")
_REDIRECT = re.compile(r"(?:\d+|&)?(>>|>\||>&|&>>|&>|<&|<>|<|>)\s*(.*)", re.DOTALL)
_FIRST = re.compile(
    r"[\s;|&(){}!]*(?:[A-Za-z_]\w*=\S*\s+)*(?![A-Za-z_]\w*=)([^\s;|&<>(){}'\"`$#]+)"
)
_TIMED = re.compile(r"\btime\s+(?:-p\s+)?(?=[({])")  # the grammar takes the brackets for a word

# What is done with a node of the tree.
(
    _INTO,
    _COMMAND,
    _REDIRECTED,
    _PIPELINE,
    _SUBSHELL,
    _SUBSTITUTION,
    _LOOP,
    _ASSIGN,
    _DECLARE,
    _TEST,
    _FILE,
    _SKIP,
) = range(12)
_ROLES: Final = {
    "command": _COMMAND,
    "redirected_statement": _REDIRECTED,
    "pipeline": _PIPELINE,
    "subshell": _SUBSHELL,
    "command_substitution": _SUBSTITUTION,
    "process_substitution": _SUBSTITUTION,
    "for_statement": _LOOP,
    "variable_assignment": _ASSIGN,
    "declaration_command": _DECLARE,
    "unset_command": _DECLARE,
    "test_command": _TEST,
    "file_redirect": _FILE,
    "comment": _SKIP,
    "word": _SKIP,
    "raw_string": _SKIP,
    "variable_name": _SKIP,
    "number": _SKIP,
    "herestring_redirect": _SKIP,
}


@lru_cache(maxsize=1)
def _parser() -> tuple[Any, list[int]]:
    """Return the parser and the role of each kind of node by its number."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    language = Language(tree_sitter_bash.language())
    names = [language.node_kind_for_id(number) for number in range(language.node_kind_count)]
    return Parser(language), [_ROLES.get(name or "", _INTO) for name in names]


def segments_of(command: str, scope: Scope) -> list[Segment]:
    """Return the segments of `command`, which holds no here-documents (`cut_heredocs`).

    Words are plain (`semantics.words`); variables that the command itself sets are filled in.
    A command that can't be parsed still gives its first program.
    """
    command = command[:MAX_PARSED]
    segments = plain_segments(command, scope)
    return parsed_segments(command, scope) if segments is None else segments


def parsed_segments(command: str, scope: Scope) -> list[Segment]:
    """Do the work of `segments_of` by parsing, whatever the command."""
    if "time " in command:
        command = _TIMED.sub("", command)
    walk = _Walk(command, scope)
    walk.run()
    if not walk.segments and walk.tree.root_node.has_error:
        match = _FIRST.match(command)
        if match:
            walk.segments.append(Segment([match.group(1)], scope))
    return walk.segments


class _Walk:
    """One walk over a parsed command."""

    __slots__ = ("roles", "segments", "stack", "text", "tree")

    def __init__(self, text: str, scope: Scope) -> None:
        # Offsets in bytes are offsets in characters when each foreign sign is one byte.
        self.text = text
        parser, self.roles = _parser()
        self.tree = parser.parse(_FOREIGN.sub("_", text).encode("ascii"))
        self.segments: list[Segment] = []
        self.stack: list[tuple[Any, Scope, bool, bool]] = [
            (self.tree.root_node, scope, False, False)
        ]

    def _role(self, node: Any) -> int:
        """Return what is done with `node`; an error (its number is beyond all) is gone into."""
        kind = node.kind_id
        return self.roles[kind] if kind < len(self.roles) else _INTO

    def run(self) -> None:
        """Visit all nodes in the order of the text."""
        stack = self.stack
        while stack and len(self.segments) < _MAX_SEGMENTS:
            node, scope, piped, inner = stack.pop()
            if type(node) is tuple:  # redirections of what was visited since
                self._redirect(node, scope)
                continue
            role = self._role(node)
            if role == _COMMAND:
                self._command(node, scope, piped, inner)
            elif role == _INTO:
                self._push(node.named_children, scope, piped, inner)
            elif role != _SKIP:
                self._visit(role, node, scope, piped, inner)

    def _push(self, nodes: list[Any], scope: Scope, piped: bool, inner: bool) -> None:
        """Put `nodes` on the stack, the first on top; only the first is fed by a pipe."""
        stack = self.stack
        for node in nodes[:0:-1]:
            stack.append((node, scope, False, inner))
        if nodes:
            stack.append((nodes[0], scope, piped, inner))

    def _visit(self, role: int, node: Any, scope: Scope, piped: bool, inner: bool) -> None:
        """Visit a node that is more than a list of others."""
        if role == _PIPELINE:
            # The grammar puts all of `cd a && b > c | d` into the pipe: no part has its own scope.
            children = node.named_children
            for child in children[:0:-1]:
                self.stack.append((child, scope, True, inner))
            self.stack.append((children[0], scope, piped, inner))
        elif role == _REDIRECTED:
            self._redirected(node, scope, piped, inner)
        elif role == _SUBSHELL:
            self._push(node.named_children, scope.inner(), piped, inner)
        elif role == _SUBSTITUTION:
            self._push(node.named_children, scope.inner(), False, inner)
        elif role == _LOOP:
            self._loop(node, scope, inner)
        elif role == _ASSIGN:
            self._assign(node, scope, inner)
        elif role == _DECLARE:
            keyword = self.text[node.start_byte : node.end_byte].split()[0]
            self.segments.append(Segment([keyword], scope, piped, inner))
            self._push(node.named_children, scope, False, inner)
        elif role == _TEST:
            self.segments.append(Segment(["["], scope, piped, inner))
            self._push(node.named_children, scope, False, True)
        else:
            self._redirect((0, node), scope)

    def _command(self, node: Any, scope: Scope, piped: bool, inner: bool) -> None:
        """Note a simple command; what runs inside its words comes behind it."""
        text = self.text
        words: list[str] = []
        inside: list[Any] = []
        redirects: list[Any] = []
        assigned: list[Any] = []
        for child in node.children:
            start, end = child.start_byte, child.end_byte
            spelled = text[start:end]
            if "$(" in spelled or "`" in spelled or "<(" in spelled or ">(" in spelled:
                spelled = self._without_inner(child, start, spelled, inside)
            role = self._role(child)
            if role == _ASSIGN and not words:
                assigned.append(child)
                continue
            if role == _FILE:
                redirects.append(child)
            elif not spelled.startswith("<<<"):
                words.append(plain_word(spelled, scope.variables))
        number = len(self.segments)
        if words == [""]:  # the grammar makes up a program for `a=b > c`
            words = []
            for child in assigned:
                self._assign(child, scope, inner)
        if words:
            self.segments.append(Segment(words, scope, piped, inner))
        for redirect in redirects:
            self._redirect((number, redirect), scope)
        for child in reversed(inside):
            self.stack.append((child, scope, False, bool(words)))

    def _without_inner(self, node: Any, start: int, spelled: str, inside: list[Any]) -> str:
        """Return the text of a word with a sign for each substitution, which go to `inside`."""
        found: list[Any] = []
        stack = [node]
        while stack:
            part = stack.pop()
            if self._role(part) == _SUBSTITUTION:
                found.append(part)
            else:
                stack.extend(reversed(part.named_children))
        for part in reversed(found):
            begin, end = part.start_byte - start, part.end_byte - start
            value = "." if spelled[begin:end] in ("$(pwd)", "`pwd`") else UNKNOWN
            spelled = spelled[:begin] + value + spelled[end:]
        inside.extend(found)
        return spelled

    def _redirected(self, node: Any, scope: Scope, piped: bool, inner: bool) -> None:
        """Visit the body, then its redirections, which belong to the last command in it."""
        files: list[Any] = []
        others: list[Any] = []
        for child in node.named_children:
            role = self._role(child)
            (files if role == _FILE else others).append(child)
        for file in reversed(files):
            self.stack.append(((len(self.segments), file), scope, False, inner))
        self._push(others, scope, piped, inner)

    def _redirect(self, mark: tuple[int, Any], scope: Scope) -> None:
        """Note a redirection at the last segment made since the mark's number, or as its own."""
        number, node = mark
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        end = targets[0].end_byte if targets else node.end_byte
        text = self.text[node.start_byte : end]
        inside: list[Any] = []
        if "(" in text or "`" in text:
            text = self._without_inner(node, node.start_byte, text, inside)
        match = _REDIRECT.match(text)
        if match:
            if len(self.segments) <= number:
                self.segments.append(Segment([], scope))
            target = plain_word(match.group(2).strip(), scope.variables)
            self.segments[-1].redirects.append((match.group(1), target))
            for child in targets[1:]:  # the grammar takes words behind a target for targets
                spelled = self.text[child.start_byte : child.end_byte]
                self.segments[-1].words.append(plain_word(spelled, scope.variables))
        for child in reversed(inside):
            self.stack.append((child, scope, False, True))

    def _loop(self, node: Any, scope: Scope, inner: bool) -> None:
        """Give the variable of a `for` all its values; the list is data, the body runs."""
        children = node.named_children
        name = ""
        values: list[str] = []
        inside: list[Any] = []
        for child in children:
            spelled = self.text[child.start_byte : child.end_byte]
            if not name:
                name = spelled
            elif child.type in ("do_group", "compound_statement"):
                self.stack.append((child, scope, False, inner))
            elif child.type != "comment":
                if "$(" in spelled or "`" in spelled:
                    spelled = self._without_inner(child, child.start_byte, spelled, inside)
                values.append(plain_word(spelled, scope.variables))
        scope.variables[name] = SEVERAL.join(values[:20]) if values else UNKNOWN
        for child in reversed(inside):
            self.stack.append((child, scope, False, True))

    def _assign(self, node: Any, scope: Scope, inner: bool) -> None:
        """Keep the value of a variable that is spelled out."""
        spelled = self.text[node.start_byte : node.end_byte]
        name, _, value = spelled.partition("=")
        inside: list[Any] = []
        if "$(" in value or "`" in value or "<(" in value:
            value = self._without_inner(node, node.start_byte, spelled, inside).partition("=")[2]
        scope.variables[name] = (
            UNKNOWN if value[:1] == "(" else plain_word(value, scope.variables)[:MAX_VALUE]
        )
        for child in reversed(inside):
            self.stack.append((child, scope.of_value(), False, inner))
