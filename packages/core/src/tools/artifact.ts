import { PawlError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, toJson } from "../base/json.ts";
import type { EventData, NewEvent, StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/event-store.ts";
import { readShown } from "../log/redacted.ts";

/**
 * Something that a tool has made for the user, e.g. a workout, a draft or a report, as it is in the log. The
 * model reads its id, type, title and summary, never its payload. The user gets the payload when the artifact
 * is delivered.
 */
export type Artifact = EventData["artifact"];

/** The artifact that a tool asks for. */
export interface ArtifactDraft {
  /** The kind of artifact, by which clients choose how to show it, e.g. `exercise_list`. */
  type: string;
  title: string;
  /** The thing itself, as JSON. */
  payload: object;
  /** What the model reads of it besides its id, type and title. Default: nothing. */
  summary?: object;
  /** The version of the payload's format. Default: "1". */
  schemaVersion?: string;
  /** Whether the client may open it at once. Default: no. */
  autoStart?: boolean;
}

/**
 * Makes the artifact that is stored.
 *
 * @throws PawlError `invalid_input` for a draft without type or title, or whose payload or summary is not an
 * object.
 */
export function artifactOf(draft: ArtifactDraft, newId: () => string): Artifact {
  const { type, title, schemaVersion = "1", autoStart = false } = draft;
  for (const [what, text] of Object.entries({ type, title, schemaVersion })) {
    if (typeof text !== "string" || text.trim() === "")
      throw new PawlError("invalid_input", `An artifact needs a ${what} that is not empty.`);
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

/**
 * Returns the event that stores an artifact. Its key keeps two artifacts of a session from having the same
 * id.
 */
export function artifactEvent(artifact: Artifact): NewEvent {
  return { type: "artifact", data: artifact, key: `artifact:${artifact.artifact_id}` };
}

/**
 * Finds this session's artifact with this id, without what was redacted. Returns `undefined` if the session
 * has none; artifacts of other sessions are never found.
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

/** Returns the first artifact with this id among these events. */
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
  if (isJsonObject(json)) return json;
  throw new PawlError("invalid_input", `An artifact's ${what} must be an object that JSON can carry.`);
}
