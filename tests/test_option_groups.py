"""What click gives a command is what its annotation says: no key is read that is not there."""

from inspect import Parameter, signature
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import click
import pytest
from command_line import every_command

from agentpprof.commands.demo import demo_options
from agentpprof.option_groups import ProfileOptions

COMMANDS = {
    " ".join(names): command
    for names, command in every_command()
    if not isinstance(command, click.Group)
}
UNTYPED = ("config show", "explain")  # their options are looked up by names that are data


def is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def taken_by(command: click.Command) -> dict[str, Any]:
    """Return the names that a command takes by keyword, with their types."""
    assert command.callback is not None
    function = command.callback
    hints = get_type_hints(function)
    taken: dict[str, Any] = {}
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD:
            (options,) = get_args(hints[name])
            assert is_typeddict(options)
            taken |= get_type_hints(options)
        else:
            taken[name] = hints[name]
    return taken


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in UNTYPED])
def test_a_command_takes_what_it_declares(name: str) -> None:
    command = COMMANDS[name]
    given = command.make_context(name, [], resilient_parsing=True).params
    taken = taken_by(command)
    assert taken.keys() == given.keys()
    for parameter in command.params:
        if parameter.required or not parameter.expose_value or parameter.nargs != 1:
            continue
        types = get_args(taken[parameter.name]) if is_union(taken[parameter.name]) else ()
        kinds = [get_origin(each) or each for each in types or (taken[parameter.name],)]
        value = given[parameter.name]
        assert isinstance(value, tuple(kinds)), parameter.name
        assert (type(None) in kinds) == (value is None), parameter.name


def test_the_defaults_of_a_profile_are_whole() -> None:
    assert demo_options("a.db").keys() == get_type_hints(ProfileOptions).keys()
