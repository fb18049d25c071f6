"""The flame graph as a file: well-formed, complete without its script, safe, legible."""

import itertools
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest
from encoder_samples import nasty, profile, profiles, raw, small, texts
from hypothesis import given

from agentpprof.encoders.amounts import amount, humanise, percent
from agentpprof.encoders.fitting import cells, fitted
from agentpprof.encoders.palette import HUES, SHADES, colour_class, fill
from agentpprof.encoders.svg import encode
from agentpprof.errors import UsageError
from agentpprof.models import OutputOptions, Profile, Sample, Samples
from agentpprof.privacy import frame
from agentpprof.resources import read_text

Golden = Callable[[str, str | bytes], None]
SVG = "{http://www.w3.org/2000/svg}"


def svg(given_profile: Profile, width: int = 1200) -> str:
    return encode(given_profile, OutputOptions(svg_width=width)).decode()


def root_of(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def boxes(text: str) -> list[ElementTree.Element]:
    area = root_of(text).find(f"{SVG}g[@class='boxes']")
    assert area is not None
    return list(area)


def title(box: ElementTree.Element) -> list[str]:
    return (box.findtext(f"{SVG}title") or "").split("\n")


def without_script(text: str) -> str:
    """Return the picture alone: style, script and packed data are tested apart."""
    text = re.sub(r"(?s)<style>.*?</style>\n", "", text)
    text = re.sub(r"(?s)<metadata.*?</metadata>\n", "", text)
    return re.sub(r"(?s)<script>.*?</script>\n", "", text)


@pytest.mark.parametrize(
    ("name", "given_profile", "width"),
    [
        ("small", small(), 1200),
        ("narrow", small(), 300),
        ("time", small("seconds", "duration"), 800),
        ("nasty", nasty(), 1200),
        ("empty", profile({}), 1200),
    ],
)
def test_picture(name: str, given_profile: Profile, width: int, golden: Golden) -> None:
    golden(f"{name}.svg", without_script(svg(given_profile, width)))


@given(profiles)
def test_any_profile_gives_a_well_formed_picture(any_profile: Profile) -> None:
    text = svg(any_profile)

    root_of(text)
    tops = [title(box) for box in boxes(text)]
    assert tops[0][1] == amount(any_profile.total, "tokens", "count")


@given(texts)
def test_a_text_past_the_cleaning_stays_text(text: str) -> None:
    stack = (raw(f"task:{text}"),)
    picture = svg(profile({}, samples=Samples.of([Sample(stack, (), 1)]), project=raw(text)))

    root = root_of(picture)
    allowed = {"svg", "title", "defs", "pattern", "path", "style", "text", "tspan", "g", "rect"}
    found = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert found <= allowed | {"metadata", "script"}
    assert len(root.findall(f".//{SVG}script")) == 1
    assert not [name for each in root.iter() for name in each.attrib if name.startswith("on")]


def test_nothing_is_loaded_from_elsewhere() -> None:
    text = svg(nasty()).replace('xmlns="http://www.w3.org/2000/svg"', "")
    text = re.sub(r'"http://www.w3.org/(2000/svg|1999/xhtml)"', "", text)

    assert "http" not in text
    assert "import" not in text
    assert re.findall(r"url\((.*?)\)", text) == ["#stripes"]
    assert "href" not in text


def test_the_script_is_a_data_file_that_fits_into_xml() -> None:
    for name in ("flame_text.js", "flame_tree.js", "flame.js", "flame.css"):
        assert "]]>" not in read_text("data", name)
    assert "</" not in read_text("data", "flame.css")


def test_a_tooltip_has_path_amount_and_shares() -> None:
    found = {title(box)[0]: title(box)[1:] for box in boxes(svg(small()))}

    assert found["all"] == ["9 k tokens (9,001)"]
    assert found["task:debug › phase:explore"] == [
        "1.5 k tokens (1,500)",
        "16.7 % of all, 30.6 % of parent",
    ]


def test_children_stand_by_weight_then_by_name() -> None:
    picture = svg(profile({"task:b": 5, "task:c": 5, "task:a": 1, "task:d": 90}))

    names = [title(box)[0] for box in boxes(picture)]
    assert names == ["all", "task:d", "task:b", "task:c", "task:a"]


def test_boxes_tile_their_parents() -> None:
    rects = [box.find(f"{SVG}rect") for box in boxes(svg(small()))]
    places = [{name: float(each.get(name, "")) for name in ("x", "y", "width")} for each in rects]
    levels = itertools.groupby(sorted(places, key=lambda p: (p["y"], p["x"])), lambda p: p["y"])
    for _, level in levels:
        ends = [(place["x"], place["x"] + place["width"]) for place in level]
        assert all(one[1] <= other[0] + 0.02 for one, other in itertools.pairwise(ends))
        assert ends[-1][1] <= 1184.01


def test_failed_results_have_stripes_as_well() -> None:
    striped = [box for box in boxes(svg(small())) if len(box.findall(f"{SVG}rect")) == 2]

    assert [title(box)[0].rpartition(" ")[2] for box in striped] == ["result:error"]
    assert "failed" in svg(small())
    assert ">failed<" not in svg(profile({"result:ok": 1}))


def test_small_boxes_are_counted_not_drawn() -> None:
    rows = {"task:big": 100_000} | {f"task:small{number};phase:x": 1 for number in range(50)}

    text = svg(profile(rows))

    assert "100 boxes under 0.5 px not drawn (0.05 % of weight)" in text
    assert len(boxes(text)) == 2
    assert "not drawn (" not in without_script(svg(profile({"task:a": 1})))


def test_a_picture_has_an_end() -> None:
    """A stack of any depth is drawn down to a hundred levels."""
    deep = ";".join(f"task:{number}" for number in range(500))

    assert len(boxes(svg(profile({deep: 1})))) == 101


def test_width() -> None:
    assert root_of(svg(small(), 200)).get("viewBox", "").startswith("0 0 200 ")
    assert root_of(svg(small())).get("width") == "100%"
    with pytest.raises(UsageError, match="200"):
        svg(small(), 199)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0, "count", "0"),
        (999, "count", "999"),
        (1000, "count", "1 k"),
        (1234, "count", "1.2 k"),
        (100_500, "count", "101 k"),
        (999_499, "count", "999 k"),
        (999_999, "count", "1 M"),
        (1_234_567, "count", "1.2 M"),
        (2**62, "count", "4612 P"),
        (1023, "bytes", "1023 B"),
        (1536, "bytes", "1.5 KiB"),
        (0, "seconds", "0 s"),
        (59, "seconds", "59 s"),
        (3600, "seconds", "1 h"),
        (11_520, "seconds", "3 h 12 min"),
        (86_400 * 3 + 60, "seconds", "3 d"),
    ],
)
def test_short_numbers(value: int, unit: str, expected: str) -> None:
    assert humanise(value, unit) == expected


def test_a_share_stands_behind_a_name_that_runs_from_right_to_left() -> None:
    # Else a browser moves the number between the kind and such a name.
    text = encode(small(), OutputOptions()).decode()
    assert re.search(r"\.share \{[^}]*unicode-bidi: isolate", text)


def test_amounts_and_shares() -> None:
    assert amount(5, "file_events", "count") == "5 file events"
    assert amount(1, "file_events", "count") == "1 file event"
    assert amount(1_234_567, "tokens", "count") == "1.2 M tokens (1,234,567)"
    assert amount(11_520, "duration", "seconds") == "3 h 12 min (11,520 s)"
    assert amount(45, "duration", "seconds") == "45 s"
    assert percent(0, 5) == percent(0, 0) == "0 %"
    assert percent(1, 10**6) == "< 0.01 %"
    assert (percent(1, 3), percent(1, 200), percent(3, 3)) == ("33.3 %", "0.5 %", "100 %")


@given(texts)
def test_fitted_text_fits(text: str) -> None:
    for room in range(12):
        short = fitted(text, room)
        assert cells(short) <= room
        assert short == text or not short or "…" in short


def test_text_is_cut_where_it_says_least() -> None:
    assert fitted("src/store/migrations/x.py", 11) == "src/s…/x.py"
    assert fitted("explore", 5) == "expl…"
    assert fitted("文档日本語", 7) == "文…本語"
    assert fitted("abcdef", 2) == ""


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("dark", "text"), [(False, "#14171a"), (True, "#f0f6fc")])
def test_text_is_legible_on_every_colour(dark: bool, text: str) -> None:
    """WCAG's level AA; the text colours are those of flame.css."""
    assert text in read_text("data", "flame.css")
    for hue, shade in itertools.product(HUES, range(SHADES)):
        assert contrast(fill(hue, shade, dark), text) >= 4.5, (hue, shade)


def test_a_frame_has_one_colour_everywhere() -> None:
    assert colour_class("task:debug") == "h0s1"
    assert colour_class("result:error")[:2] == colour_class("outcome:failed")[:2] == "h9"
    assert colour_class("result:ok").startswith("h6")
    assert colour_class(frame("own", "x")) == colour_class("own:x")
