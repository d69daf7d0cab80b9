import { expect, test } from "vitest";
import { withEventTable } from "../scripts/lib/event-table.mjs";

const page = `# Events

Words that stay.

<!-- \`npm run events\` writes this table from the doc comments of EventData and LiveEventData. -->
| old |
<!-- end of the table -->

More words.
`;
const live = `
interface Delta { /** Where. */ at: number; text?: string }
interface Work { agent: string }
export interface LiveEventData {
  /** The model wrote. */
  delta: Delta & Work & { call_id: string };
}`;
const stored = `export interface EventData {
  /**
   * A run started, e.g. for
   * a message. \`old\` | new.
   */
  run_started: { run_id: string; retry_of?: string };
}`;

test("the table has a row for each event, from its comment and its type", () => {
  const written = withEventTable(page, { stored, live });
  expect(written.split("\n").filter((line) => line.startsWith("| "))).toEqual([
    "| event | stored or live | when it comes | fields of `data` |",
    "| `run_started` | stored | A run started, e.g. for a message. | `run_id`, `retry_of?` |",
    "| `delta` | live | The model wrote. | `at`, `text?`, `agent`, `call_id` |",
  ]);
  expect(written).toMatch(/^# Events\n\nWords that stay\.[\s\S]*\n\nMore words\.\n$/);
  expect(withEventTable(written, { stored, live })).toBe(written);
});

test.each([
  ["an event without a comment", stored.replace(/\/\*\*[\s\S]*\*\//, ""), "run_started needs a doc comment"],
  ["a payload of an unknown type", stored.replace(/\{ run_id.*\}/, "Elsewhere"), "Elsewhere has no fields"],
  ["no events", "", "There is no interface EventData"],
])("refuses %s", (_, text, message) => {
  expect(() => withEventTable(page, { stored: text, live })).toThrow(message);
});

test("refuses a page without marks", () => {
  expect(() => withEventTable("# Events", { stored, live })).toThrow("needs the lines");
});
