"""The largest frames of a profile, cumulatively: what `pprof -top -cum` shows."""

from agentpprof.models import Profile
from agentpprof.privacy import PublicText


def cumulative(profile: Profile) -> dict[PublicText, int]:
    """Return frame -> the sum of all stacks that hold it, each stack once."""
    sums: dict[PublicText, int] = {}
    for stack, value in profile.stacks().items():
        for frame in set(stack):
            sums[frame] = sums.get(frame, 0) + value
    return sums


# The kinds of frame that name a cost; phase, result and outcome only sort it.
_NAMING_KINDS = ("task:", "skill:", "action:", "object:", "token:")


def top_lines(profile: Profile, rows: int) -> list[str]:
    """Return the `rows` largest frames that name a cost: value, share of the total, frame."""
    total = profile.total or 1
    sums = cumulative(profile)
    naming = {frame: value for frame, value in sums.items() if frame.startswith(_NAMING_KINDS)}
    ranked = sorted((naming or sums).items(), key=lambda item: (-item[1], item[0]))
    return [f"{value:>15,}  {value / total:>6.1%}  {frame}" for frame, value in ranked[:rows]]
