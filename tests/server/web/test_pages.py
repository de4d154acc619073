"""The files of the client: found inside the folder, never outside."""

from pathlib import Path

import httpx
import pytest
from armspan.server.web.pages import add_pages, find_file
from fastapi import FastAPI


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    built = tmp_path / "static"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<title>The client</title>")
    (built / "favicon.svg").write_text("<svg/>")
    (built / "assets/index-abc123.js").write_text("run()")
    (tmp_path / "secret").write_text("outside")
    return built


def client(folder: Path) -> httpx.AsyncClient:
    app = FastAPI(openapi_url=None)
    add_pages(app, folder)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")


async def test_start_and_session_are_the_client_and_may_not_be_kept(folder: Path):
    async with client(folder) as http:
        for path in ("/", "/s/review", "/s/A-b_9"):
            answer = await http.get(path)
            assert answer.status_code == 200
            assert "The client" in answer.text
            assert "immutable" not in answer.headers.get("cache-control", "")
            assert (await http.head(path)).status_code == 200


async def test_hashed_files_may_be_kept_for_ever_and_others_not(folder: Path):
    async with client(folder) as http:
        hashed = await http.get("/assets/index-abc123.js")
        assert "immutable" in hashed.headers["cache-control"]
        assert "javascript" in hashed.headers["content-type"]
        plain = await http.get("/favicon.svg")
        assert plain.headers["content-type"].startswith("image/svg+xml")
        assert "immutable" not in plain.headers.get("cache-control", "")


@pytest.mark.parametrize("path", ["/s/", "/s/a b", "/s/-a", "/s/a/b", "/nothing", "/assets"])
async def test_what_is_not_there_is_not_found(folder: Path, path: str):
    async with client(folder) as http:
        assert (await http.get(path)).status_code == 404


async def test_a_browser_is_shown_the_client_where_there_can_be_no_session(folder: Path):
    async with client(folder) as http:
        for path in ("/s/x%20y", "/s/-a"):
            browser = await http.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
            assert browser.status_code == 404
            assert "The client" in browser.text
            program = await http.get(path)
            assert program.status_code == 404
            assert "no session of that name" in program.json()["detail"]


async def test_without_a_client_the_page_says_how_to_build_it(tmp_path: Path):
    async with client(tmp_path / "static") as http:
        for path in ("/", "/s/review"):
            answer = await http.get(path)
            assert answer.status_code == 503
            assert "make client" in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "assets/../../secret",
        "/etc/passwd",
        "..",
        ".",
        "",
        "assets",
        "a\0b",
        "x" * 5000,
    ],
)
def test_nothing_outside_the_folder_is_a_page(folder: Path, path: str):
    assert find_file(folder, path) is None


def test_a_link_that_leads_outside_is_no_page(folder: Path):
    (folder / "escape").symlink_to(folder.parent / "secret")
    assert find_file(folder, "escape") is None


def test_a_whole_path_is_never_a_file_even_inside(folder: Path):
    assert find_file(folder, "favicon.svg") is not None
    assert find_file(folder, str(folder / "favicon.svg")) is None
