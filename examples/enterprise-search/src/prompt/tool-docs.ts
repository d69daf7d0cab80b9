import { readFileSync } from "node:fs";
import { parseToolDocs, type ToolDoc } from "@pawl/planning";

/** The descriptions of the tools, from `tool-descriptions.md`. Parsed when the program starts. */
export const toolDocs: readonly ToolDoc[] = parseToolDocs(
  readFileSync(new URL("../../tool-descriptions.md", import.meta.url), "utf8"),
);
