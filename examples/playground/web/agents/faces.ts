import { coachFace } from "./coach.ts";
import type { Face } from "./face.ts";
import { trainerFace } from "./trainer.tsx";

/** The agents that this page can show; the first one is the one at the bare address. */
export const FACES: readonly [Face, ...Face[]] = [coachFace, trainerFace];
