"""Settings: who wins, and what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.settings import Settings, WrongSettings, check_exposure, load_settings


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_defaults() -> None:
    settings, origins = load_settings({}, {})
    assert settings == Settings()
    assert set(origins.values()) == {"default"}
    assert settings.store_url == "sqlite:///.headwater/headwater.db"


def test_flags_before_environment_before_file(empty_folder: Path) -> None:
    (empty_folder / "headwater.toml").write_text('port = 1\nhost = "localhost"\nlog_level = "debug"\n')
    settings, origins = load_settings(
        {"port": 3, "data": None}, {"HEADWATER_PORT": "2", "HEADWATER_LOG_LEVEL": "error"}
    )
    assert (settings.port, settings.log_level, settings.host) == (3, "error", "localhost")
    assert (origins["port"], origins["log_level"], origins["host"]) == ("flag", "environment", "file headwater.toml")


def test_a_named_file_must_be_there() -> None:
    with pytest.raises(WrongSettings, match=r"nowhere\.toml"):
        load_settings({}, {"HEADWATER_CONFIG": "nowhere.toml"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("port = 'many'", "port"),
        ("prot = 1", "prot"),
        ("port = ", "TOML"),
        ("port = 70000", "65535"),
        ("log_level = 'loud'", "one of"),
    ],
)
def test_wrong_files(empty_folder: Path, text: str, said: str) -> None:
    (empty_folder / "headwater.toml").write_text(text)
    with pytest.raises(WrongSettings, match=said):
        load_settings({}, {})


def test_wrong_environment() -> None:
    with pytest.raises(WrongSettings, match="HEADWATER_PROT") as error:
        load_settings({}, {"HEADWATER_PROT": "1"})
    assert error.value.hint == "Did you mean HEADWATER_PORT?"
    with pytest.raises(WrongSettings, match="pipeline"):
        load_settings({}, {"HEADWATER_PIPELINE": "perhaps"})
    assert not load_settings({}, {"HEADWATER_PIPELINE": "off"})[0].pipeline
    load_settings({}, {"HEADWATER_URL": "http://x", "HEADWATER_API_KEY": "k", "HEADWATER_CACHE": "/c"})


def test_only_loopback_without_keys() -> None:
    everywhere, _ = load_settings({"host": "0.0.0.0"}, {})
    with pytest.raises(WrongSettings, match="Refused to listen"):
        check_exposure(everywhere, lambda: False)
    check_exposure(everywhere, lambda: True)
    check_exposure(load_settings({"host": "0.0.0.0", "open": True}, {})[0], lambda: False)
    gateway = {"gateway_keys": "keys.toml", "gateway_issuer": "gateway"}
    check_exposure(load_settings({"host": "0.0.0.0", **gateway}, {})[0], lambda: False)
    for host in ("127.0.0.1", "127.0.0.2", "localhost", "::1"):
        check_exposure(load_settings({"host": host}, {})[0], lambda: False)


def test_a_gateway_needs_an_issuer() -> None:
    with pytest.raises(WrongSettings, match="who signs"):
        load_settings({}, {"HEADWATER_GATEWAY_KEYS": "keys.toml"})


@pytest.mark.parametrize("name", ["proxies", "outgoing_private"])
def test_networks(name: str) -> None:
    assert getattr(load_settings({name: "10.0.0.0/8, fd00::/8"}, {})[0], name) == "10.0.0.0/8, fd00::/8"
    with pytest.raises(WrongSettings, match=rf"{name} .*'models\.local' is neither an address nor a network"):
        load_settings({name: "10.0.0.1, models.local"}, {})
