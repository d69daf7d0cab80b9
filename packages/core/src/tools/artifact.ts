import { PawlError } from "../base/errors.ts";
import { type JsonObject, toJson } from "../base/json.ts";
import type { EventData, NewEvent, StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/event-store.ts";
import { readShown } from "../log/redacted.ts";

/**
 * Something that a tool has made for the user, as the log keeps it: a workout, a draft, a report. The model
 * reads its id, type, title and summary, never its payload; the user gets the payload when it is delivered.
 */
export type Artifact = EventData["artifact"];

/** What an artifact is made of. */
export interface ArtifactDraft {
  /** What it is, for whoever shows it, e.g. `exercise_list`. */
  type: string;
  title: string;
  /** The thing itself, as JSON. */
  payload: object;
  /** What the model should know of it. Default: nothing beside its title. */
  summary?: object;
  /** Of the payload's shape. Default: "1". */
  schemaVersion?: string;
  /** The client may open it without being asked to. Default: no. */
  autoStart?: boolean;
}

/**
 * An artifact as it is stored.
 *
 * @throws PawlError `invalid_input` for a draft without type or title, or with a payload that is no object.
 */
export function artifactOf(draft: ArtifactDraft, newId: () => string): Artifact {
  const { type, title, schemaVersion = "1", autoStart = false } = draft;
  for (const [what, text] of Object.entries({ type, title, schemaVersion })) {
    if (typeof text !== "string" || text.trim() === "")
      throw new PawlError("invalid_input", `An artifact needs a ${what}.`);
  }
  return {
    artifact_id: `art_${newId()}`,
    type,
    schema_version: schemaVersion,
    title,
    summary: asObject(draft.summary ?? {}, "summary"),
    auto_start: autoStart,
    payload: asObject(draft.payload, "payload"),
  };
}

/** The event that stores it; no two artifacts of a session have one id. */
export function artifactEvent(artifact: Artifact): NewEvent {
  return { type: "artifact", data: artifact, key: `artifact:${artifact.artifact_id}` };
}

/**
 * The artifact of this session that has this id, as it may be shown; `undefined` if there is none, whatever
 * other sessions have.
 *
 * @example
 * ```ts
 * import { artifactIn, memoryStore } from "@pawl/core";
 *
 * const store = memoryStore();
 * await store.sessions.create({ id: "s1", userId: "ada", agent: "trainer" });
 * console.log(await artifactIn(store, "s1", "art_1")); // undefined
 * ```
 */
export async function artifactIn(
  store: EventStore,
  sessionId: string,
  artifactId: string,
): Promise<Artifact | undefined> {
  return await artifactAmong(readShown(store, sessionId, { types: ["artifact"] }), artifactId);
}

/** The first artifact with this id among these events. */
export async function artifactAmong(
  events: AsyncIterable<StoredEvent>,
  artifactId: string,
): Promise<Artifact | undefined> {
  for await (const event of events) {
    if (event.type === "artifact" && event.data.artifact_id === artifactId) return event.data;
  }
  return undefined;
}

function asObject(value: object, what: string): JsonObject {
  const json = toJson(value);
  if (json !== null && typeof json === "object" && !Array.isArray(json)) return json;
  throw new PawlError("invalid_input", `An artifact's ${what} has to be an object.`);
}
