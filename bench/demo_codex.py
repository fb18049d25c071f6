"""Stories of the example history that Codex tells; a function is a thread and its children."""

from collections.abc import Iterator

from codex_story import CodexStory


def stories() -> Iterator[CodexStory]:
    """All threads, in the order of their beginning."""
    yield field_ranges()
    yield from backpressure()
    yield accessibility()
    yield changelog_and_tag()
    yield interrupted_rewrite()
    yield metrics_endpoint()
    yield korean_question()


def field_ranges() -> CodexStory:
    """A feature of the Rust program."""
    t = CodexStory("logcut", "2026-05-05T18:05")
    t.turn("Add field ranges like -f 2-4 and -f 3- to logcut, with tests")
    t.think("**Looking at the argument parser**")
    t.run("rg -n 'field' src", "src/args.rs:18: field: usize")
    t.run("sed -n '1,80p' src/args.rs", "pub struct Args {")
    t.plan("Parse ranges", "Cut several fields", "Tests")
    t.change("src/args.rs", "src/cut.rs")
    t.run("cargo check", "error[E0308]: mismatched types", seconds=6.3, code=101)
    t.change("src/cut.rs")
    t.run("cargo check", "Finished `dev` in 2.1s", seconds=3.2)
    t.change(new="tests/ranges.rs")
    t.run(
        "cargo test --test ranges",
        "test result: FAILED. 4 passed; 2 failed",
        seconds=14.0,
        code=101,
    )
    t.change("src/args.rs")
    t.run("cargo test --test ranges", "test result: ok. 6 passed", seconds=11.4)
    t.run("cargo clippy -- -D warnings && cargo fmt --check", "", seconds=9.2)
    t.done("Ranges work in both forms; six tests cover them.")
    t.turn("commit and push", after=75)
    t.run("git add -A && git commit -m 'Field ranges' && git push", "", seconds=3.4)
    t.done("Pushed.")
    return t


def backpressure() -> Iterator[CodexStory]:
    """A redesign with a sub-agent that explores."""
    t = CodexStory("relay", "2026-05-07T19:12", model="gpt-5.1")
    t.turn("Slow subscribers block the hub. Design and implement backpressure")

    def explore(child: CodexStory) -> None:
        child.run("rg -n 'chan ' internal", "internal/hub/hub.go:22")
        child.run("sed -n '1,140p' internal/hub/hub.go", "package hub")
        child.run("sed -n '1,90p' internal/hub/client.go", "package hub")

    child = t.spawn(
        "explorer",
        "List every channel of the hub, its size, who writes and who reads.",
        explore,
        found="Three channels; only send of client.go:14 has a buffer (64).",
    )
    t.search("go bounded queue drop oldest per subscriber")
    t.think("**Choosing a ring buffer per client**")
    t.change("internal/hub/client.go", new="internal/hub/ring.go")
    t.run("go build ./...", "undefined: ring", seconds=4.9, code=1)
    t.change("internal/hub/client.go")
    t.run("go build ./...", "", seconds=5.2)
    t.run("go test ./internal/hub", "--- FAIL: TestSlowClient", seconds=8.8, code=1)
    t.run("go test ./internal/hub", "--- FAIL: TestSlowClient", seconds=8.1, code=1)
    t.run("go test -v -run TestSlowClient ./internal/hub", "got 63, want 64", seconds=4.4, code=1)
    t.change("internal/hub/ring.go")
    t.run("go test ./internal/hub", "ok", seconds=8.0)
    t.run("go test -bench=Fanout -benchmem ./internal/hub", "812 ns/op 0 allocs/op", seconds=16.0)
    t.done("Each client has a ring of 64; the oldest message is dropped and counted.")
    yield t
    yield child


def accessibility() -> CodexStory:
    """Several small edits in the web app."""
    t = CodexStory("web-store", "2026-05-12T17:20")
    t.turn("Run the accessibility checks on the basket page and fix what they find")
    t.run("npm run test:a11y", "4 violations", seconds=21.0, code=1)
    t.run("cat src/basket/Basket.tsx", "export function Basket(")
    t.change("src/basket/Basket.tsx", "src/basket/Line.tsx")
    t.run("npm run test:a11y", "1 violation: color-contrast", seconds=20.4, code=1)
    t.run("cat src/theme.css", ":root {")
    t.change("src/theme.css")
    t.run("npm run test:a11y", "0 violations", seconds=19.8)
    t.mcp("figma", "get_variables", {"file": "store"}, "color/text/muted: #5b6470")
    t.done("All four violations are gone; the muted text follows the design file.")
    t.turn("Проверь ещё страницу оформления заказа", after=410)
    t.run("npm run test:a11y -- checkout", "0 violations", seconds=22.3)
    t.done("На странице заказа нарушений нет.")
    return t


def changelog_and_tag() -> CodexStory:
    """A release of the Rust program."""
    t = CodexStory("logcut", "2026-05-13T20:40")
    t.turn("Release logcut 0.5.0: changelog, version, tag, publish")
    t.run("git log v0.4.1..HEAD --oneline", "1f0d3c2 Field ranges")
    t.change("CHANGELOG.md", "Cargo.toml")
    t.run("cargo publish --dry-run", "Uploading logcut v0.5.0", seconds=26.1)
    t.run(
        "git commit -am 'Release 0.5.0' && git tag v0.5.0 && git push --follow-tags",
        "",
        seconds=3.9,
    )
    t.run("cargo publish", "error: 403 forbidden", seconds=7.7, code=101)
    t.run("cargo login --help", "Log in to a registry.")
    t.done("Everything is tagged; publishing was refused: the token needs the publish right.")
    return t


def interrupted_rewrite() -> CodexStory:
    """A person stops a rewrite that goes too far."""
    t = CodexStory("relay", "2026-05-14T09:33", model="gpt-5.1")
    t.turn("Clean up the config package")
    t.run("cat internal/config/config.go", "package config")
    t.change("internal/config/config.go", new="internal/config/loader.go")
    t.change(new="internal/config/registry.go", gone="internal/config/env.go")
    t.abort(after=14)
    t.turn("too much: keep env.go, only remove the unused flags", after=25)
    t.run("git checkout -- internal/config && rm internal/config/registry.go", "")
    t.run("rg -n 'flag\\.' internal/config", 'config.go:40: flag.Bool("legacy"')
    t.change("internal/config/config.go")
    t.run("go vet ./... && go test ./internal/config", "ok", seconds=6.6)
    t.done("Two unused flags are gone, nothing else changed.")
    return t


def metrics_endpoint() -> CodexStory:
    """Network and services: a metrics endpoint, looked at with curl."""
    t = CodexStory("shop-api", "2026-05-19T13:15")
    t.turn("Expose Prometheus metrics at /metrics: requests, durations, open baskets")
    t.search("prometheus fastapi middleware histogram buckets")
    t.run("uv add prometheus-client", "Installed 1 package", seconds=5.2)
    t.run("sed -n '1,120p' shop/api/app.py", "app = FastAPI()")
    t.change("shop/api/app.py", new="shop/api/metrics.py")
    t.run("uv run pytest tests/api -q", "1 failed, 64 passed", seconds=12.2, code=1)
    t.change("shop/api/metrics.py")
    t.run("uv run pytest tests/api -q", "65 passed", seconds=11.8)
    t.run("curl -sS http://localhost:8000/metrics | head -20", "# HELP requests_total")
    t.run("wget -qO- https://prometheus.example.org/api/v1/targets | jq .status", '"success"')
    t.done("/metrics shows requests, durations and open baskets.")
    t.turn("Aggiungi anche un grafico per Grafana", after=1_950)
    t.change(new="ops/grafana/shop.json")
    t.run("jq . ops/grafana/shop.json > /dev/null", "")
    t.done("Il pannello è in ops/grafana/shop.json.")
    return t


def korean_question() -> CodexStory:
    """A question, answered by reading."""
    t = CodexStory("web-store", "2026-05-22T07:45", model="gpt-5.1")
    t.turn("결제 페이지에서 세금이 어떻게 계산되는지 설명해 주세요")
    t.run("rg -n 'tax' src/checkout", "src/checkout/tax.ts:9")
    t.run("cat src/checkout/tax.ts", "export const tax = (lines: Line[]) =>")
    t.run("git log -3 --format=%s -- src/checkout/tax.ts", "Round tax once per order")
    t.done("세금은 주문 전체에 대해 한 번만 반올림됩니다 (tax.ts 9행).")
    return t
