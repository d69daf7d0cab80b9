import type { StoredEvent } from "../../log/event.ts";
import { REDACTED } from "../../log/store/redacted.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { Artifact } from "../../tools/artifact.ts";
import type { Host } from "../leg/host.ts";

/**
 * Returns the artifacts in a sub-agent's session that the caller's log lacks, also those of its own
 * sub-agents. An artifact has the same id in both logs, so a process that continues the task finds what is
 * missing.
 */
export async function newArtifacts({ store }: Host, leg: Leg, sessionId: string): Promise<Artifact[]> {
  const made = await artifactsIn(store.read(sessionId, { types: ["artifact"] }));
  if (made.length === 0) return made;
  const stored = await artifactsIn(leg.run.read({ types: ["artifact"] }));
  const known = new Set(stored.map(({ artifact_id }) => artifact_id));
  return made.filter(({ artifact_id, title }) => title !== REDACTED && !known.has(artifact_id));
}

async function artifactsIn(events: AsyncIterable<StoredEvent>): Promise<Artifact[]> {
  const found: Artifact[] = [];
  for await (const { type, data } of events) if (type === "artifact") found.push(data);
  return found;
}
