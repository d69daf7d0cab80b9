import { PawlError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, toJson } from "../base/json.ts";
import type { NewEvent, StoredEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";

/**
 * Something that a tool made for the user, e.g. a workout or a report, as stored in the log. The model reads
 * its id, type, title and summary, never its payload. To give the user the payload, return the artifact from
 * a tool.
 */
export type Artifact = EventData["artifact"];

/** The argument of `context.createArtifact()`: the artifact to store. */
export interface ArtifactDraft {
  /** The kind of artifact, e.g. `exercise_list`. Clients use it to choose how to show the artifact. */
  type: string;
  title: string;
  /** The content, an object that JSON can represent. */
  payload: object;
  /** Facts for the model, besides the artifact's id, type and title. Default: none. */
  summary?: object;
  /** The version of the payload's format. Default: "1". */
  schemaVersion?: string;
  /** Whether the client may open the artifact without the user's click. Default: no. */
  autoStart?: boolean;
}

/**
 * Makes an artifact from a draft.
 *
 * @throws PawlError `invalid_input` if the type, title or schema version is empty, or the payload or summary
 * is not an object.
 */
export function artifactOf(draft: ArtifactDraft, newId: () => string): Artifact {
  const { type, title, schemaVersion = "1", autoStart = false } = draft;
  for (const [field, text] of Object.entries({ type, title, schemaVersion })) {
    if (typeof text !== "string" || text.trim() === "")
      throw new PawlError("invalid_input", `The ${field} of an artifact must be a text that is not empty.`);
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
 * Returns the event that stores an artifact. With its key, a second artifact with the same id is refused in
 * the session.
 */
export function artifactEvent(artifact: Artifact): NewEvent {
  return { type: "artifact", data: artifact, key: `artifact:${artifact.artifact_id}` };
}

/** Returns the first artifact with this id among the events; `undefined` without one. */
export async function artifactAmong(
  events: AsyncIterable<StoredEvent>,
  artifactId: string,
): Promise<Artifact | undefined> {
  for await (const event of events) {
    if (event.type === "artifact" && event.data.artifact_id === artifactId) return event.data;
  }
  return undefined;
}

function asObject(value: object, field: string): JsonObject {
  const json = toJson(value);
  if (isJsonObject(json)) return json;
  throw new PawlError("invalid_input", `An artifact's ${field} must be an object that JSON can represent.`);
}
