import { expect, it } from "vitest";
import { errorLines } from "../../server/error-lines.ts";

const context = { sessionId: "s", userId: "u", runId: "r", agent: "coach" };

async function printed(message: string, more: object | null, secret?: string): Promise<string[]> {
  const lines: string[] = [];
  const { onError } = errorLines((line) => lines.push(line), secret);
  await onError?.({ code: "model_error", message, stack: null, context: more as never }, context);
  return lines;
}

it("prints an error of a run in one line, with its status if it has one", async () => {
  expect(await printed("invalid x-api-key", { status: 401 })).toEqual(["model_error 401: invalid x-api-key"]);
  expect(await printed("It\nbroke \u001b[31moff.", null)).toEqual(["model_error: It broke [31moff."]);
});

it("prints no key, even if an error message contains it", async () => {
  expect(await printed("no such key: abcdefgh-1", null, "abcdefgh-1")).toEqual([
    "model_error: no such key: …",
  ]);
  expect(await printed("invalid x-api-key", null, "key")).toEqual(["model_error: invalid x-api-key"]);
  expect(await printed("invalid x-api-key", null, "")).toEqual(["model_error: invalid x-api-key"]);
});
