"""The image, as far as it can be checked without a container engine: its steps are read and
followed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Imports everything that the process imports, in a world where only the runtime requirements exist.
START = """
import importlib, pkgutil, sys
for name in ("simcord", "pytest", "hypothesis", "av"):
    sys.modules[name] = None
import bot.__main__, bot.app, cogs, rules
for package in (rules, cogs):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
print(bot.__file__)
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction; `stage` counts the FROM lines."""

    stage: int
    word: str
    rest: str


def steps(text: str) -> list[Step]:
    """The instructions of a Dockerfile, continued lines joined, comments dropped."""
    kept = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    found: list[Step] = []
    stage = -1
    for line in re.sub(r"\\\n", " ", kept).splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            stage += word == "FROM"
            found.append(Step(stage, word, " ".join(rest.split())))
    return found


def copies(found: list[Step]) -> list[tuple[int, list[str], str]]:
    """What is copied from the build context: (stage, sources, target)."""
    plain = [
        (s.stage, s.rest.split())
        for s in found
        if s.word == "COPY" and not s.rest.startswith("--from")
    ]
    return [(stage, words[:-1], words[-1]) for stage, words in plain]


def allowed_paths(ignore: str) -> set[str]:
    """What a deny-all .dockerignore lets into the build context."""
    lines = [line for line in ignore.splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*", "everything is left out unless it is named"
    return {line.removeprefix("!") for line in lines if line.startswith("!")}


def follow(root: Path, found: list[Step], target: Path) -> None:
    """Do what the last stage's COPY lines do, below `target` instead of the working directory."""
    last = found[-1].stage
    for stage, sources, to in copies(found):
        for source in sources if stage == last else []:
            if (root / source).is_dir():
                shutil.copytree(
                    root / source,
                    target / to,
                    ignore=shutil.ignore_patterns("__pycache__", "*.db*"),
                )
            else:
                shutil.copy(root / source, target / to)


@pytest.fixture
def dockerfile() -> list[Step]:
    return steps((ROOT / "Dockerfile").read_text(encoding="utf-8"))


def one(found: list[Step], word: str) -> Step:
    """The only step of that kind in the last stage."""
    (step,) = [s for s in found if s.word == word and s.stage == found[-1].stage]
    return step


def test_small_base_of_a_supported_python(dockerfile: list[Step]) -> None:
    bases = [s.rest for s in dockerfile if s.word == "FROM"]
    assert len(bases) > 1, "what builds the environment stays out of the image"
    assert all(re.match(r"python:3\.1[1-3]-slim\b", base) for base in bases)
    assert len({base.split()[0] for base in bases}) == 1, (
        "the environment fits the Python that it was made by"
    )


def test_installs_exactly_the_pinned_runtime(dockerfile: list[Step]) -> None:
    installs = [s for s in dockerfile if re.search(r"\bpip\b", s.rest)]
    assert len(installs) == 1
    words = installs[0].rest.split()
    for needed in (
        "--require-hashes",
        "--only-binary :all:",
        "-r requirements/server.txt",
        "--no-cache-dir",
    ):
        assert needed in installs[0].rest
    assert words[-2:] == ["-r", "requirements/server.txt"], "nothing is installed besides"
    makefile = re.sub(r"\s*\\\n\s*", " ", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert "--require-hashes --only-binary :all:" in makefile, "`make run` installs the same way"
    copied = next(
        i
        for i, s in enumerate(dockerfile)
        if s.word == "COPY" and "requirements/server.txt" in s.rest
    )
    assert copied < dockerfile.index(installs[0])


def test_runs_as_somebody_who_owns_only_the_data(dockerfile: list[Step]) -> None:
    user = one(dockerfile, "USER")
    assert user.rest not in {"root", "0"}
    assert any(s.word == "RUN" and "useradd" in s.rest and user.rest in s.rest for s in dockerfile)
    assert json.loads(one(dockerfile, "VOLUME").rest) == ["/data"]
    assert "STORYGUIDE_DATABASE=/data/" in one(dockerfile, "ENV").rest
    assert dockerfile.index(user) > max(
        i for i, s in enumerate(dockerfile) if s.word in {"RUN", "COPY"}
    )
    made = [s.rest for s in dockerfile if "--owner" in s.rest or "chown" in s.rest]
    assert len(made) == 1 and "/data" in made[0] and "/app" not in made[0]


def test_the_signal_to_stop_reaches_python(dockerfile: list[Step]) -> None:
    assert json.loads(one(dockerfile, "ENTRYPOINT").rest) == ["python", "-m", "bot"]
    assert not [s for s in dockerfile if s.word == "CMD"]
    assert [s.rest for s in dockerfile if s.word == "STOPSIGNAL"] in ([], ["SIGTERM"])


def test_tells_whether_it_is_well(dockerfile: list[Step]) -> None:
    command = one(dockerfile, "HEALTHCHECK").rest.partition("CMD ")[2]
    assert json.loads(command) == ["python", "-m", "bot", "doctor", "--quick"]


def test_holds_no_secret(dockerfile: list[Step]) -> None:
    assert not [s for s in dockerfile if "TOKEN" in s.rest or ".env" in s.rest or s.word == "ARG"]


def test_ignore_file_lets_in_what_is_copied_and_nothing_else(dockerfile: list[Step]) -> None:
    copied = {source for _, sources, _ in copies(dockerfile) for source in sources}
    assert allowed_paths((ROOT / ".dockerignore").read_text(encoding="utf-8")) == copied


def test_what_is_copied_is_enough_to_start(dockerfile: list[Step], tmp_path: Path) -> None:
    follow(ROOT, dockerfile, tmp_path)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", START],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.splitlines()[-1]).resolve().is_relative_to(tmp_path.resolve())


def test_the_steps_are_read_and_followed(tmp_path: Path) -> None:
    text = """# x
FROM a AS b
COPY r.txt r.txt
FROM a
# y
COPY one two here/
RUN a \\
 # z
 && b
COPY rules rules
"""
    found = steps(text)
    assert [(s.stage, s.word) for s in found] == [
        (0, "FROM"), (0, "COPY"), (1, "FROM"), (1, "COPY"), (1, "RUN"), (1, "COPY"),
    ]  # fmt: skip
    assert found[4].rest == "a && b"
    assert copies(found)[1] == (1, ["one", "two"], "here/")

    source, target = tmp_path / "source", tmp_path / "target"
    (source / "rules" / "__pycache__").mkdir(parents=True)
    (source / "rules" / "data.json").write_text("{}", encoding="utf-8")
    (source / "r.txt").touch()
    target.mkdir()
    follow(source, [s for s in found if s.rest != "one two here/"], target)
    assert sorted(p.relative_to(target).as_posix() for p in target.rglob("*")) == [
        "rules",
        "rules/data.json",
    ]
