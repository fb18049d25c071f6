"""speedscope's own JSON: every view of the same sessions in one file, one profile each.

speedscope reads pprof too, but takes one measure from it. Its menu lists the profiles of this
format; the chosen view is the one it opens. Its only unit for plain numbers is `none`.
"""

import json
from collections.abc import Mapping
from typing import Any

from agentpprof.encoders.samples import stack_values
from agentpprof.models import OutputOptions, Profile
from agentpprof.privacy import PublicText

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS = frozenset(("bytes", "seconds", "milliseconds", "microseconds", "nanoseconds"))


def encode(profile: Profile, options: OutputOptions) -> bytes:
    """Return all measures of the profile; frames are shared, so each has one colour."""
    measures = (profile, *profile.others)
    stacks = [stack_values(each) for each in measures]
    frames = sorted({frame for each in stacks for stack in each for frame in stack})
    numbers = {frame: number for number, frame in enumerate(frames)}
    document = {
        "$schema": _SCHEMA,
        "activeProfileIndex": 0,
        "exporter": "agentpprof",
        "name": f"{profile.view} of {profile.project}",
        "profiles": [
            _sampled(each, values, numbers) for each, values in zip(measures, stacks, strict=True)
        ],
        "shared": {"frames": [{"name": frame} for frame in frames]},
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _sampled(
    profile: Profile, values: dict[Any, int], numbers: Mapping[PublicText, int]
) -> dict[str, Any]:
    """Return one profile: stacks root first, sorted, each with its weight."""
    stacks = sorted(values)
    return {
        "type": "sampled",
        "name": f"{profile.view} ({profile.sample_type})",
        "unit": profile.unit if profile.unit in _UNITS else "none",
        "startValue": 0,
        "endValue": sum(values.values()),
        "samples": [[numbers[frame] for frame in stack] for stack in stacks],
        "weights": [values[stack] for stack in stacks],
    }
