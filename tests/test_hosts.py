"""Rules of `semantics.hosts`: a host is a name, nothing else of a URL."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentpprof.semantics.hosts import bare_host, host_of, remote_host


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com", "example.com"),
        ("HTTPS://User:Pass@Example.COM:8443/a?b=https://x.org#c", "example.com"),
        ("http://localhost:3000/x", "localhost"),
        ("http://127.0.0.1:80", "127.0.0.1"),
        ("http://[::1]:80/x", "::1"),
        ("http://[bad/x", ""),
        ("git@github.com:org/repo.git", "github.com"),
        ("ssh://git@host.example:22/x", "host.example"),
        ("git+https://github.com/a/b", "github.com"),
        ("https://bücher.example/x", "bücher.example"),
        ("https://xn--bcher-kva.example/x", "xn--bcher-kva.example"),
        ("https://example.com./", "example.com"),
        ("https://", ""),
        ("", ""),
        ("not a url", ""),
        ("noreply@anthropic.com", ""),
        ("file:///etc/passwd", ""),
        ("https://a b.com/", ""),
        ("https://\x00/x", ""),
        ("https://$HOST/x", ""),
        ("C:\\x", ""),
    ],
)
def test_the_host_of_a_url_has_no_user_port_or_query(url: str, host: str) -> None:
    assert host_of(url) == host


def test_a_remote_file_names_its_host_and_a_drive_none() -> None:
    assert remote_host("me@box.example:/tmp/x") == "box.example"
    assert remote_host("box:/tmp/x") == "box"
    assert remote_host("C:\\x") == remote_host("./a:b") == remote_host("a.txt") == ""


def test_an_address_without_a_scheme_is_a_host_where_one_is_due() -> None:
    assert bare_host("localhost:3000/x") == "localhost"
    assert bare_host("api.example.com/x") == "api.example.com"
    assert bare_host("me@box") == "box"
    assert bare_host("word") == ""


@given(st.text())
def test_any_text_gives_a_clean_host_or_none(text: str) -> None:
    for host in (host_of(text), host_of("https://" + text), bare_host(text), remote_host(text)):
        assert host == host.lower()
        assert not set(host) & set("/@? #\n\x00")
