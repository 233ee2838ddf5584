"""A decision record as a picture of its QR code: read in the browser, sent nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from mpc_engine.party.commands.decision_files import qr_picture
from tools.showroom.inspect import faults_of
from tools.showroom.visit import Showroom, Visit, visit

PHOTO = """
async (bytes) => {
  const code = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
  const canvas = new OffscreenCanvas(code.width * 2, code.height * 2);
  const context = canvas.getContext("2d");
  context.fillStyle = "#b8a890";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(code.width, code.height);
  context.rotate(0.12);
  const [width, height] = [code.width * 1.4, code.height * 1.4];
  context.drawImage(code, -width / 2, -height / 2, width, height);
  const photo = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.8 });
  return [...new Uint8Array(await photo.arrayBuffer())];
}
"""


@pytest.fixture
def umar(chromium: Browser, room: Showroom) -> Iterator[Visit]:
    """Return Umar's browser on the page of a new challenge; no page may meet an error in it."""
    with visit(chromium, room, "umar") as found:
        found.open("/me/challenges/new/")
        yield found
        assert found.faults == []


@pytest.fixture
def picture(room: Showroom) -> bytes:
    """Return what the modeler's party writes beside the record's file."""
    return qr_picture(room.exhibition.decision_record.encode())


def _choose(page: Page, name: str, kind: str, content: bytes) -> None:
    file = {"name": name, "mimeType": kind, "buffer": content}
    page.get_by_test_id("record-file").set_input_files(file)  # type: ignore[arg-type]


def test_the_decoder_comes_only_for_a_picture_and_the_picture_goes_nowhere(
    room: Showroom, umar: Visit, picture: bytes
) -> None:
    page, requests = umar.page, []
    page.on("request", lambda request: requests.append(request))
    _choose(page, "record.json", "application/json", room.exhibition.decision_record.encode())
    expect(page.get_by_test_id("record-summary")).to_be_visible()
    assert not [one.url for one in requests if "/vendor/qr/" in one.url]
    _choose(page, "record.png", "image/png", picture)
    expect(page.get_by_test_id("record-case")).to_have_text("case-7")
    assert [one.url for one in requests if "/vendor/qr/" in one.url]
    assert {one.method for one in requests} == {"GET"}
    asked = [urlsplit(one.url) for one in requests]
    assert {one.query.partition("=")[0] for one in asked} <= {"", "certificate"}
    assert faults_of(page) == []


def test_a_photo_of_the_code_is_challenged_with(umar: Visit, picture: bytes) -> None:
    page = umar.page
    photo = bytes(page.evaluate(PHOTO, list(picture)))
    _choose(page, "photo.jpg", "image/jpeg", photo)
    expect(page.get_by_test_id("record-case")).to_have_text("case-7")
    page.get_by_test_id("send-record").click()
    page.wait_for_url(re.compile(r"/me/challenges/[0-9a-f]{32}/$"))


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("nothing in it", "No QR code can be read in this picture."),
        ("no picture", "No QR code can be read in this picture."),
        ("another code", "This file is not a decision record."),
    ],
)
def test_a_picture_that_shows_no_record_is_answered_in_words(
    umar: Visit, picture: bytes, what: str, sentence: str
) -> None:
    content = {
        "nothing in it": bytes(
            umar.page.evaluate(PHOTO.replace("context.drawImage", "void "), list(picture))
        ),
        "no picture": b"not a picture",
        "another code": qr_picture(b"https://example.org/"),
    }[what]
    _choose(umar.page, "picture.png", "image/png", content)
    expect(umar.page.get_by_test_id("record-problem")).to_contain_text(sentence)
    expect(umar.page.get_by_test_id("record-summary")).to_be_hidden()
