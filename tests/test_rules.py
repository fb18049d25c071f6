"""Rules of stacks: how they are written, what is wrong with them, which fields they may name."""

from pathlib import Path

import pytest
from command_line import run, write_history

from agentpprof.errors import UsageError
from agentpprof.profile.rules import (
    Rules,
    check_fields,
    idle_rules,
    parse_label_rule,
    parse_stack,
    parse_where,
    read_op_map_file,
)

WRONG = [
    (parse_stack, ("",), "no frame is named"),
    (parse_stack, (" , ; ",), "no frame is named"),
    (parse_where, ("result",), "FIELD=REGEX or FIELD!=REGEX"),
    (parse_where, ("=error",), "FIELD=REGEX or FIELD!=REGEX"),
    (parse_where, ("Result=error",), "FIELD=REGEX or FIELD!=REGEX"),
    (parse_where, ("result!!=error",), "FIELD=REGEX or FIELD!=REGEX"),
    (parse_where, ("result=",), "the pattern is empty"),
    (parse_where, ("result=(?<=a)b",), "look-behind is not supported"),
    (parse_where, ("result=(",), "is not closed"),
    (parse_label_rule, ("phase:ci", "--op-map"), "write FIELD:LABEL=REGEX"),
    (parse_label_rule, ("phase=ci", "--op-map"), "write FIELD:LABEL=REGEX"),
    (parse_label_rule, ("Phase:ci=x", "--op-map"), "the field 'Phase'"),
    (parse_label_rule, ("phase:c i=x", "--stack-rule"), "the label 'c i'"),
    (parse_label_rule, ("phase:=x", "--stack-rule"), "the label ''"),
    (parse_label_rule, ("phase:ci=", "--stack-rule"), "the pattern is empty"),
    (parse_label_rule, ("phase:ci=[", "--stack-rule"), "is not closed"),
]


@pytest.mark.parametrize(("parse", "arguments", "reason"), WRONG)
def test_a_wrong_rule_says_what_is_wrong(parse, arguments, reason) -> None:
    with pytest.raises(UsageError, match=r"^--") as caught:
        parse(*arguments)
    assert reason in str(caught.value)


def test_frames_are_separated_by_commas_or_semicolons() -> None:
    assert parse_stack(" task, action;object ,") == ("task", "action", "object")


def test_the_first_equals_sign_parts_field_and_pattern() -> None:
    rule = parse_where("command=a!=b")
    assert (rule.field, rule.pattern.source, rule.is_negated) == ("command", "a!=b", False)
    negated = parse_where("result!=a=b")
    assert (negated.field, negated.pattern.source, negated.is_negated) == ("result", "a=b", True)


def test_a_rule_names_the_texts_that_its_pattern_looks_at() -> None:
    named = parse_label_rule("phase:ci=command=.*make.* file=x", "--op-map")
    assert named.texts == ("command", "file")
    assert parse_label_rule("phase:ci=cmd=make", "--op-map").texts == ()


@pytest.mark.parametrize("name", ["tsk", "call_id", "timestamp_ms", "command", "prompt_text", "T!"])
def test_what_can_be_no_frame_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--stack"):
        check_fields(Rules((name,)))
    with pytest.raises(UsageError, match="--label"):
        check_fields(Rules(("task",), labels=(name,)))


def test_an_unknown_field_names_the_nearest_and_all() -> None:
    with pytest.raises(UsageError, match=r"did you mean task.*known fields: op, task"):
        check_fields(Rules(("tsk",)))
    with pytest.raises(UsageError, match=r"--where: unknown field 'taks'.*known fields"):
        check_fields(Rules(("task",), where=(parse_where("taks=a"),)))


def test_a_single_field_says_where_its_values_are() -> None:
    with pytest.raises(UsageError, match="--since and --until"):
        check_fields(Rules(("timestamp_ms",)))


def test_fields_that_rules_make_can_be_frames_labels_and_matched() -> None:
    made = parse_label_rule("area:api=object=api", "--op-map")
    where = parse_where("area=api")
    check_fields(Rules(("area",), where=(where,), op_map=(made,), labels=("area",)))
    check_fields(Rules(("area",), stack_rules=(made,)))


def test_rules_for_frames_that_are_not_there_are_told() -> None:
    rule = parse_label_rule("skill:x=object=api", "--stack-rule")
    assert idle_rules(Rules(("task",), stack_rules=(rule, rule))) == [
        "--stack-rule skill: it does nothing, the stack has no such frame"
    ]
    assert idle_rules(Rules(("skill",), stack_rules=(rule,))) == []


def test_a_rule_of_the_command_line_that_matches_nothing_is_told(
    isolated_machine: Path, tmp_path: Path
) -> None:
    write_history(isolated_machine)
    rules = tmp_path / "shared.rules"
    rules.write_text("area:none=path=nowhere\n")
    given = ("task:high=model=opus", "task:all=op=.", "task:late=op=llm")
    options = [word for rule in given for word in ("--op-map", rule)]
    arguments = ("-o", tmp_path / "a.svg", "--all-projects", *options, "--op-map-file", rules)

    first, again = (run(*arguments).summary["warnings"] for _ in range(2))

    assert [line.split(" changes nothing")[0] for line in first] == [
        "--op-map task:high",
        "--op-map task:late",
    ]
    assert again == first


def test_a_file_holds_one_rule_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("# mine\n\n  task:verify=effect=test  \n phase:gate=task=verify\n", "utf-8")
    rules = read_op_map_file(str(path))
    assert [(rule.field, rule.label, rule.pattern.source) for rule in rules] == [
        ("task", "verify", "effect=test"),
        ("phase", "gate", "task=verify"),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"task:a=b\n\ntask\n", "rules.txt, line 3"),
        (b"task:a=(\n", "rules.txt, line 1"),
        (b"task:a=b\ntask:a=\xff\n", "rules.txt, line 2: it is not UTF-8"),
        (b"task:a=b\n\0\n", "rules.txt, line 2"),
    ],
)
def test_a_bad_line_is_named_with_its_file(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "rules.txt"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=reason):
        read_op_map_file(str(path))


@pytest.mark.parametrize(
    ("name", "reason"), [("missing.txt", "No such file"), (".", "Is a directory")]
)
def test_a_file_that_is_none_is_named(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=rf"--op-map-file .* can't be read \({reason}"):
        read_op_map_file(str(tmp_path / name))
