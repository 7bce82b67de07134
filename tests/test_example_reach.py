"""Which functions a recording says have run (tests/example_reach.py)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tests.example_reach import executed_functions, new_recorder


def test_a_function_that_was_called_has_run_and_its_neighbor_has_not(tmp_path: Path) -> None:
    source, recordings = tmp_path / "source", tmp_path / "recordings"
    source.mkdir()
    recordings.mkdir()
    file = source / "sample.py"
    file.write_text("def called():\n    return 1\n\n\ndef idle():\n    return 2\n")
    spec = importlib.util.spec_from_file_location("sample", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    recorder = new_recorder(recordings, source)
    recorder.start()
    module.called()
    recorder.stop()
    recorder.save()

    assert executed_functions(recordings, source) == {"sample.py called"}
