from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage.identity import (
    digest,
    fingerprint,
    run_key,
    run_uuid,
    session_uuid,
    stamp,
    stamp_time,
    uuid_time,
)

times = st.integers(-(2**62), 2**62)


@given(st.lists(st.text()), st.lists(st.text()))
def test_parts_do_not_run_into_each_other(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)


@given(times, times, st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
def test_stamps_sort_by_time_then_fingerprint(time: int, later: int, one: bytes, other: bytes) -> None:
    assert (stamp(time, one) < stamp(later, other)) == ((time, one) < (later, other))
    assert stamp_time(stamp(time, one)) == time


def test_white_space_around_an_event_is_not_the_event() -> None:
    assert fingerprint(b" {}\n") == fingerprint(b"{}")


def test_run_ids() -> None:
    known = UUID("01908222-d908-77bb-b819-ea816c74e780")
    assert run_uuid(str(known).upper()) == known
    assert run_uuid("not a uuid").version == 3


PLAIN = "01908222-d908-77bb-b819-ea816c74e780"
UUIDS = [PLAIN, PLAIN.upper(), PLAIN.replace("-", ""), f"{{{PLAIN}}}", f"urn:uuid:{PLAIN}", f" {PLAIN[1:]}"]
ODD = ["", "x", "-" * 36, PLAIN[:-1] + "g", PLAIN.replace("7", "\u0667"), PLAIN.replace("d9", "  "), PLAIN[:-1] + "-"]


@given(st.one_of(st.sampled_from(UUIDS + ODD), st.text("0123456789abcdefABCDEF- ", min_size=36, max_size=36)))
def test_a_run_is_the_same_whether_its_id_was_plain_or_odd(sent: str) -> None:
    uuid = run_uuid(sent)
    assert run_key(sent) == (uuid.bytes, sent.lower() == str(uuid))


@given(st.integers(0, 2**48 * 1000 // 4), st.text(max_size=20))
def test_a_session_has_a_uuid_of_version_7_with_its_time(time: int, name: str) -> None:
    made = session_uuid(time, name)
    assert made.version == 7
    assert uuid_time(made.bytes) == time // 1000 * 1000
    assert uuid_time(run_uuid("x").bytes) is None
