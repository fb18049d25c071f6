"""Folding: rules, frames, labels, sums."""

from cell_builders import numbered_cells
from hypothesis import given
from hypothesis import strategies as st
from test_fields import ANSWER, CALL, FAILED, REQUEST, THOUGHT

from agentpprof.privacy import PublicText
from agentpprof.profile.build import build_profile
from agentpprof.profile.fields import Cell
from agentpprof.profile.rules import Rules, parse_label_rule, parse_where
from agentpprof.profile.views import VIEWS

CELLS = [(CALL, 3), (FAILED, 5), (ANSWER, 7), (THOUGHT, 11), (REQUEST, 1)]
VIEW = VIEWS["operations"]


def built(stack: str, **rules: object) -> dict[str, int]:
    profile = build_profile(numbered_cells(CELLS), VIEW, Rules(tuple(stack.split(",")), **rules))
    return {";".join(frames): value for frames, value in profile.stacks().items()}


def maps(*texts: str) -> tuple[object, ...]:
    return tuple(parse_label_rule(text, "--op-map") for text in texts)


def wheres(*texts: str) -> tuple[object, ...]:
    return tuple(parse_where(text) for text in texts)


def test_equal_stacks_are_one_sample() -> None:
    assert built("op") == {"op:tool": 8, "op:llm": 18, "op:prompt": 1}


def test_a_field_without_a_value_gives_no_frame_and_loses_nothing() -> None:
    assert built("cmd,op") == {"cmd:make;op:tool": 8, "op:llm": 18, "op:prompt": 1}
    assert built("skill") == {"": 27}


def test_a_name_may_stand_twice_and_a_list_gives_a_frame_each() -> None:
    assert built("op,process,op")["op:tool;process:bash;process:make;op:tool"] == 8


def test_labels_part_samples_but_not_stacks() -> None:
    profile = build_profile(numbered_cells(CELLS), VIEW, Rules(("task",), labels=("op", "cmd")))
    assert len(profile.samples) == 3
    assert len(profile.stacks()) == 1
    labels = {sample.labels: sample.value for sample in profile.samples}
    assert labels[(("op", PublicText("tool")), ("cmd", PublicText("make")))] == 8


def test_where_keeps_and_drops() -> None:
    assert built("result", where=wheres("result=error")) == {"result:error": 5}
    assert built("op", where=wheres("op!=llm|prompt")) == {"op:tool": 8}
    assert built("op", where=wheres("op=tool", "result=ok")) == {"op:tool": 3}


def test_where_sees_the_value_alone_and_with_its_field() -> None:
    assert built("op", where=wheres("op=^tool$")) == {"op:tool": 8}
    assert built("op", where=wheres("op=^op=tool$")) == {"op:tool": 8}


def test_a_missing_field_matches_nothing_so_its_negation_keeps() -> None:
    assert built("op", where=wheres("cmd!=make")) == {"op:llm": 18, "op:prompt": 1}
    assert built("op", where=wheres("cmd=.*")) == {"op:tool": 8}


def test_where_looks_at_texts_that_no_frame_shows() -> None:
    assert built("op", where=wheres("command=make ci")) == {"op:tool": 3}
    assert built("op", where=wheres("llm_preview=^It is")) == {"op:llm": 7}
    assert built("op", where=wheres("prompt_text=go on"))["op:llm"] == 18


def test_later_maps_see_what_earlier_ones_set() -> None:
    rules = maps("task:verify=effect=test", "phase:gate=task=verify")
    assert built("task,phase", op_map=rules) == {
        "task:verify;phase:gate": 8,
        "task:debug;phase:model": 18,
        "task:debug;phase:prompt": 1,
    }


def test_a_field_is_set_once_by_the_first_rule() -> None:
    rules = maps("phase:one=op=tool", "phase:two=op=", "phase:three=op=prompt")
    assert built("phase", op_map=rules) == {"phase:one": 8, "phase:two": 19}


def test_maps_make_new_fields_for_frames_labels_and_where() -> None:
    rules = maps("area:code=path=src")
    assert built("area", op_map=rules, where=wheres("area=code")) == {"area:code": 8}
    profile = build_profile(
        numbered_cells(CELLS), VIEW, Rules(("op",), op_map=rules, labels=("area",))
    )
    assert (("area", PublicText("code")),) in {sample.labels for sample in profile.samples}


def test_maps_change_labels() -> None:
    profile = build_profile(
        numbered_cells(CELLS),
        VIEW,
        Rules(("op",), op_map=maps("session:mine=op=tool"), labels=("session",)),
    )
    assert {sample.labels[0][1] for sample in profile.samples} == {"mine", "docs"}


def test_rules_see_fields_in_alphabetical_order() -> None:
    assert built("op", op_map=maps("op:hit=action=test .*effect=test .*tool=Bash")) == {
        "op:hit": 8,
        "op:llm": 18,
        "op:prompt": 1,
    }
    assert "op:hit" not in built("op", op_map=maps("op:hit=tool=Bash .*effect=test"))


def test_rules_see_texts_only_where_they_name_them() -> None:
    assert built("op", op_map=maps("op:hit=make ci")).get("op:hit") is None
    assert built("op", op_map=maps("op:hit=command=.*make ci"))["op:hit"] == 3
    spanning = maps("op:hit=cmd=make command=cd x .*effect=test")
    assert built("op", op_map=spanning)["op:hit"] == 3


def test_a_text_becomes_a_frame_only_as_a_rules_label() -> None:
    rules = maps("command:ci=command=.*make ci")
    assert built("command", op_map=rules) == {"command:ci": 3, "": 24}
    assert built("command", stack_rules=rules) == {"command:ci": 3, "": 24}
    profile = build_profile(
        numbered_cells(CELLS), VIEW, Rules(("op",), op_map=rules, labels=("command",))
    )
    shown = {text for sample in profile.samples for _, text in sample.labels}
    assert shown == {"ci"}


def test_a_stack_rule_changes_one_frame_and_nothing_else() -> None:
    rules = maps("object:docs=path=src", "object:late=path=src", "phase:none=nothing")
    plain = built("op,object")
    ruled = built("op,object", stack_rules=rules, where=wheres("op=tool"))
    assert plain["op:tool;object:src/a"] == 8
    assert ruled == {"op:tool;object:docs": 8}
    profile = build_profile(
        numbered_cells(CELLS), VIEW, Rules(("object",), stack_rules=rules, labels=("object",))
    )
    assert PublicText("src/a") in {text for sample in profile.samples for _, text in sample.labels}


def test_stack_rules_see_what_maps_set() -> None:
    rules = {"op_map": maps("area:code=path=src"), "stack_rules": maps("op:x=area=code")}
    assert built("op", **rules)["op:x"] == 8


@given(st.lists(st.tuples(st.sampled_from([cell for cell, _ in CELLS]), st.integers(0, 9))))
def test_rules_that_match_nothing_change_nothing(cells: list[tuple[Cell, int]]) -> None:
    plain = Rules(("op", "task", "object", "result"), labels=("session",))
    never = maps("task:x=zzz")
    ruled = plain._replace(op_map=never, stack_rules=never, where=wheres("op!=zzz"))
    numbered = numbered_cells(cells)
    with_rules, without = (build_profile(numbered, VIEW, rules) for rules in (ruled, plain))
    assert sorted(with_rules.samples) == sorted(without.samples)
