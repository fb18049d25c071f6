"""The sessions of Claude Code in the Python service of the example history."""

from collections.abc import Iterator

from claude_story import HAIKU, OPUS, ClaudeStory

Told = tuple[str, ClaudeStory]


def stories() -> Iterator[Told]:
    """All sessions, in the order of their beginning."""
    yield from rounding_error()
    yield review_of_218()
    yield slow_orders()
    yield german_refactoring()
    yield security_audit()
    yield coupon_worktree()
    yield compose_setup()
    yield data_migration()


def rounding_error() -> Iterator[Told]:
    """A bug hunt with a loop of failing tests, gone on with the next day in a new file."""
    s = ClaudeStory("shop-api", "2026-05-04T08:12", model=OPUS, version="2.0.72")
    s.ask(
        "tests/test_checkout.py fails since this morning: the total of order 4711 is one cent off."
        " Find out why and fix it"
    )
    failure = "E  AssertionError: assert Decimal('19.98') == Decimal('19.99')\n1 failed, 41 passed"
    s.bash("pytest tests/test_checkout.py -x -q", failure, fails=True, seconds=6.2)
    s.grep("def total|quantize", "shop", "shop/basket.py:31: def total(\nshop/tax.py:12: quantize")
    s.read("shop/basket.py", think="Half cents: round() on floats and quantize() may disagree.")
    s.read("shop/tax.py")
    s.bash("git log --oneline -8 -- shop/basket.py", "9c1f2aa Sum lines before rounding")
    s.bash("git show 9c1f2aa --stat", " shop/basket.py | 6 +++---")
    s.edit("shop/basket.py", say="The sum is rounded by binary floats; decimals are needed.")
    s.bash("pytest tests/test_checkout.py -x -q", failure, fails=True, seconds=6.0)
    s.read("shop/tax.py")
    s.edit("shop/tax.py", think="The tax is rounded per line, the total only once.")
    s.bash("pytest tests/test_checkout.py -x -q", failure, fails=True, seconds=6.4)
    s.bash("pytest tests/test_checkout.py -x -q", failure, fails=True, seconds=6.1)
    s.read("shop/basket.py", offset=20)
    s.edit("shop/basket.py")
    s.bash("pytest tests/test_checkout.py -x -q", "42 passed in 3.11s", seconds=5.3)
    s.bash("pytest -q -n 4", "418 passed, 2 skipped in 38.40s", seconds=41.0)
    s.answer("Tax was rounded per line with round(); now once per order with quantize(). All pass.")
    s.idle(47)
    s.ask("commit it, please", after=12)
    s.bash("git status --short", " M shop/basket.py\n M shop/tax.py")
    s.bash('git add -A && git commit -q -m "Round tax once per order"', "")
    s.answer("Committed on main.")
    yield "Checkout total off by a cent", s

    later = s.resume("2026-05-05T07:55")
    later.ask("Does the refund path have the same mistake?")
    later.grep("round\\(", "shop", "shop/refund.py:44: round(amount, 2)")
    later.read("shop/refund.py")
    later.edit("shop/refund.py")
    later.create("tests/test_refund.py")
    later.bash("pytest tests/test_refund.py -q", "6 passed in 0.92s", seconds=3.9)
    later.bash("git commit -qam 'Round refunds like orders' && git push", "", seconds=4.2)
    later.answer("Yes: refund.py rounded with round() as well. Fixed, tested and pushed.")
    yield "Refund rounding", later


def review_of_218() -> Told:
    """A slash command of the project that reviews with two agents."""
    s = ClaudeStory("shop-api", "2026-05-06T15:40")
    s.slash("review-pr", "218", "Review the pull request. Look at correctness, tests and naming.")
    s.bash("gh pr diff 218", "diff --git a/shop/coupons.py b/shop/coupons.py", seconds=1.9)

    def correctness(a: ClaudeStory) -> None:
        a.bash("git diff main...origin/coupons -- shop", "+def apply(coupon):")
        a.read("shop/coupons.py")
        a.read("shop/basket.py")
        a.grep("expires_at", "shop", "shop/coupons.py:18")
        a.bash("pytest tests/test_coupons.py -q", "9 passed in 1.02s", seconds=4.4)

    def tests(a: ClaudeStory) -> None:
        a.read("tests/test_coupons.py")
        a.bash("pytest --cov=shop.coupons tests/test_coupons.py -q", "cover 71%", seconds=5.2)
        a.read("tests/conftest.py")

    s.agent(
        "code-reviewer",
        "review correctness of 218",
        "Read the diff against main. Report mistakes with file and line.",
        correctness,
        found="coupons.py:18 compares a naive with an aware time; everything else is fine.",
        model="claude-sonnet-4-5-20250929",
    )
    s.agent(
        "test-reviewer",
        "review the tests of 218",
        "Which branches of coupons.py does no test reach?",
        tests,
        found="Nothing tests a coupon that expires during checkout.",
    )
    issue = {"owner": "dev", "repo": "shop-api", "pull_number": 218, "event": "REQUEST_CHANGES"}
    s.mcp("github", "create_review", issue, "review 5512 created", seconds=1.3)
    s.answer("Two findings, posted as a review: a naive time at line 18, an untested expiry.")
    return "Review of 218", s


def slow_orders() -> Told:
    """A performance hunt in SQL, over lunch."""
    s = ClaudeStory("shop-api", "2026-05-07T10:15", model=OPUS, gitBranch="perf/orders")
    s.ask("GET /orders takes 4 seconds for big customers. Profile it and make it fast")
    s.bash(
        "curl -sS -o /dev/null -w '%{time_total}' http://localhost:8000/orders?customer=77", "4.1"
    )
    s.read("shop/api/orders.py")
    sql = {"sql": "explain analyze select * from orders where customer_id = 77"}
    s.mcp("postgres", "query", sql, "Seq Scan on orders (rows=912331) 3.8 s", seconds=4.6)
    s.read("shop/db/queries.sql")
    s.read(
        "shop/db/session.py", think="A query per order for its lines: n + 1, and a sequential scan."
    )
    s.create("migrations/0031_orders_by_customer.sql")
    s.bash("make migrate", "0031_orders_by_customer ok", seconds=7.9)
    s.mcp("postgres", "query", sql, "Index Scan using orders_by_customer 0.01 s", seconds=0.3)
    s.edit("shop/api/orders.py")
    s.bash("pytest tests/api -q", "1 failed, 63 passed", fails=True, seconds=12.4)
    s.read("tests/api/test_orders.py")
    s.edit("shop/api/orders.py")
    s.bash("pytest tests/api -q", "64 passed in 9.80s", seconds=11.9)
    s.answer("4.1 s became 0.06 s: an index on customer and day, lines loaded in one query.")
    s.idle(71)
    s.ask("great. same for /invoices?", after=9)
    s.read("shop/api/invoices.py")
    s.edit("shop/api/invoices.py")
    s.bash("pytest tests/api/test_invoices.py -q", "12 passed", seconds=4.1)
    s.bash("py-spy record -d 10 -o /tmp/invoices.svg -- python -m shop.bench", "", seconds=12.6)
    s.answer("Invoices had the same pattern; 1.9 s became 0.05 s.")
    return "Slow orders", s


def german_refactoring() -> Told:
    """A rename over many files, interrupted once."""
    s = ClaudeStory("shop-api", "2026-05-11T07:20")
    s.ask("Bitte benenne die Klasse OrderManager in OrderService um und räume die Importe auf")
    s.grep("OrderManager", "", "shop/orders.py:8\nshop/api/orders.py:3\ntests/test_orders.py:5")
    for path in ("shop/orders.py", "shop/api/orders.py", "shop/jobs/nightly.py"):
        s.read(path)
        s.edit(path)
    s.bash("git mv shop/orders.py shop/order_service.py")
    s.start("Bash", {"command": "sed -i s/OrderManager/OrderService/ $(git ls-files)"})
    s.stop(for_tool_use=True)
    s.ask("nicht mit sed über alles, nur shop/ und tests/", after=11)
    s.bash("rg -l OrderManager shop tests | xargs sed -i 's/OrderManager/OrderService/g'")
    s.bash("ruff check --fix . && ruff format .", "Found 14 errors (14 fixed).", seconds=1.1)
    s.bash(
        "mypy shop", "shop/jobs/nightly.py:9: error: Cannot find module", fails=True, seconds=8.8
    )
    s.edit("shop/jobs/nightly.py")
    s.bash("mypy shop", "Success: no issues found in 96 source files", seconds=7.4)
    s.bash("pytest -q -n 4", "424 passed in 37.91s", seconds=40.3)
    s.answer("Umbenannt in 11 Dateien; Importe sortiert, Typen und Tests sind in Ordnung.")
    return "OrderService", s


def security_audit() -> Told:
    """An audit by three agents of different kinds."""
    s = ClaudeStory("shop-api", "2026-05-12T09:30", model=OPUS)
    s.ask("Audit the authentication code for security holes. Be thorough, change nothing yet")

    def sessions(a: ClaudeStory) -> None:
        a.read("shop/auth/session.py")
        a.read("shop/auth/tokens.py")
        a.grep("hmac|compare_digest|==.*token", "shop/auth", "tokens.py:52: if sent == token:")

    def injection(a: ClaudeStory) -> None:
        a.grep("execute\\(f", "shop", "shop/search.py:29")
        a.read("shop/search.py")
        a.bash("bandit -q -r shop", ">> Issue: [B608] hardcoded_sql", fails=True, seconds=3.7)

    def packages(a: ClaudeStory) -> None:
        a.bash(
            "pip-audit -r requirements.txt", "Found 1 known vulnerability", fails=True, seconds=8.1
        )
        a.fetch(
            "https://osv.example.org/PYSEC-2026-11",
            "Which versions are affected?",
            "All before 2.4.1; fixed in 2.4.1.",
        )

    s.agent(
        "security-auditor",
        "look at sessions and tokens",
        "Audit shop/auth.",
        sessions,
        found="tokens.py:52 compares secrets with ==.",
        model=OPUS,
    )
    s.agent(
        "security-auditor",
        "look for injection",
        "Audit SQL and templates.",
        injection,
        found="search.py:29 formats a query.",
        model=OPUS,
    )
    s.agent(
        "dependency-checker",
        "check the packages",
        "Look for known holes.",
        packages,
        found="One package is vulnerable; 2.4.1 fixes it.",
        model=HAIKU,
    )
    s.answer("Three findings: a timing hole, an injection in the search, one old package.")
    s.ask("ok, fix all three", after=340)
    s.edit("shop/auth/tokens.py")
    s.edit("shop/search.py")
    s.bash("sed -i 's/templating==2.3.0/templating==2.4.1/' requirements.txt")
    s.bash("pip install -q -r requirements.txt", "", seconds=16.3)
    s.bash("pytest -q -n 4", "424 passed in 38.02s", seconds=40.8)
    s.answer("All three are fixed, each with a test.")
    return "Audit of authentication", s


def coupon_worktree() -> Told:
    """Work in a worktree, long enough to be summed up once; a comment beside an approval."""
    place = "shop-api/.claude/worktrees/coupons"
    s = ClaudeStory(place, "2026-05-18T07:40", model=OPUS, gitBranch="worktree-coupons")
    s.ask("Implement percentage coupons: model, migration, API, tests. Ask me about rounding")
    question = {"question": "Round per line or per order?", "header": "Rounding", "options": []}
    s.step("AskUserQuestion", {"questions": [question]}, 'answered: "per order"', seconds=66)
    s.todo("Model", "Migration", "API", "Tests")
    s.read("shop/coupons.py")
    s.edit("shop/coupons.py")
    s.create("migrations/0032_percentage_coupons.sql")
    s.bash("make migrate", "0032_percentage_coupons ok", seconds=6.8)
    s.read("shop/api/coupons.py")
    s.edit("shop/api/coupons.py")
    s.create("tests/test_percentage.py")
    s.bash("pytest tests/test_percentage.py -q", "3 failed, 5 passed", fails=True, seconds=4.6)
    s.compact("Percentage coupons: model, migration and API are done; three tests fail.")
    s.read("shop/coupons.py")
    s.read("tests/test_percentage.py")
    s.edit("shop/coupons.py")
    s.bash("pytest tests/test_percentage.py -q", "1 failed, 7 passed", fails=True, seconds=4.4)
    s.edit("shop/coupons.py")
    s.bash("pytest tests/test_percentage.py -q", "8 passed in 1.30s", seconds=4.2)
    s.commented(
        "Bash",
        {"command": "uv run ruff check shop tests", "description": "Lint"},
        "fine, but name the tests after the rule, not after the ticket",
    )
    s.bash("sed -i 's/test_REL_77/test_rounds_once/' tests/test_percentage.py")
    s.bash("git add -A && git commit -qm 'Percentage coupons'")
    s.bash("git push -u origin worktree-coupons", "", seconds=3.1)
    s.answer("Percentage coupons work; rounding happens once per order, as you chose.")
    s.idle(38)
    s.ask("sigue con los cupones de envío gratis, igual que estos", after=6)
    s.read("shop/coupons.py")
    s.edit("shop/coupons.py")
    s.create("tests/test_free_shipping.py")
    s.bash("pytest tests/test_free_shipping.py -q", "5 passed in 0.88s", seconds=3.8)
    s.answer("Listo: cupones de envío gratis con cinco pruebas.")
    return "Coupons", s


def compose_setup() -> Told:
    """Containers, ports and configuration."""
    s = ClaudeStory("shop-api", "2026-05-20T08:25")
    s.ask("Set up docker compose for local development: api, postgres, redis, mailpit")
    s.bash("ls -la && cat Dockerfile", "FROM python:3.13-slim")
    s.read("pyproject.toml")
    s.create("compose.yml")
    s.create(".env.example")
    s.bash("docker compose config -q")
    s.bash("docker compose up -d --wait", "Error: port 5432 in use", fails=True, seconds=19.0)
    s.bash("ss -ltnp | grep 5432", "LISTEN 0 200 127.0.0.1:5432")
    s.edit("compose.yml")
    s.bash("docker compose up -d --wait", "4/4 healthy", seconds=33.5)
    s.bash("docker compose exec api make migrate", "32 migrations", seconds=9.9)
    s.bash("curl -fsS http://localhost:8000/health", '{"ok":true}')
    s.bash("docker compose logs --tail 20 api | grep -i error", "", fails=True)
    s.edit("README.md")
    s.answer("`docker compose up` brings all four; postgres listens on 5433 here.")
    return "Compose", s


def data_migration() -> Told:
    """Cleaning data with scripts; a resource outside the project."""
    s = ClaudeStory("shop-api", "2026-05-21T11:11")
    s.ask("Import the customers from ~/exports/customers.csv, some rows have broken dates")
    s.step(
        "Read", {"file_path": "/home/dev/exports/customers.csv"}, "id;name;since\n1;…;2024-13-02"
    )
    script = "import csv\nrows = list(csv.DictReader(open('/home/dev/exports/customers.csv')))"
    s.bash(f"python - <<'EOF'\n{script}\nprint(len(rows))\nEOF", "18233", seconds=1.3)
    s.create("scripts/import_customers.py")
    s.bash(
        "python scripts/import_customers.py --dry-run", "ValueError: month", fails=True, seconds=2.0
    )
    s.edit("scripts/import_customers.py")
    s.bash("python scripts/import_customers.py --dry-run", "18190 ok, 43 skipped", seconds=2.9)
    s.refused("Bash", {"command": "python scripts/import_customers.py --production"}, after=44)
    s.ask("only into staging!", after=3)
    s.bash("DATABASE=staging python scripts/import_customers.py", "18190 imported", seconds=61.0)
    sql = {"sql": "select count(*) from customers where since is null"}
    s.mcp("postgres", "query", sql, "43")
    s.bash("mv scripts/skipped.csv /tmp/skipped.csv && rm -rf scripts/.cache")
    s.answer("18,190 rows are in staging; the 43 with broken dates are in /tmp/skipped.csv.")
    return "Import of customers", s
