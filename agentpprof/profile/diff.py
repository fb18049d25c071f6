"""What changed between two profiles of one view: by stack, by frame, per prompt. Pure."""

from collections.abc import Collection
from typing import NamedTuple

from agentpprof.errors import UsageError
from agentpprof.models import NO_FRAMES, Difference, Profile, Sample, Samples
from agentpprof.privacy import PublicText
from agentpprof.profile.top import only_kinds, top_rows

BASE_LABEL = ("pprof::base", PublicText("true"))  # how pprof itself marks the side it subtracts


class SideCounts(NamedTuple):
    """How much there was of what a side may be divided by."""

    prompt: int
    session: int
    call: int


class FrameChange(NamedTuple):
    """One frame with what it weighed and weighs, the stacks that hold it summed."""

    frame: str
    base: int
    new: int

    @property
    def delta(self) -> int:
        """How much more the new side has."""
        return self.new - self.base


def difference(base: Profile, new: Profile, counts: tuple[int, int] | None = None) -> Difference:
    """Return both sides side by side; with counts the base is scaled to as many as the new has."""
    if (base.sample_type, base.unit) != (new.sample_type, new.unit):
        raise UsageError(
            f"one side counts {base.sample_type}/{base.unit}, the other {new.sample_type}/"
            f"{new.unit}: both must be of one view"
        )
    if counts is not None:
        base = scaled(base, counts[1], counts[0])
    return Difference(base, new)


def scaled(profile: Profile, factor: int, divisor: int) -> Profile:
    """Return a profile times a fraction, in whole numbers whose sum is the rounded sum."""
    samples = sorted(profile.samples)
    parts = [divmod(sample.value * factor, divisor) for sample in samples]
    values = [whole for whole, _ in parts]
    missing = (2 * profile.total * factor + divisor) // (2 * divisor) - sum(values)
    by_rest = sorted(range(len(parts)), key=lambda n: (-parts[n][1], n))
    for number in by_rest[:missing]:
        values[number] += 1
    pairs = zip(samples, values, strict=True)
    kept = (sample._replace(value=value) for sample, value in pairs if value)
    return profile._replace(samples=Samples.of(kept))


def frame_changes(
    change: Difference, kinds: Collection[str], *, is_by: bool = False
) -> list[FrameChange]:
    """Return the frames of some kinds, or of all, those that changed most first.

    `is_by`: what has no frame of these kinds is a row of its own, so that rows sum up.
    """
    base, new = (
        {
            row.frame: row.cum
            for row in top_rows(only_kinds(stacks, kinds) if is_by else stacks, kinds)
        }
        for stacks in (_stacks(change.base), _stacks(change.new))
    )
    frames = {**base, **new}
    changes = [FrameChange(frame, base.get(frame, 0), new.get(frame, 0)) for frame in frames]
    return sorted(
        (each for each in changes if each.delta),
        key=lambda each: (-abs(each.delta), -each.delta, each.frame),
    )


def _stacks(profile: Profile) -> dict[tuple[PublicText, ...], int]:
    return {stack or NO_FRAMES: value for stack, value in profile.stacks().items() if value}


def as_diff_base(change: Difference) -> Profile:
    """Return one profile that opens as `pprof -diff_base=BASE NEW` does: the base is negative."""
    base = (
        Sample(sample.stack, (*sample.labels, BASE_LABEL), -sample.value)
        for sample in change.base.samples
    )
    comments = (text for text in change.new.comments if not text.startswith("filter:"))
    return change.new._replace(
        samples=Samples.of((*change.new.samples, *base)),
        comments=(*comments, *change.facts, *([PublicText(change.note)] if change.note else [])),
    )
