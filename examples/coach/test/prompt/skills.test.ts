import { memoryFiles } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../../scripts/lib/limits.mjs";
import { arcs, coachSkills, signalTable, toolNames, userFiles, withFrontMatter } from "../../src/index.ts";
import { calling, EVENING, MORNING, ruledCoach, saving } from "../support/harness.ts";

const NIGHT_PLAN = { day: "2026-11-21", priorities: ["Write"], path: "day-plans/2026-11-21.md" };

async function loaded(
  paths: Record<string, string>,
  more: Parameters<typeof ruledCoach>[1] = {},
  input = "Hello",
  metadata = {},
) {
  const files = memoryFiles();
  for (const [path, text] of Object.entries(paths)) await userFiles(files, "ada").put(path, text);
  const { ask, log } = await ruledCoach(undefined, { files, ...more });
  const { sessionId } = await ask({ input, metadata });
  const events = await Array.fromAsync(log.read(sessionId, { types: ["knowledge"] }));
  const names = events
    .map(({ data }) => String(Object(data).source))
    .filter((source) => source.startsWith("skill:"));
  return names.map((source) => source.slice(6));
}

const mapped = { "life-map/overview.md": "All of it.", "check-ins/2026-11-20.md": "Good." };
const planned = { ...mapped, "day-plans/2026-11-21.md": "Write." };

describe("skills", () => {
  it("C8 2.1 5.1 are ten files of six sections, at most 500 tokens each, with tools that there are", () => {
    expect(coachSkills).toHaveLength(10);
    for (const { name, text, tools, summary } of coachSkills) {
      expect(text.length / 4, name).toBeLessThanOrEqual(LIMITS.coachSkill);
      expect(toolNames).toEqual(expect.arrayContaining([...tools]));
      expect(summary.length).toBeGreaterThan(20);
      expect(text).not.toMatch(/\[(FILE_UPDATE|SUGGESTED_REPLIES|DAY_PLAN_DATA)/);
    }
    for (const arc of arcs) expect(coachSkills.map(({ name }) => name)).toContain(arc.replace("_", "-"));
    for (const { skill } of signalTable) expect(coachSkills.map(({ name }) => name)).toContain(skill);
  });

  it("C8 5.3 appear in the base prompt with one line each", async () => {
    const { ask, model } = await ruledCoach();
    await ask({ input: "Hi" });
    const base = Object(model.requests[0]?.system?.[0]) as { text?: string };
    for (const { name, summary, guidance } of coachSkills) {
      expect(base.text).toContain(`- ${name}: ${summary}`);
      expect(base.text).not.toContain(guidance);
    }
    expect(coachSkills.map(({ summary }) => summary).join("").length / 4).toBeLessThan(250);
  });

  it.each<[string, string, Record<string, string>, object, string[]]>([
    ["a new user without a life map", "Hello", {}, { now: () => EVENING }, ["life-mapping"]],
    ["a morning without a plan", "Hello", mapped, {}, ["open-day"]],
    ["a morning with one", "Hello", planned, {}, []],
    ["an evening with a plan and no journal", "Hello", planned, { now: () => EVENING }, ["close-day"]],
    ["an evening without a plan", "Hello", mapped, { now: () => EVENING }, []],
    [
      "an evening with a journal",
      "Hello",
      { ...planned, "daily-logs/2026-11-21.md": "x" },
      { now: () => EVENING },
      [],
    ],
    [
      "a check-in that is due",
      "Hello",
      { ...planned, "check-ins/2026-11-20.md": "", "check-ins/2026-11-21.md": "" },
      { now: () => MORNING + 7 * 86_400_000 },
      ["weekly-checkin", "open-day"],
    ],
    [
      "a flagged domain",
      "Hello",
      { ...planned, "domains/work.md": withFrontMatter({ status: "needs_attention" }, "Hard.") },
      {},
      ["domain-deep-dive"],
    ],
    ["high emotional intensity", "I am completely overwhelmed", planned, {}, ["crisis-support"]],
    ["a decision", "Should I take this job?", planned, {}, ["decision-helper"]],
    ["a pattern", "I keep doing this", planned, {}, ["pattern-review"]],
    ["the plan for life", "I want to revise my plan", planned, {}, ["life-plan-revision"]],
    ["captures", "Let us go through my captures", planned, {}, ["capture-review"]],
    ["nothing of it", "Tell me about tea", planned, {}, []],
  ])("C8 6.1 %s", async (_, input, files, more, expected) => {
    const plans = { save: async () => undefined, get: async () => undefined };
    expect(await loaded(files, { plans, ...more }, input)).toEqual(expected);
  });

  it("C8 6.1 looks at the table of day plans too", async () => {
    const plans = { save: async () => undefined, get: async () => NIGHT_PLAN };
    expect(await loaded(mapped, { plans, now: () => EVENING })).toEqual(["close-day"]);
  });

  it("C8 a session with a type uses its skill, and 6.2 shifts when its user is overwhelmed", async () => {
    expect(await loaded({}, {}, "Hello", { type: "close_day" })).toEqual(["close-day"]);
    expect(await loaded({}, {}, "I can’t cope today", { type: "open_day" })).toEqual([
      "crisis-support",
      "open-day",
    ]);
    expect(await loaded({}, {}, "Milk", { type: "quick_capture" })).toEqual([]);
  });

  it("C8 crisis-support needs nothing but the message: it comes also where the table and the files fail", async () => {
    const down = () => Promise.reject(new Error("down"));
    const more = { plans: { save: down, get: down } };
    expect(await loaded(planned, more, "I feel hopeless")).toEqual(["crisis-support"]);
    const odd = { ...planned, "domains/work.md": "---\nstatus: { toString: 1 }\n---\n\nHard." };
    expect(await loaded(odd, { now: () => EVENING }, "Hello")).toEqual(["close-day"]);
  });

  it("T5 C8 within an arc only the signal for a crisis counts", async () => {
    const script = [
      ...calling(["enter_structured_arc", { arc: "close_day" }]),
      { text: "Go on." },
      { text: "I am here." },
    ];
    const files = memoryFiles();
    await userFiles(files, "ada").put("life-map/overview.md", "All of it.");
    const { ask, log } = await ruledCoach(undefined, { files, script, now: () => EVENING });
    const { sessionId } = await ask({ input: "Close my day" });
    await userFiles(files, "ada").put("domains/work.md", withFrontMatter({ status: "in_crisis" }, "Hard."));
    await ask({ sessionId, input: "It was long" });
    await ask({ sessionId, input: "I can't cope" });
    const events = await Array.fromAsync(log.read(sessionId, { types: ["knowledge"] }));
    const sources = events.map(({ data }) => String(Object(data).source));
    expect(sources.filter((source) => source.startsWith("skill:"))).toEqual(["skill:crisis-support"]);
  });

  it("C8 6.2 a check-in shifts to an area that turns out to be in trouble", async () => {
    const files = memoryFiles();
    const inTrouble = {
      file_type: "domain",
      file_name: "work",
      content: "Too much.",
      attributes: { status: "in_crisis" },
    };
    const script = [...saving(inTrouble), { text: "Tell me." }];
    const { ask, log } = await ruledCoach(undefined, { files, script });
    const { sessionId } = await ask({ input: "It was a hard week", metadata: { type: "weekly_checkin" } });
    const skills = async () => {
      const events = await Array.fromAsync(log.read(sessionId, { types: ["knowledge"] }));
      return events
        .map(({ data }) => String(Object(data).source))
        .filter((source) => source.startsWith("skill:"));
    };
    expect(await skills()).toEqual(["skill:weekly-checkin"]);
    await ask({ sessionId, input: "At work above all" });
    expect(await skills()).toEqual(["skill:weekly-checkin", "skill:domain-deep-dive"]);
  });

  it("C8 6.2 a pattern review shifts to the life plan when the user asks about it", async () => {
    const { ask, log } = await ruledCoach(undefined, { script: [{ text: "Which?" }, { text: "I see." }] });
    const { sessionId } = await ask({ input: "There is a pattern", metadata: { type: "open_day" } });
    await ask({ sessionId, input: "It does not fit my life plan" });
    const events = await Array.fromAsync(log.read(sessionId, { types: ["knowledge"] }));
    const sources = events
      .map(({ data }) => String(Object(data).source))
      .filter((source) => source.startsWith("skill:"));
    expect(sources).toEqual(["skill:open-day", "skill:pattern-review", "skill:life-plan-revision"]);
  });

  it("C8 are loaded once in a session, for as long as the model can read them", async () => {
    const { ask, log } = await ruledCoach();
    const { sessionId } = await ask({ input: "I am overwhelmed" });
    await ask({ sessionId, input: "Still overwhelmed" });
    const events = await Array.fromAsync(log.read(sessionId, { types: ["knowledge"] }));
    expect(events.filter(({ data }) => Object(data).source === "skill:crisis-support")).toHaveLength(1);
  });
});
