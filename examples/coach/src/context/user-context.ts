import type { UserDataSource } from "@pawl/core";
import { type ContextReport, type ContextSection, unifiedContext } from "@pawl/knowledge";
import { dayOf, plusDays } from "../base/day.ts";
import type { CoachData, CoachDeps } from "../deps/deps.ts";
import { capturesOf } from "../files/captures.ts";
import { withoutTags } from "../legacy/blocks.ts";
import { pulseBaseline } from "../pulse/pulse-log.ts";
import { DEFAULT_TYPE } from "../sessions/session-types.ts";
import { flaggedDomains } from "./flagged.ts";
import { header } from "./header.ts";
import { clip, lastOf, oneFile, textOf } from "./read.ts";

/** The input of a section. */
interface Reading {
  coach: CoachData;
  today: string;
  signal: AbortSignal;
}

type Read = (reading: Reading) => string | undefined | Promise<string | undefined>;

/**
 * The sections of the user's files in their order in the prompt, each with its maximum of characters. All
 * together are well below the limit of a prompt.
 */
const sections: readonly [tag: string, maxChars: number, read: Read][] = [
  ["sage_context", 4_500, ({ coach }) => oneFile(coach.files, "sage/context.md")],
  ["life_map_overview", 4_500, ({ coach }) => oneFile(coach.files, "life-map/overview.md")],
  ["life_plan", 4_500, ({ coach }) => oneFile(coach.files, "life-map/life-plan.md")],
  ["weekly_plan", 3_000, ({ coach }) => lastOf(coach.files, "weekly-plans", 1, 3_000)],
  ["patterns", 3_000, ({ coach }) => oneFile(coach.files, "sage/patterns.md")],
  ["pulse_baseline", 400, pulse],
  ["check_ins", 4_000, ({ coach }) => lastOf(coach.files, "check-ins", 3, 1_300)],
  ["daily_logs", 6_000, ({ coach }) => lastOf(coach.files, "daily-logs", 7, 850)],
  ["session_summaries", 1_500, ({ coach }) => lastOf(coach.files, "session-summaries", 3, 450)],
  ["captures", 2_500, captures],
  ["day_plan_today", 2_500, ({ coach, today }) => oneFile(coach.files, `day-plans/${today}.md`)],
  [
    "day_plan_yesterday",
    1_500,
    ({ coach, today }) => oneFile(coach.files, `day-plans/${plusDays(today, -1)}.md`),
  ],
  ["calendar_today", 1_000, calendar],
  ["flagged_domains", 3_000, flagged],
];

/** The most captures to list. Captures that a journal contains are not listed. */
const CAPTURES = 20;

/** The time limit of one section, in milliseconds. */
const SECTION_MS = 2_000;

/**
 * Creates a function that builds the user data: four facts about the user and the time, the session, and the
 * user's files. The sections are read in parallel and have the same order in every type of session. Blocks of
 * the coach's earlier version are removed from all texts.
 */
export function coachContext(
  onBuilt?: (report: ContextReport) => void,
): (source: UserDataSource<CoachDeps>) => Promise<string> {
  const read: ContextSection<CoachDeps>[] = sections.map(([tag, maxChars, fetch]) => ({
    tag,
    maxChars,
    fetch: async ({ deps: { coach }, signal }) => {
      const text = await fetch({ coach, today: dayOf(coach.now(), coach.timeZone), signal });
      return text === undefined ? undefined : withoutTags(text);
    },
  }));
  return unifiedContext<CoachDeps>({
    sections: [
      {
        tag: "session_context",
        maxChars: 600,
        fetch: async ({ deps }) => withoutTags(await header(deps.coach)),
      },
      {
        tag: "this_session",
        maxChars: 100,
        fetch: ({ session }) => `Type: ${typeOf(session.metadata.type)}`,
      },
      ...read,
    ],
    timeoutMs: SECTION_MS,
    ...(onBuilt && { onBuilt }),
  });
}

function typeOf(type: unknown): string {
  return typeof type === "string" ? withoutTags(type) : DEFAULT_TYPE;
}

async function pulse({ coach }: Reading): Promise<string | undefined> {
  const last = await pulseBaseline(coach.files);
  const rated = Object.entries(last?.ratings ?? {}).map(([domain, rating]) => `${domain} ${rating}`);
  return rated.length === 0 ? undefined : `${last?.day}, from 1 to 5: ${rated.join(", ")}`;
}

async function captures({ coach }: Reading): Promise<string | undefined> {
  const open = (await capturesOf(coach.files, CAPTURES)).filter(({ foldedInto }) => foldedInto === undefined);
  const lines = open.reverse().map(({ day, body }) => `- ${day}: ${clip(textOf(body), 300)}`);
  return lines.length === 0 ? undefined : lines.join("\n");
}

async function calendar({ coach, today, signal }: Reading): Promise<string | undefined> {
  const events = await coach.calendar(today, signal);
  const lines = events.map(({ at, title }) => `- ${at ?? "all day"}: ${clip(textOf(title), 100)}`);
  return lines.length === 0 ? undefined : [`Today, ${today}:`, ...lines].join("\n");
}

async function flagged({ coach }: Reading): Promise<string | undefined> {
  const domains = await flaggedDomains(coach.files);
  const texts = domains.map(({ name, status, body }) => `### ${name} (${status})\n${clip(body, 700)}`);
  return texts.length === 0 ? undefined : texts.join("\n\n");
}
