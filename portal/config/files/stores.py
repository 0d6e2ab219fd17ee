"""The file of object stores, which only the operator of the server can write, and only the portal reads.

```toml
[stores.lab]
endpoint = "https://s3.example.org"
bucket = "datasets"
prefix = "shared/"
access_key = "…"
secret_key = "…"
groups = ["vision"]
```
"""

import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, ValidationError

from portal.common.site_config import STORE_NAME, ObjectStore

STORES_MAX: Final = 32
"""Object stores of one installation."""
STORE_GROUPS_MAX: Final = 200
"""Groups that one object store names."""
_ENDPOINT: Final = r"^https?://([A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(:[0-9]{1,5})?$"
"""Host and port alone: keys stand in their own fields, and no path goes before that of the bucket."""
StoreName = Annotated[str, StringConstraints(pattern=STORE_NAME)]
Word = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,255}$")]


class _Store(BaseModel):
    """One bucket, or a part of it."""

    model_config = ConfigDict(extra="forbid")

    endpoint: Annotated[str, StringConstraints(pattern=_ENDPOINT)]
    bucket: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$")]
    prefix: Annotated[str, StringConstraints(pattern=r"^([^/].*/)?$", max_length=1000)] = ""
    region: Word = "us-east-1"
    access_key: Word
    secret_key: Annotated[SecretStr, Field(min_length=1, max_length=1000)]
    groups: Annotated[tuple[Word, ...], Field(max_length=STORE_GROUPS_MAX)] = ()


class _StoreFile(BaseModel):
    """All stores."""

    model_config = ConfigDict(extra="forbid")

    stores: Annotated[dict[StoreName, _Store], Field(max_length=STORES_MAX)] = {}


def read_store_file(path: Path | None) -> Mapping[str, ObjectStore]:
    """Return the stores in a file by name.

    Raises:
        ValueError: others may read it, or something in it is wrong; says what, and never a value.
        OSError: it cannot be read.
    """
    if path is None:
        return {}
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_mode & stat.S_IRWXO:
            raise ValueError(f"{path}: has keys in it, and everybody may read it; chmod o-rwx")
        found = _parse(path, file.read())
    return {
        name: ObjectStore(
            name=name,
            endpoint=given.endpoint,
            bucket=given.bucket,
            prefix=given.prefix,
            region=given.region,
            access_key=given.access_key,
            secret_key=given.secret_key.get_secret_value(),
            groups=frozenset(given.groups),
        )
        for name, given in found.stores.items()
    }


def _parse(path: Path, content: bytes) -> _StoreFile:
    try:
        return _StoreFile.model_validate(tomllib.loads(content.decode()))
    except ValidationError as error:
        # Its own words show what was given, keys among it.
        wrong = [f"{'.'.join(map(str, it['loc']))}: {it['msg']}" for it in error.errors()]
    except UnicodeDecodeError:
        wrong = ["it is no UTF-8"]
    except tomllib.TOMLDecodeError as error:
        wrong = [str(error)]
    raise ValueError(f"{path}: {'; '.join(wrong)}")
