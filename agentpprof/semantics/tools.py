"""stub"""
from agentpprof.models import Meaning
def describe_call(name, tool_input, cwd):
    return Meaning("run","tool",name)
