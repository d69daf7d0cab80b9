import type { Face } from "../face/face.ts";
import { addressIn, FIRST } from "../hooks/use-address.ts";
import { loadMarkdown } from "../markdown/markdown.tsx";

/** The agents that this page can show. An agent's own code is loaded when its page opens. */
const FACES: ReadonlyMap<string, () => Promise<Face>> = new Map([
  ["coach", async (): Promise<Face> => (await import("./coach.ts")).coachFace],
  ["trainer", async (): Promise<Face> => (await import("./trainer.tsx")).trainerFace],
]);

/** Filters the agents that the page can show. */
export function shownOf<T extends { name: string }>(agents: readonly T[]): T[] {
  return agents.filter(({ name }) => FACES.has(name));
}

const loading = new Map<string, Promise<Face>>();

/**
 * Returns the agent's face, or the first agent's for an unknown name. The same name always returns the same
 * promise.
 */
export function faceOf(agent: string): Promise<Face> {
  const name = FACES.has(agent) ? agent : FIRST;
  const face = loading.get(name) ?? load(name);
  loading.set(name, face);
  return face;
}

async function load(name: string): Promise<Face> {
  const face = FACES.get(name)?.();
  // An opened conversation already has text; without the renderer its look would change while it is read.
  if (addressIn(location.hash).sessionId !== undefined) await loadMarkdown();
  return (await face) as Face;
}
