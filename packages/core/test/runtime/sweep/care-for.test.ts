import { expect, test } from "vitest";
import { actionFor } from "../../../src/runtime/sweep/resume-for-reader.ts";

const now = Date.parse("2026-11-28T12:00:00.000Z");
const past = "2026-11-28T11:59:59.000Z";
const later = "2026-11-28T12:00:01.000Z";
const running = { openRun: "r1", wakeAt: null, status: "active", pending: 0 } as const;
const asking = { openRun: "r1", wakeAt: null, status: "suspended", pending: 1 } as const;
const facts = { now, resumedAt: undefined, hasTimer: false, hasCredentials: false };

test.each([
  ["without a session", undefined, facts, "nothing"],
  ["without a run", { ...running, openRun: null }, facts, "nothing"],
  ["of a run that may be abandoned", running, facts, "resume"],
  ["of a run that waits for a time", { ...running, wakeAt: later }, facts, "wait"],
  ["of a run whose time has come", { ...running, wakeAt: past }, facts, "resume"],
  ["of a time for which it was resumed", { ...running, wakeAt: past }, { ...facts, resumedAt: past }, "wait"],
  [
    "of a time for which this process has a timer",
    { ...running, wakeAt: past },
    { ...facts, hasTimer: true },
    "wait",
  ],
  ["of a question", asking, facts, "nothing"],
  ["of a question, with credentials", asking, { ...facts, hasCredentials: true }, "give_credentials"],
  ["of a question that expires later", { ...asking, wakeAt: later }, facts, "nothing"],
  [
    "of a question that has expired",
    { ...asking, wakeAt: past },
    { ...facts, hasCredentials: true },
    "resume",
  ],
] as const)("a reader %s takes care of it by: $3", (_, session, known, care) => {
  expect(actionFor(session, known)).toBe(care);
});
