// The entry `@pawl/core/store`: for authors of event stores, live tails, blob and file stores, and
// reservations.

// The port of an event store

export type { ReadEvent, ReadOptions } from "./log/event.ts";
export { EVENT_VERSION, type EventEnvelope, type NewEvent, type StoredEnvelope } from "./log/event.ts";
export { type SessionPatch, statusAfter, wakeAtAfter } from "./log/session-row.ts";
export type {
  AcquiredLease,
  AppendOptions,
  Lease,
  ListSessions,
  NewSession,
  OpenedSession,
  RecoverableOptions,
  SessionToOpen,
} from "./log/store/event-store.ts";
export type { Snapshot } from "./log/store/snapshot.ts";

// What stores have in common

export { givingWay } from "./base/next-turn.ts";
export { newPacer } from "./base/pacer.ts";
export { addUsd } from "./base/usd.ts";
export { checkBatch, checkNames, checkText, isName, jsonbText, jsonText } from "./log/storable.ts";
export { createOnce } from "./log/store/create-once.ts";
export { ownRows } from "./log/store/own-rows.ts";
export { type EventPage, readPages } from "./stores/read-pages.ts";
export { explainRefusal, noSession, type Refused } from "./stores/refusal.ts";
export { tryUntilApplied } from "./stores/retry-undone.ts";
export { watchedStore } from "./stores/watched-store.ts";

// Sessions

export { sessionIdOfMessage } from "./runtime/begin/new-session.ts";
export { speakersOf, speakingAgent } from "./runtime/leg/speaking-agent.ts";

// Stores over SQL

export { type AppendCall, batchText, keysOf, type PreparedEvent } from "./stores/append-call.ts";
export { appendInSql, type SqlLog } from "./stores/append-in-sql.ts";

// Live tails

export type { AgentAtWork } from "./log/store/live-event.ts";
export type { LiveReport, LiveState, LiveTail } from "./log/store/live-tail.ts";
export type { LivePart } from "./model/live-part.ts";
export { localTail } from "./readers/local-tail.ts";

// Engines, which wake sessions

export type { Engine, EngineWorker, WakeOptions, WokenHandler, WokenSession } from "./engine/engine.ts";
export { localEngine } from "./engine/local-engine.ts";
export type { Recovered } from "./runtime/begin/runtime-types.ts";

// The work that requests cause

export type { WorkPlace } from "./base/work-limit.ts";
export type { WorkLimits } from "./runtime/leg/work-limits.ts";

// Large payloads, and files

export { contentTypeOf } from "./files/content-type.ts";
export { pathOfStored, storedFolder, storedPath } from "./files/file-path.ts";
export { bytesOf, type FileInfo, type StoredFile } from "./files/file-store.ts";
export type { FileFacts } from "./files/inspect-file.ts";
export type { OpenFile, UserFile, UserFiles } from "./files/user-files.ts";
export type { ChargedUse, FileReference, SentParams, StoredNote, TaskStart } from "./log/event-parts.ts";
export type { SourceReference, StoredReport } from "./log/stored-report.ts";
export type { TaskState } from "./session/state.ts";
export type { BlobStore } from "./stores/blob-store.ts";
export type { BlobOptions } from "./stores/with-blobs.ts";

// Reservations

export {
  type Balance,
  type BalanceUsd,
  balanceUsd,
  checkRequest,
  checkUse,
  notReservable,
  RESERVATION_TTL_MS,
  type Reservation,
  type ReservationAnswer,
  type ReservationRequest,
  type Reservations,
} from "./reservations/reservations.ts";
