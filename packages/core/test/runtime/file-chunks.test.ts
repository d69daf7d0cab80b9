import { afterEach, expect, it, vi } from "vitest";
import * as z from "zod";
import { tool } from "../../src/index.ts";
import { base64, filing } from "../support/file-runs.ts";
import { png } from "../support/files.ts";

const chunk = vi.hoisted(() => ({ fails: true }));

// As when the server no longer has the chunk, or cannot be reached.
vi.mock("../../src/runtime/files/make-leg-files.ts", async (original) => {
  const real = await original<typeof import("../../src/runtime/files/make-leg-files.ts")>();
  return {
    get makeLegFiles() {
      if (chunk.fails) throw new TypeError("Failed to fetch dynamically imported module");
      return real.makeLegFiles;
    },
  };
});

afterEach(() => {
  chunk.fails = true;
});

it("F1 P1 stores a tool's result with its bytes if the code for files cannot be loaded, and tries again", async () => {
  const chart = png(40, 30);
  let runs = 0;
  const draw = tool({
    name: "draw",
    description: "Draws a chart.",
    input: z.object({}),
    execute: () => {
      runs += 1;
      return "Drawn.";
    },
    format: () => [
      { type: "image", source: { type: "base64", media_type: "image/png", data: base64(chart) } },
    ],
  });
  const errors: unknown[] = [];
  const call = { tools: [{ name: "draw", input: {} }] };
  const script = [call, { text: "I see." }, call, { text: "I see it again." }];
  const world = filing(script, { tools: [draw] }, { onError: (error) => errors.push(error) });
  const { sessionId, text } = await world.say("Draw.");
  expect([text, runs, errors.length]).toEqual(["I see.", 1, 1]);
  expect(JSON.stringify(await world.log(sessionId))).toContain(base64(chart));
  expect(await world.paths()).toEqual([]);

  chunk.fails = false;
  const again = await world.say("Draw it again.", { sessionId });
  expect([again.text, runs, errors.length]).toEqual(["I see it again.", 2, 1]);
  expect(await world.paths()).toHaveLength(2);
});
