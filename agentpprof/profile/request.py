"""One profile as a person asked for it."""

from collections.abc import Mapping
from typing import NamedTuple

from agentpprof.defaults import DEFAULT_PATH_DEPTH
from agentpprof.profile.rules import Rules
from agentpprof.profile.selection import Selection
from agentpprof.profile.views import View
from agentpprof.tagging.tagger import DEFAULT_TAGGER, Tagger


class ModelTags(NamedTuple):
    """What a model said; what it did not is tagged by rules."""

    prompts: Mapping[int, str]  # text hash -> tag
    sessions: Mapping[int, str]  # session key -> tag
    answers: Mapping[int, str]  # text hash -> tag


class Request(NamedTuple):
    """One profile as a person asked for it, all parts checked."""

    view: View
    rules: Rules
    selection: Selection
    path_depth: int = DEFAULT_PATH_DEPTH
    with_idle: bool = False
    anonymizes: bool = False
    tagger: Tagger = DEFAULT_TAGGER
    model: ModelTags | None = None  # what a model said of sessions and answers
