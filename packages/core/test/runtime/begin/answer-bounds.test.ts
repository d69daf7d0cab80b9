import { describe, expect, it } from "vitest";
import { type Json, jsonSchema, type Schema, tool } from "../../../src/index.ts";
import { problemsByLog } from "../../../src/tools/problems-by-log.ts";
import { code } from "../../support/errors.ts";
import { setup, user } from "../../support/setup.ts";

const list = (length: number): Json => Array.from({ length }, () => 1);

/** A tool of a page that counts how often its answers are judged. */
function counting() {
  const any = jsonSchema<unknown>({});
  const { validate } = any["~standard"];
  let judged = 0;
  const answer: Schema = {
    "~standard": {
      ...any["~standard"],
      validate: (value) => {
        judged += 1;
        return validate(value);
      },
    },
  };
  const locate = tool({
    name: "locate",
    description: "Locates.",
    input: jsonSchema({ type: "object" }),
    suspends: { answer },
  });
  return { locate, judged: () => judged };
}

describe("B7 an answer", () => {
  it("of more than 50,000 values is refused before its schema judges it, whichever way it came", async () => {
    const { locate, judged } = counting();
    const script = [{ tools: [{ name: "locate", id: "toolu_0", input: {} }] }, { text: "Done." }];
    const world = setup(script, { tools: [locate] });
    const { sessionId } = await world.say("Go");
    const send = (value: Json) =>
      world.pawl.run("tester", { ...user, sessionId, answers: [{ callId: "toolu_0", value }] }).result;
    const before = judged();
    await expect(send(list(50_001))).rejects.toSatisfy(
      code("invalid_answer", "The answer cannot be stored: it has more than 50000 values."),
    );
    expect(judged()).toBe(before);
    expect((await send(list(50_000))).text).toBe("Done.");
  });

  it("is judged by a schema in the log within its bounds, and in a counted number of steps", async () => {
    expect(await problemsByLog(undefined, list(50_000))).toEqual([]);
    expect(await problemsByLog(undefined, list(50_001))).toEqual(["it has more than 50000 values"]);
    const deep = JSON.parse("[".repeat(501) + "]".repeat(501));
    expect(await problemsByLog(undefined, deep)).toEqual(["it has more than 500 levels"]);
    // A form of a server with 7,500 choices, of which the last one is chosen 47,500 times.
    const items = { enum: Array.from({ length: 7_500 }, (_, at) => `k${at}`) };
    expect(await problemsByLog({ items }, Array(47_500).fill("k7499"))).toEqual([
      "it takes more than 500000 steps to validate",
    ]);
  });
});
