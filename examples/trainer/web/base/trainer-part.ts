import type { TypedToolPart } from "@pawl/client";
import type { ToolTypesOf } from "@pawl/core/view";
// Only the type: no code of the agent reaches the page.
import type { trainer } from "../../src/agent/trainer.ts";
import type { ToolPart } from "./seam.ts";

/** A call of one of the trainer's tools. Compare `toolName` and `phase` to get the type of its result. */
export type TrainerPart = TypedToolPart<ToolTypesOf<ReturnType<typeof trainer>>>;

/** Returns a call with the types of the trainer's tools. */
export function trainerPart(part: ToolPart): TrainerPart {
  return part as TrainerPart;
}
