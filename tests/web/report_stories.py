"""Reports of a verdict as each of the cast reads them: page, CSV and PDF."""

from __future__ import annotations

import csv
import io
import json
from html import unescape
from typing import Any

from pypdf import PdfReader

from blindjustice_web.certificates.models import Certificate, CertificationResult
from tests.web.drafts import LOCAL_LAW_144, LOCAL_LAW_144_COUNTS, SEX_AND_RACE
from tests.web.stories import World


def read_report(world: World, who: str, path: str) -> Any:
    return world.clients[who].get(path)


def public_report(result: CertificationResult, report: str, ending: str = "/") -> str:
    certificate = Certificate.objects.get(result=result)
    return f"/certificates/{certificate.id}/reports/{report}{ending}"


def cells_of(world: World, path: str) -> list[list[str]]:
    answer = read_report(world, "anonymous", path)
    assert answer.status_code == 200
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))


def rows_of(cells: list[list[str]], title: str) -> dict[str, list[str]]:
    """Return the rows of the table with a title, by their heads."""
    start = cells.index([title]) + 2
    found: dict[str, list[str]] = {}
    for row in cells[start:]:
        if len(row) < 2:
            break
        found[row[0]] = row[1:]
    return found


def sentences_of(cells: list[list[str]]) -> str:
    return " ".join(row[0] for row in cells if len(row) == 1)


def law_144(world: World, **changes: Any) -> CertificationResult:
    return world.audited(
        LOCAL_LAW_144_COUNTS,
        **{
            "n_records": 4100,
            "attributes": SEX_AND_RACE,
            "policy": LOCAL_LAW_144,
            **changes,
        },
    )


def in_every_form(world: World, result: CertificationResult, report: str) -> dict[str, str]:
    """Return the text of a report's page, files and API answer, as the regulator reads them."""
    base = f"/regulator/models/{result.model_id}/reports/{report}"
    pdf = PdfReader(io.BytesIO(read_report(world, "rae", f"{base}.pdf").content))
    texts = {
        "page": unescape(read_report(world, "rae", f"{base}/").content.decode()),
        "csv": read_report(world, "rae", f"{base}.csv").content.decode("utf-8-sig"),
        "pdf": " ".join(page.extract_text() for page in pdf.pages),
        "api": json.dumps(
            world.get("rae", f"/models/{result.model_id}/reports/{report}").json(),
            ensure_ascii=False,
        ),
    }
    return {form: " ".join(text.split()) for form, text in texts.items()}
