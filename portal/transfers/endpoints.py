"""The endpoints of uploads and downloads: what each takes and answers, and what serves it."""

from collections.abc import Iterable
from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from portal.common.rest.live_endpoints import LiveEndpoint, LiveOperation
from portal.transfers import tus
from portal.transfers.downloads import (
    ArchiveNames,
    ArchiveQuery,
    DownloadQuery,
    OutputsArchiveQuery,
    serve_archive,
    serve_chosen,
    serve_content,
    serve_output,
    serve_outputs_archive,
)
from portal.transfers.transfer import Serve
from portal.transfers.unpacking import UnpackedShape, UnpackQuery, serve_unpacking

_VOLUME: Final = "api/v1/volumes/<uuid:volume_id>"
_JOB: Final = "api/v1/jobs/<uuid:workload_id>"
_BYTES: Final = "application/octet-stream"
_TAR: Final = "application/x-tar"
_WHOLE: Final = {"type": "integer", "minimum": 0, "maximum": tus.LENGTH_MAX}


def _sent(name: str, what: str, shape: Any = OpenApiTypes.STR, **options: Any) -> OpenApiParameter:
    """Describe a header of the request."""
    return OpenApiParameter(name, shape, OpenApiParameter.HEADER, description=what, **options)


def _got(
    name: str, what: str, statuses: Iterable[int], shape: Any = OpenApiTypes.STR
) -> OpenApiParameter:
    """Describe a header of the answers with these statuses."""
    return OpenApiParameter(
        name, shape, OpenApiParameter.HEADER, description=what, response=list(statuses)
    )


_OF_FILE: Final = (
    _sent("Range", "The part that is wanted: `bytes=0-99`, `bytes=100-` or `bytes=-100`."),
    _sent(
        "If-Range", "The `ETag` of what is there already: the part is sent only if it is of that."
    ),
    _sent("If-Match", "The `ETag` of what was read: another file is refused with 412."),
    _sent("If-None-Match", "The `ETag` of what is there already: that file is answered 304."),
    _got("ETag", "Changes with the content.", (200, 206, 304)),
    _got("Last-Modified", "When the content changed.", (200, 206)),
    _got("Accept-Ranges", "Always `bytes`.", (200, 206)),
    _got("Content-Range", "Which part this is, of how many bytes.", (206,)),
    _got("Content-Disposition", "Always an attachment, under the name of the file.", (200, 206)),
)
_FILE: Final = {
    (200, _BYTES): OpenApiTypes.BINARY,
    (206, _BYTES): OpenApiTypes.BINARY,
    304: None,
}
_ARCHIVE: Final = {
    (200, "application/zip"): OpenApiTypes.BINARY,
    (200, _TAR): OpenApiTypes.BINARY,
}
_NAMED: Final = _got(
    "Content-Disposition", "Always an attachment, under the name of the folder.", (200,)
)

_VERSION: Final = _sent(
    "Tus-Resumable", "The version of the protocol.", enum=[tus.TUS_VERSION], required=True
)
_CHECKSUM: Final = _sent(
    "Upload-Checksum", "`sha1` or `sha256`, a space, and the digest of the body in Base64."
)
_OFFSET: Final = _got("Upload-Offset", "How many bytes have come.", (200, 201, 204), _WHOLE)
_EXPIRES: Final = _got(
    "Upload-Expires", "Until when an unfinished upload is kept.", (200, 201, 204)
)
_PATH: Final = _got(
    "Upload-Path", "The path that a whole file has got, in percent-encoding.", (201, 204)
)
_APPENDED: Final = (_VERSION, _CHECKSUM, _OFFSET, _EXPIRES, _PATH)
_BODY: Final = {tus.MEDIA_TYPE: OpenApiTypes.BINARY}
_STORED: Final = (409, 412, 413, 415, 422, 460, 507)
"""Refusals of bytes: 460 is a wrong checksum, 507 no space."""

UPLOAD_ENDPOINTS: Final[tuple[LiveEndpoint[Serve], ...]] = (
    LiveEndpoint(
        f"{_VOLUME}/uploads",
        {
            "POST": LiveOperation(
                id="volume_upload_list_post",
                description="Begin a resumable upload (tus 1.0.0, https://tus.io), with its first "
                "bytes if the request has a body.\n\n`Upload-Metadata` names the file: `path`, else "
                "`filename`, and `replace` (`true`) to replace one that is there, each with its value "
                "in Base64 and commas between them.",
                serve=tus.begin,
                parameters=(
                    _sent("Upload-Length", "Bytes of the whole file.", _WHOLE, required=True),
                    _sent("Upload-Metadata", "The name of the file.", required=True),
                    *_APPENDED,
                    _got("Location", "Where the upload is continued.", (201,)),
                ),
                request=_BODY,
                responses={201: None},
                refusals=_STORED,
            ),
            "OPTIONS": LiveOperation(
                id="volume_upload_list_options",
                description="Say which version and extensions of tus are spoken here.",
                serve=tus.describe_server,
                parameters=(
                    _got("Tus-Version", "The version that is spoken.", (204,)),
                    _got("Tus-Extension", "Extensions, with commas between them.", (204,)),
                    _got("Tus-Max-Size", "Bytes of one file.", (204,), _WHOLE),
                    _got("Tus-Checksum-Algorithm", "Digests, with commas between them.", (204,)),
                ),
                responses={204: None},
                is_public=True,
            ),
        },
    ),
    LiveEndpoint(
        f"{_VOLUME}/uploads/<uuid:upload_id>",
        {
            "HEAD": LiveOperation(
                id="volume_upload_head",
                description="Return how far an upload is.",
                serve=tus.tell_progress,
                parameters=(
                    _VERSION,
                    _OFFSET,
                    _EXPIRES,
                    _got("Upload-Length", "Bytes of the whole file.", (200,), _WHOLE),
                ),
                responses={200: None},
                refusals=(409, 412, 422, 507),
            ),
            "PATCH": LiveOperation(
                id="volume_upload_patch",
                description="Append the body to an upload; the last byte puts the file under its name.",
                serve=tus.append,
                parameters=(
                    _sent("Upload-Offset", "How many bytes came before.", _WHOLE, required=True),
                    *_APPENDED,
                ),
                request=_BODY,
                responses={204: None},
                refusals=_STORED,
            ),
            "DELETE": LiveOperation(
                id="volume_upload_delete",
                description="Remove an upload with what has come of it; a file that is whole stays.",
                serve=tus.end,
                parameters=(_VERSION,),
                responses={204: None},
                refusals=(409, 412, 415, 422),
            ),
            "POST": LiveOperation(
                id="volume_upload_post",
                description="Do what another method does, for clients that can send no method but `POST`.",
                serve=tus.serve_overridden,
                parameters=(
                    _sent(
                        "X-HTTP-Method-Override",
                        "The method that is meant; its headers and body are those of this request.",
                        enum=["HEAD", "PATCH", "DELETE"],
                        required=True,
                    ),
                    *_APPENDED,
                ),
                request=_BODY,
                responses={200: None, 204: None},
                refusals=(405, *_STORED),
            ),
        },
    ),
)
TRANSFER_ENDPOINTS: Final[tuple[LiveEndpoint[Serve], ...]] = (
    LiveEndpoint(
        f"{_VOLUME}/content",
        {
            "GET": LiveOperation(
                id="volume_content_get",
                description="Download a file of a volume, or a part of it.",
                serve=serve_content,
                parameters=(DownloadQuery, *_OF_FILE),
                responses=_FILE,
                refusals=(409, 412, 416, 422),
            )
        },
    ),
    LiveEndpoint(
        f"{_VOLUME}/archive",
        {
            "GET": LiveOperation(
                id="volume_archive_get",
                description="Download a folder of a volume with all below it as one file.",
                serve=serve_archive,
                parameters=(ArchiveQuery, _NAMED),
                responses=_ARCHIVE,
                refusals=(409, 422),
            ),
            "POST": LiveOperation(
                id="volume_archive_post",
                description="Download the entries of a folder that a form names as one file.",
                serve=serve_chosen,
                parameters=(ArchiveQuery, _NAMED),
                request={"application/x-www-form-urlencoded": ArchiveNames},
                responses=_ARCHIVE,
                refusals=(409, 413, 415, 422),
            ),
            "PUT": LiveOperation(
                id="volume_archive_put",
                description="Unpack a tar archive into a folder while it comes.\n\nFiles that are there "
                "with the same content count as unchanged, so the same archive may be sent again; those "
                "that were refused are named in `errors`, and the others are written.",
                serve=serve_unpacking,
                parameters=(UnpackQuery,),
                request={_TAR: OpenApiTypes.BINARY},
                responses={200: UnpackedShape},
                refusals=(409, 415, 422, 507),
            ),
        },
    ),
    *UPLOAD_ENDPOINTS,
    LiveEndpoint(
        f"{_JOB}/outputs/<path:path>",
        {
            "GET": LiveOperation(
                id="job_output_get",
                description="Download an output of a job, or a part of it.\n\nSlashes of the path may stay as "
                "they are or be encoded.",
                serve=serve_output,
                parameters=_OF_FILE,
                responses=_FILE,
                refusals=(409, 412, 416, 422),
            )
        },
    ),
    LiveEndpoint(
        f"{_JOB}/outputs-archive",
        {
            "GET": LiveOperation(
                id="job_outputs_archive_get",
                description="Download the outputs of a job, or a folder of them, as one file.",
                serve=serve_outputs_archive,
                parameters=(OutputsArchiveQuery, _NAMED),
                responses=_ARCHIVE,
                refusals=(409, 422),
            )
        },
    ),
)
