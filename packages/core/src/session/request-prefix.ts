import type { JsonObject } from "../base/json.ts";
import type { TextBlock, ToolSpec } from "../model/content.ts";

/** The system prompt and the tools of every request. */
export interface RequestPrefix {
  id: string;
  system: TextBlock[];
  tools: ToolSpec[];
  /** The JSON Schema in which the model must answer; absent if it answers freely. */
  outputFormat?: JsonObject;
  chars: number;
}
