import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi, aiSdk } from "../../src/index.ts";
import { serve } from "../support/served.ts";

const list = (one: string, count: number) => `[${Array(count).fill(one).join(",")}]`;
const aiSdkBody = (parts: string) => `{"id":"x","messages":[{"role":"user","parts":${parts}}]}`;
const agUiBody = (resume: string) =>
  `{"threadId":"t","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[],"resume":${resume}}`;

describe("B7 W6 a body of a run", () => {
  it.each([
    ["a message", {}, (many: string) => `{"input":${many}}`],
    ["answers", {}, (many: string) => `{"sessionId":"s","answers":${many}}`],
    ["a message of the AI SDK", { dialect: aiSdk() }, aiSdkBody],
    ["answers of AG-UI", { dialect: agUi() }, agUiBody],
  ])("is refused in few words, however many values or mistakes it has: %s", async (_, options, bodyOf) => {
    const { ask, errors } = await serve(scriptedModel([]), options);
    for (const [many, words] of [
      [list("{}", 60_000), "at most 50000 values"],
      [list("{}", 20_000), undefined],
    ] as const) {
      const response = await ask("/runs", {
        method: "POST",
        body: bodyOf(many),
        headers: { "content-type": "application/json" },
      });
      const text = await response.text();
      // AG-UI has a refusal in its stream.
      expect(text).toContain("invalid_input");
      if (words !== undefined) expect(text).toContain(words);
      expect(text.length).toBeLessThan(2_000);
    }
    expect(errors).toEqual([]);
  });
});
