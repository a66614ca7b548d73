"""Every stored statement, asked about one knowledge base in the scope of two, touches and tells of that one alone.

Row-level security lets both through: what is tested here is what the statement itself says. The statements come from
the files; a new one runs here by itself, and one with a parameter that nobody has thought of fails.
"""

from typing import Any

import psycopg
import pytest

from shared.adapters.local.postgres import APPLICATION
from tests.store.filling import Connection, Filled, Place
from tests.store.leaks import Wish, acting, everything
from tests.store.statements import statements, told_of, values_of

# Of the whole scope by their nature: what an organization has, and what is summed over all that is searched.
OF_THE_SCOPE = {
    "admission.admit", "admission.in_slots", "archive_jobs.list_idle_archive_jobs",
    "audit.forget_audit", "audit.keep_audit", "audit.list_entries", "identities.own_organizations", "keys.list_keys",
    "connections.list_connections", "plans.calls_counted",
    "joining.list_domains", "joining.list_group_roles", "members.count_invitations",
    "members.list_members", "members.list_invited", "members.list_waiting",
    "permissions.narrow_to_writable", "permissions.widen_to_readable",
    "erasure.list_certificates", "erasure.list_erasures", "erasure.open_erasures", "erasure.shut_bases",
    "erasure.shut_organization",
    "digest_context.digested", "digest_context.list_among",
    "declared.declared", "declared.in_units", "declared.names", "declared.schemas", "identities.keep_traces",
    "identities.rename_organization", "ingestions.claim", "ingestions.lease_owners",
    "knowledge_bases.list_knowledge_bases", "knowledge_bases.named", "knowledge_bases.open_organization",
    "knowledge_bases.opened",
    "lexical_statistics.chunk_totals", "lexical_statistics.complete_word", "lexical_statistics.slot_counts",
    "lexical_statistics.words_near",
    "maintenance.bases", "ingestions.abandoned_uploads", "selection.driver_served", "selection.driver_types",
    "selection.sizes", "traces.forget_traces", "vector_indexes.counted", "vector_search.serving",
    "search.known_versions", "search.sections_by_address", "storage.keys", "storage.wanted_uploads",
    "plans.stored", "plans.pages_counted", "plans.pages_of_packs", "plans.packs", "plans.questions_counted",
    "plans.days", "plans.spent_today", "plans.spending_of_month", "plans.documents_of_month",
    "sources.due_sources", "threads.list_threads",
    "webhooks.due_webhooks", "webhooks.next_webhook_due", "webhooks.count_webhooks", "webhooks.forget_deliveries",
    "workload.costs", "workload.failed", "workload.overdue", "workload.states", "workload.unread",
    # Of a trace over both knowledge bases, of whatever a lock's number stands for, of settings.
    "traces.list_traces", "maintenance.lock", "maintenance.unlock", "vector_search.approximate",
}  # fmt: skip
# Its row is there already: it is for a document whose share was removed.
NOT_TWICE = {"lexical.store_shares"}


def changed(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]], place: Place) -> set[str]:
    """Tables in which a row of the place is another one than before; what is written anew lies elsewhere."""
    base = str(place.knowledge_base_id)

    def own(rows: dict[str, Any]) -> list[str]:
        return sorted(str(at) for at in rows.items() if base in (at[1].get("knowledge_base_id"), at[1].get("id")))

    return {table for table in before if own(before[table]) != own(after[table])}


@pytest.mark.parametrize("name", sorted(statements().keys() - OF_THE_SCOPE - NOT_TWICE))
def test_a_statement_about_one_knowledge_base_leaves_the_other_alone(
    filled: Filled, everywhere: Connection, name: str
) -> None:
    ours, also_ours, _, _ = filled.places
    both = Wish(ours.organization_id, (ours.knowledge_base_id, also_ours.knowledge_base_id))
    text = statements()[name]
    values = values_of(filled, ours, name, text)
    tables = [table for table in filled.columns if table in text]
    before = {table: everything(everywhere, table) for table in tables}
    with acting(everywhere, APPLICATION, both):
        answer: list[Any] = []
        try:
            result = everywhere.execute(text.encode(), values)
            answer = result.fetchall() if result.description else []
        except psycopg.errors.InsufficientPrivilege:
            pytest.skip("not for the application")
        everywhere.execute("reset role")
        after = {table: everything(everywhere, table) for table in tables}
    strangers = {value for row in values.values() for value in [str(row)]}
    assert told_of(also_ours, filled, answer) - strangers == set()
    assert changed(before, after, also_ours) == set()
