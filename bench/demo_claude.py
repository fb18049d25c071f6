"""The sessions of Claude Code in the other projects of the example history."""

from collections.abc import Iterator

from claude_story import HAIKU, OPUS, ClaudeStory

Told = tuple[str, ClaudeStory]


def stories() -> Iterator[Told]:
    """All sessions, in the order of their beginning."""
    yield explain_outbox()
    yield basket_feature()
    yield flaky_websocket()
    yield dependency_upgrade()
    yield french_tests()
    yield release_of_web_store()
    yield research_of_queues()
    yield japanese_docs()
    yield logcut_performance()
    yield overloaded()
    yield small_questions()
    yield portuguese_pipeline()


def explain_outbox() -> Told:
    """Questions about unknown code, answered by an exploring sub-agent."""
    s = ClaudeStory("relay", "2026-05-05T13:30")
    s.ask("How does a message get from the outbox table to the subscribers? Explain, no changes")

    def look_around(a: ClaudeStory) -> None:
        a.step("Glob", {"pattern": "**/*.go"}, "internal/outbox/poll.go\ninternal/hub/hub.go")
        a.together(
            ("Read", {"file_path": "/home/dev/relay/internal/outbox/poll.go"}, "package outbox"),
            ("Read", {"file_path": "/home/dev/relay/internal/hub/hub.go"}, "package hub"),
            ("Grep", {"pattern": "Subscribe\\("}, "internal/hub/hub.go:61"),
        )
        a.grep("LISTEN outbox", "internal", "internal/outbox/poll.go:27")
        a.read("internal/hub/client.go")
        a.bash("go doc ./internal/hub Hub", "type Hub struct{ ... }", seconds=1.6)

    s.agent(
        "Explore",
        "trace a message through the relay",
        "Find every step from the outbox table to a subscriber's socket. Report files and lines.",
        look_around,
        found="poll.go:27 listens, hub.go:61 fans out, client.go:40 writes to the socket.",
    )
    s.read("internal/hub/hub.go")
    s.answer("Postgres NOTIFY wakes the poller, which claims rows and hands them to the hub.")
    s.ask("And what happens when a subscriber is slow?", after=95)
    s.read("internal/hub/client.go")
    s.answer("Its buffer of 64 messages fills, then the hub closes the connection.")
    return "How the relay delivers", s


def basket_feature() -> Told:
    """A feature from plan to push, with a browser, a rejected call and typing ahead."""
    s = ClaudeStory("web-store", "2026-05-06T09:03", model=OPUS, gitBranch="feature/saved-basket")
    s.ask(
        "Add a 'save for later' list to the basket. Lines can be moved there and back, the list"
        " survives a reload. Plan first"
    )
    s.step("EnterPlanMode", {}, "Entered plan mode")
    s.read("src/basket/Basket.tsx")
    s.read("src/basket/store.ts")
    s.grep("localStorage", "src", "src/session.ts:14\nsrc/basket/store.ts:9")
    s.web(
        "zustand persist partialize migrate version",
        "https://docs.example.dev/state/persist and 4 more",
    )
    s.fetch(
        "https://docs.example.dev/state/persist",
        "How is a stored state migrated?",
        "Pass version and migrate; the stored object holds both.",
    )
    plan = {"plan": "1. store: saved lines\n2. component\n3. tests\n4. migration of stored baskets"}
    s.step("ExitPlanMode", plan, "User has approved your plan.", seconds=84)
    s.todo("Extend the store", "SavedLines component", "Tests", "Migrate stored baskets")
    s.edit("src/basket/store.ts")
    s.create("src/basket/SavedLines.tsx")
    s.edit("src/basket/Basket.tsx")
    s.create("src/basket/SavedLines.css")
    s.create("src/basket/SavedLines.test.tsx")
    s.bash("npm test -- --run src/basket", "2 failed | 11 passed", fails=True, seconds=9.1)
    s.read("src/basket/SavedLines.test.tsx")
    s.edit("src/basket/SavedLines.test.tsx")
    s.queue("the button label should be 'Move to basket'")
    s.edit("src/basket/SavedLines.tsx")
    s.bash("npm test -- --run src/basket", "13 passed", seconds=8.7)
    s.bash("npm run lint && npx tsc --noEmit", "", seconds=14.8)
    page = {"url": "http://localhost:5173/basket"}
    s.bash("npm run dev -- --port 5173 > /tmp/vite.log 2>&1 &", "")
    s.mcp("playwright", "browser_navigate", page, "Page: Basket (3 lines)", seconds=2.6)
    s.mcp("playwright", "browser_click", {"element": "Save for later"}, "clicked", seconds=0.7)
    s.mcp("playwright", "browser_snapshot", {}, "- list: Saved for later (1)", seconds=0.5)
    s.refused("Bash", {"command": "git push --force origin feature/saved-basket"})
    s.ask("no force push here, open a pull request instead", after=5)
    s.bash("git add -A && git commit -qm 'Save basket lines for later'")
    s.bash("git push -u origin feature/saved-basket", "branch set up to track", seconds=3.3)
    s.bash("gh pr create --fill", "https://git.example.com/dev/web-store/pull/231", seconds=2.2)
    s.answer("Pull request 231 is open; 13 tests pass.")
    s.side("pr-link", prNumber=231, prUrl="https://git.example.com/dev/web-store/pull/231")
    return "Save for later", s


def flaky_websocket() -> Told:
    """A race, found by an agent that left only progress records."""
    s = ClaudeStory("relay", "2026-05-08T08:44", version="2.1.38")
    s.ask("TestReconnect is flaky in CI, about one run in twenty. Find the race")
    s.bash(
        "go test -race -count=20 -run TestReconnect ./internal/hub",
        "WARNING: DATA RACE\nFAIL example.com/relay/internal/hub 14.2s",
        fails=True,
        seconds=22.7,
    )

    def follow(a: ClaudeStory) -> None:
        a.read("internal/hub/hub.go")
        a.grep("conns\\[", "internal/hub", "hub.go:77\nhub.go:102")
        a.read("internal/hub/hub_test.go")
        a.bash("go vet ./internal/hub", "", seconds=3.1)

    s.agent(
        "general-purpose",
        "find who writes conns without the lock",
        "The race detector points at the map conns. Find every access and say which holds no lock.",
        follow,
        found="hub.go:102 deletes from conns in the timer's goroutine, without the lock.",
        in_progress_records=True,
        tool="Task",
    )
    s.read("internal/hub/hub.go", offset=90)
    s.edit("internal/hub/hub.go")
    s.bash("go test -race -count=50 -run TestReconnect ./internal/hub", "ok 31.0s", seconds=36.2)
    s.bash("golangci-lint run ./...", "", seconds=9.4)
    s.bash("go test ./...", "ok  example.com/relay/internal/hub\nok  .../outbox", seconds=18.3)
    s.bash("git checkout -b fix/reconnect-race && git commit -qam 'Lock conns on expiry'")
    s.answer("The expiry timer removed connections without the lock. 50 runs are clean now.")
    return "Flaky reconnect", s


def dependency_upgrade() -> Told:
    """An upgrade that fights back: installs, builds, a release note fetched."""
    s = ClaudeStory("web-store", "2026-05-11T13:05", gitBranch="chore/vite-7")
    s.ask("Upgrade vite to version 7 and fix whatever breaks")
    s.read("package.json")
    s.bash("npm outdated", "vite 6.0.3 7.1.0\nvitest 2.1.4 3.2.0", fails=True, seconds=4.1)
    s.fetch(
        "https://registry.npmjs.org/vite/latest",
        "Which version is the latest and what Node does it need?",
        "7.1.0, node ^20.19 || >=22.12",
    )
    s.bash("npm install -D vite@7 vitest@3", "npm ERR! ERESOLVE", fails=True, seconds=11.2)
    s.fetch(
        "https://guide.example.org/vite/migration",
        "What changed from 6 to 7?",
        "The default browser target is baseline-widely-available; splitVendorChunk is gone.",
    )
    s.edit("package.json")
    s.bash("npm install", "npm ERR! ERESOLVE could not resolve", fails=True, seconds=9.7)
    s.bash("npm install", "npm ERR! ERESOLVE could not resolve", fails=True, seconds=9.5)
    s.bash("npm install --legacy-peer-deps", "added 41, changed 63 packages", seconds=27.4)
    s.bash("npm run build", "error TS2305: no exported member", fails=True, seconds=13.9)
    s.read("vite.config.ts")
    s.edit("vite.config.ts")
    s.bash("npm run build", "built in 6.21s", seconds=12.2)
    s.bash("npm test -- --run", "214 passed", seconds=26.8)
    s.bash("rm -rf node_modules/.vite && npm run build", "built in 5.90s", seconds=11.7)
    s.bash("git commit -qam 'Upgrade to vite 7' && git push", "", seconds=3.0)
    s.answer("vite 7.1 and vitest 3.2 are in; one plugin needed an option, the build passes.")
    return "Upgrade vite", s


def french_tests() -> Told:
    """Writing missing tests."""
    s = ClaudeStory("web-store", "2026-05-13T08:10")
    s.ask("Écris les tests manquants pour le panier, en particulier les cas limites du prix")
    s.read("src/basket/price.ts")
    s.read("src/basket/price.test.ts")
    s.bash("npx vitest run --coverage src/basket", "price.ts 62%", seconds=10.2)
    s.edit("src/basket/price.test.ts")
    s.bash(
        "npx vitest run src/basket/price.test.ts", "1 failed | 8 passed", fails=True, seconds=5.5
    )
    s.edit("src/basket/price.ts", think="A negative price passes: parsePrice has a real bug here.")
    s.bash("npx vitest run src/basket/price.test.ts", "9 passed", seconds=5.2)
    s.bash("npx vitest run --coverage src/basket", "price.ts 98%", seconds=10.4)
    s.answer("Neuf tests, 98 % de couverture ; un prix négatif était accepté, c'est corrigé.")
    return "Tests du panier", s


def release_of_web_store() -> Told:
    """A release by a skill."""
    s = ClaudeStory("web-store", "2026-05-14T14:02")
    s.ask("Make the release 3.4.0")
    s.skill("release", "Bump, changelog, tag, push, wait for the pipeline.", arguments="3.4.0")
    s.bash("git pull --rebase origin main", "Already up to date.", seconds=2.2)
    s.bash("git log v3.3.0..HEAD --oneline", "a1b2c3d Save basket lines for later\n…")
    s.read("CHANGELOG.md")
    s.edit("CHANGELOG.md")
    s.bash("npm version 3.4.0 --no-git-tag-version", "v3.4.0", seconds=1.0)
    s.bash("npm run build && npm test -- --run", "built in 6.0s\n219 passed", seconds=38.5)
    s.bash("git commit -qam 'Release 3.4.0' && git tag v3.4.0 && git push --tags", "", seconds=3.8)
    s.bash("docker build -t registry.example.com/web-store:3.4.0 .", "naming to …", seconds=94.0)
    s.bash("docker push registry.example.com/web-store:3.4.0", "digest: sha256:…", seconds=31.0)
    s.bash("gh run watch --exit-status", "✓ deploy", seconds=141.0)
    s.bash("curl -fsS https://store.example.com/version", '{"version":"3.4.0"}', seconds=0.6)
    s.answer("3.4.0 is out: tagged, pushed, deployed, and the site answers with it.")
    return "Release 3.4.0", s


def research_of_queues() -> Told:
    """Reading much of the web before a decision."""
    s = ClaudeStory("relay", "2026-05-14T18:20")
    s.ask("Compare embedded queue libraries for Go: durability, speed, licence. Cite sources")
    s.web("embedded persistent queue golang", "https://blog.example.org/queues and 7 more")
    s.web("golang write ahead log library benchmark", "https://bench.example.dev/wal and 5 more")
    pages = {
        "https://blog.example.org/queues": "Three libraries; only one syncs before it answers.",
        "https://bench.example.dev/wal": "410,000 messages a second without sync, 9,000 with it.",
        "https://pkg.go.dev/go.etcd.io/bbolt": "A B+tree in one file; one writer at a time.",
        "https://docs.example.org/wal/durability": "Batches share one sync.",
        "https://pkg.go.dev/github.com/tidwall/wal": "An append-only log with segments.",
    }
    for url, said in pages.items():
        s.fetch(url, "What does it say on durability, speed and licence?", said)
    s.fetch("https://bench.example.dev/wal", "Which machine was it?", "A laptop with one SSD.")
    s.fetch("https://old.example.org/queue", "Is it maintained?", "HTTP 410 Gone", fails=True)
    s.bash("go list -m -versions go.etcd.io/bbolt", "go.etcd.io/bbolt v1.3.0 … v1.4.3", seconds=1.9)
    s.bash("git clone --depth 1 https://git.example.com/dev/wal-bench /tmp/wal-bench", seconds=2.8)
    s.bash("cd /tmp/wal-bench && go test -bench=. ./...", "PASS 31.2s", seconds=34.0)
    s.create("docs/decisions/0007-queue.md")
    s.answer("A segment log with shared syncs fits best; the comparison is in decision 7.")
    return "Queue libraries", s


def japanese_docs() -> Told:
    """Documentation in another script."""
    s = ClaudeStory("relay", "2026-05-15T02:15")
    s.ask("README に設定項目の説明を追加してください。日本語版も docs/ja に作ってください")
    s.read("README.md")
    s.read("internal/config/config.go")
    s.bash("go run ./cmd/relay --help", "Usage of relay:\n  -listen string", seconds=2.8)
    s.edit("README.md")
    s.create("docs/ja/README.md")
    s.bash("npx markdownlint-cli2 '**/*.md'", "Summary: 0 error(s)", seconds=3.6)
    s.answer("README に 12 項目の表を追加し、docs/ja/README.md を作成しました。")
    s.ask("ありがとう", after=38)
    s.answer("どういたしまして。")
    return "設定の説明", s


def logcut_performance() -> Told:
    """Making a Rust program faster."""
    s = ClaudeStory("logcut", "2026-05-18T12:20", model=OPUS)
    s.ask("logcut is three times slower than cut on a 2 GB file. Profile it, then optimise")
    s.bash("cargo build --release", "Finished `release` in 21.4s", seconds=23.8)
    s.bash("hyperfine './target/release/logcut -f 3 /tmp/big.log'", "6.1 s ± 0.1 s", seconds=66.0)
    s.bash("perf record -g ./target/release/logcut -f 3 /tmp/big.log", "", seconds=9.0)
    s.bash("perf report --stdio | head -40", "38%  core::str::from_utf8")
    s.read("src/cut.rs", think="from_utf8 and a String per line: bytes and one buffer would do.")
    s.read("src/main.rs")
    s.edit("src/cut.rs")
    s.bash("cargo build --release", "error[E0382]: borrow of moved value", fails=True, seconds=8.4)
    s.edit("src/cut.rs")
    s.bash("cargo build --release", "error[E0502]: cannot borrow", fails=True, seconds=8.1)
    s.edit("src/cut.rs")
    s.bash("cargo build --release", "Finished `release` in 19.9s", seconds=21.6)
    s.bash("cargo test", "test result: ok. 57 passed", seconds=18.9)
    s.bash("hyperfine './target/release/logcut -f 3 /tmp/big.log'", "1.7 s ± 0.0 s", seconds=19.0)
    s.answer("6.1 s became 1.7 s: no UTF-8 check, no allocation per line.")
    return "Faster logcut", s


def overloaded() -> Told:
    """A day on which the service was overloaded."""
    s = ClaudeStory("logcut", "2026-05-19T06:58")
    s.ask("Why does `logcut --json` print numbers as strings?")
    s.read("src/json.rs")
    s.broken()
    s.ask("try again", after=260)
    s.broken("API Error: Request timed out.", after=62)
    s.local("model", "Set model to claude-haiku-4-5")
    s.model = HAIKU
    s.ask("Why does `logcut --json` print numbers as strings?", after=15)
    s.read("src/json.rs")
    s.grep("as_str|to_string", "src", "src/json.rs:22")
    s.edit("src/json.rs")
    s.bash("cargo test json", "test result: ok. 6 passed", seconds=12.5)
    s.answer("Every value went through to_string(); numbers are now kept as numbers.")
    return "Numbers as strings", s


def small_questions() -> Told:
    """A short chat about many things."""
    s = ClaudeStory("web-store", "2026-05-21T16:30", model=HAIKU)
    s.ask("hi! what does the `satisfies` keyword do again?")
    s.answer("It checks an expression against a type and keeps the narrower type.")
    s.ask("这个项目的测试怎么运行？", after=55)
    s.read("package.json")
    s.answer("运行 npm test；只跑一个文件：npm test -- --run src/basket/price.test.ts")
    s.ask("research: is there a lighter date library than the one we use?", after=120)
    s.web("small javascript date library size comparison", "https://blog.example.org/dates …")
    s.fetch("https://blog.example.org/dates", "Which one is smallest?", "Temporal is built in now.")
    s.fetch("https://bundle.example.dev/date-fns", "How big is it?", "HTTP 404", fails=True)
    s.fetch("https://registry.npmjs.org/date-fns", "How big is it?", "unpacked 22 MB")
    s.answer("Temporal needs no library in the browsers that you support.")
    s.stop()
    return "Small questions", s


def portuguese_pipeline() -> Told:
    """The pipeline, with an MCP tracker and waiting for a job."""
    s = ClaudeStory("relay", "2026-05-22T09:00", gitBranch="ci/cache")
    s.ask("O pipeline está lento, configure o cache do Go no CI e corrija o aviso do linter")
    s.mcp("tracker", "get_issue", {"id": "REL-118"}, "REL-118: pipeline takes 11 minutes")
    s.read(".github/workflows/ci.yml")
    s.edit(".github/workflows/ci.yml")
    s.bash("actionlint", "ci.yml:14: unknown key", fails=True)
    s.edit(".github/workflows/ci.yml")
    s.bash("actionlint", "")
    s.bash("golangci-lint run ./...", "internal/hub/hub.go:31: shadow", fails=True, seconds=9.6)
    s.edit("internal/hub/hub.go")
    s.bash("golangci-lint run ./...", "", seconds=8.2)
    s.bash("git commit -qam 'Cache Go builds in CI' && git push", "", seconds=2.7)
    s.bash("gh run watch --exit-status", "✓ 4m02s", seconds=242.0)
    s.mcp("tracker", "close_issue", {"id": "REL-118"}, "closed")
    s.answer("Pronto: de 11 para 4 minutos, e o aviso foi corrigido.")
    return "Pipeline", s
