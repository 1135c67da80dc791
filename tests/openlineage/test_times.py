from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage.times import format_time, parse_time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
times = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999)


@given(times)
def test_a_time_is_written_as_python_writes_it_and_read_again(micros: int) -> None:
    precision = "milliseconds" if micros % 1000 == 0 else "microseconds"
    moment = EPOCH + timedelta(microseconds=micros)
    assert format_time(micros) == moment.isoformat(timespec=precision).replace("+00:00", "Z")
    assert parse_time(format_time(micros)) == micros
