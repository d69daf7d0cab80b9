import { expect, it } from "vitest";
import { agUi, aiSdk } from "../../../src/index.ts";
import { contextOf, converse } from "../../support/random-runs.ts";

it.each([
  ["AI SDK", aiSdk(), "[DONE]"],
  ["AG-UI", agUi(), "RUN_FINISHED"],
])(
  "W2 W4 a stream that breaks off after an answer does not end as if the run still asked: %s",
  async (_, dialect, end) => {
    const made = await converse({
      turns: [{ thinking: "", text: "", calls: ["confirm"], fails: [] }],
      last: "Fine.",
      answers: [true],
      oneByOne: false,
      crashes: false,
      cites: false,
      cuts: [0],
    });
    /** What a stream of the whole run sends if it breaks off after the first event of this type. */
    const sentUpTo = (type: string): string => {
      const encoder = dialect.encoder(contextOf(made, { runId: made.legs[0]?.runId ?? "", afterSeq: 0 }));
      const upto = made.stored.findIndex((event) => event.type === type);
      const events = made.stored.slice(0, upto + 1).flatMap((event) => encoder.encode(event));
      return [...encoder.begin(), ...events, ...encoder.end()].join("");
    };
    expect(sentUpTo("run_suspended")).toContain(end);
    expect(sentUpTo("tool_answered")).not.toContain(end);
    expect(sentUpTo("run_ended")).toContain(end);
  },
);
