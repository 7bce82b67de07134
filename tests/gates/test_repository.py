"""What a stranger sees: the tracked files, the pinned requirements, the README's commands."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot import __version__
from bot.__main__ import main
from bot.samples import sample_keys
from bot.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
THIS = Path(__file__).resolve().relative_to(ROOT).as_posix()

UNWANTED = {
    "a package registry's address": re.compile(
        r"pypi\.(org|python)|pythonhosted|npmjs|--(extra-)?index-url|--find-links|--trusted-host"
    ),
    "a path of one machine": re.compile(
        r"(?<![\w.$~/-])/(work|root|home/\w+|Users/\w+|tmp/\w+)(?=/|\b)"
    ),
    "unfinished work": re.compile(
        r"\b(TODO|FIXME)\b|NotImplementedError|pytest\.skip|mark\.skip|mark\.xfail"
    ),
}
README_FENCE = re.compile(r"^```(?:sh|bash|shell|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What the README may tell a reader to type besides `make <target>` and `python -m <module>`.
COMMANDS = (
    ("git", "clone"),
    ("cd",),
    ("cp", ".env.example", ".env"),
    ("docker", "build"),
    ("docker", "run"),
    ("docker", "stop"),
    ("docker", "logs"),
    ("docker", "exec"),
    ("docker", "start"),
    ("docker", "rm"),
    (".ci/run",),
)


def project_files(root: Path) -> list[str]:
    """What is tracked, or would be: ignored files are left out."""
    command = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"]
    command += ["--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return sorted({name for name in listed.split("\0") if name and (root / name).is_file()})


def unwanted_lines(root: Path, names: list[str]) -> list[str]:
    """`file:line: what` for everything that a tracked text file must not hold."""
    found: list[str] = []
    for name in names:
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # pictures and the like
        for what, pattern in UNWANTED.items():
            for match in pattern.finditer(text):
                found.append(
                    f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {what}: {match[0]}"
                )
    return found


def pins(path: Path) -> dict[str, tuple[str, frozenset[str]]]:
    """The entries of a requirement file: name -> (pin with its marker, hashes)."""
    text = re.sub(r"\\\n", " ", path.read_text(encoding="utf-8"))
    entries: dict[str, tuple[str, frozenset[str]]] = {}
    for line in (line.strip() for line in text.splitlines()):
        if line and not line.startswith("#"):
            pin, *hashes = line.split(" --hash=")
            entries[pin.partition("==")[0]] = (pin.strip(), frozenset(h.strip() for h in hashes))
    return entries


def requirement_faults(folder: Path) -> list[str]:
    """What is wrong with the pinned files: run ⊆ play ⊆ dev and run ⊆ server ⊆ dev, with equal
    pins, and each with hashes.
    """
    faults: list[str] = []
    below: dict[str, tuple[str, frozenset[str]]] = {}
    for name in ("run", "play", "dev"):
        entries = pins(folder / f"{name}.txt")
        for package, (pin, hashes) in entries.items():
            if not re.fullmatch(r"[a-z0-9-]+(\[[a-z,]+\])?==\S+( ; .+)?", pin):
                faults.append(f"{name}.txt: not a pin: {pin}")
            if not hashes or not all(re.fullmatch(r"sha256:[0-9a-f]{64}", h) for h in hashes):
                faults.append(f"{name}.txt: {package} without hashes")
        for package, entry in below.items():
            if entries.get(package) != entry:
                faults.append(f"{name}.txt: {package} differs or is missing")
        below = entries
    server = pins(folder / "server.txt")
    for package, entry in pins(folder / "run.txt").items():
        if server.get(package) != entry:
            faults.append(f"server.txt: {package} differs or is missing")
    for package, (pin, hashes) in server.items():
        if not hashes or not all(re.fullmatch(r"sha256:[0-9a-f]{64}", h) for h in hashes):
            faults.append(f"server.txt: {package} without hashes: {pin}")
        if below.get(package) != (pin, hashes):
            faults.append(f"dev.txt: {package} differs or is missing")
    return faults


def readme_commands(text: str) -> Iterator[str]:
    """Each command in the fenced shell blocks."""
    for block in README_FENCE.findall(text):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            command = line.strip().removeprefix("$ ")
            if command and not command.startswith("#"):
                yield command


def make_targets(root: Path) -> set[str]:
    return set(
        re.findall(r"^([a-z]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )


def unknown_commands(root: Path, text: str) -> list[str]:
    """The commands of a README that are neither a target, nor a module, nor in the list above."""
    unknown: list[str] = []
    for command in readme_commands(text):
        words = [
            w for w in shlex.split(command, comments=True) if not re.fullmatch(r"[A-Z_]+=.*", w)
        ]
        if words[:1] == ["make"]:
            known = set(words[1:]) <= make_targets(root)
        elif len(words) > 2 and re.fullmatch(r"(.*/)?python3?", words[0]) and words[1] == "-m":
            module = root.joinpath(*words[2].split("."))
            known = module.with_suffix(".py").is_file() or (module / "__main__.py").is_file()
        else:
            known = any(tuple(words[: len(start)]) == start for start in COMMANDS)
        if not known:
            unknown.append(command)
    return unknown


def test_tracked_files_hold_nothing_unwanted() -> None:
    names = [name for name in project_files(ROOT) if name != THIS]
    assert "pyproject.toml" in names
    assert unwanted_lines(ROOT, names) == []


def test_no_database_and_no_secret_is_tracked() -> None:
    bad = re.compile(
        r"\.(db|db-wal|db-shm|sqlite3?)$|(^|/)\.env$|(^|/)(\.venv|__pycache__|\.play)/"
    )
    assert [name for name in project_files(ROOT) if bad.search(name)] == []


def test_requirement_files_are_pinned_hashed_and_nested() -> None:
    assert requirement_faults(ROOT / "requirements") == []


def test_run_requirements_are_the_project_s() -> None:
    lines = (ROOT / "requirements/run.in").read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if not line.startswith("#")]
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert wanted == project["dependencies"]
    text = (ROOT / "requirements/server.in").read_text(encoding="utf-8")
    driver = [line for line in text.splitlines() if not line.startswith(("#", "-"))]
    assert driver == project["optional-dependencies"]["server"]


def test_pins_fit_their_sources() -> None:
    """A line of a source file whose package the lock does not hold means: `make lock` was
    forgotten.
    """
    for name in ("run", "play", "server", "dev"):
        source = (ROOT / f"requirements/{name}.in").read_text(encoding="utf-8")
        wanted = {
            re.split(r"[\[<>=!~; ]", line)[0].lower().replace(".", "-").replace("_", "-")
            for line in source.splitlines()
            if line and not line.startswith(("#", "-"))
        }
        assert wanted <= pins(ROOT / f"requirements/{name}.txt").keys()


def test_readme_commands_work_here() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in list(readme_commands(text))
    assert unknown_commands(ROOT, text) == []


def test_contributing_commands_work_here() -> None:
    assert unknown_commands(ROOT, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) == []


def test_the_hooks_run_tools_that_exist() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = [shlex.split(line) for line in re.findall(r"^ +entry: (.+)$", text, re.MULTILINE)]
    assert len(entries) == 3
    for program, *arguments in entries:
        folder, _, name = program.rpartition("/")
        assert folder == ".venv/bin"
        tool = Path(sys.executable).with_name(name)
        assert tool.exists()
        if name == "python":
            run = subprocess.run([tool, *arguments, "bot/clock.py"], cwd=ROOT, check=False)
            assert run.returncode == 0


def documented_commands() -> list[list[str]]:
    """What the README, CONTRIBUTING and two docs tell a reader to type, as words."""
    names = ("README.md", "CONTRIBUTING.md", "docs/discord.md", "docs/tour.md")
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in names]
    found = [
        shlex.split(command, comments=True) for text in texts for command in readme_commands(text)
    ]
    found += [
        shlex.split(command) for text in texts for command in re.findall(r"`(make [^`]+)`", text)
    ]
    return [words for words in found if words]


def test_make_can_plan_every_target_that_is_documented() -> None:
    """A dry run: every file that a target needs is there or can be made."""
    planned = [words for words in documented_commands() if words[0] == "make"]
    assert ["make", "test"] in planned and ["make", "play", "TABLE=barmore"] in planned
    tables = {word.partition("=")[2] for words in planned for word in words if "TABLE=" in word}
    assert tables <= {*sample_keys()}
    for words in planned:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        run = subprocess.run(
            [*words, "--dry-run"], cwd=ROOT, env=clean, capture_output=True, text=True
        )
        assert run.returncode == 0, (words, run.stderr)


def test_the_bot_knows_every_command_that_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` is answered before anything is done; a command or an option that is not there ends
    with 2.
    """
    documented = [words[3:] for words in documented_commands() if words[1:3] == ["-m", "bot"]]
    data = "".join(
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        for name in ("data", "keeping", "servers")
    )
    documented += [shlex.split(found) for found in re.findall(r"`python -m bot ([^`]+)`", data)]
    assert {words[0] for words in documented} == {
        "doctor",
        "backup",
        "restore",
        "drill",
        "stats",
        "move",
        "restored",
    }
    for words in documented:
        with pytest.raises(SystemExit) as ended:
            main([*words, "--help"])
        assert ended.value.code == 0, words
        assert set(re.findall(r"--[a-z]+", " ".join(words))) <= set(
            re.findall(r"--[a-z]+", capsys.readouterr().out)
        ), words
    with pytest.raises(SystemExit) as unknown:
        main(["fly", "--help"])
    assert unknown.value.code == 2


def test_every_target_is_phony_and_listed() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(phony.split()) == make_targets(ROOT)
    assert make_targets(ROOT) == set(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE))


def test_make_test_ends_with_pytest() -> None:
    """The last line printed is pytest's summary; nothing hides the status of a step."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^test:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    lines = recipe.splitlines()
    assert lines[-1] == "\t@$(PY) -m pytest $(SHARED) 2>&1"
    plain = [re.sub(r"'[^']*'", "code", line) for line in lines]
    assert [line for line in plain if not re.match(r"\t@\$\(PY\) -[mc] [^|;]*2>&1$", line)] == []


def test_ci_runs_make_test() -> None:
    script = ROOT / ".ci/run"
    assert script.stat().st_mode & 0o111
    assert re.search(r"^make test ", script.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_setting_is_in_the_example() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    names = re.findall(r"^(?:# )?([A-Z_]+)=", text, re.MULTILINE)
    assert {name.lower() for name in names} == set(Settings.model_fields)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("see https://pypi.org/simple\n", "registry"),
        ("# comment\n--index-url x\n", "registry"),
        ("path = '/work/main/x'\n", "machine"),
        ("cd /root\n", "machine"),
        ("# TODO: later\n", "unfinished"),
        ("@pytest.mark.skip\n", "unfinished"),
        ("raise NotImplementedError\n", "unfinished"),
    ],
)
def test_the_gate_finds(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "file.py").write_text(text, encoding="utf-8")
    (found,) = unwanted_lines(tmp_path, ["file.py"])
    assert what in found


@pytest.mark.parametrize(
    "text", ["https://example.org/work/", "../shared/rules", "/workshop", "`/roll`", "a/root"]
)
def test_the_gate_lets_pass(tmp_path: Path, text: str) -> None:
    (tmp_path / "file.md").write_text(text, encoding="utf-8")
    assert unwanted_lines(tmp_path, ["file.md"]) == []


def test_the_gate_sees_untracked_but_not_ignored_files(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    for name in ("seen.py", "ignored.db", ".gitignore"):
        (tmp_path / name).write_text("*.db\n", encoding="utf-8")
    assert project_files(tmp_path) == [".gitignore", "seen.py"]


def test_the_gate_finds_bad_requirements(tmp_path: Path) -> None:
    hashed = f"a==1 \\\n    --hash=sha256:{'0' * 64}\n    # via x\n"
    (tmp_path / "run.txt").write_text(hashed, encoding="utf-8")
    (tmp_path / "play.txt").write_text(hashed + "b==1\n", encoding="utf-8")
    for name in ("server", "dev"):
        text = hashed.replace("a==1", "a==2")
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    assert requirement_faults(tmp_path) == [
        "play.txt: b without hashes",
        "dev.txt: a differs or is missing",
        "dev.txt: b differs or is missing",
        "server.txt: a differs or is missing",
    ]


def test_the_gate_reads_readmes(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("play: x ## y\n\techo\n", encoding="utf-8")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__main__.py").touch()
    commands = (
        "make play TABLE=x  # a comment\nmake fly\n$ python -m bot doctor\npython "
        "-m gone\nrm -rf x\n"
    )
    text = f"```sh\n{commands}```\n```python\nnot a command\n```\n"
    assert unknown_commands(tmp_path, text) == ["make fly", "python -m gone", "rm -rf x"]


def test_the_version_is_the_same_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", changelog, re.MULTILINE)
    assert releases[0] == __version__, "the newest release of CHANGELOG.md"
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"Storyguide {__version__}\n"
