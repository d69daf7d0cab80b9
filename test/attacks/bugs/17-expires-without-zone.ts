import { tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import * as z from "zod";
import type { Attack } from "../frame/attack.ts";
import { conversation } from "../parts/conversation.ts";
import { mustHold } from "../parts/must-hold.ts";

async function storedIn(zone: string): Promise<string> {
  process.env.TZ = zone;
  try {
    const answer = z.object({ yes: z.boolean() });
    const expires = { at: "2026-12-24T18:00", default: { yes: false } };
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      suspends: { answer, expires },
    });
    const { say } = conversation(scriptedModel([{ tools: [{ name: "ask" }] }]), { tools: [ask] });
    const { pending } = await say("Hi");
    return pending[0]?.expires?.at ?? "no expiry";
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

export const attack: Attack = {
  id: "bugs-17",
  title: "A question's `expires.at` without an offset is another moment in each process's time zone",
  state: "held",
  guard: {
    file: "packages/core/test/tools/times.test.ts",
    title: "B5 F26 a time without a zone is refused: %s",
  },
  attempt: async () => {
    const got: string[] = [];
    for (const zone of ["UTC", "America/New_York", "Asia/Tokyo"]) got.push(await storedIn(zone));
    return mustHold(new Set(got).size === 1, got.join(", "));
  },
};
