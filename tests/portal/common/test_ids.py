"""Identifiers: version 7, unique, and in the order of their making."""

from concurrent.futures import ThreadPoolExecutor

from portal.common.ids import new_id


def test_ids_of_one_millisecond_keep_their_order() -> None:
    made = [new_id() for _ in range(5000)]
    assert made == sorted(made)
    assert {(item.version, item.variant) for item in made} == {(7, "specified in RFC 4122")}


def test_threads_never_share_an_id() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: new_id(), range(5000)))
    assert len(set(made)) == 5000
