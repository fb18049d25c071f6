"""What a shell completes."""

import pytest
from command_line import installed


@pytest.mark.parametrize(
    ("words", "position", "expected"),
    [
        ("agentpprof in", 1, "plain,index"),
        ("agentpprof --op-map-", 1, "plain,--op-map-file"),
        ("agentpprof index --cl", 2, "plain,--claude-root"),
        ("agentpprof --view ti", 2, "plain,time"),
        ("agentpprof top --by skil", 3, "plain,skill"),
        ("agentpprof --stack task,acti", 2, "plain,task,action"),
        ("agentpprof ask prompts", 2, "plain,prompts-by-tokens"),
        ("agentpprof -o out/a", 2, "file,out/a"),
        ("agentpprof index --claude-root ~/.cl", 3, "dir,~/.cl"),
        ("agentpprof top --sort f", 3, "plain,flat"),
    ],
)
def test_a_shell_completes_commands_options_and_values(
    words: str, position: int, expected: str
) -> None:
    environment = {
        "COMP_WORDS": words,
        "COMP_CWORD": str(position),
        "_AGENTPPROF_COMPLETE": "bash_complete",
    }
    assert installed(environment=environment).out.decode().split() == [expected]
