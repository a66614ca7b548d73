"""A deployment file, read and checked before anything is synthesized."""

import os
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.contract import PlanName
from stacks.tiers import TIERS, Tier, TierName

DEPLOYMENTS: Final = Path(__file__).resolve().parent.parent / "deployments"
MODELS: Final = DEPLOYMENTS.parent / "shared" / "adapters" / "aws" / "models.toml"
# Every stack's name begins so, and with it whatever CloudFormation names.
PREFIX: Final = "autri-"
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{1,30}")

Host = Annotated[str, Field(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$")]
Origin = Annotated[str, Field(pattern=r"^https://[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?$")]
Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")]
_POLICY: Final = r"^arn:aws[\w-]*:iam::(\d{12}|aws):policy/[\w+=,.@/-]+$"
SecretName = Annotated[str, Field(pattern=r"^[A-Za-z0-9/_+=.@-]+$")]


class DeploymentError(Exception):
    """The deployment file cannot be used; the text says why and what to change."""


class Strict(BaseModel):
    """Refuses unknown keys, so that a misspelt setting is not silently ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Owner(Strict):
    """The first person of the deployment: invited by e-mail as owner of this organization."""

    slug: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,40}$")]
    organization: Annotated[str, Field(min_length=1, max_length=100)]
    email: Email


class Google(Strict):
    """Sign-in with Google; the client secret lies in Secrets Manager under `client_secret_name`."""

    client_id: str
    client_secret_name: SecretName


class Entra(Strict):
    """Sign-in through one Entra tenant (never `common`); the client secret lies in Secrets Manager. With `groups` the
    object ids of its groups are read, which roles can be given to (docs/deploy.md)."""

    tenant_id: Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    client_id: str
    client_secret_name: SecretName
    groups: bool = False

    @property
    def issuer(self) -> str:
        return f"https://login.microsoftonline.com/{self.tenant_id}/v2.0"


class Extraction(Strict):
    """The model of the bedrock engine: a plain id, or an inference profile (`eu.…`, `us.…`, `global.…`). The
    prefix decides where pages are processed."""

    model_id: Annotated[str, Field(pattern=r"^([a-z]{2,6}\.)?[a-z0-9-]+\.[a-z0-9][a-z0-9.:-]+$")]

    @property
    def place(self) -> str | None:
        """The prefix of an inference profile; None for a model of the deployment's own region."""
        first = self.model_id.partition(".")[0]
        return first if self.model_id.removeprefix(f"{first}.") in known_models() else None

    @property
    def model(self) -> str:
        return self.model_id.removeprefix(f"{self.place}.") if self.place else self.model_id


_PLACE: Final = re.compile(r"(?:(?P<place>us|eu|apac|jp|au|ca|global)\.)?(?P<model>[a-z0-9-]+\.[a-z0-9][a-z0-9.:-]+)")


class InvokedModel(Strict):
    """A model that is called by InvokeModel: a plain id, or an inference profile of it (`eu.…`, `global.…`)."""

    model_id: Annotated[str, Field(pattern=_PLACE.pattern + "$")]

    @property
    def place(self) -> str | None:
        matched = _PLACE.fullmatch(self.model_id)
        return matched["place"] if matched else None

    @property
    def model(self) -> str:
        return self.model_id.removeprefix(f"{self.place}.") if self.place else self.model_id


class Embedding(InvokedModel):
    """What new knowledge bases are embedded by. Existing ones keep theirs until they are moved, so `former` names
    models that may still be called."""

    model_id: Annotated[str, Field(pattern=_PLACE.pattern + "$")] = "amazon.titan-embed-text-v2:0"
    dimensions: Literal[256, 512, 1024, 1536] = 1024
    former: tuple[str, ...] = ()


class Answering(InvokedModel):
    """The model that writes answers from what is found; without this table they are quotations. `further` names others,
    which answer in a conversation where somebody asks for another answer."""

    further: tuple[Annotated[str, Field(pattern=_PLACE.pattern + "$")], ...] = ()

    @property
    def all(self) -> tuple[InvokedModel, ...]:
        """Each once, the usual one first."""
        return tuple(InvokedModel(model_id=name) for name in dict.fromkeys((self.model_id, *self.further)))


class Rerank(InvokedModel):
    """The model that orders the candidates once more; without this table none does."""


class Operations(Strict):
    """Who is told of alarms, and from how many US dollars a day on models cost is one. Without an address somebody
    subscribes to the topic that the stack's output names.

    `organization_usd_per_day` is what one organization may spend on models in a day (UTC): then its runs that would
    call one are refused until the next. Without it the alarm alone tells.
    """

    email: Email | None = None
    model_usd_per_day: Annotated[float, Field(gt=0)] = 20
    organization_usd_per_day: Annotated[float, Field(ge=0)] | None = None


class DeploymentFile(Strict):
    """What a file in `deployments/` may say."""

    tier: TierName
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")]
    account: Annotated[str, Field(pattern=r"^\d{12}$")] | None = None
    host: Host
    # CloudFront takes certificates and firewalls of us-east-1 alone.
    certificate_arn: Annotated[str, Field(pattern=r"^arn:aws[\w-]*:acm:")] | None = None
    web_acl_arn: Annotated[str, Field(pattern=r"^arn:aws[\w-]*:wafv2:us-east-1:\d{12}:global/webacl/")] | None = None
    # Whether a firewall is made before CloudFront; where it is not said, as the tier has it. `web_acl_arn` names one of
    # the operator's own in its place.
    waf: bool | None = None
    # A policy of the account that bounds what every role of the deployment may do (docs/deploy.md).
    permissions_boundary: Annotated[str, Field(pattern=_POLICY)] | None = None
    # Raised by one, the next deployment gives owner and application new passwords.
    password_generation: Annotated[int, Field(ge=1)] = 1
    # The database begins as this snapshot of a cluster (docs/runbooks/restore.md). It stays here as long as the cluster
    # does: another value, or none, is another cluster.
    restore_from_snapshot: Annotated[str, Field(pattern=r"^(arn:aws[\w-]*:rds:\S+|[A-Za-z][A-Za-z0-9:-]*)$")] | None = (
        None
    )
    login_prefix: Annotated[str, Field(pattern=r"^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$")]
    owner: Owner
    # Who reads pages that are pictures. With "off" such a page is kept and flagged as without text, and the endpoint
    # and the permission are left out.
    ocr: Literal["textract", "off"] = "textract"
    extraction: Extraction | None = None
    embedding: Embedding = Embedding()
    rerank: Rerank | None = None
    answering: Answering | None = None
    operations: Operations = Operations()
    # Of organizations that the operator has given none; left out, the tier's.
    default_plan: PlanName | None = None
    google: Google | None = None
    entra: Entra | None = None
    # Whether anybody may sign up, with an address that Cognito has verified, and make an organization.
    self_sign_up: bool = False
    # Whose pages may call /v1 and /mcp from a browser, with a token and never with a session.
    cors_origins: tuple[Origin, ...] = ()


class Specification(Strict):
    """One deployment: its file and the settings of its tier."""

    name: str
    file: DeploymentFile
    tier: Tier

    @property
    def stack_name(self) -> str:
        return f"{PREFIX}{self.name}"

    @property
    def makes_firewall(self) -> bool:
        """Whether this deployment has a firewall of its own, and names none that is there already."""
        return self.file.web_acl_arn is None and (self.tier.firewall if self.file.waf is None else self.file.waf)


def deployments_folder() -> Path:
    """`deployments/`, or the folder that AUTRI_DEPLOYMENTS names."""
    return Path(os.environ.get("AUTRI_DEPLOYMENTS", DEPLOYMENTS))


def known_deployments(folder: Path = DEPLOYMENTS) -> list[str]:
    """Names that `-c deployment=` accepts."""
    return sorted(f.stem for f in folder.glob("*.toml"))


def known_models(kind: Literal["models", "rerankers", "embedders"] = "models") -> dict[str, date | None]:
    """What has an entry in the table of prices, with the date from which it may be refused where its card names one."""
    table = tomllib.loads(MODELS.read_text(encoding="utf-8"))[kind]
    return {name: entry.get("end_of_life") for name, entry in table.items()}


def load_specification(name: str, folder: Path = DEPLOYMENTS, today: date | None = None) -> Specification:
    """Read `deployments/<name>.toml`; raises DeploymentError with every problem in it, as of `today`."""
    path = folder / f"{name}.toml"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise DeploymentError(f"No deployment {name!r}. There are: {', '.join(known_deployments(folder))}.")
    file = _parse(path)
    specification = Specification(name=name, file=file, tier=TIERS[file.tier])
    problems = [*_tier_problems(specification), *_model_problems(file, today or datetime.now(UTC).date())]
    if problems:
        raise DeploymentError(f"deployments/{path.name}: " + " ".join(problems))
    return specification


def _parse(path: Path) -> DeploymentFile:
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return DeploymentFile.model_validate(content)
    except tomllib.TOMLDecodeError as error:
        raise DeploymentError(f"deployments/{path.name} is not valid TOML: {error}.") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise DeploymentError(f"deployments/{path.name}: {problems}.") from error


def _tier_problems(specification: Specification) -> list[str]:
    file, tier = specification.file, specification.tier
    problems: list[str] = []
    if tier.account_required and file.account is None:
        problems.append(f"Tier {tier.name} needs `account`, the customer's account id.")
    if tier.entra_required and file.entra is None:
        problems.append(f"Tier {tier.name} needs an [entra] table with the customer's tenant.")
    if file.google is not None and not tier.google_allowed:
        problems.append(f"Tier {tier.name} does not offer Google sign-in; remove the [google] table.")
    if file.self_sign_up and not tier.sign_up_allowed:
        problems.append(f"Tier {tier.name} is one customer's own; remove `self_sign_up`.")
    if file.certificate_arn is not None and file.certificate_arn.split(":")[3] != "us-east-1":
        problems.append("`certificate_arn` must name a certificate of us-east-1, where CloudFront looks for it.")
    if file.web_acl_arn is not None and file.waf is not None:
        problems.append("`waf` makes a firewall and `web_acl_arn` names one: keep one of the two.")
    return [*problems, *_boundary_problems(file)]


def _boundary_problems(file: DeploymentFile) -> Iterator[str]:
    if file.permissions_boundary is None:
        return
    account, path = file.permissions_boundary.split(":")[4], file.permissions_boundary.partition(":policy/")[2]
    if account != "aws" and file.account not in (None, account):
        yield f"`permissions_boundary` is a policy of account {account}; roles take one of their own, {file.account}."
    # A policy's path stands before its name, and what deploys is given rights by how the whole begins.
    if any(name.startswith(PREFIX) for name in (path, path.rpartition("/")[2])):
        yield (
            f"`permissions_boundary` names {path}: who deploys may change policies that begin with {PREFIX!r}, and with"
            " this one what bounds them. Give it another name."
        )


def _model_problems(file: DeploymentFile, today: date) -> list[str]:
    """Models without a price, and those that Bedrock may refuse by now: they would fail page by page, not here."""
    named = (
        ("model", known_models("models"), file.extraction),
        *(("model", known_models("models"), one) for one in (file.answering.all if file.answering else ())),
        ("reranker", known_models("rerankers"), file.rerank),
        ("embedder", known_models("embedders"), file.embedding),
    )
    problems = (_model_problem(kind, known, chosen, today) for kind, known, chosen in named if chosen is not None)
    return [problem for problem in problems if problem is not None]


def _model_problem(
    kind: str, known: dict[str, date | None], chosen: Extraction | InvokedModel, today: date
) -> str | None:
    current = ", ".join(sorted(name for name, end in known.items() if end is None or today < end)) or "none"
    if chosen.model not in known:
        return (
            f"The {kind} {chosen.model_id!r} has no entry in {MODELS.name}: add it there with its price, or use one of"
            f" {current}."
        )
    end = known[chosen.model]
    if end is not None and end <= today:
        return (
            f"Bedrock may refuse the {kind} {chosen.model_id!r} since {end}, the end of its life in {MODELS.name}. Set"
            f" `model_id` to a current one ({current}), or enter the later date that its model card names now."
        )
    return None
