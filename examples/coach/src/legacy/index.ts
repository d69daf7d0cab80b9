// What is left of the time when the coach wrote its actions into its text. For pages too: nothing here needs
// a server.
export { type LegacyPart, legacyMarks, legacyParts, withoutBlocks, withoutTags } from "./blocks.ts";
