import type { Face } from "../face/face.ts";
import { addressIn, FIRST } from "../hooks/use-address.ts";
import { loadMarkdown } from "../markdown/markdown.tsx";

/** The agents that this page can show. An agent's code is loaded when its page opens. */
const FACES: ReadonlyMap<string, () => Promise<Face>> = new Map([
  ["coach", async (): Promise<Face> => (await import("./coach.ts")).coachFace],
  ["trainer", async (): Promise<Face> => (await import("./trainer.tsx")).trainerFace],
  ["rocket-league", async (): Promise<Face> => (await import("./rocket-league.ts")).rocketLeagueFace],
  ["search", async (): Promise<Face> => (await import("./search.ts")).searchFace],
]);

/** Returns the agents that the page can show. */
export function shownOf<T extends { name: string }>(agents: readonly T[]): T[] {
  return agents.filter(({ name }) => FACES.has(name));
}

const loading = new Map<string, Promise<Face>>();

/**
 * Loads an agent's face. An unknown name loads the first agent's. The same name always returns the same
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
  // An opened conversation already has text. If the Markdown renderer came later, that text would change
  // while it is read.
  if (addressIn(location.hash).sessionId !== undefined) await loadMarkdown();
  return (await face) as Face;
}
