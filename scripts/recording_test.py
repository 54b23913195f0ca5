"""The recording of a terminal session: what was shown, when, and that the published pictures are the published session's."""

import json
import os
import re
import xml.etree.ElementTree

import pytest
import recording


def test_the_pictures_are_the_session_s():
    header, *events = map(json.loads, recording.SESSION.read_text().splitlines())
    for setting in recording.SETTINGS:
        drawn = recording.drawn(header, recording.shown(events), setting, recording.SHOWN_COLUMNS)
        assert (recording.FOLDER / f"halide-patched-{setting}.svg").read_text() == drawn
    assert [event[2] for event in recording.shown(events)][0].startswith(f"{recording.BOLD}$ python layer.py")
    assert recording.SHOWN_COLUMNS * recording.CHARACTER + 2 * recording.MARGIN <= 388 * 14 / 11
    shown = "".join(event[2] for event in events).partition("\r\n")[2].partition(recording.BOLD)[0]
    assert shown.replace("\r\n", "\n") == (recording.FOLDER / "layer.py").read_text(), "layer.py is not what was recorded"


def test_a_session_is_recorded_with_its_times(tmp_path):
    events = recording.record(["echo one", "sleep 0.3; echo two >&2"], os.environ, tmp_path, pause_s=1)
    shown = "".join(text for _, _, text in events)
    assert shown == "\x1b[1m$ echo one\x1b[0m\r\none\r\n\x1b[1m$ sleep 0.3; echo two >&2\x1b[0m\r\ntwo\r\n"
    times = [seconds for seconds, _, _ in events]
    assert times == sorted(times) and times[0] < 1 and times[-1] >= 1.3
    with pytest.raises(RuntimeError, match="'false' ended with 1"):
        recording.record(["false"], os.environ, tmp_path)


def test_long_lines_wrap_and_text_is_text():
    pieces, cursors = recording.screen([[1, "o", "\x1b[1m$ a\x1b[0m\r\nabcdef"], [2, "o", "gh\r\n<&>"]], columns=4)
    assert pieces == [(0, 0, "$ a", True, 1), (1, 0, "abcd", False, 1), (2, 0, "ef", False, 1), (2, 2, "gh", False, 2),
                      (3, 0, "<&>", False, 2)]
    assert cursors == [(2, 2, 1), (3, 3, 2)]
    picture = recording.drawn({"title": "<t>", "machine": "m"}, [[1, "o", "<&>"], [3, "o", "later"]], "dark", 4)
    root = xml.etree.ElementTree.fromstring(picture)
    assert "<&>" in ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "@keyframes t1{0%{opacity:0}33.333%{opacity:1}}" in picture and picture.count("@keyframes c") == 2
    assert re.search(r"animation:[\d.]+s step-end 1\}", picture)  # it plays once, and rests with all that was shown
