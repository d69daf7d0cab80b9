// Parses messages of the coach's earlier version, which wrote its actions into the text. Also runs in
// browsers.
export { type LegacyPart, legacyMarks, legacyParts, withoutBlocks, withoutTags } from "./blocks.ts";
