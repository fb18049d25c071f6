"""What all encoders share: the check of what comes in, and the sums per stack."""

from itertools import chain

from agentpprof.errors import OutputError
from agentpprof.models import NO_FRAMES, Profile, Stack
from agentpprof.privacy import PublicText

LIMIT = 2**63  # pprof's numbers are signed 64 bit, and its sums overflow in silence


def check_profile(profile: Profile) -> None:
    """Raise TypeError for a text that is not `PublicText`, OutputError for too large a sum.

    The type is looked at, not the characters: only `privacy.py` makes a `PublicText`.
    """
    samples = profile.samples
    label_texts = (text for labels in samples.label_sets for _, text in labels)
    others = (*profile.comments, profile.project)
    kinds = set(map(type, chain(chain.from_iterable(samples.by_stack), label_texts, others)))
    for kind in kinds:
        if not issubclass(kind, PublicText):
            raise TypeError(f"encoders take PublicText only, not {kind.__name__}")
    if sum(map(abs, samples.values())) >= LIMIT:
        raise OutputError(
            f"the {profile.sample_type} of this profile add up to more than 2^63, which no format "
            "can hold; choose fewer sessions with --since or --project-root"
        )


def stack_values(profile: Profile) -> dict[Stack, int]:
    """Return the values by stack, checked, without stacks of value 0."""
    check_profile(profile)
    values = {stack: value for stack, value in profile.stacks().items() if value}
    if () in values:
        values[NO_FRAMES] = values.pop(()) + values.get(NO_FRAMES, 0)
    if any(value < 0 for value in values.values()):
        raise OutputError("negative values fit only into pprof; use a .pb.gz file")
    return values
