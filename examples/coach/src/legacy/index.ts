// Reads messages of the coach's earlier version, which wrote its actions into the text. Runs in pages too.
export { type LegacyPart, legacyMarks, legacyParts, withoutBlocks, withoutTags } from "./blocks.ts";
