import type { EventStore } from "../log/store/event-store.ts";
import { readShown } from "../log/store/redacted.ts";
import { type Artifact, artifactAmong } from "./artifact.ts";

/**
 * Finds an artifact of a session by its id. Returns `undefined` if the session has no such artifact. A
 * redacted artifact is returned without its content.
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
