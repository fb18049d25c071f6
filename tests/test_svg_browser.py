"""The flame graph in a browser: Chromium through Playwright, as a person would use it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from encoder_samples import large, nasty, profile, small

from agentpprof.encoders.amounts import amount, change, percent
from agentpprof.encoders.diff_svg import encode as draw
from agentpprof.encoders.fitting import fitted
from agentpprof.encoders.svg import encode
from agentpprof.models import Difference, OutputOptions, Profile

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not there")
CHROMIUM = os.environ.get("AGENTPPROF_CHROMIUM") or shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not there"),
]
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BOX = ".boxes > g"
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Give `show(profile, hash, ...)`: a page with that picture; a script error fails the test."""
    errors: list[str] = []
    pages = []

    def show_page(
        given: Profile | Difference,
        address: str = "",
        width: int = 1200,
        flame: bool = False,
        **options: Any,
    ) -> Any:
        path = tmp_path / "picture.svg"
        form = OutputOptions(svg_width=width, flame=flame)
        data = draw(given, form) if isinstance(given, Difference) else encode(given, form)
        path.write_bytes(data)
        page = browser.new_page(viewport={"width": 1232, "height": 500}, **options)
        pages.append(page)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda r: r.url.startswith("file:") or errors.append(r.url))
        page.goto(f"file://{path}{address}")
        if options.get("java_script_enabled", True):
            page.wait_for_selector(".live")
        return page

    yield show_page
    for page in pages:
        page.close()
    assert errors == []


def titles(page: Any) -> list[str]:
    found = page.eval_on_selector_all(f"{BOX} > title", "all => all.map(t => t.textContent)")
    return [title.split("\n")[0] for title in found]


def details(page: Any) -> str:
    return " | ".join(page.locator(".detail").all_text_contents())


def searched(page: Any) -> str:
    return str(page.locator("input").evaluate("field => field.value"))


def box(page: Any, path: str) -> Any:
    boxes = page.locator(BOX)
    return boxes.nth(titles(page).index(path))


SHAPES = """boxes => boxes.map(box => [...box.children].map(each => [
  each.tagName, each.textContent, ...["class", "x", "y", "width", "height"].map(
    name => ["x", "width"].includes(name) && each.hasAttribute(name)
      ? Math.round(each.getAttribute(name) * 10) : each.getAttribute(name))]))"""


@pytest.mark.parametrize(
    "given", [small(), small("seconds", "duration"), nasty(), large(3000), profile({})]
)
def test_the_script_draws_what_the_file_shows(show: Open, given: Profile) -> None:
    """Both write the same boxes, texts, tooltips and colours."""
    still = show(given, java_script_enabled=False)
    live = show(given)

    before = [page.eval_on_selector_all(BOX, SHAPES) for page in (still, live)]
    assert before[0] == before[1]
    assert still.locator(".note").text_content() == live.locator(".note").text_content()


@pytest.mark.parametrize("flame", [False, True])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_same_holds_for_differences_and_for_flames(
    show: Open, number: int, flame: bool
) -> None:
    given = (small(), Difference(small(), other()), Difference(large(3000), large(3000, 2)))[number]
    still = show(given, flame=flame, java_script_enabled=False)
    live = show(given, flame=flame)

    before = [page.eval_on_selector_all(BOX, SHAPES) for page in (still, live)]
    assert before[0] == before[1]


def other() -> Profile:
    """The small profile a week later: some of it gone, some grown, some new."""
    return profile(
        {
            "task:debug;phase:explore;action:read;object:src/api;result:ok": 700,
            "task:debug;phase:edit;action:edit;object:src/api;result:ok": 900,
            "task:docs;phase:edit;action:create;object:docs;result:ok": 3000,
        }
    )


def test_a_flame_has_its_root_below_and_walks_upwards(show: Open) -> None:
    page = show(small(), flame=True)

    heights = {title: box(page, title).bounding_box()["y"] for title in ("all", "task:debug")}
    assert heights["all"] > heights["task:debug"]
    page.locator(f"{BOX}[tabindex='0']").focus()
    page.keyboard.press("ArrowUp")
    assert details(page).startswith("task:debug")
    page.keyboard.press("ArrowDown")
    assert details(page).startswith("all")


def test_a_difference_tells_both_numbers(show: Open) -> None:
    page = show(Difference(small(), other()))

    box(page, "task:debug").hover()
    assert details(page) == (
        "task:debug | base: 4.9 k tokens (4,900), new: 1.6 k tokens (1,600) (−67.3 %)"
    )
    assert "d0" in box(page, "task:feature").locator("rect").first.get_attribute("class")
    pairs = [[0, 5], [5, 0], [4, 5], [4, 1], [7, 7], [10**9, 10**9 + 1]]
    found = page.evaluate("v => v.map(p => flameText('count', '').change(...p))", pairs)
    assert found == [change(*pair) for pair in pairs]


def test_numbers_and_texts_are_those_of_python(show: Open) -> None:
    page = show(small())
    values = [0, 1, 999, 1000, 1005, 99_950, 100_500, 999_499, 999_500, 1_234_567, 10**12 + 1]
    names = ["src/store/migrations/x.py", "explore", "文档日本語", "🚀🚀🚀🚀🚀", "a"]
    for unit, kind in (("count", "tokens"), ("seconds", "duration"), ("bytes", "size")):
        script = f"([v, w]) => v.map(flameText('{unit}', '{kind}').amount)"
        found = page.evaluate(script, [values, 0])
        assert found == [amount(value, kind, unit) for value in values]
    shares = page.evaluate("v => v.map(x => flameText('count', '').percent(x, 1000000))", values)
    assert shares == [percent(value, 10**6) for value in values]
    for room in range(14):
        script = f"v => v.map(x => flameText('count', '').fitted(x, {room}))"
        assert page.evaluate(script, names) == [fitted(name, room) for name in names]


def test_a_click_zooms_and_escape_goes_back(show: Open) -> None:
    page = show(small())

    box(page, "task:debug").click()
    assert titles(page)[:2] == ["all", "task:debug"]
    assert not any(title.startswith("task:feature") for title in titles(page))
    assert page.url.endswith("#zoom=task%3Adebug")
    box(page, "task:debug › phase:test").click()
    page.go_back()
    page.wait_for_function("location.hash === '#zoom=task%3Adebug'")
    assert "task:debug › phase:explore" in titles(page)
    page.keyboard.press("Escape")
    assert "task:feature" in titles(page)
    assert page.locator(".tools button").nth(1).is_disabled()


def test_search_counts_a_match_once(show: Open) -> None:
    page = show(small())

    page.keyboard.press("/")
    page.keyboard.type("test")
    assert details(page).startswith("Found 27.8 %: 2.5 k tokens (2,500)")
    assert page.locator(".match").count() == 3  # phase, action and pytest
    page.keyboard.press("Escape")
    assert page.locator(".match").count() == 0
    assert searched(page) == ""


def test_search_by_pattern(show: Open) -> None:
    page = show(small())

    page.locator("input").fill("^task:(debug|x)$")
    assert page.locator(".match").count() == 0
    page.locator(".tools button").first.click()
    assert page.locator(".match").count() == 1
    page.locator("input").fill("(")
    assert page.locator("input").get_attribute("aria-invalid") == "true"
    page.locator("input").fill("error")
    assert page.locator("input").get_attribute("aria-invalid") is None
    assert page.locator(".match").count() == 1


def test_arrow_keys_walk(show: Open) -> None:
    page = show(small())

    def press(*keys: str) -> str:
        for key in keys:
            page.keyboard.press(key)
        return str(details(page).split(" | ")[0])

    page.locator(f"{BOX}[tabindex='0']").focus()
    assert press("ArrowDown") == "task:debug"
    assert press("ArrowRight") == "task:feature"
    assert press("ArrowDown") == "task:feature › phase:edit"
    assert press("ArrowLeft") == "task:debug › phase:edit"
    assert press("ArrowUp", "ArrowUp") == "all"
    assert press("ArrowUp", "ArrowDown", "Enter") == "task:debug"
    assert page.url.endswith("#zoom=task%3Adebug")
    assert page.locator(f"{BOX}[tabindex='0']").count() == 1
    assert page.evaluate("document.activeElement.getAttribute('role')") == "treeitem"


def test_the_address_brings_a_view_back(show: Open) -> None:
    page = show(small(), "#zoom=task%3Adebug&search=api")

    assert searched(page) == "api"
    assert details(page).startswith("Found 49 % of task:debug")
    assert not any(title.startswith("task:feature") for title in titles(page))


def test_an_address_that_names_nothing_shows_all(show: Open) -> None:
    assert "task:debug" in titles(show(small(), "#zoom=gone&zoom=%E0%A4%A&x=1"))


def test_small_boxes_appear_on_zoom(show: Open) -> None:
    page = show(large(20_000))
    hidden = page.locator(".note").text_content()
    assert "not drawn" in hidden

    smallest = page.locator(BOX).last
    smallest.focus()
    page.keyboard.press("Enter")

    assert page.locator(".note").text_content() != hidden
    assert page.locator(BOX).count() > 2


def test_hostile_names_stay_text(show: Open) -> None:
    page = show(nasty())

    assert page.locator("script").count() == 1
    page.locator("input").fill("<script>alert(1)</script>")
    assert page.locator(".match").count() == 2  # once on each of two levels


def test_dark_mode_and_print(show: Open) -> None:
    colour = "getComputedStyle(document.querySelector('.flame')).backgroundColor"
    page = show(small(), color_scheme="dark")

    assert page.evaluate(colour) == "rgb(13, 17, 23)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert not page.locator(".tools").is_visible()


def test_a_narrow_picture_has_its_search_below(show: Open) -> None:
    page = show(small(), width=300)

    field, last = page.locator("input").bounding_box(), page.locator(".detail").last
    assert field["y"] > last.evaluate("each => each.getBoundingClientRect().y")


def test_a_hundred_thousand_stacks_open_fast(show: Open) -> None:
    """Painted within a second, even on a machine that does other things too; here about 0.3 s."""
    page = show(large(100_000))
    paint = page.evaluate(
        "new Promise(done => new PerformanceObserver(list => done(list.getEntries()[0].startTime))"
        ".observe({ type: 'paint', buffered: true }))"
    )
    assert paint <= 1000
