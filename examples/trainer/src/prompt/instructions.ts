import { howToWork } from "./how-to-work.ts";
import { whatToTrain } from "./what-to-train.ts";

/**
 * The system prompt. It is the same for all users and days, so that all sessions share it in the cache. The
 * user data comes after it, in a separate block.
 */
export const instructions: string = [...howToWork, ...whatToTrain]
  .map(([section, text]) => `<${section}>\n${text}\n</${section}>`)
  .join("\n\n");
