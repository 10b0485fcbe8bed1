"""The application: every surface calls this class, and nothing else below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcp_memory_server.errors import NotAllowedError, NotFoundError
from mcp_memory_server.identity.principal import Principal
from mcp_memory_server.memory.model import Kind
from mcp_memory_server.memory.ports import MemoryFilter, Tenancy
from mcp_memory_server.memory.service import auditing as _auditing
from mcp_memory_server.memory.service import correct as _correct
from mcp_memory_server.memory.service import erase as _erase
from mcp_memory_server.memory.service import feedback as _feedback
from mcp_memory_server.memory.service import forget as _forget
from mcp_memory_server.memory.service import linking as _linking
from mcp_memory_server.memory.service import listing as _listing
from mcp_memory_server.memory.service import profile as _profile
from mcp_memory_server.memory.service import recall as _recall
from mcp_memory_server.memory.service import remember as _remember
from mcp_memory_server.memory.service import restore as _restore
from mcp_memory_server.memory.service import triggers as _triggers
from mcp_memory_server.memory.service import upkeep as _upkeep
from mcp_memory_server.memory.service import working as _working
from mcp_memory_server.memory.service.auditing import AuditRequest
from mcp_memory_server.memory.service.context import Context, views
from mcp_memory_server.memory.service.correct import CorrectRequest
from mcp_memory_server.memory.service.drafts import RememberRequest
from mcp_memory_server.memory.service.feedback import FeedbackRequest
from mcp_memory_server.memory.service.forget import ForgetRequest, Plan
from mcp_memory_server.memory.service.listing import ListRequest
from mcp_memory_server.memory.service.profile import ProfileRequest
from mcp_memory_server.memory.service.recall import RecallRequest
from mcp_memory_server.memory.service.summaries import event_summary
from mcp_memory_server.memory.service.upkeep import Upkeep
from mcp_memory_server.memory.view import JsonObject, iso_utc

__all__ = [
    "AuditRequest",
    "Context",
    "CorrectRequest",
    "FeedbackRequest",
    "ForgetRequest",
    "ListRequest",
    "MemoryService",
    "Plan",
    "ProfileRequest",
    "RecallRequest",
    "RememberRequest",
    "Upkeep",
]

_SESSION_UTTERANCES = 500  # utterances of one session that are shown


class MemoryService:
    """Remember, recall, list, forget, correct, profile: each one unit of work for one principal."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def remember(self, principal: Principal, request: RememberRequest) -> JsonObject:
        """Store what was said and stated; see `service.remember`."""
        return _remember.remember(self.context, principal, request)

    def recall(self, principal: Principal, request: RecallRequest) -> JsonObject:
        """Find what answers a question; see `service.recall`."""
        return _recall.recall(self.context, principal, request)

    def list_memories(self, principal: Principal, request: ListRequest) -> JsonObject:
        """One page of what is there; see `service.listing`."""
        return _listing.list_memories(self.context, principal, request)

    def correct(self, principal: Principal, request: CorrectRequest) -> JsonObject:
        """Apply the user's verdict; see `service.correct`."""
        return _correct.correct(self.context, principal, request)

    def profile(self, principal: Principal, request: ProfileRequest) -> JsonObject:
        """What is known of the user; see `service.profile`."""
        return _profile.get_profile(self.context, principal, request)

    def give_feedback(self, principal: Principal, request: FeedbackRequest) -> JsonObject:
        """Keep verdicts on what a recall showed; see `service.feedback`."""
        return _feedback.give_feedback(self.context, principal, request)

    def triggers(self, principal: Principal) -> list[JsonObject]:
        """What has fired, newest first; see `service.triggers`."""
        return _triggers.firings(self.context, principal.tenancy)

    def trigger_result(self, principal: Principal, firing_id: str, text: str) -> JsonObject:
        """Keep what came back for a firing; see `service.triggers`."""
        return _triggers.take_result(self.context, principal.tenancy, firing_id, text)

    def plan_forget(self, principal: Principal, request: ForgetRequest) -> Plan:
        """What a request would forget."""
        return _forget.plan(self.context, principal, request)

    def plan_everything(self, principal: Principal) -> Plan:
        """Forgetting all of a user, as a plan to be confirmed."""
        ids = _forget.everything(self.context, principal)
        with self.context.backend.store.read(principal.tenancy) as unit:
            shown = unit.get(ids[:5])
        return Plan(ids, False, tuple(_forget.preview_of(shown[one]) for one in ids[:5]))

    def forget(self, principal: Principal, ids: tuple[str, ...]) -> JsonObject:
        """Forget these memories, with a receipt."""
        return _forget.carry_out(self.context, principal, ids)

    def forget_later(self, principal: Principal, found: Plan) -> JsonObject:
        """Ask for a confirmation in a later call."""
        return _forget.needs_confirmation(self.context, principal, found)

    def forget_nothing(self, found: Plan) -> JsonObject:
        """The answer when the user said no."""
        return _forget.kept(found)

    def erase_user(self, principal: Principal) -> list[JsonObject]:
        """Forget everything of a user; one receipt for each batch."""
        receipts = []
        while ids := _forget.everything(self.context, principal):
            receipts.append(_erase.receipt_view(_erase.erase(self.context, principal.tenancy, ids)))
        return receipts

    def memory(self, principal: Principal, memory_id: str) -> JsonObject:
        """One memory in full with its history. Raises NotFoundError."""
        with self.context.backend.store.read(principal.tenancy) as unit:
            found = unit.get([memory_id])
            if memory_id not in found:
                raise NotFoundError(f"no memory {memory_id}", next_step="Take an id from recall or list_memories")
            view = views(self.context, unit, [found[memory_id]], "full")[0]
            joined = _linking.joined(self.context, unit, [found[memory_id]])
            view["links"] = [{"id": link.memory.id, "link": link.name} for link in joined]
            if found[memory_id].kind is Kind.EVENT and (line := event_summary(self.context, unit, found[memory_id])):
                view["summary"] = line
            view["history"] = [
                {
                    "at": iso_utc(entry.at),
                    "action": entry.action,
                    "actor": entry.actor,
                    **({"other": entry.other_id} if entry.other_id else {}),
                    **({"details": dict(entry.details)} if entry.details else {}),
                }
                for entry in unit.history(memory_id)
            ]
            return view

    def session(self, principal: Principal, name: str) -> list[JsonObject]:
        """What was said in a session, in order."""
        wanted = MemoryFilter(kinds=(Kind.UTTERANCE,), session=name)
        with self.context.backend.store.read(principal.tenancy) as unit:
            page = unit.page(wanted, _SESSION_UTTERANCES)
            ordered = sorted(page.memories, key=lambda memory: memory.position)
            return views(self.context, unit, ordered)

    def working(self, principal: Principal, session: str) -> JsonObject:
        """What a session's working memory holds, with its versions; see `service.working`."""
        with self.context.backend.store.read(principal.tenancy) as unit:
            return _working.view(self.context, unit, session)

    def rollback(self, principal: Principal, session: str, version: int) -> JsonObject:
        """Make an earlier version of a session's working memory the newest. Raises NotFoundError."""
        return _working.rollback(self.context, principal, session, version)

    def archived(self, principal: Principal) -> list[str]:
        """Ids of everything in the archive, newest first."""
        return _restore.archived(self.context, principal)

    def restore(self, principal: Principal, ids: Sequence[str]) -> JsonObject:
        """Bring memories back from the archive; see `service.restore`. Raises NotFoundError."""
        return _restore.restore(self.context, principal, ids)

    def keep_up(self, tenancy: Tenancy, progress: Callable[[int], None] = lambda _done: None) -> Upkeep:
        """Do for a user what time has made due; see `service.upkeep`."""
        return _upkeep.keep_up(self.context, tenancy, progress)

    def note_read(self, tenancy: Tenancy, ids: Sequence[str]) -> None:
        """Keep that memories were shown."""
        with self.context.backend.store.write(tenancy) as unit:
            unit.note_read(ids, self.context.clock.now())

    def session_names(self, principal: Principal) -> list[str]:
        """The newest sessions first."""
        with self.context.backend.store.read(principal.tenancy) as unit:
            return [session.id for session in unit.sessions(100)]

    def ids_starting(self, principal: Principal, start: str) -> list[str]:
        """Ids of the newest memories that begin with `start`."""
        with self.context.backend.store.read(principal.tenancy) as unit:
            return [found for found in unit.ids(MemoryFilter(), 1_000) if found.startswith(start)][:100]

    def questions(self, principal: Principal) -> list[JsonObject]:
        """The open questions, oldest first."""
        with self.context.backend.store.read(principal.tenancy) as unit:
            return [_remember.question_view(question) for question in unit.questions()]

    def audit(self, principal: Principal, request: AuditRequest) -> JsonObject:
        """One page of what was done; see `service.auditing`."""
        return _auditing.audit(self.context, principal, request)

    def graph(self, principal: Principal) -> JsonObject:
        """Entities with the memories that name them, and relations between those that one fact names together."""
        with self.context.backend.store.read(principal.tenancy) as unit:
            names, links = unit.graph()
            memories = unit.get([memory_id for memory_id, _, _ in links])
        by_memory: dict[str, list[tuple[str, str]]] = {}
        by_entity: dict[str, dict[str, None]] = {key: {} for key in names}
        for memory_id, key, role in links:
            by_memory.setdefault(memory_id, []).append((role, key))
            by_entity[key][memory_id] = None
        relations = []
        for memory_id, ends in by_memory.items():
            memory = memories[memory_id]
            if memory.kind is not Kind.FACT:
                continue
            subject = next((key for role, key in ends if role == "subject"), None)
            source = names[subject] if subject else (memory.subject or ends[0][1])
            for _, key in ends:
                if key != subject:
                    relations.append(
                        {
                            "source": source,
                            "predicate": memory.predicate or "mentions",
                            "target": names[key],
                            "memory_id": memory_id,
                            "status": memory.status.value,
                        }
                    )
        return {
            "entities": [
                {"key": key, "name": name, "memory_ids": list(by_entity[key])} for key, name in sorted(names.items())
            ],
            "relations": relations,
        }

    def refuse_everything(self) -> None:
        """A client that cannot ask its user may not forget everything."""
        raise NotAllowedError(
            "everything: this client cannot ask you to confirm",
            next_step="Use the dashboard, or run `mcp-memory-server erase --user YOU`",
        )
