import { howToWork } from "./how-to-work.ts";
import { whatToTrain } from "./what-to-train.ts";

/**
 * The system prompt: the same for everybody and every day, so that all sessions share it in the cache. What
 * is known of the user stands in a block of its own behind it.
 */
export const instructions: string = [...howToWork, ...whatToTrain]
  .map(([section, text]) => `<${section}>\n${text}\n</${section}>`)
  .join("\n\n");
