"""The file of object stores: typed, bounded, kept from others, and refused whole when anything is wrong."""

from pathlib import Path

import pytest

from portal.config.files.stores import STORES_MAX, read_store_file

SECRET = "not-to-be-shown"
STORE = f"""[stores.lab]
endpoint = "https://s3.example.org"
bucket = "datasets"
prefix = "shared/"
access_key = "AK"
secret_key = "{SECRET}"
groups = ["vision"]
"""


def written(folder: Path, text: str, mode: int = 0o640) -> Path:
    file = folder / "stores.toml"
    file.write_text(text)
    file.chmod(mode)
    return file


def test_stores_are_found_by_name(tmp_path: Path) -> None:
    store = read_store_file(written(tmp_path, STORE))["lab"]

    assert (store.name, store.endpoint, store.bucket) == (
        "lab",
        "https://s3.example.org",
        "datasets",
    )
    assert (store.prefix, store.region, *store.groups) == ("shared/", "us-east-1", "vision")
    assert (store.access_key, store.secret_key) == ("AK", SECRET)
    assert SECRET not in repr(store)
    assert "AK" not in repr(store)


@pytest.mark.parametrize(
    "endpoint", ["http://10.0.0.5:9000", "http://127.0.0.1:9000", "https://[fd00::5]:9000"]
)
def test_the_operator_may_name_inner_addresses(endpoint: str, tmp_path: Path) -> None:
    file = written(tmp_path, STORE.replace("https://s3.example.org", endpoint))
    assert read_store_file(file)["lab"].endpoint == endpoint


def test_without_a_file_there_is_no_store(tmp_path: Path) -> None:
    assert read_store_file(None) == {}
    assert read_store_file(written(tmp_path, "")) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (STORE + "secret = 1\n", "stores.lab.secret: Extra inputs"),
        (STORE + "[other]\n", "other: Extra inputs"),
        (STORE.replace("secret_key", "secret_kee"), "stores.lab.secret_key: Field required"),
        (STORE.replace(SECRET, ""), "stores.lab.secret_key: "),
        (STORE.replace("https:", "ftp:"), "stores.lab.endpoint: "),
        (STORE.replace("s3.example.org", f"AK:{SECRET}@s3.example.org"), "stores.lab.endpoint: "),
        (STORE.replace("s3.example.org", "s3.example.org/bucket"), "stores.lab.endpoint: "),
        (STORE.replace('"shared/"', '"shared"'), "stores.lab.prefix: "),
        (STORE.replace('"shared/"', '"/shared/"'), "stores.lab.prefix: "),
        (STORE.replace('"datasets"', '"data/sets"'), "stores.lab.bucket: "),
        (STORE.replace("stores.lab", "stores.Lab"), "stores.Lab"),
        (STORE.replace('["vision"]', '"vision"'), "stores.lab.groups: "),
        ("".join(STORE.replace("lab", f"s{it}") for it in range(STORES_MAX + 1)), "stores: "),
        (STORE.replace('"datasets"', "datasets"), "Invalid value"),
        ("stores = 3\n", "stores: "),
    ],
)
def test_a_wrong_file_is_refused_by_what_is_wrong_and_without_its_keys(
    text: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        read_store_file(written(tmp_path, text))
    assert said in str(refused.value)
    assert "stores.toml" in str(refused.value)
    told: BaseException | None = refused.value
    while told is not None:
        assert SECRET not in f"{told!r} {told}"
        told = told.__cause__ or told.__context__


def test_a_file_that_everybody_may_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"chmod o-rwx"):
        read_store_file(written(tmp_path, STORE, 0o644))


def test_a_file_that_cannot_be_read_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"none\.toml"):
        read_store_file(tmp_path / "none.toml")
    with pytest.raises(OSError, match=tmp_path.name):
        read_store_file(tmp_path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path, "")
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"no UTF-8"):
        read_store_file(file)
