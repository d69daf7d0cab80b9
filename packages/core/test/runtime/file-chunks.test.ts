import { expect, it } from "vitest";
import { memoryFiles, memoryStore, systemClock } from "../../src/index.ts";
import * as door from "../../src/runtime/later/index.ts";
import { lazyLegFiles } from "../../src/runtime/later/lazy-leg-files.ts";
import { base64 } from "../support/file-runs.ts";
import { png } from "../support/files.ts";

it("F1 P1 stores a tool's result with its bytes if the code for files cannot be loaded, and tries again", async () => {
  const data = base64(png(40, 30));
  const source = { type: "base64", media_type: "image/png", data };
  const event = {
    type: "tool_result" as const,
    data: {
      ...{ tool_name: "draw", call_id: "c1", success: true, result: "Drawn." },
      content: [{ type: "image" as const, source }],
    },
  };
  const store = memoryStore();
  const session = await store.sessions.create({ id: "s1", userId: "ada", agent: "looker" });
  const errors: unknown[] = [];
  const gone = new TypeError("Failed to fetch dynamically imported module");
  let fails = true;
  const files = lazyLegFiles(
    {
      store,
      files: door.filesWithin(memoryFiles(), systemClock),
      report: (error) => errors.push(error),
      newId: () => "id",
    },
    session,
    async () => {
      if (fails) throw gone;
      return door;
    },
  );
  const leg = { run: { agent: { storedResultLimit: 1_000_000 } }, access: { hide: <T>(value: T) => value } };
  // The tool has run: if this rejected, its result would be lost.
  expect(await files.keep(event, leg)).toBe(event);
  expect(errors).toEqual([gone]);
  fails = false;
  const kept = await files.keep(event, leg);
  expect(JSON.stringify(kept)).toContain('"stored"');
  expect(JSON.stringify(kept)).not.toContain(data);
});
