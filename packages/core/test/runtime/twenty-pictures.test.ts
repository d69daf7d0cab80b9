import { expect, it } from "vitest";
import { assertExtends } from "../../../../test/support/invariants.ts";
import { memoryFiles } from "../../src/index.ts";
import { base64, filing } from "../support/file-runs.ts";
import { png } from "../support/files.ts";

// `npm run bench files` measures the same with larger pictures, over HTTP; docs/benchmarks.md has its numbers.
it("F1 C1 keeps the log small, the prefix as it was and the cache hit in a session with twenty pictures", async () => {
  const files = memoryFiles();
  let read = 0;
  const counted = {
    ...files,
    get: async (path: string) => {
      read += 1;
      return await files.get(path);
    },
  };
  const { say, store, log, model } = filing(() => ({ text: "I see." }), { files: counted });
  const pictures = Array.from({ length: 20 }, (_, seed) => png(1_600, 1_200, { seed, bytes: 60_000 }));
  let sessionId: string | undefined;
  for (const [at, data] of pictures.entries()) {
    const { usage, ...run } = await say(
      [
        { type: "file", data },
        { type: "text", text: "What is this?" },
      ],
      {
        ...(sessionId !== undefined && { sessionId }),
      },
    );
    ({ sessionId } = run);
    // All but the new message is read from the cache: 2,494 tokens for each picture.
    if (at > 0) expect(usage.cacheReadTokens).toBeGreaterThan(at * 2_490);
    expect(usage.cacheWriteTokens + usage.inputTokens).toBeLessThan(2_600);
  }
  expect(model.rejected).toEqual([]);
  assertExtends(model.requests);
  const events = JSON.stringify(await log(sessionId ?? ""));
  expect(events.length / 20).toBeLessThan(2_400);
  expect(events).not.toContain(base64(pictures[0] as Uint8Array).slice(0, 60));
  const sizes = model.requests.map(({ messages }) => JSON.stringify(messages).length);
  expect(sizes.at(-1)).toBeLessThan(20 * 80_000 * 1.01);
  const stored = (await files.list()).filter(({ path }) => !path.endsWith(".facts"));
  expect(stored.reduce((sum, { size }) => sum + size, 0)).toBe(20 * 60_000);
  expect(await store.sessions.list({ userId: "ada" })).toHaveLength(1);
  // Each run reads each file of its session once.
  expect(read).toBe((20 * 21) / 2);
});
