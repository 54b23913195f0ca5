"""The picture of a red check is the summary's beside it."""

import xml.etree.ElementTree

import red_check


def test_the_pictures_are_the_summary_s():
    summary = (red_check.FOLDER / "rulings.md").read_text()
    sentence, rows = red_check.rows_of(summary)
    assert "1 REGRESSION" in sentence and rows[0][0] == "ruling" and rows[1][0] == "REGRESSION"
    for setting in red_check.SETTINGS:
        picture = (red_check.FOLDER / f"check-{setting}.svg").read_text()
        assert picture == red_check.drawn(summary, setting)
        words = ["".join(text.itertext()) for text in xml.etree.ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]
        assert set(sum(rows, [sentence])) <= set(words)
    assert red_check.WIDTH <= 388 * 14 / 11  # of a phone, on which letters have 11 px
