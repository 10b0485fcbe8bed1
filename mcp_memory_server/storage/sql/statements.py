"""The statements of the hot path, built once: building one costs more than running it."""

from __future__ import annotations

from sqlalchemy import BindParameter, bindparam, case, delete, exists, func, insert, or_, select, update

from mcp_memory_server.memory.model import Kind, Status
from mcp_memory_server.storage.sql import tables as t
from mcp_memory_server.storage.sql.idlist import among

HELD = (Status.CURRENT.value, Status.PENDING.value, Status.DISPUTED.value, Status.QUARANTINED.value)
REASONED = (Status.CURRENT.value, Status.PENDING.value, Status.DISPUTED.value)

_user: BindParameter[str] = bindparam("user")
_m, _e, _o = t.memory.c, t.evidence.c, t.outbox.c

EVIDENCE = select(t.evidence).where(_e.user == _user, among(_e.memory_id)).order_by(_e.seq)
GET = select(t.memory).where(_m.user == _user, among(_m.id))
_rests_on = (
    select(func.aggregate_strings(_e.utterance_id, " ").aggregate_order_by(_e.seq))
    .where(_e.user == _user, _e.memory_id == _m.id)
    .correlate(t.memory)
    .scalar_subquery()
)
_OUTLINE = (
    _m.id, _m.kind, _m.status, _m.category, _m.event_type, _m.session, _m.said_at, _m.recorded_at, _m.supported_at,
    _m.superseded_at, _m.confidence, _m.hidden, _m.valid_from, _m.valid_to, _m.at, _m.speaker,
    case((_m.kind == Kind.UTTERANCE.value, ""), else_=func.coalesce(_rests_on, "")).label("utterances"),
    _m.layer, _m.predicate, _m.said_offset, _m.read_at,
)  # fmt: skip
OUTLINES = select(*_OUTLINE).where(_m.user == _user, among(_m.id))
RESTING_OUTLINES = (
    select(_e.utterance_id, *_OUTLINE)
    .join_from(t.evidence, t.memory, (_m.user == _e.user) & (_m.id == _e.memory_id))
    .where(_e.user == _user, among(_e.utterance_id))
    .order_by(_e.seq)
)
BY_KEY = (
    select(t.memory)
    .where(_m.user == _user, _m.key == bindparam("key"), _m.kind == bindparam("kind"), _m.status.in_(HELD))
    .order_by(_m.seq)
)
BY_SUBJECT = (
    select(t.memory)
    .where(_m.user == _user, _m.subject == bindparam("subject"), _m.status.in_(REASONED))
    .where(_m.kind == Kind.FACT.value, among(_m.predicate, "predicates"))
    .order_by(_m.seq.desc())
    .limit(bindparam("limit"))
)
_archived = _m.status == Status.ARCHIVED.value
ARCHIVED_BY_KEY = (
    select(t.memory)
    .where(_m.user == _user, _m.key == bindparam("key"), _m.kind == bindparam("kind"), _archived)
    .order_by(_m.seq)
)
ARCHIVED_BY_SUBJECT = (
    select(t.memory)
    .where(_m.user == _user, _m.subject == bindparam("subject"), _archived)
    .where(_m.kind == Kind.FACT.value, among(_m.predicate, "predicates"))
    .order_by(_m.seq.desc())
    .limit(bindparam("limit"))
)
RESTING = select(_e.utterance_id, _e.memory_id).where(_e.user == _user, among(_e.utterance_id)).order_by(_e.seq)
_here, _there = t.memory.alias("here"), t.memory.alias("there")
AROUND = select(_here.c.id, _here.c.position, _there.c.id, _there.c.position).where(
    _here.c.user == _user,
    among(_here.c.id),
    _here.c.kind == Kind.UTTERANCE.value,
    _there.c.user == _user,
    _there.c.session == _here.c.session,
    _there.c.position.between(_here.c.position - 1, _here.c.position + 1),
    _there.c.kind == Kind.UTTERANCE.value,
)
QUESTIONS = (
    select(t.question)
    .where(t.question.c.user == _user, t.question.c.answered_at.is_(None))
    .order_by(t.question.c.asked_at, t.question.c.id)
)
HISTORY = (
    select(t.history)
    .where(t.history.c.user == _user, t.history.c.memory_id == bindparam("memory_id"))
    .order_by(t.history.c.seq)
)
ENTITIES = select(t.entity.c.key, t.entity.c.name).where(t.entity.c.user == _user, among(t.entity.c.key))
MENTIONS = (
    select(t.mention.c.memory_id, t.mention.c.entity_key, t.mention.c.role)
    .where(t.mention.c.user == _user, among(t.mention.c.memory_id))
    .order_by(t.mention.c.memory_id, t.mention.c.entity_key)
)
EPOCH = select(t.epoch.c.revision, t.epoch.c.purge).where(t.epoch.c.user == _user)
POSITION = select(func.max(_m.position)).where(
    _m.user == _user, _m.session == bindparam("session"), _m.kind == Kind.UTTERANCE.value
)
LAST_AUDIT = select(t.audit.c.hash).where(t.audit.c.user == _user).order_by(t.audit.c.seq.desc()).limit(1)
AUDITED = (
    select(t.audit)
    .where(t.audit.c.user == _user, t.audit.c.seq < bindparam("before"))
    .order_by(t.audit.c.seq.desc())
    .limit(bindparam("limit"))
)
SUPERSEDED_BY = select(_m.id).where(_m.user == _user, among(_m.superseded_by))
CONTAINING = (
    select(t.memory)
    .where(_m.user == _user, _m.kind == Kind.UTTERANCE.value, func.instr(_m.statement, bindparam("words")) > 0)
    .order_by(_m.seq)
    .limit(bindparam("limit"))
)
# Where the texts are sealed, all of them are read and looked through here.
UTTERED = select(_m.id, _m.statement).where(_m.user == _user, _m.kind == Kind.UTTERANCE.value).order_by(_m.seq)
SESSIONS = (
    select(_m.session, func.min(_m.said_at), func.max(_m.said_at), func.count())
    .where(_m.user == _user, _m.kind == Kind.UTTERANCE.value, _m.session.is_not(None))
    .group_by(_m.session)
    .order_by(func.max(_m.said_at).desc())
    .limit(bindparam("limit"))
)
DEFERRED = select(_o.memory_id).where(_o.user == _user, _o.projection == bindparam("projection")).order_by(_o.seq)
INDEXED = select(_m.id).where(_m.user == _user, _m.status != Status.ARCHIVED.value).order_by(_m.seq)

_w, _v = t.working_item.c, t.working_version.c
WORKING_VERSIONS = (
    select(_v.version, _v.at, _v.action)
    .where(_v.user == _user, _v.session == bindparam("session"))
    .order_by(_v.version)
)
WORKING_VERSION = (
    select(_v.version, _v.at, _v.action)
    .where(_v.user == _user, _v.session == bindparam("session"))
    .order_by(_v.version.desc())
    .limit(1)
)
WORKING_ITEMS = (
    select(_w.seq, _w.memory_id)
    .where(_w.user == _user, _w.session == bindparam("session"), _w.removed.is_(None))
    .order_by(_w.seq)
)
WORKING_ITEMS_AT = (
    select(_w.seq, _w.memory_id)
    .where(_w.user == _user, _w.session == bindparam("session"), _w.added <= bindparam("version"))
    .where(or_(_w.removed.is_(None), _w.removed > bindparam("version")))
    .order_by(_w.seq)
)
WORKING_IDS = select(_w.memory_id).where(_w.user == _user).distinct().order_by(_w.memory_id)
IDLE_SESSIONS = (
    select(_v.session)
    .where(_v.user == _user)
    .group_by(_v.session)
    .having(func.max(_v.at) < bindparam("before"))
    .order_by(_v.session)
)

ADD = insert(t.memory)
ADD_EVIDENCE = insert(t.evidence)
ADD_ENTITY = insert(t.entity)
ADD_MENTION = insert(t.mention)
ADD_HISTORY = insert(t.history)
ADD_AUDIT = insert(t.audit)
ADD_QUESTION = insert(t.question)
ADD_OUTBOX = insert(t.outbox)
ADD_TOMBSTONE = insert(t.tombstone)
ADD_EPOCH = insert(t.epoch)
ADD_WORKING_VERSION = insert(t.working_version)
ADD_WORKING_ITEM = insert(t.working_item)
# Bound names of conditions must differ from the columns that an update sets.
UPDATE = (
    update(t.memory)
    .where(_m.user == bindparam("b_user"), _m.id == bindparam("b_id"))
    .where(_m.version == bindparam("b_version"))
)
NOTE_READ = update(t.memory).where(_m.user == bindparam("b_user"), among(_m.id)).values(read_at=bindparam("moment"))
CLOSE_WORKING_ITEMS = (
    update(t.working_item)
    .where(_w.user == bindparam("b_user"), _w.seq == bindparam("b_seq"))
    .values(removed=bindparam("version"))
)
DROP_OLD_WORKING_ITEMS = delete(t.working_item).where(
    _w.user == _user, _w.session == bindparam("session"), _w.removed <= bindparam("oldest")
)
DROP_OLD_WORKING_VERSIONS = delete(t.working_version).where(
    _v.user == _user, _v.session == bindparam("session"), _v.version < bindparam("oldest")
)
CLEAR_WORKING = tuple(
    delete(table).where(table.c.user == _user, table.c.session == bindparam("session"))
    for table in (t.working_item, t.working_version)
)
DROP_WORKING = delete(t.working_item).where(_w.user == _user, among(_w.memory_id))
WORKING_SESSIONS = select(_w.session).where(_w.user == _user, among(_w.memory_id)).distinct()
DROP_EMPTY_SESSIONS = delete(t.working_version).where(
    _v.user == _user,
    among(_v.session, "sessions"),
    ~exists().where(_w.user == _v.user, _w.session == _v.session),
)
TOUCH = (
    update(t.epoch)
    .where(t.epoch.c.user == bindparam("b_user"))
    .values(revision=t.epoch.c.revision + 1, purge=t.epoch.c.purge + bindparam("step"))
)
DROP_EVIDENCE = delete(t.evidence).where(_e.user == _user, among(_e.memory_id))
DROP_EVIDENCE_ON = delete(t.evidence).where(_e.user == _user, among(_e.utterance_id))
DROP_OUTBOX = delete(t.outbox).where(_o.user == _user, _o.projection == bindparam("projection"), among(_o.memory_id))
UNLINK = update(t.memory).where(_m.user == bindparam("b_user"), among(_m.superseded_by)).values(superseded_by=None)
DROP_MEMORIES = delete(t.memory).where(_m.user == _user, among(_m.id))
DROP_QUESTIONS = delete(t.question).where(t.question.c.user == _user, among(t.question.c.id))
DROP_TOMBSTONES = delete(t.tombstone).where(t.tombstone.c.user == _user, among(t.tombstone.c.memory_id))
DROP_HANGING = tuple(
    delete(table).where(table.c.user == _user, among(table.c.memory_id)) for table in (t.mention, t.history, t.outbox)
)
DROP_ENTITIES = delete(t.entity).where(
    t.entity.c.user == _user,
    among(t.entity.c.key),
    ~exists().where(t.mention.c.user == t.entity.c.user, t.mention.c.entity_key == t.entity.c.key),
)
