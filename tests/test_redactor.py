"""Secrets and personal names go, everything else stays."""

import re
import time

import pytest

from agentpprof.redactor import Machine, is_dense, redact, redact_for

MACHINE = Machine("/home/marlene", "marlene", "birke-7")


def secret(prefix: str, alphabet: str, length: int) -> str:
    """Make a secret of a shape, so that none stands in this file whole."""
    return prefix + "".join(alphabet[(at * 7 + at // 3) % len(alphabet)] for at in range(length))


LETTERS = "aB3dE5gH7jK9mN2pQ4sT6vW8xY0z"
HEX = "0123456789abcdef"
CAPITALS = "A2C4E6G7IJKLMNOPQRSTUVWXYZ"

TOKENS = {
    "anthropic": secret("sk-ant-api03-", LETTERS, 40),
    "openai": secret("sk-proj-", LETTERS, 40),
    "github": secret("ghp_", LETTERS, 36),
    "github fine": secret("github_pat_", LETTERS, 60),
    "gitlab": secret("glpat-", LETTERS, 20),
    "aws": secret("AKIA", CAPITALS, 16),
    "google": secret("AIza", LETTERS, 35),
    "google secret": secret("GOCSPX-", LETTERS, 28),
    "slack": secret("xoxb-", "0123456789-", 24),
    "stripe": secret("sk_live_", LETTERS, 24),
    "npm": secret("npm_", LETTERS, 36),
    "pypi": secret("pypi-", LETTERS, 60),
    "hugging face": secret("hf_", LETTERS, 34),
    "sendgrid": secret("SG.", LETTERS, 22) + secret(".", LETTERS, 43),
    "digital ocean": secret("dop_v1_", HEX, 64),
    "shopify": secret("shpat_", HEX, 32),
    "jwt": secret("eyJ", LETTERS, 20) + secret(".eyJ", LETTERS, 30) + secret(".", LETTERS, 40),
    "vault": secret("hvs.", LETTERS, 24),
    "telegram": "12345678:" + secret("", LETTERS, 35),
    "twilio": secret("SK", HEX, 32),
    "age": secret("AGE-SECRET-KEY-1", CAPITALS, 50),
    "notion": secret("ntn_", LETTERS, 40),
    "unknown issuer": secret("", LETTERS, 40),
}


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize("around", ["{}", "use {} now", '"{}"', "key={};", "(see {})", "第{}号"])
def test_token_of_an_issuer_goes(kind: str, around: str) -> None:
    token = TOKENS[kind]
    found = redact_for(around.format(token), MACHINE)
    assert token not in found
    assert "[secret]" in found
    assert token[8:20] not in found


FORMS = [
    "password=hunter2",
    "DB_PASSWORD=hunter2",
    "export PGPASSWORD='hunter2'",
    'mysql_pwd = "hunter2"',
    '{"password": "hunter2"}',
    '{"dbPassword":"hunter2","port":1}',
    '{\\"client_secret\\": \\"hunter2\\"}',
    "password: hunter2",
    "  api_key: 'hunter2'",
    "apiKey: hunter2,",
    "--password hunter2",
    "--password=hunter2",
    "--api-key hunter2 --verbose",
    "curl -u dev:hunter2 https://example.org",
    "mysql -h db -u dev -phunter2 shop",
    "sshpass -p hunter2 ssh db",
    "https://dev:hunter2@example.org/x",
    "postgres://dev:hunter2@db:5432/shop",
    "redis://:hunter2@cache",
    "https://hunter2xyzhunter2@example.org/repo.git",
    "https://example.org/?access_token=hunter2&x=1",
    "Authorization: Bearer hunter2hunter2",
    "authorization: Basic hunter2hunter2=",
    "-H 'X-Api-Key: hunter2'",
    "Cookie: session=hunter2; theme=dark",
    "<password>hunter2</password>",
    "my password is hunter2",
    "密码：hunter2",
    "密码是hunter2",
    "パスワードはhunter2",
    "비밀번호: hunter2",
    "secret := hunter2",
    "'token' => 'hunter2'",
    "AccountKey=hunter2abc;EndpointSuffix=x",
]


@pytest.mark.parametrize("text", FORMS)
def test_value_of_a_secret_field_goes(text: str) -> None:
    assert "hunter2" not in redact_for(text, MACHINE)


@pytest.mark.parametrize(
    "text",
    [
        "fix the failing test in src/cart/total.py",
        "def login(password: str, token: str | None = None) -> bool:",
        "export TOKEN=$GITHUB_TOKEN",
        "password=${DB_PASSWORD}",
        'password: "<your password>"',
        '{"max_tokens": 4096, "output_tokens": 12}',
        "tokens: 31415",
        "git show 3f786850e387550fdab836ed7e6dc881de23001b",
        "session 019ec5aa-0000-7000-8000-000000000003",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "AbstractSingletonProxyFactoryBeanConfiguration",
        "test_reading_in_pieces_equals_reading_at_once_2",
        "rollout-2026-05-13T20-40-03",
        "docker compose -f docker-compose.yml up -d",
        "git@github.com:dev/shop.git",
        "https://docs.example.org/cart#top",
        "请修复购物车的测试",
        "the secret to good tests",
        "pytest -k 'password and not token'",
        "a token bucket limits requests",
        "claude-sonnet-4-5-20250929",
        "ssh -p 2222 example.org",
        "cat $GOMODCACHE/github.com/acme/kit-go@v1.9.0/kit.go",
        "npm install left-pad@1.3.0 @types/node@20.1.2",
        "",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert redact_for(text, MACHINE) == text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("cat /home/marlene/shop/a.py", "cat ~/shop/a.py"),
        ("cd /home/other/x", "cd ~/x"),
        ("open /Users/jo/x.md", "open ~/x.md"),
        (r"dir C:\Users\jo\x", r"dir ~\x"),
        ("/home/marlene", "~"),
        ("/home/marlenes/x", "~/x"),
        (".claude/projects/-home-marlene-shop/a.jsonl", ".claude/projects/-home-user-shop/a.jsonl"),
        ("ssh marlene@birke-7", "ssh user@host"),
        ("Marlene's log on BIRKE-7", "user's log on host"),
        ("mail jo.doe+x@mail.example.org now", "mail [email] now"),
        ("/srv/home/x", "/srv/home/x"),
    ],
)
def test_names_of_person_and_machine_go(text: str, redacted: str) -> None:
    assert redact_for(text, MACHINE) == redacted


def test_private_key_goes_whole_also_when_it_is_cut_short() -> None:
    body = "\n".join(secret("", LETTERS, 64) for _ in range(5))
    key = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----"
    assert redact_for(f"a {key} b", MACHINE) == "a [secret] b"
    assert redact_for(f"a {key[:150]}", MACHINE) == "a [secret]"


def test_redacting_twice_changes_nothing_more() -> None:
    text = "\n".join([*TOKENS.values(), *FORMS, "cat /home/marlene/x; mail jo@example.org"])
    once = redact_for(text, MACHINE)
    assert redact_for(once, MACHINE) == once


def test_common_names_of_users_stay() -> None:
    assert redact_for("the root of the dev branch", Machine("/root", "dev", "localhost")) == (
        "the root of the dev branch"
    )


def test_this_machine_is_looked_up(isolated_machine: object) -> None:
    assert redact("password=hunter2") == "password=[secret]"


@pytest.mark.parametrize(
    "unit",
    ["a", "a@", "a.b@", "sk-", "-----BEGIN PRIVATE KEY-----", "password=", "token:", "://a:", "=",
     "eyJa.", "Bearer ", '\\"', "--password ", "/home/", "mysql -", "é", "a b", "-home-", "1:",
     "x-a-", "authorization:", "api_", "-u a:"],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        begin = time.process_time()
        redact_for(text, MACHINE)
        return time.process_time() - begin

    seconds(1_000)
    assert seconds(64_000) < 1.0
    assert seconds(64_000) < 12 * seconds(16_000) + 0.05


def test_dense_tokens() -> None:
    assert is_dense(secret("", LETTERS, 30))
    assert not is_dense("a" * 40)
    assert not is_dense("0" * 40)
    assert not is_dense("some-kebab-case-name-of-a-thing-1")


def test_no_pattern_is_unbounded() -> None:
    from agentpprof.resources import read_text

    assert not re.search(r"(?<![\\\]])[^\]\w}]\+(?!\+)[*+]", read_text("data", "secrets.toml"))
