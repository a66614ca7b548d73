"""The tabs of an organization's settings: a page each, in one frame (`templates/settings.html`).

A tab is added by its row here, `templates/settings/{name}.html` and `static/js/settings/{name}/main.js`.
"""

from typing import NamedTuple

from shared.domain.account import AccountProfile
from shared.domain.scope import ROLES, Role


class SettingsTab(NamedTuple):
    """The page `/settings/{name}`; `twin` is the address of its data, `role` the least role that is shown it."""

    name: str
    label: str
    twin: str
    role: Role = "viewer"

    @property
    def path(self) -> str:
        return f"/settings/{self.name}"


TABS = (
    SettingsTab("members", "Members", "/v1/members"),
    SettingsTab("keys", "Keys", "/v1/keys"),
    SettingsTab("connect", "Assistants", "/v1/connections"),
    SettingsTab("links", "Links", "/v1/shares"),
    SettingsTab("model", "Model", "/v1/model", "admin"),
    SettingsTab("webhooks", "Webhooks", "/v1/webhooks", "admin"),
    SettingsTab("usage", "Usage", "/v1/usage"),
    SettingsTab("organization", "Organization", "/v1/me"),
    SettingsTab("data", "Data", "/v1/knowledge-bases"),
    SettingsTab("audit", "Audit log", "/v1/audit", "admin"),
)


def tabs_for(account: AccountProfile | None) -> list[SettingsTab]:
    """Those that the account's role permits, in the table's order; none of nobody's."""
    return [tab for tab in TABS if account and permits(account.user.role, tab.role)]


def permits(role: Role, least: Role) -> bool:
    return ROLES.index(role) >= ROLES.index(least)
