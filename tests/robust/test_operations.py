"""The wing's operations at the door: what each is for the ledger, noise that is too little, and two who ask at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import OperationError
from discreet.curator import Curator
from discreet.curator.door.operation import identify
from discreet.mechanisms import Gaussian
from discreet.robust.estimators import coinpress
from robust.questions import QUESTIONS, see_operation
from support.clinic import VISITS, open_clinic

GOLDEN = {
    "mean interval": "931aa968017427a9fda47ab1cd6a7a56264c1458edee30795797cf66cb4d58c5",
    "proportion interval": "89d458e2a379eacadb0c13123f88a06aa307d362674df0faf9c1e7f4eb4a88e0",
    "difference interval": "00a5b0120e883b4da4f1bd20b71e11f215ef5af4e8e5035bf2e1e828e561d3c0",
    "median interval": "d4a55883446536ead5e1c50a64e80bb3e1a572042b4c3882a326ef740ebc17bb",
    "quantile interval by rho": "7390ef41f0f35336c9abcc3bae8cc79c356017227177a615888bac1029fef729",
    "chi-square test": "50ae9be14060ad9292c8b52160ed60f491fd29658219fb622c50c4be1bbdff1d",
    "anova": "35442a4b30450624fb433869c59f94b6a9192992637501d9f0ef4b6229ff1f92",
    "Mann-Whitney test": "85d217ca0ee50fb15847296b9c69a1ca2c0e9665fbe382f1ae41d78b1211b2fa",
    "Wilcoxon test": "e8d60387f486d5476d088663ae5512d7e3fbdf2fd8ffe5d8ab243a77ea7d03f1",
    "survival curve": "824d828ba28fce2b185993058d17f00cce025b9f3b35548c5314e734453f0fa6",
    "clipped sum": "f0a8fb3588f6db0da3cb0fd869d99a1752a87582f96604529f4e052032b175b8",
    "clipped mean": "aa9909b7966bd537e57ff44118941b88de4c87864ba73c6af560f4c2c5a9f866",
    "median": "ca5595953bbed63c7b8d0563ebdb317e4e21d41585437901c13b23dd917f06bf",
    "median with a delta": "ac2f517555bbb688c69bf1401ece05312012b444fc2f5c3a11bf456f7bc7a937",
    "median with a proposal": "98ae94c51e0cf18bacab78aa0bb48e37bf17a04567596bf3e166992180ae0f19",
    "median by rho": "69865e22c55dc61af86116b657589f9913c83e908a21f84c7bc5db71014f68e9",
    "trimmed mean": "e37430ac59776d5a7a2a2aeb0750420f688f2e9ec22d6f1f8a8d4c3bc94736e3",
    "unbounded mean": "c21fec6814aa5e71b52a7bd0d62d29e0c22af4c92b3e5c3693e46ff7d1eefee2",
    "interquartile range": "76d5f30a3a229556f94b2eb1e1f00572d1edad5845872ffb3865882b723c27a7",
    "universal mean": "e5288ef5f236fec413cf418e1927874fe3376dca05308c06cd23924ea635778a",
    "universal variance": "5b8d6f2896700181d616474733e9a57a6482c8e786589891f8d1cdc21db1ed03",
    "universal quartiles": "55ad6851f4b0cca65820e1a8a5b72149d854c376d7eee699ed65eb3f1270fa9c",
    "any function": "ae908a075770dea4cef6e4fa2e0d73da94b8c091166d5d0516d0eea93eb8d774",
    "multivariate mean": "61f7113724c48e29ca5df71b1007ead58496c209652018bbd9954dc8878079ba",
    "ratio": "9e6bcf3865bf68add41631bc3a1704de88c482009084a135a775db21aad9c7e9",
    "regression": "25e96742207061c4cca370b40f507c19c0a691d246a20d3fb4abc088d396175d",
}
"""What each question is for the ledger, at 0.5 on version 1. None ever changes: renaming things must charge nobody
twice."""

ENOUGH: dict[str, Any] = {"epsilon": 200.0, "delta": 1e-8}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_identity_of_an_operation_never_changes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_clinic(tmp_path, VISITS, **ENOUGH) as curator:
        assert identify(see_operation(curator, name, 0.5, monkeypatch), "visits=1") == GOLDEN[name]
        assert kinds(curator) == ["CREATE"]


def test_no_two_questions_are_the_same() -> None:
    assert GOLDEN.keys() == QUESTIONS.keys()
    assert len(set(GOLDEN.values())) == len(GOLDEN)


@pytest.mark.many
@pytest.mark.parametrize("name", [each for each in QUESTIONS if each != "multivariate mean"])
def test_noise_that_is_five_percent_too_little_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The noise of a price 5 % higher, for what is charged at the price: with its own charge it is told."""
    with open_clinic(tmp_path, VISITS, **ENOUGH) as curator:
        usual, narrow = (see_operation(curator, name, spent, monkeypatch) for spent in (1.0, 1.05))
        _check_refused(curator, replace(narrow, charge=usual.charge))  # type: ignore[type-var]
    with open_clinic(tmp_path / "own", VISITS, **ENOUGH) as curator:
        curator.session().perform(see_operation(curator, name, 1.05, monkeypatch))
        assert kinds(curator)[-1] == "RECORD"


def test_noise_of_coinpress_that_is_five_percent_too_little_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its noises follow from rho in the run."""
    usual = coinpress.make_noise
    with open_clinic(tmp_path, VISITS, **ENOUGH) as curator:
        operation = see_operation(curator, "multivariate mean", 1.0, monkeypatch)
        monkeypatch.setattr(coinpress, "make_noise", lambda *how: Gaussian(usual(*how).sigma / 1.05))
        _check_refused(curator, operation)


def _check_refused(curator: Curator, operation: Any) -> None:
    """Perform an operation, which the meter must refuse before all that it would tell is drawn: there is no record."""
    with pytest.raises(OperationError, match=r"cost.* and it declared"):
        curator.session().perform(operation)
    assert "RECORD" not in kinds(curator)


ASKING = """
import json, sys, time
from pathlib import Path
from robust.questions import QUESTIONS
from support.clinic import open_clinic, VISITS

folder, name, own, other = Path(sys.argv[1]), *sys.argv[2:5]
with open_clinic(folder, VISITS, epsilon=200.0, delta=1e-8) as curator:
    (folder / own).touch()
    while not (folder / other).exists():
        time.sleep(0.001)
    found = QUESTIONS[name](curator, 1.0)
    print(json.dumps([found.receipt.paid, str(found.receipt), str(found).split("cost:")[0]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trimmed mean", "median interval", "clipped sum", "ratio", "mean interval"])
def test_two_processes_that_ask_the_same_at_once_pay_once(name: str, tmp_path: Path) -> None:
    with open_clinic(tmp_path, VISITS, **ENOUGH):
        pass
    places = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", ASKING, str(tmp_path), name, *turn],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for turn in (("first", "second"), ("second", "first"))
    ]
    told = [json.loads(each.communicate(timeout=600)[0]) for each in running]
    assert [each.returncode for each in running] == [0, 0]
    assert sorted(paid for paid, _, _ in told) == ["charged", "free"]
    assert told[0][1:] == told[1][1:], "one record, and one answer"
    with open_clinic(tmp_path, VISITS, **ENOUGH) as curator:
        assert kinds(curator).count("CHARGE") == kinds(curator).count("RECORD") == 1
        assert curator.ledger.verify().ok
