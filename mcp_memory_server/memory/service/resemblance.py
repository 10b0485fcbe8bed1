"""What a statement does to memories that share words with it, where no rule read both as the same kind of fact."""

from __future__ import annotations

from mcp_memory_server.errors import UnavailableError
from mcp_memory_server.memory import reconcile
from mcp_memory_server.memory.model import Kind, Memory, Status
from mcp_memory_server.memory.reconcile import Decision, Outcome, as_said, says_more
from mcp_memory_server.memory.service.changes import Changes
from mcp_memory_server.memory.service.drafts import Draft
from mcp_memory_server.memory.wording import lookup_tokens

_HITS = 6  # memories of any kind that are looked up because they share words with a statement
_LIVE = (Status.CURRENT, Status.PENDING, Status.DISPUTED)


def by_words(changes: Changes, item: Draft, decision: Decision, known: list[Memory]) -> Decision:
    """What the words of a statement add to the decision on its fact; `known` grows by what they were compared with."""
    said, vocabulary = as_said(item.memory), changes.context.vocabulary
    if decision.outcome is Outcome.STORED:
        sharing = _sharing(changes, item.memory.statement)
        known += [one for one in sharing if all(one.id != other.id for other in known)]
        return reconcile.by_words(item.candidate, said, sharing, vocabulary, item.memory.session)
    if decision.outcome is Outcome.RESTATED:
        same = [one for one in known if one.id in decision.targets]
        if same and all(says_more(said, one, vocabulary) for one in same):
            return Decision(Outcome.REFINED, decision.targets, "it repeats what is known and adds to it")
    return decision


def _sharing(changes: Changes, statement: str) -> list[Memory]:
    """Facts of earlier calls that share words with a statement, in either language, closest first."""
    index, tenancy = changes.context.backend.text_index, changes.principal.tenancy
    tokens = lookup_tokens(statement, changes.context.vocabulary)
    try:
        hits = [hit.memory_id for hit in index.search(tenancy, tokens, _HITS, changes.unit)] if tokens else []
    except UnavailableError:
        hits = []  # the index is down: what is stored now is compared when it is said again
    found = changes.unit.get([one for one in hits if one not in changes.fresh])
    ranked = [found[one] for one in hits if one in found]
    return [one for one in ranked if one.kind is Kind.FACT and one.status in _LIVE]
