import type { Face } from "../face/face.ts";
import { addressIn, FIRST } from "../hooks/use-address.ts";
import { loadMarkdown } from "../markdown/markdown.tsx";

/** The agents that this page can show. What is one's own is loaded when it is talked to. */
const FACES: ReadonlyMap<string, () => Promise<Face>> = new Map([
  ["coach", async (): Promise<Face> => (await import("./coach.ts")).coachFace],
  ["trainer", async (): Promise<Face> => (await import("./trainer.tsx")).trainerFace],
]);

/** The agents of these that the page can show. */
export function shownOf<T extends { name: string }>(agents: readonly T[]): T[] {
  return agents.filter(({ name }) => FACES.has(name));
}

const loading = new Map<string, Promise<Face>>();

/** The face of that agent, or else of the one at the bare address. The same promise for all who ask. */
export function faceOf(agent: string): Promise<Face> {
  const name = FACES.has(agent) ? agent : FIRST;
  const face = loading.get(name) ?? load(name);
  loading.set(name, face);
  return face;
}

async function load(name: string): Promise<Face> {
  const face = FACES.get(name)?.();
  // A conversation that is opened has words in it; they must not change their looks before somebody's eyes.
  if (addressIn(location.hash).sessionId !== undefined) await loadMarkdown();
  return (await face) as Face;
}
