"""The identity of the machine: the board's first, the installed system's second."""

from pathlib import Path

from nodeagent.host.machine import read_machine_id


def test_board_goes_before_the_installed_system(tmp_path: Path) -> None:
    product, installed = tmp_path / "product_uuid", tmp_path / "machine-id"
    assert read_machine_id(product, installed) == ""
    installed.write_text("3D1219C7\n")
    by_system = read_machine_id(product, installed)
    product.write_text("4c4c4544\n")
    by_board = read_machine_id(product, installed)

    assert (by_system[:3], by_board[:4]) == ("os:", "dmi:")
    installed.write_text("another")
    assert read_machine_id(product, installed) == by_board
    assert "4c4c4544" not in by_board
