import { describe, expect, it } from "vitest";
import { allowPrinted } from "../../../../test/support/printed.ts";
import { soak } from "../../../../test/support/soak.ts";
import { faults } from "../support/sessions/faults.ts";
import type { Move, Plan } from "../support/sessions/plan.ts";
import { checkFault, withFault } from "../support/sessions/plant.ts";
import { DECISIONS, judgeSessions, kindNames, SPANS } from "../support/sessions/properties.ts";

// Other sessions every day. `PAWL_SEED=7` has those of one seed.
const DAY = Math.floor(Date.now() / 86_400_000);
const SEED = Number(process.env.PAWL_SEED ?? DAY);
const COUNT = soak(30, 1_000);

/** AG-UI's clients print each connection that breaks off. */
const BROKEN_OFF = "Agent execution failed";

describe(`random sessions, PAWL_SEED=${SEED}`, () => {
  it.each(kindNames)(
    "W2 W4 F12 a page of %s shows what the log has, live, loaded and connected at any event",
    async (name) => {
      allowPrinted(BROKEN_OFF);
      await judgeSessions(name, { seed: SEED, numRuns: COUNT });
    },
    soak(60_000, 3_600_000),
  );

  it(
    "O3 spans say what the log has",
    async () => await judgeSessions(SPANS, { seed: SEED, numRuns: COUNT }),
    soak(60_000, 3_600_000),
  );

  it(
    "H3 F34 F35 all readers say the same of each call, and get nothing that a hook keeps from them",
    async () => await judgeSessions(DECISIONS, { seed: SEED, numRuns: COUNT }),
    soak(60_000, 3_600_000),
  );
});

const turn = (...calls: string[]) => ({ thinking: "", text: "", calls, fails: [], broken: false });
const move = (what: Move["do"]): Move => ({ do: what, yes: true, which: 0, reloads: false });
const plan = (turns: Plan["turns"], moves: Move["do"][], more: Partial<Plan> = {}): Plan => ({
  turns,
  moves: moves.map(move),
  ...{ meanwhile: [], whenBusy: "queue", asksFirst: false, cites: false, roles: true, cuts: [1, 0, 5] },
  ...more,
});
const interrupted: Partial<Plan> = { meanwhile: [move("message")], whenBusy: "interrupt" };

const stopped: Partial<Plan> = { meanwhile: [move("message"), move("stop")], cuts: [2] };

/** The shortest sessions that were shown wrongly, or whose answers went astray. */
const found: [string, Plan][] = [
  ["a call asks twice, and a tab answers the first question late", plan([turn("chain", "look")], ["answer"])],
  ["an approval is answered while another question is open", plan([turn("gated", "confirm")], ["one"])],
  ["a message closes an approval", plan([turn("gatedPage", "look")], ["message"])],
  ["a message closes a hook's question", plan([turn("look")], ["message", "answer"], { asksFirst: true })],
  ["a page loads before the run of a message asks its model", plan([turn("busy")], [], interrupted)],
  [
    "a hook asks before the run of a message that has interrupted another",
    plan([turn("busy", "look"), turn("look")], ["answer", "answer"], { ...interrupted, asksFirst: true }),
  ],
  [
    "a connection is lost in the middle of a thought",
    plan([{ ...turn("look"), thinking: "a" }, turn("expiring")], [], { cuts: [2, 0] }),
  ],
  ["two messages have a part of one name", plan([turn("look", "chain"), turn("look")], ["message"])],
  [
    "an answer of several texts is redacted",
    plan([turn("look")], [], { cites: true, moves: [{ ...move("redact"), which: 11 }, move("message")] }),
  ],
  [
    "a hook asks after a message has interrupted a run, and the model fails",
    plan([turn("busy"), { ...turn("look"), broken: true }, turn("look")], ["answer", "answer"], {
      ...interrupted,
      asksFirst: true,
      cuts: [1],
    }),
  ],
  [
    "roles hand over to each other, and a message goes to the last one",
    plan(
      [
        { ...turn("transfer_to_writer"), text: "a" },
        { ...turn("confirm"), text: "b" },
        turn("transfer_to_reader"),
      ],
      ["answer", "message"],
    ),
  ],
  ["a user stops a run that asks", plan([turn("busy", "chain")], [], { meanwhile: [move("stop")] })],
  ["a message waits while a user stops a run", plan([turn("busy", "busy")], [], stopped)],
  [
    "a message closes a call whose input the page got from a hook",
    plan([turn("look"), turn("page", "look"), turn("look")], ["message"], {
      ...{ roles: false, cuts: [0] },
      decides: { calls: ["pass", "tell", "pass"], marks: [""], every: 0, beside: false, holds: false },
    }),
  ],
  [
    "a message waits while a guard fails, and is refused",
    plan([turn("busy"), turn("look")], ["answer"], {
      ...{ roles: false, cuts: [1], meanwhile: [move("refuse")] },
      decides: { calls: ["failTurn", "pass"], marks: [""], every: 0, beside: false, holds: false },
    }),
  ],
];

describe.each(found)("%s", (_title, example) => {
  it.each(kindNames)("W2 W4 P4 a page of %s shows what the log has", async (name) => {
    allowPrinted(BROKEN_OFF);
    await judgeSessions(name, { examples: [[example]], numRuns: 1, endOnFailure: true });
  });

  it("O3 the spans say what the log has", async () => {
    await judgeSessions(SPANS, { examples: [[example]], numRuns: 1, endOnFailure: true });
  });
});

describe("faults that are planted into the dialects", () => {
  // A few of them each day.
  const some = soak(3, faults.length);
  const first = (DAY * some) % faults.length;
  const planted = Array.from({ length: some }, (_, at) => faults[(first + at) % faults.length]);

  it.each(faults)("$name: the sources have its place", (fault) => {
    checkFault(fault);
  });

  it.each(planted.flatMap((fault) => fault ?? []))("W2 W4 F12 random sessions find: $name", async (fault) => {
    allowPrinted(BROKEN_OFF);
    const { judgeSessions: judge } = await withFault(fault);
    const examples = found.map(([, example]): [Plan] => [example]);
    const parameters = { seed: 1, numRuns: 400, examples, endOnFailure: true };
    await expect(judge(fault.kind, parameters)).rejects.toThrow("Property failed");
  });
});
