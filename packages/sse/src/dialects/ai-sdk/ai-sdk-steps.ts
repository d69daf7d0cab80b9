import type { Chunk } from "./ai-sdk-chunks.ts";
import { roleParts } from "./ai-sdk-messages.ts";
import type { UiPart } from "./ui-part.ts";

/** The steps of a message: one for each turn of the model that has content. */
export interface StepChunks {
  /** Begins a run. Until its first turn, e.g. while a hook asks, no role speaks. */
  run(): void;
  /** Begins a turn: ends the step before it. `role` is the agent's role that speaks, if it has any. */
  turn(role: string | undefined): Chunk[];
  /** Begins a new message, whose content belongs to a step of its own. */
  message(): void;
  /**
   * Returns the chunks before content of the turn: the start of its step, and who speaks in it. With
   * `removes`, the content removes the step from the page.
   */
  before(removes: boolean): Chunk[];
  /** Returns the end of the step, if one is open. */
  end(): Chunk[];
}

/** Returns the steps of a stream. */
export function stepChunks(): StepChunks {
  let state: "none" | "due" | "open" = "none";
  let speaker: UiPart[] = [];
  let isNamed = false;
  const end = () => (state === "open" ? [{ type: "finish-step" }] : []);
  return {
    run: () => {
      speaker = [];
    },
    turn: (role) => {
      const over = end();
      state = "due";
      speaker = roleParts(role);
      return over;
    },
    message: () => {
      if (state === "open") state = "due";
    },
    before: (removes) => {
      const begins = state === "due" ? [{ type: "start-step" }] : [];
      const names = begins.length > 0 || !isNamed ? speaker : [];
      state = "open";
      isNamed = !removes;
      return [...begins, ...names];
    },
    end,
  };
}
