"""Groups of a directory, as a token names them, leaves them out, or claims them without its provider."""

from typing import Any

import pytest

from functions.auth.groups import told_groups

ONE, TWO = "7f0c1d5e-30c1-4a52-9f57-0d7a6d1f7f11", "0760b6cf-170e-4a14-91b3-4b78e0739963"
THROUGH_ENTRA = {"identities": [{"providerName": "Entra", "userId": "abc", "providerType": "OIDC"}]}


@pytest.mark.parametrize(
    ("written", "names"),
    [
        (f'["{ONE}","{TWO}"]', (ONE, TWO)),
        (f"[{ONE}, {TWO}]", (ONE, TWO)),
        (f"{ONE},{TWO}", (ONE, TWO)),
        ([ONE, TWO], (ONE, TWO)),
        (f'["{ONE}","{ONE}"]', (ONE,)),
        (ONE, (ONE,)),
        ("[]", ()),
        ("", ()),
        (None, ()),
        ({"not": "a list"}, ()),
    ],
)
def test_groups_are_read_however_they_are_written(written: Any, names: tuple[str, ...]) -> None:
    assert told_groups({**THROUGH_ENTRA, "custom:groups": written}) == (names, False)


@pytest.mark.parametrize(
    "identities",
    [None, [], "Entra", [{"providerName": "Google"}], [{"userId": "Entra"}], ["Entra"], {"providerName": "Entra"}],
)
def test_who_did_not_come_through_the_directory_is_in_none_of_its_groups(identities: Any) -> None:
    claims = {"identities": identities, "custom:groups": f'["{ONE}"]', "cognito:groups": ["writers"]}
    assert told_groups(claims) == (("writers",), False)


@pytest.mark.parametrize(
    "overage",
    [
        {"custom:groups_elsewhere": '{"groups":"src1"}'},
        {"_claim_names": {"groups": "src1"}},
        {"hasgroups": True},
        {"hasgroups": "true"},
    ],
)
def test_groups_that_are_left_out_are_untold_and_older_ones_count_no_more(overage: dict[str, Any]) -> None:
    claims = {**THROUGH_ENTRA, "custom:groups": f'["{ONE}"]', "cognito:groups": ["writers"], **overage}
    assert told_groups(claims) == (("writers",), True)


@pytest.mark.parametrize("overage", [{"custom:groups_elsewhere": ""}, {"hasgroups": False}, {"hasgroups": "false"}])
def test_what_says_that_nothing_is_left_out_leaves_them(overage: dict[str, Any]) -> None:
    assert told_groups({**THROUGH_ENTRA, "custom:groups": ONE, **overage}) == ((ONE,), False)


def test_a_name_with_a_space_is_not_two_groups() -> None:
    claims = {**THROUGH_ENTRA, "custom:groups": f'["Head Office","{ONE}"]', "cognito:groups": ["a b"]}
    assert told_groups(claims).names == (ONE,)
