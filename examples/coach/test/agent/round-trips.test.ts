import { type EventStore, memoryFiles, memoryStore } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { roundTrips } from "../../../../test/support/round-trips.ts";
import { coachContext, coachDeps, memoryDayPlans, userFiles, withFrontMatter } from "../../src/index.ts";
import { calling, coached, MORNING } from "../support/harness.ts";

/** Files of a user in every folder that the context reads. */
async function lived() {
  const files = memoryFiles();
  const own = userFiles(files, "ada");
  const days = ["14", "15", "16", "17", "18", "19", "20", "21"].map((day) => `2026-11-${day}`);
  const paths = [
    ...[
      "sage/context",
      "sage/patterns",
      "life-map/overview",
      "life-map/life-plan",
      "weekly-plans/2026-11-16",
    ],
    ...days.flatMap((day) => [`daily-logs/${day}`, `day-plans/${day}`, `check-ins/${day}`]),
    ...days.flatMap((day) => [`captures/${day}-a`, `session-summaries/${day}-a`]),
  ];
  for (const path of paths) await own.put(`${path}.md`, "Something.");
  await own.put("pulse-checks/2026-11-22-a.md", withFrontMatter({ known: { work: 3 } }, "-"));
  for (const domain of ["work", "money", "health"])
    await own.put(`domains/${domain}.md`, withFrontMatter({ status: "needs_attention" }, "Hard."));
  return files;
}

/** Runs a message, and counts the round trips of its context, and from its first call to the call's result. */
async function trips(...call: Parameters<typeof calling>) {
  const rounds = roundTrips();
  const at = { context: 0, call: 0, result: 0 };
  const memory = memoryStore();
  const log: EventStore = {
    ...memory,
    append: async (id, events, options) => {
      const has = (type: string) => events.some((event) => event.type === type);
      if (at.context === 0 && has("llm_request")) at.context = rounds.count;
      if (at.call === 0 && has("assistant_message")) at.call = rounds.count;
      if (at.result === 0 && (has("tool_result") || has("tool_suspended"))) at.result = rounds.count;
      return await memory.append(id, events, options);
    },
  };
  const files = rounds.through(await lived());
  const { ask } = coached(strictModel({ script: calling(...call) }), {
    log,
    files,
    plans: rounds.through(memoryDayPlans()),
    calendar: async () => [{ title: "Dentist" }],
  });
  await rounds.during(ask({ input: "Good morning" }));
  return { context: at.context, tool: at.result - at.call };
}

describe("round trips to the user's files", () => {
  it("X1 C6 are two for a context with every section: all lists at once, then all files at once", async () => {
    const rounds = roundTrips();
    const store = memoryStore();
    const session = await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
    const deps = coachDeps({
      files: rounds.through(await lived()),
      store: { sessions: rounds.through(store.sessions) },
      now: () => MORNING,
      calendar: async () => [{ title: "Dentist" }],
    })(session);
    const build = coachContext(({ sections }) => {
      expect(sections.filter(({ hasFailed }) => hasFailed)).toEqual([]);
    });
    const text = await rounds.during(
      build({ session, deps, caller: {}, credentials: undefined, signal: new AbortController().signal }),
    );
    expect(text.match(/^<\w+>$/gm)).toHaveLength(16);
    expect(rounds.count).toBe(2);
    expect(rounds.calls).toBeGreaterThan(40);
  });

  it("X1 C6 are four before the first request: two for the signals that load skills, two for the context", async () => {
    expect((await trips(["complete_session", { type: "session" }])).context).toBe(4);
  });

  it.each<[string, object, number]>([
    [
      "show_options",
      {
        question: "What now?",
        options: [
          { id: "a", label: "Plan" },
          { id: "b", label: "Rest" },
        ],
      },
      0,
    ],
    ["enter_structured_arc", { arc: "open_day" }, 0],
    ["complete_session", { type: "session" }, 1],
    ["save_file", { file_type: "capture", content: "Buy bread" }, 1],
    ["save_file", { file_type: "day-plan", content: "Write." }, 2],
    ["save_file", { file_type: "daily-log", content: "A good day." }, 4],
  ])("X1 are few between a call of %s and its result: %j", async (tool, input, most) => {
    const { tool: taken } = await trips([tool, input]);
    expect(taken).toBe(most);
  });
});
