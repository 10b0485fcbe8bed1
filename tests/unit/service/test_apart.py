"""Many statements that are alike in form and tell of different things: each is a memory of its own."""

from __future__ import annotations

from itertools import islice, product

import pytest

from tests.unit.service.conftest import Desk

NAMES = ("Aldous", "Bettina", "Corvin", "Drusilla", "Ewald", "Fenella")
PLACES = ("Lerwick", "Tromso", "Galway", "Bergamo")
MINGZI = ("方岩", "郝静", "谭波", "吕萌", "彭远", "秦爽")
CHENG = ("洛阳", "泉州", "徐州", "烟台")
SHAPES = {
    "one number": [f"Locker {n} holds the coat of {name}." for n, name in enumerate(NAMES * 5)],
    "two numbers": [f"Crane {n % 4} put crate {n} in row {n * 3}." for n in range(30)],
    "codes": [f"The manual of pump P-{n}7 is in folder F{n}." for n in range(30)],
    "names and places": [f"{name} runs the depot in {place}." for name, place in product(NAMES, PLACES)],
    "两个数": [f"{n % 4}号吊车把{n}号箱放到{n * 3}号位。" for n in range(30)],
    "编号": [f"P-{n}7号泵的说明书放在F{n}文件夹。" for n in range(30)],
    "人名地名": [f"{one}管理{where}的仓库。" for one, where in product(MINGZI, CHENG)],
    "mixed": [f"{one}用的是Pump-{n}0型水泵。" for n, one in enumerate(MINGZI * 4)],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_statements_of_different_things_stand_side_by_side(desk: Desk, shape: str) -> None:
    outcomes = [desk.remember(text)["results"][0]["outcome"] for text in islice(SHAPES[shape], 30)]
    assert outcomes == ["stored"] * len(outcomes)
