import type { SkillSignals } from "@pawl/knowledge";
import { type DayPart, dayOf, dayPartOf } from "../base/day.ts";
import type { CoachData, CoachDeps } from "../deps/deps.ts";
import { indexOf } from "../files/file-index.ts";
import { readMarkdown } from "../files/user-files.ts";
import { coachSkills, skillOfType } from "../prompt/skills.ts";
import { CHECKIN_FOLDERS, nextCheckin } from "../sessions/check-in-status.ts";
import { isDistressed } from "./distress.ts";
import { flaggedDomains } from "./flagged.ts";

/** The facts that the signals depend on. */
export interface Facts {
  dayPart: DayPart;
  hasLifeMap: boolean;
  hasPlanToday: boolean;
  hasJournalToday: boolean;
  isCheckinDue: boolean;
  hasFlaggedDomain: boolean;
}

/**
 * The condition of each skill for an open conversation, the most important first. If none holds, the coach
 * has only its prompt. Messages of distress get the crisis skill instead.
 */
export const signalTable: readonly { skill: string; when(facts: Facts): boolean }[] = [
  { skill: "life-mapping", when: ({ hasLifeMap }) => !hasLifeMap },
  { skill: "weekly-checkin", when: ({ hasLifeMap, isCheckinDue }) => hasLifeMap && isCheckinDue },
  { skill: "open-day", when: ({ dayPart, hasPlanToday }) => dayPart === "morning" && !hasPlanToday },
  {
    skill: "close-day",
    when: ({ dayPart, hasPlanToday, hasJournalToday }) =>
      dayPart === "evening" && hasPlanToday && !hasJournalToday,
  },
  { skill: "domain-deep-dive", when: ({ hasFlaggedDomain }) => hasFlaggedDomain },
];

/**
 * Chooses the skills for `skillHook`:
 *
 * - A quick capture gets none.
 * - A message of distress gets the crisis skill. This reads no files, so no error can prevent it.
 * - A session with a type gets the skill of its type. A weekly check-in also gets `domain-deep-dive` if an
 *   area of life needs attention.
 * - An open conversation gets the skills of {@link signalTable}.
 * - An arc gets no skill here, because the model got the arc's guidance when the arc began.
 */
export const coachSignals: SkillSignals<CoachDeps> = async (message, { session, deps, type: effective }) => {
  const { type } = session.metadata;
  if (type === "quick_capture") return [];
  const called = isDistressed(message) ? ["crisis-support"] : [];
  const own = skillOfType(effective ?? "");
  const isOwn = coachSkills.some(({ name }) => name === own);
  if (isOwn && effective === type) called.push(own);
  if (called.includes("crisis-support")) return called;
  if (!isOwn) {
    const facts = await factsOf(deps.coach);
    return signalTable.filter(({ when }) => when(facts)).map(({ skill }) => skill);
  }
  const isDeeper = effective === "weekly_checkin" && (await isFlagged(deps.coach));
  return [...called, ...(isDeeper ? ["domain-deep-dive"] : [])];
};

/**
 * Returns whether an area of life needs attention. Returns `false` if the files cannot be read; the context's
 * section `flagged_domains` reports that failure.
 */
async function isFlagged({ files }: CoachData): Promise<boolean> {
  return (await flaggedDomains(files).catch(() => [])).length > 0;
}

async function factsOf({ files, plans, now, timeZone }: CoachData): Promise<Facts> {
  const today = dayOf(now(), timeZone);
  const [index, plan, planFile, journal, flagged] = await Promise.all([
    indexOf(files, CHECKIN_FOLDERS),
    plans.get(today),
    readMarkdown(files, `day-plans/${today}.md`),
    readMarkdown(files, `daily-logs/${today}.md`),
    flaggedDomains(files),
  ]);
  const due = nextCheckin(index, today);
  return {
    dayPart: dayPartOf(now(), timeZone),
    hasLifeMap: index.some(({ type }) => type === "overview"),
    hasPlanToday: plan !== undefined || planFile !== undefined,
    hasJournalToday: journal !== undefined,
    isCheckinDue: due !== undefined && due <= today,
    hasFlaggedDomain: flagged.length > 0,
  };
}
